package register

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

const someEntry = `{"type":"http","url":"u"}`

func TestEntryIsWrittenAndTheRestStays(t *testing.T) {
	t.Parallel()
	rows := []struct{ name, before, after string }{
		{"no file", "", "{\n  \"mcpServers\": {\n    \"fermata\": {\n      \"type\": \"http\",\n      \"url\": \"u\"\n    }\n  }\n}\n"},
		{"empty object", "{}", "{\n  \"mcpServers\": {\n    \"fermata\": {\n      \"type\": \"http\",\n      \"url\": \"u\"\n    }\n  }\n}"},
		{"compact", `{"b":1,"a":[1, 2]}`, `{"b":1,"a":[1, 2],"mcpServers":{"fermata":` + someEntry + `}}`},
		{"compact with servers", `{"mcpServers":{"x":{}},"a":1}`, `{"mcpServers":{"x":{},"fermata":` + someEntry + `},"a":1}`},
		{"compact with no server", `{"mcpServers":{},"a":1}`, `{"mcpServers":{"fermata":` + someEntry + `},"a":1}`},
		{"no servers", "{\n  \"a\": 1.50\n}\n", "{\n  \"a\": 1.50,\n  \"mcpServers\": {\n    \"fermata\": {\n      \"type\": \"http\",\n      \"url\": \"u\"\n    }\n  }\n}\n"},
		{"empty servers", "{\n\t\"mcpServers\": {},\n\t\"a\": 1\n}", "{\n\t\"mcpServers\": {\n\t\t\"fermata\": {\n\t\t\t\"type\": \"http\",\n\t\t\t\"url\": \"u\"\n\t\t}\n\t},\n\t\"a\": 1\n}"},
		{
			"replaced", "{\n  \"mcpServers\": {\n    \"x\": {},\n    \"fermata\": {\"old\": true},\n    \"y\": {}\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"x\": {},\n    \"fermata\": {\n      \"type\": \"http\",\n      \"url\": \"u\"\n    },\n    \"y\": {}\n  }\n}",
		},
		{"of another project", `{"projects":{"/p":{"mcpServers":{"fermata":{}}}}}`, `{"projects":{"/p":{"mcpServers":{"fermata":{}}}},"mcpServers":{"fermata":` + someEntry + `}}`},
		{"odd names and values", `{"\u006dcpServers":{"fermat\u0061":{"s":"}\"{"}},"mcpservers":{}}`, `{"\u006dcpServers":{"fermat\u0061":` + someEntry + `},"mcpservers":{}}`},
		{"twice", `{"mcpServers":{"fermata":1},"mcpServers":{"fermata":2,"fermata":3}}`, `{"mcpServers":{"fermata":1},"mcpServers":{"fermata":2,"fermata":` + someEntry + `}}`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d, err := parseDocument([]byte(row.before))
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.with([]byte(someEntry))
			if err != nil || string(got) != row.after {
				t.Fatalf("%v\n%s\nwant\n%s", err, got, row.after)
			}
			again, err := parseDocument(got)
			if err != nil {
				t.Fatal(err)
			}
			var a, b any
			if json.Unmarshal(again.entry(), &a) != nil || json.Unmarshal([]byte(someEntry), &b) != nil || !reflect.DeepEqual(a, b) {
				t.Errorf("read back %s", again.entry())
			}
		})
	}
}

func TestEntryIsTakenOutAndTheRestStays(t *testing.T) {
	t.Parallel()
	rows := []struct{ name, before, after string }{
		{"alone", "{\n  \"mcpServers\": {\n    \"fermata\": {}\n  },\n  \"a\": 1\n}", "{\n  \"mcpServers\": {},\n  \"a\": 1\n}"},
		{"first", `{"mcpServers":{"fermata":{}, "x":{}}}`, `{"mcpServers":{"x":{}}}`},
		{"between", "{\"mcpServers\":{\"w\":1,\n\"fermata\":{} ,\n\"x\":{}}}", "{\"mcpServers\":{\"w\":1,\n\"x\":{}}}"},
		{"last", "{\"mcpServers\":{\"w\":1,\n\"fermata\":{}\n}}", "{\"mcpServers\":{\"w\":1\n}}"},
		{"twice", `{"mcpServers":{"fermata":1,"x":2,"fermata":3}}`, `{"mcpServers":{"x":2}}`},
		{"none", `{"mcpServers":{"x":{}}}`, `{"mcpServers":{"x":{}}}`},
		{"no servers", `{"a":1}`, `{"a":1}`},
	}
	for _, row := range rows {
		d, err := parseDocument([]byte(row.before))
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.without()
		if err != nil || string(got) != row.after {
			t.Errorf("%s: %v\n%s\nwant\n%s", row.name, err, got, row.after)
		}
	}
}

func TestFilesThatAreNotOursToMendAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{", "[]", `"x"`, "null", `{"a":1}x`, "\ufeff{}", `{"mcpServers":[]}`, `{"mcpServers":null}`, "{'a':1}", "{\"a\":1,}"} {
		if _, err := parseDocument([]byte(text)); err == nil {
			t.Errorf("took %q", text)
		}
	}
}

func FuzzEditKeepsTheRest(f *testing.F) {
	f.Add(`{"a":{"mcpServers":{}},"mcpServers":{"x" : [1] , "fermata":{}}}`)
	f.Add("{\r\n \"mcpServers\" : {\r\n }\r\n}")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parseDocument([]byte(text))
		if err != nil {
			return
		}
		with, err := d.with([]byte(someEntry))
		if err != nil {
			t.Fatal(err)
		}
		added, err := parseDocument(with)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, with, err)
		}
		out, err := added.without()
		if err != nil {
			t.Fatal(err)
		}
		before, err := d.without()
		if err != nil {
			t.Fatal(err)
		}
		if a, b := decoded(t, before), decoded(t, out); !reflect.DeepEqual(a, b) {
			t.Errorf("%q became %q: %v, %v", text, out, a, b)
		}
	})
}

// decoded reads a document without empty servers, which an edit may leave behind.
func decoded(t *testing.T, text []byte) map[string]any {
	t.Helper()
	if strings.TrimSpace(string(text)) == "" {
		text = []byte("{}")
	}
	v := map[string]any{}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if m, ok := v["mcpServers"].(map[string]any); ok && len(m) == 0 {
		delete(v, "mcpServers")
	}
	return v
}
