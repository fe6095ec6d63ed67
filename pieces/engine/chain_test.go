package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

func TestAPieceGoesFromItsSpecToAMergedPullRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Story(piecestest.StoryAgents()))
	before := w.repo.Git("rev-parse", "HEAD", "refs/heads/main")
	s := w.toPlan()
	id := s.Piece.ID
	if n := len(s.Tasks); n != 4 || s.Tasks[3].Kind != pieces.TaskReview {
		t.Fatalf("the plan has %d tasks: %+v", n, s.Tasks)
	}
	if s.Piece.Branch != "fermata/upload-retry" || !strings.HasPrefix(s.Piece.Worktree, filepath.Join(w.dir, "worktrees")) {
		t.Errorf("branch %q in %q", s.Piece.Branch, s.Piece.Worktree)
	}
	w.act(id, pieces.StartExecution)
	s = w.untilGate(id, pieces.GateReviewWork)
	for _, name := range []string{"retry.txt", "backoff.txt", "wire.txt"} {
		if _, err := os.Stat(filepath.Join(s.Piece.Worktree, name)); err != nil {
			t.Errorf("the merged worktree lacks an agent's file: %v", err)
		}
	}
	if s.Piece.CostUSD <= 0 {
		t.Errorf("the piece cost %v", s.Piece.CostUSD)
	}
	for _, k := range []pieces.ArtifactKind{pieces.ArtifactSpec, pieces.ArtifactStrategy, pieces.ArtifactSummary, pieces.ArtifactLearnings, pieces.ArtifactWorkReview} {
		if _, ok, err := w.engine.Artifact(t.Context(), id, k, ""); !ok || err != nil {
			t.Errorf("no %s: %v", k, err)
		}
	}
	if wire, _, err := w.engine.Artifact(t.Context(), id, pieces.ArtifactHandoff, s.Tasks[2].ID); err != nil || !strings.Contains(wire.Content, "wire.txt") {
		t.Errorf("handoff %q, %v", wire.Content, err)
	}
	for _, task := range s.Tasks[:3] {
		w.act(id, pieces.ApproveTask, func(r *engine.Request) { r.TaskID = task.ID })
	}
	w.untilGate(id, pieces.GateOpenPullRequest)
	res := w.act(id, pieces.CreatePR)
	if res.Piece.Piece.PR == nil || res.Piece.Gate() != pieces.GateMergePullRequest {
		t.Fatalf("after createPR: %+v", res.Piece.Piece)
	}
	pulls := w.github.Pulls()
	if len(pulls) != 1 || pulls[0].Title != "Try failed uploads again" || pulls[0].Head != "fermata/upload-retry" || pulls[0].Base != "main" {
		t.Fatalf("pull requests %+v", pulls)
	}
	if err := w.github.Merge(pulls[0].Number); err != nil {
		t.Fatal(err)
	}
	s = w.untilGate(id, pieces.GateConfirmDone)
	if s = w.until(id, "the released worktree", func(s pieces.Snapshot) bool { return s.Piece.Worktree == "" }); s.Piece.Branch == "" {
		t.Error("the branch went with the worktree")
	}
	w.act(id, pieces.ConfirmDone)
	s = w.until(id, "nothing to do", func(s pieces.Snapshot) bool { return s.Gate() == pieces.GateNone })
	if after := w.repo.Git("rev-parse", "HEAD", "refs/heads/main"); after != before {
		t.Errorf("the person's own checkout moved: %q, was %q", after, before)
	}
	rows, err := w.engine.History(t.Context(), id)
	if err != nil || len(rows) < 10 || rows[0].Trigger != pieces.OnReleased {
		t.Errorf("history %+v, %v", rows, err)
	}
}

func TestAHandoffReachesTheAgentThatDependsOnIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Story(piecestest.StoryAgents()))
	s := w.toPlan()
	w.act(s.Piece.ID, pieces.StartExecution)
	w.untilGate(s.Piece.ID, pieces.GateReviewWork)
	for _, r := range w.model.Requests() {
		if r.Rule == "wire" && r.Index == 0 {
			if words := r.LastWords(); !strings.Contains(words, "Added retry.txt") || !strings.Contains(words, "Added backoff.txt") {
				t.Errorf("the last agent's prompt lacks a handoff:\n%s", words)
			}
			return
		}
	}
	t.Error("the last agent never asked")
}

func TestAnIllegalActionNamesTheLegalOnes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Story(piecestest.StoryAgents()))
	s := w.release()
	_, err := w.engine.Act(t.Context(), engine.Request{PieceID: s.Piece.ID, Action: pieces.StartExecution, By: pieces.ByClient})
	if err == nil || !strings.Contains(err.Error(), "approveSpec") || !strings.Contains(err.Error(), "startExecution is not legal now") {
		t.Errorf("got %v", err)
	}
}
