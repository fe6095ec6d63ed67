package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/agent"
	"fermata/pieces/agent/host"
	"fermata/pieces/piecestest"
)

// world is a home and a model for the real Claude Code.
type world struct {
	home  string
	model *piecestest.Model
}

func newWorld(t *testing.T, script piecestest.Script) world {
	t.Helper()
	return world{home: folder(t), model: piecestest.NewModel(t, script)}
}

func (w world) options(t *testing.T) agent.Options {
	t.Helper()
	claude, environ := piecestest.Claude(t), piecestest.ClaudeEnv(w.home, w.model.URL())
	return agent.Options{Claude: func() string { return claude }, Environ: func() []string { return environ }}
}

func (w world) begin(t *testing.T, launch pieces.Launch) *session {
	t.Helper()
	if launch.Prompt == "" {
		launch.Prompt = "go"
	}
	return begin(t, t.Context(), w.options(t), launch)
}

func (w world) settings(t *testing.T, name string, content any) {
	t.Helper()
	path := filepath.Join(w.home, name)
	data, err := json.Marshal(content)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func always(replies ...piecestest.Reply) piecestest.Script {
	return piecestest.Script{{Name: "all", Replies: replies}}
}

func bashUse(command string) piecestest.Reply {
	return piecestest.Use("Bash", map[string]string{"command": command, "description": "a step"})
}

// lastResult is what the model read of the latest tool use.
func (w world) lastResult(t *testing.T) string {
	t.Helper()
	all := w.model.Requests()
	messages := all[len(all)-1].Messages
	for _, m := range slices.Backward(messages) {
		if len(m.Results) > 0 {
			return m.Results[len(m.Results)-1]
		}
	}
	t.Fatal("the model read no result")
	return ""
}

func finish(t *testing.T, s *session) {
	t.Helper()
	if end, err := s.Finish(t.Context()); err != nil || end.Failure != "" {
		t.Fatalf("Finish = %+v, %v\n%s", end, err, s.story())
	}
	s.ended(t)
}

func TestAgentCommitsInItsWorktreeWithoutAsking(t *testing.T) {
	t.Parallel()
	repo := piecestest.NewRepo(t)
	tree := filepath.Join(folder(t), "tree")
	repo.Git("worktree", "add", "--quiet", "-b", "fermata/hello", tree)
	w := newWorld(t, always(
		piecestest.Use("Write", map[string]string{"file_path": tree + "/hello.txt", "content": "hi\n"}),
		bashUse("git add hello.txt && git commit -q -m \"$(cat <<'EOF'\nSay hello\n\nIt's polite (mostly).\nEOF\n)\""),
		piecestest.Say("Done."),
	))
	s := w.begin(t, pieces.Launch{Dir: tree, Model: "sonnet", Effort: "low"})
	turn := s.turn(t, 1)
	if turn.Failure != "" || turn.Text != "Done." || turn.CostUSD <= 0 {
		t.Errorf("turn = %+v", turn)
	}
	finish(t, s)
	if strings.Contains(s.story(), "prompt ") {
		t.Errorf("somebody was asked:\n%s", s.story())
	}
	if got := repo.Git("log", "-1", "--format=%B", "fermata/hello"); !strings.HasPrefix(got, "Say hello\n\nIt's polite (mostly).") {
		t.Errorf("commit says %q", got)
	}
	if got := repo.Git("status", "--porcelain"); got != "" {
		t.Errorf("the main checkout shows %q", got)
	}
}

func TestQuestionIsAnsweredByThePerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, always(piecestest.Use("AskUserQuestion", map[string]any{"questions": []any{map[string]any{
		"question": "Which database?", "header": "Database", "multiSelect": false,
		"options": []any{
			map[string]string{"label": "SQLite", "description": "One file"}, map[string]string{"label": "Postgres", "description": "A server"},
		},
	}}}), piecestest.Say("ok")))
	s := w.begin(t, pieces.Launch{Profile: pieces.ProfileTrusted})
	p := s.prompt(t, 1)
	if p.Kind != pieces.PromptQuestion || len(p.Questions) != 1 || p.Questions[0].Text != "Which database?" || p.Questions[0].Options[1].Label != "Postgres" {
		t.Fatalf("prompt = %+v", p)
	}
	if err := s.Answer(t.Context(), p.ID, pieces.PromptAnswer{Allow: true, Answers: map[string]string{"Which database?": "SQLite"}}); err != nil {
		t.Fatal(err)
	}
	s.turn(t, 1)
	if got := w.lastResult(t); !strings.Contains(got, `"Which database?"="SQLite"`) {
		t.Errorf("the model read %q", got)
	}
	finish(t, s)
}

func TestDeniedUseIsToldInThePersonsWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, always(bashUse("touch denied.txt"), bashUse("touch allowed.txt"), bashUse("touch allowed.txt"), piecestest.Say("ok")))
	s := w.begin(t, pieces.Launch{})
	if err := s.Answer(t.Context(), s.prompt(t, 1).ID, pieces.PromptAnswer{Message: "No, use the other file."}); err != nil {
		t.Fatal(err)
	}
	s.await(t, "refused use", 1, func(e pieces.SessionEvent) bool {
		m := e.Message
		return m != nil && m.Role == pieces.RoleToolResult && m.Tool == "Bash" && m.Error && m.Text == "No, use the other file."
	})
	if err := s.Answer(t.Context(), s.prompt(t, 2).ID, pieces.PromptAnswer{Allow: true, Scope: pieces.ScopeSession}); err != nil {
		t.Fatal(err)
	}
	if turn := s.turn(t, 1); turn.Denials != 1 {
		t.Errorf("turn = %+v", turn)
	}
	finish(t, s)
	for name, want := range map[string]bool{"denied.txt": false, "allowed.txt": true} {
		if _, err := os.Stat(filepath.Join(s.launch.Dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPlanningPassReadsAndAnswersByItsSchema(t *testing.T) {
	t.Parallel()
	w := newWorld(t, always(
		bashUse("touch x"), piecestest.Use("Read", map[string]string{"file_path": "{{cwd}}/a.txt"}), piecestest.Structured(map[string]any{"tasks": 3}),
	))
	dir := folder(t)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("content of a"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := w.begin(t, pieces.Launch{
		Dir: dir, ReadOnly: true, System: "You only plan.", Profile: pieces.ProfileTrusted,
		Schema: json.RawMessage(`{"type":"object","properties":{"tasks":{"type":"integer"}},"required":["tasks"]}`),
	})
	if turn := s.turn(t, 1); turn.Failure != "" || string(turn.Structured) != `{"tasks":3}` {
		t.Errorf("turn = %+v", turn)
	}
	finish(t, s)
	first := w.model.Requests()[0]
	if !strings.Contains(first.System, "You only plan.") {
		t.Error("the system prompt did not reach the model")
	}
	s.message(t, pieces.RoleToolResult, "No such tool available: Bash")
	s.message(t, pieces.RoleToolResult, "content of a")
}

func TestSafeProfileIsNotSkippedByThePersonsAllowRules(t *testing.T) {
	t.Parallel()
	for profile, asks := range map[pieces.Profile]bool{pieces.ProfileSafe: true, pieces.ProfileStandard: false} {
		t.Run(string(profile), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, always(bashUse("touch x"), piecestest.Say("ok")))
			w.settings(t, ".claude/settings.json", map[string]any{"permissions": map[string]any{"allow": []string{"Bash(touch *)"}}})
			s := w.begin(t, pieces.Launch{Profile: profile})
			if asks {
				if err := s.Answer(t.Context(), s.prompt(t, 1).ID, pieces.PromptAnswer{}); err != nil {
					t.Fatal(err)
				}
			}
			s.turn(t, 1)
			if got := strings.Contains(s.story(), "prompt "); got != asks {
				t.Errorf("asked = %v:\n%s", got, s.story())
			}
			_, err := os.Stat(filepath.Join(s.launch.Dir, "x"))
			if (err == nil) == asks {
				t.Errorf("the file: %v", err)
			}
			finish(t, s)
		})
	}
}

// mcpServer is a server with one of the control plane's write tools; called counts its uses.
func mcpServer(t *testing.T, called *int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || json.Unmarshal(body, &in) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		results := map[string]string{
			"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`,
			"tools/list": `{"tools":[{"name":"create_draft","description":"d","inputSchema":{"type":"object"}}]}`,
			"tools/call": `{"content":[{"type":"text","text":"made"}]}`,
		}
		result, ok := results[in.Method]
		if !ok {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		if in.Method == "tools/call" {
			*called++
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(in.ID)+`,"result":`+result+`}`)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestAgentCannotDriveFermataUnderAnyServerName(t *testing.T) {
	t.Parallel()
	called := 0
	w := newWorld(t, always(piecestest.Use("mcp__conductor__create_draft", nil), piecestest.Say("ok")))
	w.settings(t, ".claude.json", map[string]any{"mcpServers": map[string]any{
		"conductor": map[string]any{"type": "http", "url": mcpServer(t, &called), "alwaysLoad": true},
	}})
	w.settings(t, ".claude/settings.json", map[string]any{"permissions": map[string]any{"allow": []string{"mcp__conductor__create_draft"}}})
	s := w.begin(t, pieces.Launch{Profile: pieces.ProfileTrusted})
	s.turn(t, 1)
	if got := w.lastResult(t); got != agent.FenceSentence {
		t.Errorf("the agent read %q", got)
	}
	finish(t, s)
	if called != 0 {
		t.Error("the tool was used")
	}
}

// brood starts descendants of each stubborn kind, all of which carry the mark in their command line, and waits.
func brood(mark, ready string) string {
	return strings.NewReplacer("MARK", mark, "READY", ready).Replace(`
setsid sh -c 'while :; do sleep 1; done; : MARK' >/dev/null 2>&1 &
nohup sh -c 'while :; do sleep 1; done; : MARK' >/dev/null 2>&1 &
sh -c 'trap "" TERM HUP INT; : >READY.trap; while :; do sleep 1; done; : MARK' >/dev/null 2>&1 &
(setsid sh -c '(setsid sh -c "while :; do sleep 1; done; : MARK" &) ; exit 0' >/dev/null 2>&1)
until [ -e READY.trap ]; do sleep 0.05; done
: >READY
sleep 100`)
}

// marked counts the living processes with the mark in their command line, this one apart.
func marked(t *testing.T, mark string) int {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range paths {
		if line, err := os.ReadFile(path); err == nil && bytes.Contains(line, []byte(mark)) {
			n++
		}
	}
	return n
}

func poll(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not in time", what)
		}
	}
}

func exists(path string) func() bool {
	return func() bool { _, err := os.Stat(path); return err == nil }
}

func TestStopLeavesNoDescendantAndResumeContinues(t *testing.T) {
	t.Parallel()
	mark, ready := "mark-"+uuid.NewString(), filepath.Join(folder(t), "ready")
	w := newWorld(t, piecestest.Script{
		{Name: "first", Match: piecestest.Contains("begin the work"), Replies: []piecestest.Reply{bashUse(brood(mark, ready)), piecestest.Say("never")}},
		{Name: "second", Match: piecestest.Contains("carry on"), Replies: []piecestest.Reply{piecestest.Say("carried on")}},
	})
	launch := pieces.Launch{Profile: pieces.ProfileTrusted, Prompt: "begin the work", SessionID: uuid.NewString(), Dir: folder(t)}
	s := w.begin(t, launch)
	poll(t, "brood", exists(ready))
	if marked(t, mark) < 5 {
		t.Fatal("the brood is too small to prove anything")
	}
	end, err := s.Stop(t.Context())
	if err != nil || end.Failure != pieces.FailureInterrupted || len(end.Left) != 0 {
		t.Errorf("Stop = %+v, %v", end, err)
	}
	if n := marked(t, mark); n != 0 {
		t.Errorf("%d descendants live on", n)
	}
	s.ended(t)

	launch.Resume, launch.Prompt = true, "carry on"
	s = w.begin(t, launch)
	if turn := s.turn(t, 1); turn.Failure != "" || turn.Text != "carried on" {
		t.Errorf("turn = %+v", turn)
	}
	finish(t, s)
	all := w.model.Requests()
	last := all[len(all)-1]
	if last.SessionID != launch.SessionID || !piecestest.Contains("begin the work")(last) {
		t.Errorf("session %s does not know its past", last.SessionID)
	}

	launch.Resume = false
	if end := w.begin(t, launch).ended(t); end.Failure != pieces.FailureCannotResume || !strings.Contains(end.Error, "already in use") {
		t.Errorf("a used id: %+v", end)
	}
	launch.Resume, launch.SessionID = true, uuid.NewString()
	if end := w.begin(t, launch).ended(t); end.Failure != pieces.FailureCannotResume || !strings.Contains(end.Error, "No conversation found") {
		t.Errorf("an unknown id: %+v", end)
	}
}

func TestBackgroundWorkEndsWithTheSession(t *testing.T) {
	t.Parallel()
	mark, ready := "mark-"+uuid.NewString(), filepath.Join(folder(t), "ready")
	command := strings.TrimSuffix(brood(mark, ready), "sleep 100")
	w := newWorld(t, always(bashUse(command), piecestest.Say("ok")))
	s := w.begin(t, pieces.Launch{Profile: pieces.ProfileTrusted})
	s.turn(t, 1)
	if marked(t, mark) == 0 {
		t.Fatal("nothing runs in the background")
	}
	finish(t, s)
	if n := marked(t, mark); n != 0 {
		t.Errorf("%d descendants live on", n)
	}
}

type appConfig struct {
	Host, Environ []string
	Claude        string
	Launch        pieces.Launch
}

// playApp runs one session until it is killed. It writes the host's identity when there is one.
func playApp(config string) {
	var c appConfig
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		panic(err)
	}
	d := agent.New(agent.Options{
		Host: c.Host, Environ: func() []string { return c.Environ }, Claude: func() string { return c.Claude },
	})
	run, err := d.Start(context.Background(), c.Launch, func(e pieces.SessionEvent) {
		if e.Started != nil {
			_ = json.NewEncoder(os.Stdout).Encode(e.Started.Host)
		}
	})
	if err != nil {
		panic(err)
	}
	<-run.Done()
}

func TestKillOfTheAppTakesEverythingDown(t *testing.T) {
	t.Parallel()
	mark, ready := "mark-"+uuid.NewString(), filepath.Join(folder(t), "ready")
	w := newWorld(t, always(bashUse(brood(mark, ready)), piecestest.Say("never")))
	config, err := json.Marshal(appConfig{
		Host: []string{executable(t), hostArgument}, Environ: piecestest.ClaudeEnv(w.home, w.model.URL()), Claude: piecestest.Claude(t),
		Launch: pieces.Launch{Profile: pieces.ProfileTrusted, Prompt: "go", SessionID: uuid.NewString(), Dir: folder(t)},
	})
	if err != nil {
		t.Fatal(err)
	}
	app := exec.Command(executable(t))
	app.Env = append(os.Environ(), appVariable+"="+string(config))
	app.Stderr = os.Stderr
	out, err := app.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Process.Kill(); _ = app.Wait() })
	var id pieces.HostProcess
	if err := json.NewDecoder(out).Decode(&id); err != nil || !host.Alive(id) {
		t.Fatalf("host %+v: %v", id, err)
	}
	poll(t, "brood", exists(ready))
	_ = app.Process.Kill()
	poll(t, "the host's end", func() bool { return !host.Alive(id) })
	if n := marked(t, mark); n != 0 {
		t.Errorf("%d descendants live on", n)
	}
	if err := host.EndStale(t.Context(), id); err != nil {
		t.Error(err)
	}
}

func TestARefusedLoginEndsTheRunAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, always(piecestest.Fail(http.StatusUnauthorized, "invalid x-api-key")))
	o := w.options(t)
	environ := slices.DeleteFunc(o.Environ(), func(e string) bool { return strings.HasPrefix(e, "CLAUDE_CODE_MAX_RETRIES") })
	o.Environ = func() []string { return environ }
	s := begin(t, t.Context(), o, pieces.Launch{Prompt: "go"})
	if turn := s.turn(t, 1); turn.Failure != pieces.FailureNotLoggedIn || !strings.Contains(turn.Error, "`claude /login`") {
		t.Errorf("turn = %+v", turn)
	}
	if end := s.ended(t); end.Failure != pieces.FailureNotLoggedIn {
		t.Errorf("end = %+v", end)
	}
	if n := len(w.model.Requests()); n > 3 {
		t.Errorf("%d requests were made", n)
	}
}

func TestNobodyLoggedInIsRecognised(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	o := w.options(t)
	environ := slices.DeleteFunc(o.Environ(), func(e string) bool { return strings.HasPrefix(e, "ANTHROPIC_API_KEY") })
	o.Environ = func() []string { return environ }
	s := begin(t, t.Context(), o, pieces.Launch{Prompt: "go"})
	if turn := s.turn(t, 1); turn.Failure != pieces.FailureNotLoggedIn {
		t.Errorf("turn = %+v", turn)
	}
	if version, kind, sentence := agent.New(o).Health(t.Context()); version == "" || kind != pieces.FailureNotLoggedIn || !strings.Contains(sentence, "claude /login") {
		t.Errorf("Health = %q, %q, %q", version, kind, sentence)
	}
	if version, kind, _ := agent.New(w.options(t)).Health(t.Context()); version == "" || kind != pieces.FailureNone {
		t.Errorf("Health with a key = %q, %q", version, kind)
	}
}

