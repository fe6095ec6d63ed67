package control

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// tool is one tool of the server. A tool writes unless it says that it only reads.
type tool struct {
	name        string
	title       string
	description string
	reads       bool // only reads
	destroys    bool // may destroy or overwrite something
	repeatable  bool // calling again with the same arguments changes nothing more
	reachesOut  bool // deals with trackers, forges or models
	keeps       bool // its result depends on nothing but its arguments and the engine's revision; without cwd, which is a matter of the disk
	asks        bool // every run that changes something goes through gated, which asks for callers that cannot be placed
	args        []arg
	// check tests the rules that span several arguments; nil when there are none.
	check func(a args) *ArgumentError
	run   func(c *control, ctx context.Context, a args) (any, error)
}

// tools lists the tools in the order of the documentation.
var tools = []tool{
	listProjects, listEchoes, registerProject,
	listPieces, getPiece, getArtifact,
	listSessions, getSession,
	createPiece, createDraft, updateDraft, cancelDraft, releaseDraft,
	openPieceWorkspace, pieceAction,
	listCues, snoozeCue, reveal,
}

// ToolCount is how many tools the server serves.
func ToolCount() int { return len(tools) }

// WriteTools lists the names of the tools that change something: those that Fermata's own agents are refused.
func WriteTools() []string {
	var names []string
	for _, t := range tools {
		if !t.reads {
			names = append(names, t.name)
		}
	}
	return names
}

func toolNamed(name string) (tool, bool) {
	i := slices.IndexFunc(tools, func(t tool) bool { return t.name == name })
	if i < 0 {
		return tool{}, false
	}
	return tools[i], true
}

// definition is the tool as tools/list shows it.
func (t tool) definition() mcpgo.Tool {
	raw, err := json.Marshal(objectSchema(t.args))
	if err != nil {
		panic(fmt.Sprintf("schema of %s: %v", t.name, err)) // strings, numbers and maps of them always marshal
	}
	def := mcpgo.NewToolWithRawSchema(t.name, t.description, raw)
	def.Title = t.title
	def.Annotations = mcpgo.ToolAnnotation{
		Title:           t.title,
		ReadOnlyHint:    &t.reads,
		DestructiveHint: &t.destroys,
		IdempotentHint:  &t.repeatable,
		OpenWorldHint:   &t.reachesOut,
	}
	return def
}

// ArgumentError says which argument of a tool breaks which rule. It is answered as invalid params.
type ArgumentError struct {
	Tool     string
	Argument string // empty when it is about all of them
	Rule     string
}

// Error returns the sentence for the model.
func (e *ArgumentError) Error() string {
	if e.Argument == "" {
		return e.Tool + " " + e.Rule
	}
	return fmt.Sprintf("%s '%s' %s", e.Tool, e.Argument, e.Rule)
}

// args are a call's arguments, valid by the tool's table: string, bool, int, []string or args.
type args map[string]any

func (a args) has(name string) bool { _, ok := a[name]; return ok }

func (a args) text(name string) string { s, _ := a[name].(string); return s }

func (a args) flag(name string) bool { b, _ := a[name].(bool); return b }

func (a args) whole(name string) int { n, _ := a[name].(int); return n }

func (a args) object(name string) args { o, _ := a[name].(args); return o }

func (a args) texts(name string) []string { l, _ := a[name].([]string); return l }

// blank says whether the argument is absent or says nothing: models fill what they do not use with empty values.
func (a args) blank(name string) bool {
	switch v := a[name].(type) {
	case string:
		return strings.TrimSpace(v) == ""
	case bool:
		return !v
	case []string:
		return len(v) == 0
	}
	return !a.has(name)
}

// pointer returns the argument's string, or nil when it is absent.
func (a args) pointer(name string) *string {
	if s, ok := a[name].(string); ok {
		return &s
	}
	return nil
}

// parse reads and checks a call's arguments. The error is always an *ArgumentError.
func (t tool) parse(raw json.RawMessage) (args, error) {
	given := map[string]json.RawMessage{}
	if len(raw) > 0 && json.Unmarshal(raw, &given) != nil {
		return nil, &ArgumentError{Tool: t.name, Rule: "'arguments' must be an object"}
	}
	if err := t.unknown(given); err != nil {
		return nil, err
	}
	a := args{}
	for _, d := range t.args {
		value, ok := given[d.name]
		if !ok {
			if d.required {
				return nil, &ArgumentError{t.name, d.name, "is required"}
			}
			continue
		}
		v, broken := d.read(value)
		if broken != "" {
			return nil, &ArgumentError{t.name, d.name, broken}
		}
		a[d.name] = v
	}
	if t.check != nil {
		if err := t.check(a); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (t tool) unknown(given map[string]json.RawMessage) error {
	names := namesOf(t.args)
	var strangers []string
	for name := range given {
		if !slices.Contains(names, name) {
			strangers = append(strangers, name)
		}
	}
	if len(strangers) == 0 {
		return nil
	}
	slices.Sort(strangers)
	rule := "is unknown; the tool takes " + strings.Join(names, ", ")
	if len(names) == 0 {
		rule = "is unknown; the tool takes no arguments"
	}
	return &ArgumentError{t.name, clip(strangers[0]), rule}
}
