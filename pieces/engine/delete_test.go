package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// deleted deletes a piece as the person does: with the effect that was shown.
func (w *world) deleted(id string) (engine.Deleted, pieces.Effect) {
	w.t.Helper()
	effect, err := w.engine.DeleteEffect(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	d, err := w.engine.DeletePiece(w.t.Context(), id, effect.Fingerprint)
	if err != nil {
		w.t.Fatal(err)
	}
	return d, effect
}

func TestADeletedPieceIsSavedFirstAndItsBranchStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	p := w.inReview()
	waiter, err := w.engine.FileDraft(t.Context(), engine.NewDraft{ProjectID: w.id, Seed: "Later", Lane: pieces.LaneAuto, DependsOn: []string{p.ID}})
	if err != nil {
		t.Fatal(err)
	}
	w.put(p.Worktree, "lost.txt", "not committed")
	d, effect := w.deleted(p.ID)
	for _, want := range []string{"lost.txt", "saved first", "the branch " + p.Branch + " stays", "1 item waits"} {
		if !strings.Contains(strings.Join(pieces.English(effect.Lines), "\n"), want) {
			t.Errorf("the effect does not say %q: %q", want, effect.Lines)
		}
	}
	if _, err := os.Stat(p.Worktree); !errors.Is(err, os.ErrNotExist) {
		t.Error("the worktree stays", err)
	}
	if d.Branch != p.Branch || d.Saved == "" || w.repo.Git("-C", w.repo.Path, "branch", "--list", p.Branch) == "" {
		t.Errorf("left %+v", d)
	}
	if _, err := w.engine.Piece(t.Context(), p.ID); err == nil || err.Error() != "Unknown pieceId" {
		t.Errorf("the piece reads %v", err)
	}
	if left, err := w.store.Worktrees(t.Context(), ""); err != nil || len(left) != 0 {
		t.Errorf("recorded are %+v, %v", left, err)
	}
	on, err := w.engine.Dependencies(t.Context())
	if list := on[waiter.Draft.ID]; err != nil || len(list) != 1 || list[0].State != pieces.StateDeleted || list[0].Name != p.Name || list[0].Standing != pieces.Wrong {
		t.Errorf("what waited on it sees %+v, %v", list, err)
	}
	r, err := w.engine.Restore(t.Context(), p.ID, "", pieces.ByPerson)
	if err != nil || !r.Fresh || r.Ref != d.Saved {
		t.Fatalf("brought back %+v, %v", r, err)
	}
	w.holds(r.Path, "lost.txt", "not committed")
}

func TestDeletingIsRefusedWhileThePieceRunsOrItsEffectChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	p := w.inReview()
	effect, err := w.engine.DeleteEffect(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.put(p.Worktree, "new.txt", "written since")
	if _, err := w.engine.DeletePiece(t.Context(), p.ID, effect.Fingerprint); !errors.Is(err, pieces.ErrStale) {
		t.Errorf("a changed effect: %v", err)
	}
	c := pieces.Change{Piece: p, From: pieces.State{Phase: p.Phase, Activity: p.Activity}, Trigger: "test", By: pieces.ByFermata}
	c.Piece.Phase, c.Piece.Activity = pieces.PhaseAgents, pieces.Running
	if _, err := w.store.Apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	effect, err = w.engine.DeleteEffect(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	refusal := (*engine.Refusal)(nil)
	if _, err := w.engine.DeletePiece(t.Context(), p.ID, effect.Fingerprint); !errors.As(err, &refusal) || !strings.Contains(err.Error(), "busy") {
		t.Errorf("a running piece: %v", err)
	}
	w.holds(p.Worktree, "new.txt", "written since")
}

func TestAWorktreeThatCannotBeRemovedKeepsItsPiece(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	p := w.inReview()
	effect, err := w.engine.DeleteEffect(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.repo.Git("-C", w.repo.Path, "worktree", "lock", p.Worktree)
	if _, err := w.engine.DeletePiece(t.Context(), p.ID, effect.Fingerprint); err == nil || !strings.Contains(err.Error(), "was not deleted") {
		t.Errorf("a locked worktree: %v", err)
	}
	if _, err := w.engine.Piece(t.Context(), p.ID); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(p.Worktree, ".git")); err != nil {
		t.Error(err)
	}
}

func TestOnlyCleanWorktreesOfFinishedPiecesAreReleased(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	working, over := w.inReview(), w.inReview()
	c := pieces.Change{Piece: over, From: pieces.State{Phase: over.Phase, Activity: over.Activity}, Trigger: "test", By: pieces.ByFermata}
	c.Piece.Phase = pieces.PhaseComplete
	if _, err := w.store.Apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	list, err := w.engine.DiskUse(t.Context(), w.id)
	if err != nil || len(list) != 2 || list[0].Bytes == 0 || list[0].Keeps != "The piece is not done" || list[1].Keeps != "" || list[1].Piece != over.Name {
		t.Fatalf("measured %+v, %v", list, err)
	}
	if err := w.engine.ReleaseWorktree(t.Context(), working.ID, pieces.ByPerson); err == nil {
		t.Error("the worktree of a piece that is worked on was released")
	}
	w.put(over.Worktree, "new.txt", "x")
	if err := w.engine.ReleaseWorktree(t.Context(), over.ID, pieces.ByPerson); err == nil || !strings.Contains(err.Error(), "no commit holds") {
		t.Errorf("a dirty worktree: %v", err)
	}
	w.holds(over.Worktree, "new.txt", "x")
	if err := os.Remove(filepath.Join(over.Worktree, "new.txt")); err != nil {
		t.Fatal(err)
	}
	link, aside := filepath.Join(over.Worktree, ".git"), filepath.Join(t.TempDir(), "git")
	if err := os.Rename(link, aside); err != nil {
		t.Fatal(err)
	}
	list, err = w.engine.DiskUse(t.Context(), w.id)
	if why, says := strings.CutPrefix(list[1].Keeps, "It cannot be read: "); err != nil || !says || why == "" {
		t.Errorf("a folder that is no worktree: %+v, %v", list[1], err)
	}
	if err := os.Rename(aside, link); err != nil {
		t.Fatal(err)
	}
	if err := w.engine.ReleaseWorktree(t.Context(), over.ID, pieces.ByPerson); err != nil {
		t.Fatal(err)
	}
	s, err := w.engine.Piece(t.Context(), over.ID)
	if _, serr := os.Stat(over.Worktree); err != nil || !errors.Is(serr, os.ErrNotExist) || s.Piece.Worktree != "" || s.Piece.WorktreeMissing {
		t.Errorf("released: %+v, %v, %v", s.Piece, err, serr)
	}
}
