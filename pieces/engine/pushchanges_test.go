package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
)

// tip is the commit of a branch behind the remote.
func (w *world) tip(branch string) string {
	w.t.Helper()
	return w.repo.Git("--git-dir", w.repo.Bare, "rev-parse", "refs/heads/"+branch)
}

// isPushed checks that the remote has all of a piece's branch, and that the piece knows.
func (w *world) isPushed(s pieces.Snapshot) {
	w.t.Helper()
	if tip, head := w.tip(s.Piece.Branch), w.repo.Git("rev-parse", s.Piece.Branch); tip != head || s.Trouble() != "" {
		w.t.Errorf("the remote is at %s and the branch at %s; the piece says %q", tip, head, s.Trouble())
	}
}

// toMerge brings a new piece to an open pull request whose branch is pushed.
func (a *arena) toMerge() pieces.Snapshot {
	a.t.Helper()
	a.repo.WithRemote()
	id, run := a.toRun()
	run.says(`{"changed":"x"}`)
	a.next().says(`{"verdict":"pass","criteria":[],"failedAgents":[],"summary":"s","learnings":"l"}`)
	s := a.untilGate(id, pieces.GateReviewWork)
	a.repo.Git("push", "--quiet", "origin", s.Piece.Branch)
	a.write(id, func(p *pieces.Piece) {
		p.Phase, p.PR = pieces.PhaseComplete, &pieces.PullRequest{Number: 7, URL: "https://example.com/7", State: pieces.PullRequestOpen}
	})
	return a.untilGate(id, pieces.GateMergePullRequest)
}

// changes has a feedback session commit a file; the session works on until it is told otherwise.
func (a *arena) changes(s pieces.Snapshot, file string) *patientTalk {
	a.t.Helper()
	a.act(s.Piece.ID, pieces.RequestChanges, wish)
	talk := a.next()
	if err := os.WriteFile(filepath.Join(s.Piece.Worktree, file), []byte(file), 0o600); err != nil {
		a.t.Fatal(err)
	}
	a.repo.Git("-C", s.Piece.Worktree, "add", file)
	a.repo.Git("-C", s.Piece.Worktree, "commit", "--quiet", "-m", "Add "+file)
	return talk
}

func TestRequestedChangesReachTheOpenPullRequestAndAreNeverForced(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	s := a.toMerge()
	id, branch := s.Piece.ID, s.Piece.Branch
	if _, err := a.engine.StopChanges(t.Context(), id, pieces.ByPerson); err == nil || !strings.Contains(err.Error(), "No feedback session") {
		t.Errorf("a session that is not there is stopped: %v", err)
	}
	a.changes(s, "first.txt").says(`{}`)
	s = a.untilGate(id, pieces.GateMergePullRequest)
	a.isPushed(s)
	history, err := a.engine.History(t.Context(), id)
	if err != nil || history[len(history)-1].Note.String() != "Pushed to pull request #7." {
		t.Errorf("the history ends with %+v (%v)", history[len(history)-1], err)
	}

	theirs := a.repo.CommitElsewhere(branch, "theirs.txt", "theirs")
	a.changes(s, "second.txt").says(`{}`)
	s = a.untilGate(id, pieces.GateMergePullRequest)
	if tip := a.tip(branch); tip != theirs {
		t.Fatalf("the remote is at %s, and a colleague left it at %s", tip, theirs)
	}
	if words := s.Trouble(); !strings.Contains(words, "are not in pull request #7") || !strings.Contains(words, "rejected") {
		t.Errorf("the piece says %q", words)
	}
	if _, err := a.engine.PushChanges(t.Context(), id, pieces.ByPerson); err == nil || !strings.Contains(err.Error(), "rejected") {
		t.Errorf("the push again: %v", err)
	}
	a.repo.Git("-C", s.Piece.Worktree, "pull", "--quiet", "--rebase", "origin", branch)
	s, err = a.engine.PushChanges(t.Context(), id, pieces.ByPerson)
	if err != nil {
		t.Fatal(err)
	}
	a.isPushed(s)
	a.repo.Git("merge-base", "--is-ancestor", theirs, branch)
}

func TestAFeedbackSessionIsStoppedAlone(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	s := a.toMerge()
	id := s.Piece.ID
	before := a.tip(s.Piece.Branch)
	a.changes(s, "half.txt")
	if _, err := a.engine.PushChanges(t.Context(), id, pieces.ByPerson); err == nil || !strings.Contains(err.Error(), "once it ends") {
		t.Errorf("a push while the session works: %v", err)
	}
	s, err := a.engine.StopChanges(t.Context(), id, pieces.ByPerson)
	if err != nil || s.Gate() != pieces.GateMergePullRequest || s.Piece.Failure != "" {
		t.Fatalf("stopped: %v, gate %s, failure %q", err, s.Gate(), s.Piece.Failure)
	}
	if s.Sessions[0].Kind != pieces.SessionFeedback || s.Sessions[0].State != pieces.SessionCancelled {
		t.Errorf("the session is %s, a %s", s.Sessions[0].State, s.Sessions[0].Kind)
	}
	if tip := a.tip(s.Piece.Branch); tip != before || !strings.Contains(s.Trouble(), "it was stopped") {
		t.Errorf("the remote went from %s to %s, and the piece says %q", before, tip, s.Trouble())
	}
	if s, err = a.engine.PushChanges(t.Context(), id, pieces.ByPerson); err != nil {
		t.Fatal(err)
	}
	a.isPushed(s)
	if _, err := a.engine.Act(t.Context(), engine.Request{PieceID: id, Action: pieces.RequestChanges, Text: "x", By: pieces.ByClient}); err != nil {
		t.Errorf("changes after the stop: %v", err)
	}
	a.next().says(`{}`)
	a.untilGate(id, pieces.GateMergePullRequest)
}
