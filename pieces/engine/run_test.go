package engine_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// one is a plan of a single agent.
func one(change func(*piecestest.StoryAgent)) piecestest.Script {
	a := piecestest.StoryAgent{Key: "only", Name: "Only agent", File: "only.txt"}
	if change != nil {
		change(&a)
	}
	return piecestest.Story([]piecestest.StoryAgent{a})
}

func TestStoppedAgentsAreGoneAndResumeInTheirOwnSession(t *testing.T) {
	t.Parallel()
	script := one(nil)
	sleep := piecestest.Use("Bash", map[string]any{"command": "git log -1", "description": "Look"})
	hold := make(chan struct{})
	for i := range script {
		if script[i].Name == "only" {
			held := script[i].Replies[0]
			held.Hold = hold
			script[i].Replies = append([]piecestest.Reply{sleep, held}, script[i].Replies[1:]...)
		}
	}
	w := newWorld(t, script)
	s := w.toPlan()
	id := s.Piece.ID
	w.act(id, pieces.StartExecution)
	if _, err := w.model.Wait(t.Context(), func(r piecestest.Request) bool { return r.Rule == "only" && r.Index == 1 }); err != nil {
		t.Fatal(err)
	}
	res := w.act(id, pieces.StopAgents)
	s = res.Piece
	if s.Piece.Activity != pieces.Paused || s.Piece.Pause != pieces.PauseStopped || s.Gate() != pieces.GatePaused {
		t.Fatalf("after the stop: %s %s %s", s.Piece.Activity, s.Piece.Pause, s.Gate())
	}
	session := s.Tasks[0].SessionID
	row, err := w.engine.Session(t.Context(), session)
	if err != nil || row.State != pieces.SessionCancelled {
		t.Errorf("the session's row: %+v, %v", row, err)
	}
	if out, err := exec.Command("pgrep", "-f", session).Output(); err == nil {
		t.Errorf("processes of the session live on: %s", out)
	}
	close(hold)
	w.act(id, pieces.ResumeAgents)
	s = w.untilGate(id, pieces.GateReviewWork)
	if s.Tasks[0].SessionID != session || s.Tasks[0].Attempts != 2 {
		t.Errorf("resumed in %s (attempt %d), want the session %s", s.Tasks[0].SessionID, s.Tasks[0].Attempts, session)
	}
}

func TestQuittingInMidRunLeavesInterruptedAgentsThatResume(t *testing.T) {
	t.Parallel()
	script := one(nil)
	hold := make(chan struct{})
	for i := range script {
		if script[i].Name == "only" {
			script[i].Replies[1].Hold = hold
		}
	}
	w := newWorld(t, script)
	s := w.toPlan()
	id := s.Piece.ID
	w.act(id, pieces.StartExecution)
	if _, err := w.model.Wait(t.Context(), func(r piecestest.Request) bool { return r.Rule == "only" && r.Index == 1 }); err != nil {
		t.Fatal(err)
	}
	running := w.until(id, "a session", func(s pieces.Snapshot) bool { return s.Tasks[0].SessionID != "" })
	w.close()
	w.open()
	s = w.untilGate(id, pieces.GateInterrupted)
	if s.Tasks[0].State != pieces.TaskInterrupted || s.Tasks[0].SessionID != running.Tasks[0].SessionID {
		t.Errorf("after the start: %+v", s.Tasks[0])
	}
	live, err := w.engine.Sessions(t.Context(), pieces.SessionFilter{LiveOnly: true, IncludeHidden: true})
	if err != nil || len(live) != 0 {
		t.Errorf("sessions said to live: %+v, %v", live, err)
	}
	close(hold)
	w.act(id, pieces.ResumeAgents)
	s = w.untilGate(id, pieces.GateReviewWork)
	if s.Tasks[0].SessionID != running.Tasks[0].SessionID {
		t.Error("resumed in another session")
	}
}

func TestPauseLetsTheTurnEndAndStartsNoNewAgent(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	w := newWorld(t, piecestest.Story([]piecestest.StoryAgent{
		{Key: "first", Name: "First", File: "first.txt", Hold: hold},
		{Key: "second", Name: "Second", File: "second.txt", After: []string{"first"}},
	}))
	s := w.toPlan()
	id := s.Piece.ID
	w.act(id, pieces.StartExecution)
	if _, err := w.model.Wait(t.Context(), piecestest.AnsweredBy("first")); err != nil {
		t.Fatal(err)
	}
	if res := w.act(id, pieces.PauseAgents); res.Piece.Piece.Activity != pieces.Pausing {
		t.Errorf("activity %s", res.Piece.Piece.Activity)
	}
	close(hold)
	s = w.untilGate(id, pieces.GatePaused)
	if s.Tasks[0].State != pieces.TaskCompleted || s.Tasks[1].State != pieces.TaskPending {
		t.Errorf("tasks %s, %s", s.Tasks[0].State, s.Tasks[1].State)
	}
	w.act(id, pieces.ResumeAgents)
	w.untilGate(id, pieces.GateReviewWork)
}

