package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"
)

func asArgument(err error, to **ArgumentError) bool { return errors.As(err, to) }

type values = map[string]any

func act(action string, more ...any) values {
	v := values{"pieceId": pieceID, "action": action}
	for i := 0; i < len(more); i += 2 {
		v[more[i].(string)] = more[i+1]
	}
	return v
}

var malformed = []struct {
	name, tool string
	args       any
	want       string
}{
	{"not an object", "list_projects", []int{1}, "list_projects 'arguments' must be an object"},
	{"unknown argument of a tool without any", "list_projects", values{"x": 1}, "list_projects 'x' is unknown; the tool takes no arguments"},
	{"unknown argument", "get_piece", values{"pieceId": pieceID, "piece": "x"}, "get_piece 'piece' is unknown; the tool takes pieceId"},
	{"wrong case", "get_piece", values{"pieceID": pieceID}, "get_piece 'pieceID' is unknown"},
	{"missing", "get_piece", values{}, "get_piece 'pieceId' is required"},
	{"null", "get_piece", values{"pieceId": nil}, "get_piece 'pieceId' must be a string"},
	{"number for a string", "get_piece", values{"pieceId": 7}, "get_piece 'pieceId' must be a string"},
	{"blank id", "get_piece", values{"pieceId": " "}, "get_piece 'pieceId' must not be empty"},
	{"NUL", "get_piece", values{"pieceId": "a\x00b"}, "get_piece 'pieceId' must not contain a NUL character"},
	{"string for a boolean", "list_pieces", values{"includeArchived": "true"}, "list_pieces 'includeArchived' must be true or false"},
	{"null for a boolean", "list_pieces", values{"includeArchived": nil}, "must be true or false"},
	{"relative path", "register_project", values{"path": "code/app"}, "register_project 'path' must be an absolute path"},
	{"fraction", "get_session", values{"sessionId": sessionID, "transcriptLimit": 1.5}, "get_session 'transcriptLimit' must be a whole number"},
	{"string for a number", "get_session", values{"sessionId": sessionID, "transcriptLimit": "5"}, "must be a whole number"},
	{"below the least", "get_session", values{"sessionId": sessionID, "transcriptLimit": -1}, "must be from 0 to 200"},
	{"above the most", "get_session", values{"sessionId": sessionID, "transcriptLimit": 201}, "must be from 0 to 200"},
	{"unknown kind", "get_artifact", values{"pieceId": pieceID, "kind": "plan"}, "get_artifact 'kind' must be one of spec, strategy"},
	{"handoff without agent", "get_artifact", values{"pieceId": pieceID, "kind": "handoff"}, "get_artifact 'taskId' is required for the kind handoff"},
	{"agent without handoff", "get_artifact", values{"pieceId": pieceID, "kind": "spec", "taskId": taskID}, "'taskId' is only taken by the kind handoff"},

	{"no prompt", "create_piece", values{"cwd": "/home/ada/muse"}, "create_piece 'prompt' is required"},
	{"blank prompt", "create_piece", values{"prompt": " \n"}, "create_piece 'prompt' must not be empty"},
	{"unknown depth", "create_piece", values{"prompt": "x", "depth": "deep"}, "create_piece 'depth' must be one of quick, balanced, thorough"},
	{"an id that is none", "create_piece", values{"prompt": "x", "id": "7"}, "create_piece 'id' must be a UUID"},
	{"target as text", "snooze_cue", values{"target": "piece", "fingerprint": "f"}, "snooze_cue 'target' must be an object with kind and id"},
	{"target null", "snooze_cue", values{"target": nil, "fingerprint": "f"}, "snooze_cue 'target' must be an object with kind and id"},
	{"target without id", "snooze_cue", values{"target": values{"kind": "piece"}, "fingerprint": "f"}, "snooze_cue 'target' needs 'id'"},
	{"target of another kind", "snooze_cue", values{"target": values{"kind": "draft", "id": "x"}, "fingerprint": "f"}, "snooze_cue 'target' has a 'kind' that must be one of piece, session"},
	{"target with more", "snooze_cue", values{"target": values{"kind": "piece", "id": "x", "name": "y"}, "fingerprint": "f"}, "snooze_cue 'target' takes no 'name', only kind and id"},
	{"no fingerprint", "snooze_cue", values{"target": values{"kind": "piece", "id": "x"}}, "snooze_cue 'fingerprint' is required"},
	{"nothing to show", "reveal", values{}, "reveal needs one of 'pieceId' or 'sessionId'"},
	{"two to show", "reveal", values{"pieceId": pieceID, "sessionId": sessionID}, "reveal 'sessionId' can't be combined with 'pieceId'"},
	{"dryRun as text", "piece_action", act("stopAgents", "dryRun", "yes"), "piece_action 'dryRun' must be true or false"},
	{"nothing to file", "create_draft", values{"cwd": "/home/ada/muse"}, "create_draft needs one of 'spec', 'seed' or 'issue'"},
	{"blank spec", "create_draft", values{"spec": " \n"}, "create_draft needs one of 'spec', 'seed' or 'issue'"},
	{"issue with keys", "create_draft", values{"issue": "SUP-12", "keys": []string{"SUP-13"}}, "create_draft 'issue' can't be combined with 'keys': "},
	{"issue with spec", "create_draft", values{"issue": "SUP-12", "spec": "x"}, "create_draft 'issue' can't be combined with 'spec': "},
	{"issue with seed", "create_draft", values{"issue": "SUP-12", "seed": "x"}, "create_draft 'issue' can't be combined with 'seed': "},
	{"issue with refine", "create_draft", values{"issue": "SUP-12", "refine": "none"}, "create_draft 'issue' can't be combined with 'refine': "},
	{"issue as a URL", "create_draft", values{"issue": "https://github.com/o/r/issues/1"}, "create_draft 'issue' must be a tracker key"},
	{"keys alone", "create_draft", values{"keys": []string{"SUP-12"}}, "create_draft 'keys' needs 'spec' or 'seed'"},
	{"no keys", "create_draft", values{"spec": "x", "keys": []string{}}, "create_draft 'keys' must hold at least 1, not 0"},
	{"11 keys", "create_draft", values{"spec": "x", "keys": strings.Fields("A-1 A-2 A-3 A-4 A-5 A-6 A-7 A-8 A-9 A-10 A-11")}, "create_draft 'keys' must hold at most 10, not 11"},
	{"malformed key", "create_draft", values{"spec": "x", "keys": []string{"SUP-12", "sup12"}}, `create_draft 'keys' must be a tracker key, SUP-12 for Linear or owner/repo#12 for GitHub, not a URL: "sup12"`},
	{"keys of numbers", "create_draft", values{"spec": "x", "keys": []int{1}}, "'keys' must be an array of strings"},
	{"null among the keys", "create_draft", values{"spec": "x", "keys": []any{nil}}, "'keys' must be an array of strings"},
	{"id that is no UUID", "create_draft", values{"seed": "x", "id": "1"}, "create_draft 'id' must be a UUID"},
	{"unknown lane", "create_draft", values{"seed": "x", "lane": "fast"}, "create_draft 'lane' must be one of manual, auto, loop"},
	{"unknown refine", "create_draft", values{"seed": "x", "refine": "ifgaps"}, "'refine' must be one of none, if_gaps, always"},
	{"model that is an option", "create_draft", values{"seed": "x", "model": "--help"}, "'model' must be an exact model id"},
	{"21 dependencies", "create_draft", values{"seed": "x", "dependsOn": strings.Split(strings.Repeat("a,", 20)+"b", ",")}, "'dependsOn' must hold at most 20, not 21"},
	{"title too long", "create_draft", values{"seed": "x", "title": strings.Repeat("ä", 301)}, "'title' must be at most 300 characters"},
	{"spec too long", "create_draft", values{"spec": strings.Repeat("x", 1_000_001)}, "'spec' must be at most 1,000,000 characters"},

	{"no field to change", "update_draft", values{"draftId": draftID}, "update_draft needs at least one field to change"},
	{"11 keys to change", "update_draft", values{"draftId": draftID, "keys": strings.Fields("A-1 A-2 A-3 A-4 A-5 A-6 A-7 A-8 A-9 A-10 A-11")}, "update_draft 'keys' must hold at most 10"},
	{"no draft", "cancel_draft", values{}, "cancel_draft 'draftId' is required"},
	{"no draft to release", "release_draft", values{"model": "x"}, "release_draft 'draftId' is required"},

	{"unknown action", "piece_action", act("merge"), "piece_action 'action' must be one of interviewMessage, approveSpec"},
	{"message without a prompt", "piece_action", act("interviewMessage"), "piece_action 'prompt' is required for the action interviewMessage"},
	{"lane without a lane", "piece_action", act("setLane"), "piece_action 'lane' is required for the action setLane"},
	{"approving onto the loop", "piece_action", act("approveSpec", "lane", "loop"), "piece_action 'lane' must be manual or auto for the action approveSpec"},
	{"approving nobody", "piece_action", act("approveTask"), "piece_action 'taskId' is required for the action approveTask"},
	{"resuming nobody", "piece_action", act("resumeTask"), "'taskId' is required for the action resumeTask"},
	{"brief without words", "piece_action", act("editTaskBrief", "taskId", taskID), "'prompt' is required for the action editTaskBrief"},
	{"message without words", "piece_action", act("messageTask", "taskId", taskID, "text", "\n"), "'text' is required for the action messageTask"},
	{"answer without words", "piece_action", act("answerTaskQuestion", "taskId", taskID), "'text' is required for the action answerTaskQuestion"},
	{"changes without words", "piece_action", act("requestChanges"), "'text' is required for the action requestChanges"},
	{"changes of one agent", "piece_action", act("requestChanges", "text", "x", "taskId", taskID), "'taskId' is not taken by the action requestChanges"},
	{"dependency on nothing", "piece_action", act("addDependency"), "'blocker' is required for the action addDependency"},
	{"no dependency", "piece_action", act("removeDependency"), "'blocker' is required for the action removeDependency"},
	{"agents of a start", "piece_action", act("startExecution", "taskIds", []string{taskID}), "'taskIds' is not taken by the action startExecution"},
	{"retrying no agents", "piece_action", act("retryFailedAgents", "taskIds", []string{}), "'taskIds' must hold at least 1"},
	{"message too long", "piece_action", act("messageTask", "taskId", taskID, "text", strings.Repeat("ä", 2001)), "'text' must be at most 2,000 characters for the action messageTask"},
	{"answer too long", "piece_action", act("answerTaskQuestion", "taskId", taskID, "text", strings.Repeat("x", 2001)), "'text' must be at most 2,000 characters"},
	{"guidance too long", "piece_action", act("sendBackToAgents", "guidance", strings.Repeat("x", 2001)), "'guidance' must be at most 2,000 characters"},
	{"unknown level", "piece_action", act("runCodeReview", "level", "low"), "'level' must be one of high, max"},
	{"title of no pull request", "piece_action", act("markDone", "title", "x"), "'title' is not taken by the action markDone"},
}

