package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
)

// setup sets the project's setup script, allowed or not.
func (w *world) setup(script string, allow bool) pieces.Project {
	w.t.Helper()
	p, err := w.engine.EditProject(w.t.Context(), w.id, engine.ProjectEdit{SetupScript: &script, AllowSetup: &allow})
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// notices are Fermata's own words in the transcripts of a piece, the newest session's last.
func (w *world) notices(id string) string {
	w.t.Helper()
	sessions, err := w.engine.Sessions(w.t.Context(), pieces.SessionFilter{PieceID: id, IncludeHidden: true})
	if err != nil {
		w.t.Fatal(err)
	}
	var all []string
	for i := len(sessions) - 1; i >= 0; i-- {
		messages, err := w.engine.Messages(w.t.Context(), sessions[i].ID, -1)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, m := range messages {
			if m.Role == pieces.RoleNotice {
				all = append(all, m.Text)
			}
		}
	}
	return strings.Join(all, "\n")
}

func TestTheSetupScriptRunsOnceInEachWorktree(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	counted := filepath.Join(a.dir, "counted")
	a.setup("pwd >> '"+counted+"'\necho made ready\necho x > .setup-made", true)
	a.repo.Write(".gitignore", ".env\n.setup-made\n")
	a.repo.Write(".worktreeinclude", ".env\n")
	a.repo.Commit("Ignore")
	a.repo.Write(".env", "KEY=1")
	id, _ := a.toRun()
	s, err := a.engine.Piece(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	a.holds(a.dir, "counted", s.Piece.Worktree+"\n")
	a.holds(s.Piece.Worktree, ".env", "KEY=1")
	said := a.notices(id)
	if strings.Count(said, "made ready") != 1 || strings.Count(said, "Copied 1 file that .worktreeinclude names: .env") != 1 {
		t.Errorf("the transcripts say %q", said)
	}
}

func TestAChangedSetupScriptWaitsUntilItIsAllowed(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	ran := func(id string) bool {
		s, err := a.engine.Piece(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = os.Stat(filepath.Join(s.Piece.Worktree, "ran"))
		return err == nil
	}
	if p := a.setup("touch ran", true); !p.SetupRuns() {
		t.Errorf("an allowed script does not run: %+v", p)
	}
	// Whoever changes the text without the person's word, such as a restored database, changes what was allowed.
	p, err := a.engine.Project(t.Context(), a.id)
	if err != nil {
		t.Fatal(err)
	}
	p.SetupScript = "touch ran other"
	if err := a.store.SaveProject(t.Context(), p); err != nil || !p.SetupWaits() {
		t.Fatal(p, err)
	}
	id := a.release().Piece.ID
	a.act(id, pieces.ApproveSpec)
	a.next().says(`{"strategy":"Do it."}`)
	a.untilGate(id, pieces.GateStrategyReady)
	if ran(id) || !strings.Contains(a.notices(id), "not run: nobody allowed its present text") {
		t.Errorf("ran %v; the transcripts say %q", ran(id), a.notices(id))
	}
	a.setup(p.SetupScript, true)
	a.act(id, pieces.ApproveStrategy)
	a.next().says(`{"agents":[{"key":"a","name":"A","brief":"Do it.","dependsOn":[]}]}`)
	a.untilGate(id, pieces.GatePlanReady)
	if !ran(id) {
		t.Error("allowed at last, it did not run before the next session")
	}
}

func TestAFailedSetupFailsTheStepAndIsTriedAgain(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	a.setup("echo no such package >&2; exit 3", true)
	id := a.release().Piece.ID
	a.act(id, pieces.ApproveSpec)
	s := a.untilGate(id, pieces.GateStrategyFailed)
	if !strings.Contains(s.Piece.Failure, "exit code 3") || !strings.Contains(s.Piece.Failure, "no such package") {
		t.Errorf("failure %q", s.Piece.Failure)
	}
	history, err := a.engine.History(t.Context(), id)
	if err != nil || !strings.Contains(history[len(history)-1].Note.String(), "no such package") {
		t.Errorf("history %+v, %v", history, err)
	}
	a.setup("true", true)
	a.act(id, pieces.GenerateStrategy)
	a.next().says(`{"strategy":"Do it."}`)
	a.untilGate(id, pieces.GateStrategyReady)
}

func TestAgentsWorktreesAreMadeReadyToo(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	a.setup("pwd >> '"+filepath.Join(a.dir, "counted")+"'", true)
	id := a.release().Piece.ID
	a.act(id, pieces.ApproveSpec)
	a.next().says(`{"strategy":"Do it."}`)
	a.untilGate(id, pieces.GateStrategyReady)
	a.act(id, pieces.ApproveStrategy)
	a.next().says(`{"agents":[{"key":"a","name":"A","brief":"Do.","dependsOn":[]},{"key":"b","name":"B","brief":"Do.","dependsOn":[]}]}`)
	a.untilGate(id, pieces.GatePlanReady)
	a.act(id, pieces.StartExecution)
	a.next()
	a.next()
	text, err := os.ReadFile(filepath.Join(a.dir, "counted"))
	if err != nil || strings.Count(string(text), "\n") != 3 || !strings.Contains(string(text), "--1\n") || !strings.Contains(string(text), "--2\n") {
		t.Errorf("it ran in %q, %v", text, err)
	}
}

func TestProjectSettingsAreCheckedAndForgetOnlyWhatIsNamed(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	p, err := a.engine.Project(t.Context(), a.id)
	if err != nil {
		t.Fatal(err)
	}
	p.AllowedCommands = []string{"Bash(make)", "Bash(npm test)"}
	if err := a.store.SaveProject(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	a.repo.Git("branch", "next")
	branch := " next "
	p, err = a.engine.EditProject(t.Context(), a.id, engine.ProjectEdit{Branch: &branch, ForgetCommands: []string{"Bash(make)"}})
	if err != nil || p.Branch != "next" || len(p.AllowedCommands) != 1 || p.AllowedCommands[0] != "Bash(npm test)" {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = a.engine.EditProject(t.Context(), a.id, engine.ProjectEdit{AllowCommands: []string{" go test ", "Bash(npm test)"}})
	if err != nil || len(p.AllowedCommands) != 2 || p.AllowedCommands[1] != "go test" {
		t.Errorf("allowed %q, %v", p.AllowedCommands, err)
	}
	for _, wrong := range []string{"", " ", "*", "a\nb", strings.Repeat("x", 300)} {
		if _, err := a.engine.EditProject(t.Context(), a.id, engine.ProjectEdit{AllowCommands: []string{wrong}}); err == nil {
			t.Errorf("the command %q was allowed", wrong)
		}
	}
	for _, wrong := range []string{"nowhere", "", "-x"} {
		if _, err := a.engine.EditProject(t.Context(), a.id, engine.ProjectEdit{Branch: &wrong}); err == nil {
			t.Errorf("the base branch %q was taken", wrong)
		}
	}
	if p = a.setup("make", true); !p.SetupRuns() {
		t.Error("allowed, and does not run")
	}
	empty := " \r\n"
	if p, err = a.engine.EditProject(t.Context(), a.id, engine.ProjectEdit{SetupScript: &empty}); err != nil || p.SetupAllowed != "" || p.SetupWaits() {
		t.Errorf("%+v, %v", p, err)
	}
}