func TestAnApprovalWaitsForThePersonAndTheAnswerReachesTheAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, one(func(a *piecestest.StoryAgent) { a.Asks = "touch asked.txt" }))
	s := w.toPlan()
	id := s.Piece.ID
	w.act(id, pieces.StartExecution)
	s = w.untilGate(id, pieces.GateAgentWaiting)
	p := s.Prompts[0]
	if p.Kind != pieces.PromptApproval || p.Tool != "Bash" || !strings.Contains(string(p.Input), "touch asked.txt") {
		t.Errorf("prompt %+v", p)
	}
	if _, err := w.engine.Act(t.Context(), engine.Request{PieceID: id, Action: pieces.AnswerTaskQuestion, TaskID: s.Tasks[0].ID, Text: "yes"}); err == nil {
		t.Error("a client answered a tool approval")
	}
	if err := w.engine.AnswerPrompt(t.Context(), p.ID, pieces.PromptAnswer{Message: "Leave that file alone."}); err != nil {
		t.Fatal(err)
	}
	s = w.untilGate(id, pieces.GateReviewWork)
	if _, err := os.Stat(filepath.Join(s.Piece.Worktree, "asked.txt")); err == nil {
		t.Error("the denied command ran")
	}
	if err := w.engine.AnswerPrompt(t.Context(), p.ID, pieces.PromptAnswer{Allow: true}); err == nil {
		t.Error("a second answer was taken")
	}
}

func TestMarkDoneSavesWhatTheWorktreeHeldAndKeepsTheBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, one(nil))
	s := w.toPlan()
	id := s.Piece.ID
	w.act(id, pieces.StartExecution)
	s = w.untilGate(id, pieces.GateReviewWork)
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(s.Piece.Worktree, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("untracked.txt", "not committed")
	effect, err := w.engine.Effect(t.Context(), engine.Request{PieceID: id, Action: pieces.MarkDone})
	if err != nil || !strings.Contains(strings.Join(pieces.English(effect.Lines), "\n"), "1 changed file") {
		t.Fatalf("effect %+v, %v", effect, err)
	}
	write("later.txt", "came after the card")
	bound := engine.Request{PieceID: id, Action: pieces.MarkDone, By: pieces.ByClient, Bound: effect.Fingerprint}
	if _, err := w.engine.Act(t.Context(), bound); !errors.Is(err, pieces.ErrStale) {
		t.Fatalf("an Allow for another effect: %v", err)
	}
	if _, err := os.Stat(s.Piece.Worktree); err != nil {
		t.Fatalf("the refused call removed the worktree: %v", err)
	}
	if effect, err = w.engine.Effect(t.Context(), bound); err != nil {
		t.Fatal(err)
	}
	bound.Bound = effect.Fingerprint
	res, err := w.engine.Act(t.Context(), bound)
	if err != nil {
		t.Fatal(err)
	}
	if res.Piece.Piece.Phase != pieces.PhaseComplete || res.Piece.Gate() != pieces.GateConfirmDone {
		t.Errorf("at %s with gate %s", res.Piece.Piece.Phase, res.Piece.Gate())
	}
	if _, err := os.Stat(s.Piece.Worktree); !os.IsNotExist(err) {
		t.Errorf("the worktree is still there: %v", err)
	}
	saved := res.Piece.Piece.SavedRef
	for name, want := range map[string]string{"untracked.txt": "not committed", "later.txt": "came after the card", "only.txt": "Only agent"} {
		if got := w.repo.Git("show", saved+":"+name); strings.TrimSpace(got) != want {
			t.Errorf("%s in %s: %q", name, saved, got)
		}
	}
	if w.repo.Git("rev-parse", "--verify", "refs/heads/"+s.Piece.Branch) == "" {
		t.Error("the branch is gone")
	}
}

