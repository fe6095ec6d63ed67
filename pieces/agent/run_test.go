package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/agent"
	"fermata/pieces/piecestest"
)

func play(t *testing.T, name string, launch pieces.Launch) *session {
	t.Helper()
	if launch.Prompt == "" {
		launch.Prompt = "go"
	}
	return begin(t, t.Context(), fakeOptions(executable(t), name), launch)
}

func TestPromptsAndSecretsStayOffTheCommandLine(t *testing.T) {
	t.Parallel()
	s := play(t, "echo", pieces.Launch{
		Prompt: "PRIVATE-PROMPT", System: "PRIVATE-SYSTEM", Schema: []byte(`{"title":"PRIVATE-SCHEMA"}`),
		Model: "--dangerous", Effort: "high", BudgetUSD: 2.5, ReadOnly: true,
	})
	s.turn(t, 1)
	facts := s.message(t, pieces.RoleAssistant, `"args"`).Text
	args := facts[:strings.Index(facts, `"environ"`)]
	for _, want := range []string{
		`"--session-id=` + s.launch.SessionID + `"`, `"--model=--dangerous"`, `"--effort=high"`, `"--max-budget-usd=2.5"`,
		`"--permission-mode=default"`, "Bash,Edit", "mcp__fermata__piece_action",
	} {
		if !strings.Contains(args, want) {
			t.Errorf("%s is missing in %s", want, args)
		}
	}
	environ, init, _ := strings.Cut(facts[len(args):], `"init"`)
	for _, secret := range []string{"PRIVATE", "FERMATA_MCP_TOKEN", "GIT_DIR"} {
		if strings.Contains(args+environ, secret) {
			t.Errorf("%s is in the arguments or the environment", secret)
		}
	}
	for _, want := range []string{`"appendSystemPrompt":"PRIVATE-SYSTEM"`, "PRIVATE-SCHEMA"} {
		if !strings.Contains(init, want) {
			t.Errorf("%s is missing in %s", want, init)
		}
	}
	s.message(t, pieces.RoleAssistant, "heard: PRIVATE-PROMPT")
	s.message(t, pieces.RolePerson, "PRIVATE-PROMPT")
}

func TestASecondTurnRunsInTheSameSession(t *testing.T) {
	t.Parallel()
	s := play(t, "echo", pieces.Launch{Resume: true})
	if turn := s.turn(t, 1); turn.Failure != "" || turn.Text != "done" || turn.CostUSD != 0.5 || turn.Turns != 2 || turn.Structured != nil {
		t.Errorf("turn = %+v", turn)
	}
	s.message(t, pieces.RoleAssistant, "--resume="+s.launch.SessionID)
	if err := s.Send(t.Context(), "again"); err != nil {
		t.Fatal(err)
	}
	s.turn(t, 2)
	s.message(t, pieces.RoleAssistant, "heard: again")
	end, err := s.Finish(t.Context())
	if err != nil || end.Failure != "" || end.ExitCode != 0 {
		t.Fatalf("Finish = %+v, %v", end, err)
	}
	s.ended(t)
	if err := s.Send(t.Context(), "too late"); !errors.Is(err, agent.ErrEnded) {
		t.Errorf("Send after the end = %v", err)
	}
	if err := s.Interrupt(t.Context()); err != nil {
		t.Errorf("Interrupt after the end = %v", err)
	}
}

func TestUnknownAndTornLinesAreSurvived(t *testing.T) {
	t.Parallel()
	s := play(t, "noise", pieces.Launch{})
	s.turn(t, 1)
	s.ended(t)
	story := s.story()
	for _, want := range []string{`toolUse Read "" {"a":1}`, `toolResult Read "one\n[image]"`, `toolResult  "two"`, "after the noise"} {
		if !strings.Contains(story, want) {
			t.Errorf("%s is missing in\n%s", want, story)
		}
	}
	if strings.Contains(story, "not mine") {
		t.Errorf("a sub-agent's words are in\n%s", story)
	}
}