// TestMalformedArgumentsAreInvalidParams asks over HTTP, as a client does.
func TestMalformedArgumentsAreInvalidParams(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	web := httptest.NewServer(Checked(server.NewStreamableHTTPServer(k.server, server.WithStateLess(true), server.WithDisableStreaming(true))))
	t.Cleanup(web.Close)
	for _, c := range malformed {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			status, a := post(t, web.URL, message(t, c.tool, c.args), nil)
			if status != http.StatusOK || a.code != -32602 || !strings.Contains(a.text, c.want) {
				t.Errorf("HTTP %d, %+v, want %q", status, a, c.want)
			}
			// What comes in past the check is refused as well, though the library calls it an internal error.
			if a := k.call(c.tool, c.args); a.code != -32603 || !strings.Contains(a.text, c.want) {
				t.Errorf("unchecked: %+v", a)
			}
		})
	}
}

func post(t *testing.T, url string, body []byte, header http.Header) (int, answer) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range header {
		req.Header[name] = v
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var envelope struct {
		ID      json.RawMessage `json:"id"`
		JSONRPC string          `json:"jsonrpc"`
	}
	if err := json.Unmarshal(raw, &envelope); err != nil || string(envelope.ID) != "7" || envelope.JSONRPC != "2.0" {
		t.Fatalf("answer %q: %v", raw, err)
	}
	return resp.StatusCode, readAnswer(t, raw)
}