func TestARefusedPullRequestLeavesThePieceWhereItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, one(nil))
	s := w.toPlan()
	id := s.Piece.ID
	w.act(id, pieces.StartExecution)
	s = w.untilGate(id, pieces.GateReviewWork)
	w.act(id, pieces.ApproveTask, func(r *engine.Request) { r.TaskID = s.Tasks[0].ID })
	w.github.Refuse(422, "The head branch is protected")
	r := engine.Request{PieceID: id, Action: pieces.CreatePR, By: pieces.ByClient, Title: "T", HasTitle: true}
	_, err := w.engine.Act(t.Context(), r)
	var refusal *engine.Refusal
	if !errors.As(err, &refusal) || !strings.Contains(err.Error(), "protected") {
		t.Fatalf("got %v", err)
	}
	s = w.untilGate(id, pieces.GateOpenPullRequest)
	if s.Piece.Phase != pieces.PhaseReview || !strings.Contains(s.Piece.Failure, "protected") {
		t.Errorf("at %s, failure %q", s.Piece.Phase, s.Piece.Failure)
	}
	hook := filepath.Join(w.repo.Bare, "hooks", "pre-receive")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho no pushes today >&2\nexit 1\n"), 0o755); err != nil { //nolint:gosec // a hook has to be executable
		t.Fatal(err)
	}
	w.repo.Git("-C", s.Piece.Worktree, "commit", "--allow-empty", "-m", "one more")
	if _, err := w.engine.Act(t.Context(), r); err == nil || !strings.Contains(err.Error(), "no pushes today") {
		t.Fatalf("a refused push: %v", err)
	}
	if s = w.untilGate(id, pieces.GateOpenPullRequest); s.Piece.PR != nil {
		t.Errorf("a pull request out of nothing: %+v", s.Piece.PR)
	}
}

func TestAnUnusablePlanGoesBackTwiceAndThenFails(t *testing.T) {
	t.Parallel()
	script := one(nil)
	bad := map[string]any{"agents": []map[string]any{{"key": "a", "name": "A", "brief": "B", "dependsOn": []string{"ghost"}}}}
	for i := range script {
		if script[i].Name == "plan" {
			script[i].Replies = []piecestest.Reply{piecestest.Structured(bad)}
		}
	}
	w := newWorld(t, script)
	s := w.release()
	id := s.Piece.ID
	w.act(id, pieces.ApproveSpec)
	w.untilGate(id, pieces.GateStrategyReady)
	w.act(id, pieces.ApproveStrategy)
	s = w.untilGate(id, pieces.GatePlanFailed)
	if !strings.Contains(s.Piece.Failure, "ghost") {
		t.Errorf("failure %q", s.Piece.Failure)
	}
	asked := 0
	for _, r := range w.model.Requests() {
		if r.Rule == "plan" && r.Index == 0 {
			asked++
		}
	}
	if asked != 3 {
		t.Errorf("the plan was asked for %d times, want 3", asked)
	}
}

func TestAFailedWorkReviewSendsItsFindingsBackToTheAgent(t *testing.T) {
	t.Parallel()
	script := one(nil)
	for i := range script {
		if script[i].Name == "review" {
			script[i].Replies = []piecestest.Reply{piecestest.Structured(map[string]any{
				"verdict": "fail", "criteria": []any{}, "failedAgents": []map[string]any{{"agent": 1, "finding": "The pause does not grow."}},
				"summary": "s", "learnings": "l",
			})}
		}
	}
	w := newWorld(t, script)
	s := w.toPlan()
	id := s.Piece.ID
	w.act(id, pieces.StartExecution)
	s = w.untilGate(id, pieces.GateWorkReviewFailed)
	if s.Tasks[0].State != pieces.TaskFailed {
		t.Errorf("task %+v", s.Tasks[0])
	}
	w.model.SetScript(append(piecestest.Script{{
		Name: "again", Match: piecestest.Contains("The pause does not grow."), Repeat: true,
		Replies: []piecestest.Reply{piecestest.Structured(map[string]any{"changed": "It grows now", "decisions": []string{}, "openPoints": []string{}, "files": []string{}})},
	}}, one(nil)...))
	res := w.act(id, pieces.SendBackToAgents, func(r *engine.Request) { r.Guidance = "Double it each time." })
	if res.Next != "resumeAgents" || res.Piece.Gate() != pieces.GatePaused {
		t.Errorf("next %q, gate %s", res.Next, res.Piece.Gate())
	}
	w.act(id, pieces.ResumeAgents)
	w.untilGate(id, pieces.GateReviewWork)
	for _, r := range w.model.Requests() {
		if r.Rule == "again" && strings.Contains(r.LastWords(), "Double it each time.") {
			return
		}
	}
	t.Error("the agent never read the findings with the guidance")
}

func TestASeedBecomesASpecAndAutoRunsToReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(piecestest.Script{{
		Name: "spec", Match: piecestest.Contains("# Step: spec"), Replies: []piecestest.Reply{piecestest.Structured(map[string]any{
			"spec":     piecestest.StorySpec,
			"analysis": map[string]any{"size": "small", "risk": "low", "files": []string{}, "acceptanceCriteria": []string{"a"}},
		})},
	}}, one(nil)...))
	filed, err := w.engine.FileDraft(t.Context(), engine.NewDraft{ProjectID: w.id, Seed: "retry uploads", Lane: pieces.LaneAuto})
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.engine.ReleaseDraft(t.Context(), filed.Draft.ID, "", pieces.ByPerson)
	if err != nil || s.Piece.Activity != pieces.Interviewing {
		t.Fatalf("%+v, %v", s.Piece, err)
	}
	s = w.untilGate(s.Piece.ID, pieces.GateReviewWork)
	if s.Piece.Name != "Upload retry" {
		t.Errorf("name %q", s.Piece.Name)
	}
}

