package control

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"fermata/pieces"
)

var resultSchemas = sync.OnceValues(readResultSchemas)

// readResultSchemas compiles the kept schemas, by tool. Clients never see them: one that did would ask for structured content.
func readResultSchemas() (map[string]*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	paths, err := filepath.Glob(filepath.Join("..", "testdata", "results", "*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range append(paths, filepath.Join("..", "testdata", "rows.json")) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(f)
		f.Close()
		if err != nil {
			return nil, err
		}
		if err := c.AddResource("fermata:///"+filepath.Base(path), doc); err != nil {
			return nil, err
		}
	}
	all := map[string]*jsonschema.Schema{}
	for _, path := range paths {
		name := filepath.Base(path)
		if all[strings.TrimSuffix(name, ".json")], err = c.Compile("fermata:///" + name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// keepsToSchema says how the result of a tool breaks its schema; nil when it does not.
func keepsToSchema(tool, text string) error {
	all, err := resultSchemas()
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return all[tool].Validate(v)
}

func TestNoToolLacksAnnotationsATierOrAResultSchema(t *testing.T) {
	t.Parallel()
	schemas, err := resultSchemas()
	if err != nil {
		t.Fatal(err)
	}
	if len(schemas) != ToolCount() {
		t.Errorf("%d result schemas for %d tools", len(schemas), ToolCount())
	}
	for _, tool := range tools {
		a := tool.definition().Annotations
		if a.Title == "" || a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.IdempotentHint == nil || a.OpenWorldHint == nil {
			t.Errorf("%s lacks an annotation: %+v", tool.name, a)
		}
		if schemas[tool.name] == nil {
			t.Errorf("%s has no result schema", tool.name)
		}
		// A write that nobody can be held to asks with these words; a read never asks.
		if (strangerVerb(tool.name).String() == "use "+tool.name) != tool.reads {
			t.Errorf("%s reads: %v, and its card says %q", tool.name, tool.reads, strangerVerb(tool.name))
		}
		if tool.reads && (tool.destroys || tool.asks || !tool.repeatable) {
			t.Errorf("%s only reads, and yet %+v", tool.name, a)
		}
	}
	for _, r := range pieces.Rules() {
		if (r.Verb == "") != (r.Tier == pieces.TierCall) {
			t.Errorf("%s has the tier %d, and its card says %q", r.Action, r.Tier, r.Verb)
		}
	}
}

// TestResultSchemasRefuseWhatIsNotPromised changes one thing of a good result at a time.
func TestResultSchemasRefuseWhatIsNotPromised(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, tool string
		args       values
		path       []any
		value      any // nil takes the member away
	}{
		{"a missing field", "list_projects", values{}, []any{"projects", 0, "branch"}, nil},
		{"a field that nobody knows", "get_piece", values{"pieceId": pieceID}, []any{"surprise"}, 1},
		{"a field of a row that nobody knows", "list_pieces", values{}, []any{"pieces", 0, "surprise"}, 1},
		{"a missing null", "list_pieces", values{}, []any{"pieces", 0, "prURL"}, nil},
		{"an empty text for null", "list_pieces", values{}, []any{"pieces", 0, "prURL"}, ""},
		{"a gate that there is not", "get_piece", values{"pieceId": pieceID}, []any{"gate"}, "asleep"},
		{"an id that is no UUID", "list_projects", values{}, []any{"projects", 0, "id"}, "7"},
		{"a time that is no date", "get_session", values{"sessionId": sessionID}, []any{"updatedAt"}, "yesterday"},
		{"an interview outside of Spec", "get_piece", values{"pieceId": pieceID}, []any{"interview"}, values{"working": false, "questions": []any{}}},
		{"content of an absent document", "get_artifact", values{"pieceId": pieceID, "kind": "strategy"}, []any{"content"}, "text"},
		{"an error of a session that did not fail", "get_session", values{"sessionId": sessionID}, []any{"error"}, "no"},
		{"a group that is left out", "list_cues", values{}, []any{"groups"}, []any{}},
		{"a reason of a legal action", "piece_action", act("pauseAgents", "dryRun", true), []any{"reason"}, "no"},
		{"a draft's row with a piece's phase", "get_piece", values{"pieceId": draftID}, []any{"phase", "key"}, "spec"},
	} {
		v := newRig(t).ok(c.tool, c.args)
		broken, err := json.Marshal(changed(v, c.path, c.value))
		if err != nil {
			t.Fatal(err)
		}
		if keepsToSchema(c.tool, string(broken)) == nil {
			t.Errorf("%s passes the schema of %s", c.name, c.tool)
		}
	}
}

// changed returns v with the member at path replaced, or taken away when value is nil.
func changed(v any, path []any, value any) any {
	if len(path) == 0 {
		return value
	}
	switch v := v.(type) {
	case map[string]any:
		name, _ := path[0].(string)
		if len(path) == 1 && value == nil {
			delete(v, name)
			return v
		}
		v[name] = changed(v[name], path[1:], value)
		return v
	case []any:
		i, _ := path[0].(int)
		list := slices.Clone(v)
		list[i] = changed(v[i], path[1:], value)
		return list
	}
	return v
}