func TestApprovalForTheSessionIsRememberedByItsRule(t *testing.T) {
	t.Parallel()
	s := play(t, "prompts", pieces.Launch{})
	first := s.prompt(t, 1)
	if first.Kind != pieces.PromptApproval || first.Tool != "Bash" || string(first.Input) != `{"command":"make"}` ||
		first.Reason != "why" || first.SessionID != s.launch.SessionID {
		t.Errorf("prompt = %+v", first)
	}
	answer := func(id string, a pieces.PromptAnswer) {
		t.Helper()
		if err := s.Answer(t.Context(), id, a); err != nil {
			t.Fatal(err)
		}
	}
	answer(first.ID, pieces.PromptAnswer{Allow: true, Scope: pieces.ScopeSession})
	if err := s.Answer(t.Context(), first.ID, pieces.PromptAnswer{Allow: true}); !errors.Is(err, agent.ErrPromptGone) {
		t.Errorf("second answer = %v", err)
	}
	s.message(t, pieces.RoleAssistant, "1 allow <nil> map[command:make]")
	second := s.prompt(t, 2)
	if string(second.Input) != `{"command":"make all"}` {
		t.Fatalf("second prompt = %s", second.Input)
	}
	answer(second.ID, pieces.PromptAnswer{Allow: true, Scope: pieces.ScopeOnce})
	answer(s.prompt(t, 3).ID, pieces.PromptAnswer{Message: "not today", Scope: pieces.ScopeSession})
	s.message(t, pieces.RoleAssistant, "3 deny not today")
	s.turn(t, 1)
}

func TestWithdrawnPromptIsGone(t *testing.T) {
	t.Parallel()
	s := play(t, "withdrawn", pieces.Launch{})
	s.await(t, "prompt gone", 1, func(e pieces.SessionEvent) bool { return e.PromptGone == "ask" })
	for _, id := range []string{"ask", "never asked"} {
		if err := s.Answer(t.Context(), id, pieces.PromptAnswer{Allow: true}); !errors.Is(err, agent.ErrPromptGone) {
			t.Errorf("Answer(%s) = %v", id, err)
		}
	}
}

func TestPendingPromptIsGoneAtTheEnd(t *testing.T) {
	t.Parallel()
	s := play(t, "prompts", pieces.Launch{})
	id := s.prompt(t, 1).ID
	if _, err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.ended(t)
	if !strings.Contains(s.story(), "prompt gone") {
		t.Errorf("the prompt outlives its session:\n%s", s.story())
	}
	if err := s.Answer(t.Context(), id, pieces.PromptAnswer{Allow: true}); !errors.Is(err, agent.ErrPromptGone) {
		t.Errorf("Answer = %v", err)
	}
}

func TestHooksFenceOffTheControlPlane(t *testing.T) {
	t.Parallel()
	tools := []string{
		"create_piece", "create_draft", "update_draft", "cancel_draft", "release_draft",
		"register_project", "open_piece_workspace", "piece_action", "snooze_cue", "reveal",
	}
	for _, profile := range pieces.Profiles() {
		t.Run(string(profile), func(t *testing.T) {
			t.Parallel()
			var words []string
			for _, tool := range tools {
				words = append(words, "mcp__fermata__"+tool, "mcp__my__odd_name__"+tool)
			}
			asked := strings.Join(words, " ")
			s := play(t, "hooks", pieces.Launch{Profile: profile, Prompt: asked + " mcp__fermata__get_piece Bash AskUserQuestion"})
			s.turn(t, 1)
			for _, tool := range words {
				s.message(t, pieces.RoleAssistant, tool+": deny Fermata's own agents can't drive Fermata through its MCP server. "+
					"Ask the person to do this from the app or from their own MCP client.")
			}
			s.message(t, pieces.RoleAssistant, "mcp__fermata__get_piece: <nil>")
			s.message(t, pieces.RoleAssistant, "AskUserQuestion: <nil>")
			bash := "Bash: <nil>"
			if profile == pieces.ProfileSafe {
				bash = "Bash: ask"
			}
			s.message(t, pieces.RoleAssistant, bash)
		})
	}
}

func TestPolicyHoldsWithoutHooks(t *testing.T) {
	t.Parallel()
	s := play(t, "policy", pieces.Launch{ReadOnly: true, Profile: pieces.ProfileTrusted})
	s.turn(t, 1)
	s.message(t, pieces.RoleAssistant, "Read allow")
	s.message(t, pieces.RoleAssistant, "mcp__x__create_draft deny "+agent.FenceSentence)
	s.message(t, pieces.RoleAssistant, "Write deny This session only reads")
}