func TestAWorktreeThatVanishedIsAStateThatNoActionRunsInto(t *testing.T) {
	t.Parallel()
	w := newWorld(t, one(nil))
	s := w.toPlan()
	id := s.Piece.ID
	if err := os.RemoveAll(s.Piece.Worktree); err != nil {
		t.Fatal(err)
	}
	s = w.untilGate(id, pieces.GateWorktreeMissing)
	if s.Legal(pieces.StartExecution) {
		t.Error("agents may start without a worktree")
	}
	_, err := w.engine.Act(t.Context(), engine.Request{PieceID: id, Action: pieces.StartExecution, By: pieces.ByClient})
	if err == nil {
		t.Error("agents were started without a worktree")
	}
}

func TestAnAgentThatWaitsForThePersonDoesNotHoldUpAPause(t *testing.T) {
	t.Parallel()
	w := newWorld(t, one(func(a *piecestest.StoryAgent) { a.Asks = "touch asked.txt" }))
	s := w.toPlan()
	id := s.Piece.ID
	w.act(id, pieces.StartExecution)
	s = w.untilGate(id, pieces.GateAgentWaiting)
	prompt := s.Prompts[0].ID
	w.act(id, pieces.PauseAgents)
	w.untilGate(id, pieces.GatePaused)
	w.act(id, pieces.ResumeAgents)
	if err := w.engine.AnswerPrompt(t.Context(), prompt, pieces.PromptAnswer{Allow: true}); err != nil {
		t.Fatal(err)
	}
	s = w.untilGate(id, pieces.GateReviewWork)
	if s.Tasks[0].Attempts != 1 {
		t.Errorf("the waiting agent was started %d times", s.Tasks[0].Attempts)
	}
}

func TestMarkDonesCardNamesTheAgentsWorktreesToo(t *testing.T) {
	t.Parallel()
	script := piecestest.Story(piecestest.StoryAgents())
	for i := range script {
		if script[i].Name == "retry" {
			script[i].Replies = []piecestest.Reply{piecestest.Fail(400, "broken on purpose")}
		}
	}
	w := newWorld(t, script)
	s := w.toPlan()
	id := s.Piece.ID
	w.act(id, pieces.StartExecution)
	s = w.untilGate(id, pieces.GateAgentsFailed)
	if s.Tasks[2].State != pieces.TaskBlocked || !strings.Contains(s.Tasks[0].Failure, "broken on purpose") {
		t.Errorf("tasks %+v", s.Tasks)
	}
	own := s.Tasks[0].Worktree
	if err := os.WriteFile(filepath.Join(own, "half.txt"), []byte("half done"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := engine.Request{PieceID: id, Action: pieces.MarkDone, By: pieces.ByClient}
	effect, err := w.engine.Effect(t.Context(), r)
	if words := strings.Join(pieces.English(effect.Lines), "\n"); err != nil || !strings.Contains(words, own) || !strings.Contains(words, "half.txt") {
		t.Fatalf("effect %q, %v", words, err)
	}
	r.Bound = effect.Fingerprint
	if _, err := w.engine.Act(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(own); !os.IsNotExist(err) {
		t.Errorf("the agent's worktree stays: %v", err)
	}
	if refs := w.repo.Git("for-each-ref", "--format=%(refname)", "refs/fermata/saved/"+id); refs == "" {
		t.Error("what the agent's worktree held was not saved")
	}
}

func TestAnApprovalForTheProjectIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Story([]piecestest.StoryAgent{
		{Key: "one", Name: "One", File: "one.txt", Asks: "touch asked.txt"},
		{Key: "two", Name: "Two", File: "two.txt", After: []string{"one"}, Asks: "touch asked.txt"},
	}))
	s := w.toPlan()
	id := s.Piece.ID
	w.act(id, pieces.StartExecution)
	s = w.untilGate(id, pieces.GateAgentWaiting)
	if s.Prompts[0].Rule == "" {
		t.Error("the prompt does not say what an approval would stand for")
	}
	if err := w.engine.AnswerPrompt(t.Context(), s.Prompts[0].ID, pieces.PromptAnswer{Allow: true, Scope: pieces.ScopeProject}); err != nil {
		t.Fatal(err)
	}
	w.until(id, "the review without a second question", func(s pieces.Snapshot) bool {
		if len(s.Prompts) > 0 && s.Prompts[0].TaskID == s.Tasks[1].ID {
			t.Fatalf("asked again: %+v", s.Prompts[0])
		}
		return s.Gate() == pieces.GateReviewWork
	})
}
