package control

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write the golden files")

// listed returns the tools as a client gets them.
func listed(t *testing.T) []json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(newRig(t).server.HandleMessage(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Result struct {
			Tools []json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	return r.Result.Tools
}

func TestToolsMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	list := listed(t)
	if len(list) != ToolCount() {
		t.Fatalf("%d tools are listed, not %d", len(list), ToolCount())
	}
	var seen []string
	for _, raw := range list {
		var tool struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatal(err)
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, raw, "", "  "); err != nil {
			t.Fatal(err)
		}
		pretty.WriteByte('\n')
		path := filepath.Join("..", "testdata", "tools", tool.Name+".json")
		seen = append(seen, tool.Name+".json")
		if *update {
			if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, pretty.Bytes()) {
			t.Errorf("%s changed: run the test with -update and review the difference", path)
		}
	}
	files, err := os.ReadDir(filepath.Join("..", "testdata", "tools"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(seen, f.Name()) {
			t.Errorf("%s belongs to no tool", f.Name())
		}
	}
}

func TestEveryToolSaysWhatItDoes(t *testing.T) {
	t.Parallel()
	total := 0
	for _, raw := range listed(t) {
		total += len(raw)
		var tool struct {
			Name, Title, Description string
			Annotations              map[string]any
			InputSchema              map[string]any
			OutputSchema             any
		}
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatal(err)
		}
		for _, hint := range []string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := tool.Annotations[hint]; !ok {
				t.Errorf("%s lacks the annotation %s", tool.Name, hint)
			}
		}
		if tool.Description == "" || tool.InputSchema["additionalProperties"] != false || tool.OutputSchema != nil {
			t.Errorf("%s has no description, an open schema or an output schema: %s", tool.Name, raw)
		}
		for _, composed := range []string{"oneOf", "anyOf", "allOf"} {
			if _, ok := tool.InputSchema[composed]; ok {
				t.Errorf("%s has a top-level %s, which some clients refuse", tool.Name, composed)
			}
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("tool.json", tool.InputSchema); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Compile("tool.json"); err != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
	}
	// Every client pays for the list in every conversation; four bytes are about one token.
	if total/4 > 6000 {
		t.Errorf("the tools take about %d tokens", total/4)
	}
	t.Logf("all tools: %d bytes", total)
}

// TestSchemasAndValidationAgree calls with one broken argument each, taken from the schema: what the schema refuses the
// call refuses too.
func TestSchemasAndValidationAgree(t *testing.T) {
	t.Parallel()
	wrong := map[kind]string{kindText: `1`, kindFlag: `"yes"`, kindWhole: `"1"`, kindTexts: `"x"`, kindObject: `"{}"`}
	for _, tool := range tools {
		for _, d := range tool.args {
			given := map[string]json.RawMessage{}
			for _, o := range tool.args {
				if o.required {
					given[o.name] = json.RawMessage(`"/x"`)
					if o.enum != nil {
						given[o.name] = json.RawMessage(`"` + o.enum[0] + `"`)
					}
					if o.kind == kindObject {
						given[o.name] = json.RawMessage(`{"kind": "piece", "id": "x"}`)
					}
				}
			}
			given[d.name] = json.RawMessage(wrong[d.kind])
			body, err := json.Marshal(given)
			if err != nil {
				t.Fatal(err)
			}
			var broken *ArgumentError
			if _, err := tool.parse(body); !asArgument(err, &broken) || broken.Argument != d.name {
				t.Errorf("%s takes %s for %s: %v", tool.name, body, d.name, err)
			}
		}
	}
}

func TestInitializeTeachesTheRail(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(newRig(t).server.HandleMessage(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Result mcpgo.InitializeResult `json:"result"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	if r.Result.ServerInfo.Name != "fermata" || r.Result.ServerInfo.Version != "1.2.3" {
		t.Errorf("server is %+v", r.Result.ServerInfo)
	}
	wants(t, r.Result.Instructions, "Spec -> Strategy -> Agents", "release_draft", "legalActions", "card")
}

func TestWriteToolsAreThoseThatChangeSomething(t *testing.T) {
	t.Parallel()
	want := []string{
		"register_project", "create_piece", "create_draft", "update_draft", "cancel_draft", "release_draft", "open_piece_workspace", "piece_action",
		"snooze_cue", "reveal",
	}
	if got := WriteTools(); !slices.Equal(got, want) || ToolCount() != 18 {
		t.Errorf("of %d tools, the write tools are %v", ToolCount(), got)
	}
}