func TestWellFormedCallsPassTheCheck(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	web := httptest.NewServer(Checked(server.NewStreamableHTTPServer(k.server, server.WithStateLess(true), server.WithDisableStreaming(true))))
	t.Cleanup(web.Close)
	if _, a := post(t, web.URL, message(t, "get_piece", values{"pieceId": pieceID}), nil); a.error {
		t.Errorf("get_piece: %+v", a)
	}
	if _, a := post(t, web.URL, message(t, "no_such_tool", values{}), nil); a.code != -32602 {
		t.Errorf("unknown tool: %+v", a)
	}
	if _, a := post(t, web.URL, []byte(`{"jsonrpc":"2.0","id":7,"METHOD":"tools/call","params":{"NAME":"get_piece"}}`), nil); a.code != -32602 {
		t.Errorf("field names in capitals get past the check: %+v", a)
	}
	modern := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}}
	if status, a := post(t, web.URL, message(t, "get_piece", values{}), modern); status != http.StatusBadRequest || a.code != -32602 {
		t.Errorf("2026-07-28: HTTP %d, %+v", status, a)
	}
}

func TestCheckCallLeavesTheRestAlone(t *testing.T) {
	t.Parallel()
	for _, m := range []string{``, `[]`, `{`, `{"method":"ping"}`, `{"method":"tools/call","params":7}`, `{"method":"tools/call","params":{"name":"x"}}`} {
		if err := CheckCall([]byte(m)); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
	var broken *ArgumentError
	if err := CheckCall(message(t, "get_piece", values{})); !errors.As(err, &broken) || broken.Argument != "pieceId" {
		t.Errorf("a missing argument passes: %v", err)
	}
}

func TestTextAtItsLimitIsTaken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool string
		args values
	}{
		{"piece_action", act("messageTask", "taskId", taskID, "text", strings.Repeat("ä", 2000))},
		{"piece_action", act("requestChanges", "text", strings.Repeat("x", 2001))},
		{"piece_action", act("sendBackToAgents", "guidance", strings.Repeat("x", 2000))},
		{"piece_action", act("stopAgents", "text", "", "isDraft", false)},
		{"create_draft", values{"seed": "x", "keys": strings.Fields("A-1 a-2 o/r#3 A-4 A-5 A-6 A-7 A-8 A-9 A-10")}},
		{"get_session", values{"sessionId": sessionID, "transcriptLimit": 200}},
		{"update_draft", values{"draftId": draftID, "keys": []string{}}},
		{"create_draft", values{"spec": "x", "model": "arn:aws:bedrock:eu/x.y[1m]"}},
	} {
		if err := CheckCall(message(t, c.tool, c.args)); err != nil {
			t.Errorf("%s: %v", c.tool, err)
		}
	}
}
