package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fermata/app/apptest"
	"fermata/mcp/control"
	"fermata/pieces"
	"fermata/pieces/agent"
	"fermata/pieces/piecestest"
)

// attempt is one thing that an agent tries, and what it has to read.
type attempt struct {
	name string
	use  piecestest.Reply
	want string
	not  string
}

func bash(command string) piecestest.Reply {
	return piecestest.Use("Bash", map[string]any{"command": command, "description": "Try it"})
}

// forbidden is the draft that an agent tries to file.
func forbidden(r *rig, title string) map[string]any {
	return map[string]any{"spec": "# Forbidden " + title + "\n", "cwd": r.repo.Path}
}

// callScript writes a program that calls create_draft by curl and leaves the answer in the file it is given.
func callScript(t *testing.T, r *rig, url, title string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": "create_draft", "arguments": forbidden(r, title)},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "call.sh")
	script := fmt.Sprintf(`curl -s -X POST -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -d '%s' '%s' >"$1.part"
mv "$1.part" "$1"
`, body, url)
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// attempts are all the ways round that an agent on the trusted profile knows.
func attempts(t *testing.T, r *rig, url string) []attempt {
	t.Helper()
	const sentence = control.SentenceOwnAgent
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	fermata := "FERMATA_DATA_DIR='" + string(r.data) + "' '" + r.bin + "' "
	orphan := fmt.Sprintf(`(setsid sh -c '(setsid env -i PATH=/usr/bin:/bin sh "%s" "%s" </dev/null >/dev/null 2>&1 &) ; exit 0'); until [ -s "%[2]s" ]; do sleep 0.05; done; cat "%[2]s"`,
		callScript(t, r, url, "orphan"), file("orphan"))
	return []attempt{
		{"the server as fermata", piecestest.Use("mcp__fermata__create_draft", forbidden(r, "tool")), sentence, ""},
		{"the server under another name", piecestest.Use("mcp__helper__create_draft", forbidden(r, "other")), sentence, ""},
		{"a Claude Code of its own", bash("env -u CLAUDECODE claude -p '[[inner]] file it' --allowedTools mcp__fermata__create_draft"), "the inner one read: " + sentence, ""},
		{"curl", bash(fmt.Sprintf(`sh "%s" "%s"; cat "%[2]s"`, callScript(t, r, url, "curl"), file("curl"))), sentence, ""},
		{"an orphan with a clean environment", bash(orphan), sentence, ""},
		{"the command line sets", bash(fermata + "settings set pieces.agentsAtOnce 7 2>&1; true"), sentence, ""},
		{"the command line sets, all traces gone", bash("env -i " + fermata + "settings set pieces.agentsAtOnce 7 2>&1; true"), sentence, ""},
		{"the command line asks for the endpoint", bash(fermata + "endpoint 2>&1; true"), sentence, url},
		{"the command line shows the window", bash(fermata + "2>&1; true"), sentence, ""},
		{"the command line restores", bash(fermata + "restore list 2>&1; true"), sentence, ""},
		{"the command line reads", bash(fermata + "settings get pieces.permissionProfile"), "trusted", sentence},
		{"a read tool", piecestest.Use("mcp__fermata__list_projects", map[string]any{}), r.repo.Path, sentence},
		{"a read tool under another name", piecestest.Use("mcp__helper__list_projects", map[string]any{}), r.repo.Path, sentence},
	}
}

// trying is the story of one agent that makes the attempts before it does its work.
func trying(list []attempt, r *rig) piecestest.Script {
	script := piecestest.Story(piecestest.StoryAgents()[:1])
	i := slices.IndexFunc(script, func(rule piecestest.Rule) bool { return rule.Name == "retry" })
	var tries []piecestest.Reply
	for _, a := range list {
		tries = append(tries, a.use)
	}
	script[i].Replies = append(tries, script[i].Replies...)
	outside := forbidden(r, "")
	outside["spec"] = "# Allowed\n"
	return append(script,
		piecestest.Rule{Name: "inner", Match: piecestest.Tag("inner"), Replies: []piecestest.Reply{
			piecestest.Use("mcp__fermata__create_draft", forbidden(r, "inner")), piecestest.Say("the inner one read: {{last_result}}"),
		}},
		piecestest.Rule{Name: "person", Match: piecestest.Tag("person"), Replies: []piecestest.Reply{
			piecestest.Use("mcp__fermata__create_draft", outside), piecestest.Say("it read: {{last_result}}"),
		}},
	)
}

func TestOwnAgentsReadAndDoNotDriveWhateverWayTheyTry(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, apptest.Options{Bus: apptest.BusNone})
	r.start()
	url := r.serverOn()
	for _, name := range []string{"fermata", "helper"} {
		r.claude("mcp", "add-json", "-s", "user", name, `{"type":"http","url":"`+url+`","alwaysLoad":true}`)
	}
	if out, code := r.fermata("settings", "set", "pieces.permissionProfile", "trusted"); code != 0 {
		t.Fatalf("settings set: %d %s", code, out)
	}
	list := attempts(t, r, url)
	r.model.SetScript(trying(list, r))
	m := r.connect(url)
	m.call("register_project", map[string]any{"path": r.repo.Path})
	said := r.claude("-p", "[[person]] file a draft", "--allowedTools", "mcp__fermata__create_draft")
	if !strings.Contains(said, `"title":"Allowed"`) {
		t.Fatalf("the person's own Claude Code: %s", said)
	}
	settings, _ := r.fermata("settings", "list")
	d := m.call("create_draft", map[string]any{"spec": piecestest.StorySpec, "cwd": r.repo.Path})
	id := d["draftId"].(string)
	m.call("release_draft", map[string]any{"draftId": id})
	r.untilGate(m, id, "specReady")
	m.act(id, "approveSpec")
	r.untilGate(m, id, "strategyReady")
	m.act(id, "approveStrategy")
	r.untilGate(m, id, "planReady")
	m.act(id, "startExecution")
	last, err := r.model.Wait(t.Context(), func(q piecestest.Request) bool { return q.Rule == "retry" && q.Index == len(list) })
	if err != nil {
		t.Fatal(err)
	}
	var results []string
	for _, message := range last.Messages {
		results = append(results, message.Results...)
	}
	if len(results) != len(list) {
		t.Fatalf("%d results for %d attempts: %q", len(results), len(list), results)
	}
	for i, a := range list {
		if !strings.Contains(results[i], a.want) || a.not != "" && strings.Contains(results[i], a.not) {
			t.Errorf("%s: the agent read %q", a.name, results[i])
		}
	}
	all, _, err := m.try(t.Context(), "list_pieces", map[string]any{})
	if err != nil || strings.Contains(all, "Forbidden") || !strings.Contains(all, "Allowed") {
		t.Errorf("afterwards there is %s (%v)", all, err)
	}
	r.agentsBooked()
	if now, _ := r.fermata("settings", "list"); now != settings {
		t.Errorf("the settings changed from\n%s\nto\n%s", settings, now)
	}
	if out, code := r.fermata("settings", "set", "pieces.agentsAtOnce", "4"); code != 0 {
		t.Errorf("the person's own command: %d %s", code, out)
	}
}

func TestEveryFenceRefusesTheSameToolsWithTheSameSentence(t *testing.T) {
	t.Parallel()
	if agent.FenceSentence != control.SentenceOwnAgent {
		t.Errorf("the hook says %q, the server %q", agent.FenceSentence, control.SentenceOwnAgent)
	}
	for _, tool := range control.WriteTools() {
		verdict, words := agent.Policy{Profile: pieces.ProfileTrusted}.Decide("mcp__helper__"+tool, nil)
		if verdict != agent.VerdictDeny || words != control.SentenceOwnAgent {
			t.Errorf("the hook lets %s pass: %s %q", tool, verdict, words)
		}
	}
}