func TestUnknownModelAndBudgetAreRecognised(t *testing.T) {
	t.Parallel()
	w := newWorld(t, always(piecestest.Fail(http.StatusNotFound, "model: nosuch")))
	s := w.begin(t, pieces.Launch{Model: "nosuch"})
	if turn := s.turn(t, 1); turn.Failure != pieces.FailureModelNotFound {
		t.Errorf("turn = %+v", turn)
	}
	w = newWorld(t, always(bashUse("git status"), piecestest.Say("ok")))
	s = w.begin(t, pieces.Launch{BudgetUSD: 0.0001})
	if turn := s.turn(t, 1); turn.Failure != pieces.FailureBudget {
		t.Errorf("turn = %+v", turn)
	}
}

func TestInterruptWithdrawsThePromptAndTheSessionGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{
		{Name: "first", Match: piecestest.Contains("begin"), Replies: []piecestest.Reply{bashUse("touch x")}},
		{Name: "second", Match: piecestest.Contains("instead"), Replies: []piecestest.Reply{piecestest.Say("fine")}},
	})
	s := w.begin(t, pieces.Launch{Prompt: "begin"})
	id := s.prompt(t, 1).ID
	if err := s.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if turn := s.turn(t, 1); turn.Failure != pieces.FailureInterrupted {
		t.Errorf("turn = %+v", turn)
	}
	s.await(t, "prompt gone", 1, func(e pieces.SessionEvent) bool { return e.PromptGone == id })
	if err := s.Send(t.Context(), "do this instead"); err != nil {
		t.Fatal(err)
	}
	if turn := s.turn(t, 2); turn.Text != "fine" {
		t.Errorf("turn = %+v", turn)
	}
	finish(t, s)
}

func TestPlanIsApprovedByThePerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, always(
		piecestest.Use("EnterPlanMode", nil),
		piecestest.Use("Write", map[string]string{"file_path": "{{planfile}}", "content": "# Plan\n1. Go\n"}),
		piecestest.Use("ExitPlanMode", nil), piecestest.Say("ok"),
	))
	s := w.begin(t, pieces.Launch{Profile: pieces.ProfileTrusted})
	p := s.prompt(t, 1)
	if p.Kind != pieces.PromptPlan || !strings.Contains(string(p.Input), "1. Go") {
		t.Fatalf("prompt = %+v", p)
	}
	if err := s.Answer(t.Context(), p.ID, pieces.PromptAnswer{Allow: true}); err != nil {
		t.Fatal(err)
	}
	s.turn(t, 1)
	if got := w.lastResult(t); !strings.Contains(got, "approved your plan") {
		t.Errorf("the agent read %q", got)
	}
	finish(t, s)
}
