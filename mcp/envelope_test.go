package mcp

import (
	"encoding/json"
	"testing"
)

func TestIDsHaveOneSpelling(t *testing.T) {
	t.Parallel()
	rows := []struct{ raw, key string }{
		{`1`, "n1"},
		{`-1`, "n-1"},
		{`0`, "n0"},
		{`-0`, "n0"},
		{`"1"`, "s1"},
		{`"\u0031"`, "s1"},
		{`""`, "s"},
		{`9007199254740992`, "n9007199254740992"},
		{`9007199254740993`, ""},
		{`1.0`, ""},
		{`1e3`, ""},
		{`null`, ""},
		{`{}`, ""},
		{`true`, ""},
		{``, ""},
	}
	for _, row := range rows {
		if got := idKey(json.RawMessage(row.raw)); got != row.key {
			t.Errorf("%s is %q, want %q", row.raw, got, row.key)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(ping))
	f.Add([]byte(toolCall("x", "wait", map[string]any{"a": []int{1}}, 1)))
	f.Add([]byte(cancelNote(1)))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, no := parse(body)
		switch {
		case (m == nil) == (no == nil):
			t.Fatalf("%q: %v and %v", body, m, no)
		case no != nil:
			if !json.Valid(no.body()) || no.status != 400 {
				t.Errorf("%q: answer %s", body, no.body())
			}
		case m.id == nil && m.method == "", (m.id == nil) != (m.key == ""):
			t.Errorf("%q: accepted as %+v", body, m)
		}
	})
}
