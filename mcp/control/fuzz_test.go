package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// inputSchemas compiles the schemas that clients get, by tool.
func inputSchemas(tb testing.TB) map[string]*jsonschema.Schema {
	tb.Helper()
	all := map[string]*jsonschema.Schema{}
	for _, t := range tools {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(t.definition().RawInputSchema))
		if err != nil {
			tb.Fatal(err)
		}
		if err := c.AddResource(t.name+".json", doc); err != nil {
			tb.Fatal(err)
		}
		if all[t.name], err = c.Compile(t.name + ".json"); err != nil {
			tb.Fatal(err)
		}
	}
	return all
}

// FuzzArguments decodes any bytes as the arguments of a tool. Whatever they are, the answer is arguments of the table's
// types or an error that names the tool and a rule in one line; what is taken keeps to the schema that clients got.
func FuzzArguments(f *testing.F) {
	for _, c := range malformed {
		raw, err := json.Marshal(c.args)
		if err != nil {
			f.Fatal(err)
		}
		if len(raw) < 4096 {
			f.Add(c.tool, raw)
		}
	}
	for _, t := range tools {
		f.Add(t.name, []byte(`{}`))
		for _, d := range t.args {
			f.Add(t.name, []byte(`{"`+d.name+`":"x","cwd":"/x","pieceId":"22222222-2222-4222-8222-222222222222"}`))
		}
	}
	for _, raw := range []string{
		``, `null`, `[]`, `{`, `{"pieceId":"a","pieceId":"b"}`, `{"PIECEID":"a"}`, `{"pieceId":"\ud800"}`, `{"transcriptLimit":1e400,"sessionId":"x"}`,
		`{"transcriptLimit":-0,"sessionId":"x"}`, `{"keys":["A-1","a-1"],"seed":"x"}`, `{"target":{"kind":"piece","id":"x"},"fingerprint":"f"}`,
	} {
		f.Add("get_session", []byte(raw))
		f.Add("create_draft", []byte(raw))
		f.Add("snooze_cue", []byte(raw))
	}
	schemas := inputSchemas(f)
	f.Fuzz(func(t *testing.T, name string, raw []byte) {
		tool, ok := toolNamed(name)
		if !ok {
			return
		}
		a, err := tool.parse(raw)
		if err != nil {
			checkRefusal(t, tool, raw, err)
			return
		}
		for _, d := range tool.args {
			checkArgument(t, d, a)
		}
		if len(bytes.TrimSpace(raw)) > 0 && string(bytes.TrimSpace(raw)) != "null" && utf8.Valid(raw) {
			checkAgainstSchema(t, schemas[name], name, raw)
		}
		// The calls' other readers cope with whatever passes.
		if again, err := tool.parse(asSent(t, a)); err != nil {
			t.Errorf("%s: what was taken of %q is refused when it is sent again: %v (%v)", name, raw, err, again)
		}
		if !json.Valid(redact(raw)) {
			t.Errorf("%s: %q is booked as %q", name, raw, redact(raw))
		}
	})
}

func checkRefusal(t *testing.T, tool tool, raw []byte, err error) {
	t.Helper()
	var broken *ArgumentError
	if !errors.As(err, &broken) || broken.Tool != tool.name || broken.Rule == "" {
		t.Fatalf("%s: %q is refused with %#v", tool.name, raw, err)
	}
	if words := err.Error(); len(words) > 2000 || !utf8.ValidString(words) {
		t.Errorf("%s: %q is refused with %q", tool.name, raw, words)
	}
}

// checkArgument holds a decoded argument against its definition.
func checkArgument(t *testing.T, d arg, a args) {
	t.Helper()
	v, given := a[d.name]
	if !given {
		if d.required {
			t.Errorf("the required %s is missing", d.name)
		}
		return
	}
	texts := []string{}
	ok := false
	switch v := v.(type) {
	case string:
		ok, texts = d.kind == kindText, append(texts, v)
	case bool:
		ok = d.kind == kindFlag
	case int:
		ok = d.kind == kindWhole && v >= d.min && v <= d.max
	case []string:
		ok, texts = d.kind == kindTexts && len(v) <= d.maxItems, v
	case args:
		ok = d.kind == kindObject
		for _, f := range d.fields {
			checkArgument(t, f, v)
		}
	}
	if !ok {
		t.Errorf("%s was decoded to %T %v", d.name, v, v)
	}
	for _, s := range texts {
		if strings.ContainsRune(s, 0) || !utf8.ValidString(s) || d.maxLen > 0 && utf8.RuneCountInString(s) > d.maxLen ||
			d.enum != nil && !slices.Contains(d.enum, s) || d.format == absolutePath && !filepath.IsAbs(s) {
			t.Errorf("%s was taken as %q", d.name, s)
		}
	}
}

// checkAgainstSchema holds what was taken against what clients are told may be sent.
func checkAgainstSchema(t *testing.T, schema *jsonschema.Schema, name string, raw []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return // such as two members of one name, which JSON leaves open
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%s takes %q, which its schema refuses: %v", name, raw, err)
	}
}

func asSent(t *testing.T, a args) []byte {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// FuzzCall reads any bytes as a call, as the check in front of the library does.
func FuzzCall(f *testing.F) {
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_piece","arguments":{"pieceId":"x"}}}`,
		`{"jsonrpc":"2.0","id":7,"METHOD":"tools/call","params":{"NAME":"get_piece"}}`,
		`{"id":"a","method":"tools/call","params":{"name":"piece_action","arguments":{"pieceId":"x","action":"markDone","dryRun":true}}}`,
		`{"id":1,"method":"prompts/get","params":{"name":"review"}}`, `{"id":1,"method":"resources/read","params":{"uri":"fermata://projects"}}`,
		`{"id":null}`, `[]`, `{`, ``, `{"method":"tools/call","params":{"name":"x","arguments":7}}`,
	} {
		f.Add([]byte(m))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		err := CheckCall(message)
		var broken *ArgumentError
		if err != nil && !errors.As(err, &broken) {
			t.Errorf("%q: %v", message, err)
		}
		_ = refusedPrompt(message)
	})
}
