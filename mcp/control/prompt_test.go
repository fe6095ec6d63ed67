package control

import (
	"slices"
	"strings"
	"testing"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"fermata/pieces"
)

func (k *rig) prompt(name string, arguments map[string]string) (text string, code int) {
	k.t.Helper()
	var got struct {
		Messages []struct {
			Role    string
			Content struct{ Type, Text string }
		}
	}
	code, words := k.ask("prompts/get", map[string]any{"name": name, "arguments": arguments}, &got)
	if code != 0 {
		return words, code
	}
	if len(got.Messages) != 1 || got.Messages[0].Role != "user" || got.Messages[0].Content.Type != "text" {
		k.t.Fatalf("%s: %+v", name, got)
	}
	return got.Messages[0].Content.Text, 0
}

func TestPromptsSayWhatToDoAndToWaitForThePerson(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	for _, c := range []struct {
		name  string
		args  map[string]string
		parts []string
	}{
		{"what_needs_me", nil, []string{"list_cues and tell", "primaryAction", "Do not carry out any action"}},
		{"what_needs_me", map[string]string{"cwd": `/home/ada/"x"`}, []string{`list_cues with cwd "/home/ada/\"x\""`}},
		{"file_a_draft", nil, []string{"create_draft with your working directory as cwd", "# Title", "Do not release it"}},
		{"file_a_draft", map[string]string{"title": "Ports", "lane": "auto", "projectId": projectID}, []string{`The title is "Ports"`, `in the project "muse"`, "on the lane auto"}},
		{"file_a_draft", map[string]string{"draftId": draftID}, []string{`"Balanced controls" with update_draft`, draftID}},
		{"review_piece", map[string]string{"pieceId": pieceID}, []string{`"name":"upload-retry"`, "get_artifact", "acceptance criterion", "before I tell you"}},
	} {
		text, code := k.prompt(c.name, c.args)
		if code != 0 {
			t.Errorf("%s: %d %s", c.name, code, text)
		}
		wants(t, text, c.parts...)
	}
}

func TestMalformedPromptsNameTheArgument(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		name string
		args map[string]string
	}{
		"review_piece 'pieceId' is required":                    {"review_piece", nil},
		"review_piece 'x' is unknown; the prompt takes pieceId": {"review_piece", map[string]string{"pieceId": pieceID, "x": "y"}},
		"file_a_draft 'lane' must be one of manual, auto, loop": {"file_a_draft", map[string]string{"lane": "fast"}},
		"what_needs_me 'cwd' must be at most 4,096 characters":  {"what_needs_me", map[string]string{"cwd": strings.Repeat("x", 5000)}},
		"what_needs_me 'cwd' must not contain a NUL character":  {"what_needs_me", map[string]string{"cwd": "a\x00"}},
	} {
		if got, code := newRig(t).prompt(c.name, c.args); code != mcpgo.INVALID_PARAMS || got != want {
			t.Errorf("%s %v: %d %q, want %q", c.name, c.args, code, got, want)
		}
	}
	got, code := newRig(t).prompt("review_piece", map[string]string{"pieceId": "nope"})
	if code == 0 || !strings.Contains(got, "Unknown pieceId") {
		t.Errorf("an unknown piece: %d %q", code, got)
	}
}

func TestListedPromptsAreThoseThatAreServed(t *testing.T) {
	t.Parallel()
	var list struct {
		Prompts []struct {
			Name, Title, Description string
			Arguments                []struct {
				Name, Description string
				Required          bool
			}
		}
	}
	newRig(t).ask("prompts/list", values{}, &list)
	if len(list.Prompts) != len(prompts) {
		t.Fatalf("listed %+v", list)
	}
	for _, p := range list.Prompts {
		if p.Title == "" || p.Description == "" {
			t.Errorf("%s has no title or description", p.Name)
		}
	}
}

func TestIDsAreCompletedByIDAndByName(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.pieces[0].Handoffs = []string{taskID}
	for i := range 150 {
		k.engine.drafts = append(k.engine.drafts, pieces.Draft{ID: strings.Repeat("d", i+1), Title: "many"})
	}
	reference := func(kind, name string) map[string]any {
		if kind == "ref/prompt" {
			return values{"type": kind, "name": name}
		}
		return values{"type": kind, "uri": name}
	}
	for _, c := range []struct {
		kind, name, arg, typed string
		known                  map[string]string
		want                   []string
	}{
		{"ref/prompt", "review_piece", "pieceId", "", nil, []string{pieceID}},
		{"ref/prompt", "review_piece", "pieceId", "2222", nil, []string{pieceID}},
		{"ref/prompt", "review_piece", "pieceId", "Retry", nil, []string{pieceID}},
		{"ref/prompt", "review_piece", "pieceId", "nothing", nil, []string{}},
		{"ref/prompt", "review_piece", "other", "", nil, []string{}},
		{"ref/prompt", "no_prompt", "pieceId", "", nil, []string{}},
		{"ref/prompt", "file_a_draft", "draftId", "balanced", nil, []string{draftID}},
		{"ref/prompt", "file_a_draft", "projectId", "mu", nil, []string{projectID}},
		{"ref/prompt", "file_a_draft", "lane", "a", nil, []string{"auto"}},
		{"ref/resource", templatePiece, "id", "balanced", nil, []string{draftID}},
		{"ref/resource", templateDocument, "id", "balanced", nil, []string{}},
		{"ref/resource", templateDocument, "kind", "s", nil, []string{"spec", "strategy", "summary"}},
		{"ref/resource", templateHandoff, "taskId", "", map[string]string{"id": pieceID}, []string{taskID}},
		{"ref/resource", templateHandoff, "taskId", "", map[string]string{"id": "nope"}, []string{}},
		{"ref/resource", "fermata://other/{id}", "id", "", nil, []string{}},
	} {
		var got struct {
			Completion struct {
				Values  []string
				Total   int
				HasMore bool
			}
		}
		code, words := k.ask("completion/complete", values{
			"ref": reference(c.kind, c.name), "argument": values{"name": c.arg, "value": c.typed}, "context": values{"arguments": c.known},
		}, &got)
		if code != 0 || !slices.Equal(got.Completion.Values, c.want) || got.Completion.Total != len(c.want) {
			t.Errorf("%+v: %d %s %+v", c, code, words, got)
		}
	}
	var got struct {
		Completion struct {
			Values  []string
			Total   int
			HasMore bool
		}
	}
	k.ask("completion/complete", values{"ref": reference("ref/prompt", "file_a_draft"), "argument": values{"name": "draftId", "value": "d"}}, &got)
	if len(got.Completion.Values) != mostCompletions || got.Completion.Total != 151 || !got.Completion.HasMore {
		t.Errorf("of many: %d of %d", len(got.Completion.Values), got.Completion.Total)
	}
}