func TestFailuresEndATurnInWordsThatMendThem(t *testing.T) {
	t.Parallel()
	tests := []struct {
		play  string
		kind  pieces.FailureKind
		words string
		ends  int64
	}{
		{"logged out", pieces.FailureNotLoggedIn, "`claude /login`", 0},
		{"limited", pieces.FailureUsageLimit, "usage limit", 1791468000},
		{"refused", pieces.FailureOther, "API Error: 500 boom", 0},
	}
	for _, tt := range tests {
		t.Run(tt.play, func(t *testing.T) {
			t.Parallel()
			s := play(t, tt.play, pieces.Launch{})
			turn := s.turn(t, 1)
			if turn.Failure != tt.kind || !strings.Contains(turn.Error, tt.words) {
				t.Errorf("turn = %+v", turn)
			}
			if tt.ends != 0 && (turn.LimitEnds == nil || turn.LimitEnds.Unix() != tt.ends) {
				t.Errorf("the limit ends %v", turn.LimitEnds)
			}
			if tt.kind != pieces.FailureNotLoggedIn { // that one ends by itself
				if _, err := s.Finish(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if end := s.ended(t); end.Failure != tt.kind || end.Error != turn.Error {
				t.Errorf("end = %+v", end)
			}
		})
	}
}

func TestEarlyDeathsAreTold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		play  string
		kind  pieces.FailureKind
		code  int
		words string
	}{
		{"crash", pieces.FailureOther, 3, "exit code 3: out of ideas"},
		{"no conversation", pieces.FailureCannotResume, 1, "No conversation found"},
	}
	for _, tt := range tests {
		t.Run(tt.play, func(t *testing.T) {
			t.Parallel()
			end := play(t, tt.play, pieces.Launch{Resume: true}).ended(t)
			if end.Failure != tt.kind || end.ExitCode != tt.code || !strings.Contains(end.Error, tt.words) {
				t.Errorf("end = %+v", end)
			}
		})
	}
}

func TestInterruptEndsTheTurnAndKeepsTheSession(t *testing.T) {
	t.Parallel()
	s := play(t, "waits", pieces.Launch{})
	s.message(t, pieces.RoleAssistant, "waiting")
	if _, err := s.Finish(t.Context()); !errors.Is(err, agent.ErrTurnRunning) {
		t.Errorf("Finish in mid turn = %v", err)
	}
	if err := s.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if turn := s.turn(t, 1); turn.Failure != pieces.FailureInterrupted {
		t.Errorf("turn = %+v", turn)
	}
	if err := s.Send(t.Context(), "go on"); err != nil {
		t.Errorf("Send after an interrupt = %v", err)
	}
}

func TestStopEndsADeafSession(t *testing.T) {
	t.Parallel()
	s := play(t, "deaf", pieces.Launch{})
	s.message(t, pieces.RoleAssistant, "deaf")
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Stop(impatient); !errors.Is(err, context.Canceled) {
		t.Errorf("Stop without patience = %v", err)
	}
	end, err := s.Stop(t.Context())
	if err != nil || end.Failure != pieces.FailureInterrupted || end.ExitCode != 128+9 || len(end.Left) != 0 {
		t.Errorf("Stop = %+v, %v", end, err)
	}
	s.ended(t)
	if again, err := s.Stop(t.Context()); err != nil || again.ExitCode != end.ExitCode {
		t.Errorf("Stop again = %+v, %v", again, err)
	}
}

func TestTheAppsEndStopsItsSessions(t *testing.T) {
	t.Parallel()
	ctx, quit := context.WithCancel(t.Context())
	s := begin(t, ctx, fakeOptions(executable(t), "waits"), pieces.Launch{Prompt: "go"})
	s.message(t, pieces.RoleAssistant, "waiting")
	quit()
	if end := s.ended(t); end.Failure != pieces.FailureInterrupted {
		t.Errorf("end = %+v", end)
	}
}

func TestAKilledHostIsAFailureThatLeavesNothing(t *testing.T) {
	t.Parallel()
	mark := "mark-" + uuid.NewString()
	s := play(t, "broods", pieces.Launch{Prompt: mark})
	s.message(t, pieces.RoleAssistant, "brooding")
	poll(t, "brood", func() bool { return piecestest.Marked(t, mark) == 1 })
	started := s.await(t, "start", 1, func(e pieces.SessionEvent) bool { return e.Started != nil }).Started
	process, err := os.FindProcess(started.Host.PID)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	if end := s.ended(t); end.Failure != pieces.FailureOther || end.ExitCode != -1 {
		t.Errorf("end = %+v", end)
	}
	if n := piecestest.Marked(t, mark); n != 0 {
		t.Errorf("%d descendants live on", n)
	}
}

