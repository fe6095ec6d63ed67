package engine_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

func TestACallerThatHangsUpWhileAWorktreeIsRemovedLeavesNoHalfDonePiece(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, run := a.toRun()
	run.says(`{"changed":"x"}`)
	a.next().says(`{"verdict":"pass","criteria":[],"failedAgents":[],"summary":"s","learnings":"l"}`)
	a.untilGate(id, pieces.GateReviewWork)
	ctx, hangUp := context.WithCancel(t.Context())
	a.git.removed = hangUp
	res, err := a.engine.Act(ctx, engine.Request{PieceID: id, Action: pieces.MarkDone, By: pieces.ByClient})
	if err != nil || res.Piece.Piece.Phase != pieces.PhaseComplete || res.Piece.Piece.Worktree != "" {
		t.Errorf("%v, at %s with the worktree %q", err, res.Piece.Piece.Phase, res.Piece.Piece.Worktree)
	}
	if list, err := a.store.Worktrees(t.Context(), id); err != nil || len(list) != 0 {
		t.Errorf("recorded %+v, %v", list, err)
	}
}

func TestMarkDoneForgetsAWorktreeThatIsGoneAndAsksAnewWhenItIsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	p := w.inReview()
	aside := p.Worktree + ".aside"
	if err := os.Rename(p.Worktree, aside); err != nil {
		t.Fatal(err)
	}
	w.untilGate(p.ID, pieces.GateWorktreeMissing)
	r := engine.Request{PieceID: p.ID, Action: pieces.MarkDone, By: pieces.ByClient}
	effect, err := w.engine.Effect(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Bound = effect.Fingerprint
	if err := os.Rename(aside, p.Worktree); err != nil {
		t.Fatal(err)
	}
	// The poll may have seen that it is back before the call does: either way the Allow was for something else.
	if _, err := w.engine.Act(t.Context(), r); !errors.Is(err, pieces.ErrStale) {
		t.Errorf("an Allow for a piece without a worktree: %v", err)
	}
	if _, err := os.Stat(p.Worktree); err != nil {
		t.Fatal(err)
	}
	w.untilGate(p.ID, pieces.GateOpenPullRequest)
	if err := os.RemoveAll(p.Worktree); err != nil {
		t.Fatal(err)
	}
	w.untilGate(p.ID, pieces.GateWorktreeMissing)
	if s := w.act(p.ID, pieces.MarkDone).Piece; s.Piece.Phase != pieces.PhaseComplete {
		t.Errorf("at %s", s.Piece.Phase)
	}
	if list, err := w.store.Worktrees(t.Context(), p.ID); err != nil || len(list) != 0 {
		t.Errorf("recorded %+v, %v", list, err)
	}
	if list := w.repo.Git("worktree", "list", "--porcelain"); strings.Contains(list, p.Worktree) {
		t.Errorf("git still knows %s:\n%s", p.Worktree, list)
	}
}
