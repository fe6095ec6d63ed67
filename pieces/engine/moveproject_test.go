package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/piecestest"
)

func TestAProjectFollowsItsMovedRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	p := w.inReview()
	other := piecestest.NewEmptyRepo(t)
	w.put(other.Path, "another.txt", "one that shares no commit")
	other.Git("add", ".")
	other.Git("commit", "-m", "another first")
	if _, err := w.engine.MoveProject(t.Context(), w.id, other.Path); err == nil || !strings.Contains(err.Error(), "still at "+w.repo.Path) {
		t.Errorf("moved while the old repository is there: %v", err)
	}
	moved := filepath.Join(t.TempDir(), "renamed")
	if err := os.Rename(w.repo.Path, moved); err != nil {
		t.Fatal(err)
	}
	if _, err := w.engine.MoveProject(t.Context(), w.id, other.Path); err == nil || !strings.Contains(err.Error(), "is not the repository of this project") {
		t.Errorf("moved to another repository: %v", err)
	}
	if _, err := w.engine.MoveProject(t.Context(), w.id, t.TempDir()); err == nil {
		t.Error("moved to a folder that is no repository")
	}
	project, err := w.engine.MoveProject(t.Context(), w.id, moved)
	if err != nil || project.Path != moved || project.Name != "renamed" || project.ID != w.id {
		t.Fatalf("moved to %+v, %v", project, err)
	}
	w.put(p.Worktree, "later.txt", "x")
	w.act(p.ID, pieces.MarkDone) // saves, and removes through the records, which name the new place
	if _, err := os.Stat(p.Worktree); !errors.Is(err, os.ErrNotExist) {
		t.Error("the worktree stays", err)
	}
}

func TestARemovedProjectLeavesTheDiskAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	p := w.inReview()
	w.put(p.Worktree, "kept.txt", "x")
	effect, err := w.engine.RemoveProjectEffect(t.Context(), w.id)
	if err != nil || !strings.Contains(effect.Lines[0].String(), "1 piece and 0 drafts") {
		t.Fatalf("the effect %+v, %v", effect, err)
	}
	if err := w.engine.RemoveProject(t.Context(), w.id, "another"); !errors.Is(err, pieces.ErrStale) {
		t.Errorf("another effect: %v", err)
	}
	if err := w.engine.RemoveProject(t.Context(), w.id, effect.Fingerprint); err != nil {
		t.Fatal(err)
	}
	w.holds(p.Worktree, "kept.txt", "x")
	if _, err := w.engine.Project(t.Context(), w.id); !errors.Is(err, pieces.ErrNotFound) {
		t.Errorf("the project reads %v", err)
	}
	if list, err := w.engine.Pieces(t.Context(), pieces.PieceFilter{IncludeArchived: true}); err != nil || len(list) != 0 {
		t.Errorf("pieces are left: %+v, %v", list, err)
	}
	again, already, err := w.engine.RegisterProject(t.Context(), w.repo.Path)
	if err != nil || already || again.ID == w.id {
		t.Errorf("registered again as %+v, already %v, %v", again, already, err)
	}
}