func TestNothingStartsWithoutWhatItNeeds(t *testing.T) {
	t.Parallel()
	good := pieces.Launch{SessionID: uuid.NewString(), Dir: folder(t), Profile: pieces.ProfileStandard}
	with := func(change func(*pieces.Launch)) pieces.Launch { l := good; change(&l); return l }
	missing := fakeOptions(filepath.Join(folder(t), "claude"), "echo")
	refusing := fakeOptions(executable(t), "echo")
	refusing.CheckDir = func(context.Context, string) error { return errors.New("not a worktree") }
	broken := fakeOptions(executable(t), "echo")
	broken.Host = []string{executable(t), hostArgument, "--nonsense"}
	tests := []struct {
		name    string
		options agent.Options
		launch  pieces.Launch
		words   string
	}{
		{"no claude", missing, good, "run `npm install -g @anthropic-ai/claude-code`, then start again."},
		{"wrong folder", refusing, good, "not a worktree"},
		{"broken host", broken, good, "agent-host: flag provided but not defined"},
		{"missing folder", fakeOptions(executable(t), "echo"), with(func(l *pieces.Launch) { l.Dir += "/gone" }), "no such file"},
		{"no id", fakeOptions(executable(t), "echo"), with(func(l *pieces.Launch) { l.SessionID = "--resume" }), "no UUID"},
		{"relative folder", fakeOptions(executable(t), "echo"), with(func(l *pieces.Launch) { l.Dir = "." }), "not absolute"},
		{"unknown profile", fakeOptions(executable(t), "echo"), with(func(l *pieces.Launch) { l.Profile = "wild" }), "unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.options.Host == nil {
				tt.options.Host = []string{executable(t), hostArgument}
			}
			_, err := agent.New(tt.options).Start(t.Context(), tt.launch, func(e pieces.SessionEvent) { t.Errorf("event %+v", e) })
			if err == nil || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("Start = %v", err)
			}
			if tt.name == "no claude" && !errors.Is(err, agent.ErrNotInstalled) {
				t.Errorf("%v is not ErrNotInstalled", err)
			}
		})
	}
}

func TestHealthNamesTheCommandThatMends(t *testing.T) {
	t.Parallel()
	script := func(status string, code int) string {
		path := filepath.Join(folder(t), "claude")
		text := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = --version ] && echo '2.1.197 (Claude Code)' && exit 0\necho '%s'\nexit %d\n", status, code)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct {
		path    string
		version string
		kind    pieces.FailureKind
		words   string
	}{
		{script(`{"loggedIn":true}`, 0), "2.1.197", "", ""},
		{script(`{"loggedIn":false}`, 1), "2.1.197", pieces.FailureNotLoggedIn, "claude setup-token"},
		{script(`error: unknown command`, 1), "2.1.197", "", ""},
		{"/nowhere/claude", "", pieces.FailureNotInstalled, "npm install -g @anthropic-ai/claude-code"},
		{"/bin/false", "", pieces.FailureOther, "/bin/false does not run"},
	}
	for _, tt := range tests {
		d := agent.New(agent.Options{Claude: func() string { return tt.path }})
		version, kind, sentence := d.Health(t.Context())
		if version != tt.version || kind != tt.kind || !strings.Contains(sentence, tt.words) {
			t.Errorf("%s: %q, %q, %q", tt.path, version, kind, sentence)
		}
	}
}

func TestASlowReceiverLosesNothing(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	var turns int
	o := fakeOptions(executable(t), "echo")
	o.Host = []string{executable(t), hostArgument}
	launch := pieces.Launch{SessionID: uuid.NewString(), Dir: folder(t), Prompt: "go"}
	run, err := agent.New(o).Start(t.Context(), launch, func(e pieces.SessionEvent) {
		<-hold
		if e.Turn != nil {
			turns++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	const many = 300 // four events each: more than may wait
	for range many {
		if err := run.Send(t.Context(), "more"); err != nil {
			t.Fatal(err)
		}
	}
	time.AfterFunc(50*time.Millisecond, func() { close(hold) })
	<-hold
	for {
		_, err := run.Finish(t.Context())
		if err == nil {
			break
		}
		if !errors.Is(err, agent.ErrTurnRunning) {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	if turns != many+1 {
		t.Errorf("%d turns were told, want %d", turns, many+1)
	}
}
