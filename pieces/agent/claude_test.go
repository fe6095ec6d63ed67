package agent_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/agent"
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

// A `claude mcp add` in a terminal may write the configuration in the very moment in which the app asks.
func TestAskingForTheLoginWritesNoConfiguration(t *testing.T) {
	t.Parallel()
	const credentials = `{"claudeAiOauth":{"accessToken":"sk-ant-oat01-x","refreshToken":"r","expiresAt":4102444800000,"scopes":["user:inference"]}}`
	for _, tt := range []struct {
		name, file, content string
		want                pieces.FailureKind
	}{
		{"nothing", ".claude/keep", "", pieces.FailureNotLoggedIn},
		{"a login", ".claude/.credentials.json", credentials, pieces.FailureNone},
		{"a helper", ".claude/settings.json", `{"apiKeyHelper":"echo key"}`, pieces.FailureNone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := folder(t)
			claude, environ := piecestest.Claude(t), piecestest.ClaudeEnv(home, "http://127.0.0.1:1")
			environ = slices.DeleteFunc(environ, func(e string) bool {
				return strings.HasPrefix(e, "ANTHROPIC_API_KEY=") || strings.HasPrefix(e, "CLAUDE_CONFIG_DIR=")
			})
			path := filepath.Join(home, tt.file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(tt.content), 0o600)); err != nil {
				t.Fatal(err)
			}
			d := agent.New(agent.Options{Claude: func() string { return claude }, Environ: func() []string { return environ }})
			if version, kind, sentence := d.Health(t.Context()); version == "" || kind != tt.want {
				t.Errorf("Health = %q, %q, %q", version, kind, sentence)
			}
			if content, err := os.ReadFile(path); err != nil || string(content) != tt.content {
				t.Errorf("%s became %q (%v)", tt.file, content, err)
			}
			if _, err := os.Lstat(filepath.Join(home, ".claude.json")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the configuration was written (%v)", err)
			}
		})
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
