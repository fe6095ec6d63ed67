package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// inReview releases a piece and puts it straight to Review, without agents.
func (w *world) inReview() pieces.Piece {
	w.t.Helper()
	filed, err := w.engine.FileDraft(w.t.Context(), engine.NewDraft{ProjectID: w.id, Spec: piecestest.StorySpec, Refine: pieces.RefineNone})
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := w.engine.ReleaseDraft(w.t.Context(), filed.Draft.ID, "", pieces.ByClient)
	if err != nil {
		w.t.Fatal(err)
	}
	c := pieces.Change{Piece: s.Piece, From: s.State(), Trigger: "test", By: pieces.ByFermata}
	c.Piece.Phase, c.Piece.Activity = pieces.PhaseReview, pieces.Idle
	p, err := w.store.Apply(w.t.Context(), c)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// put writes a file of a worktree.
func (w *world) put(dir, name, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) holds(dir, name, want string) {
	w.t.Helper()
	if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
		w.t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
	}
}

func (w *world) restore(id, ref string) engine.Restored {
	w.t.Helper()
	r, err := w.engine.Restore(w.t.Context(), id, ref, pieces.ByPerson)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func TestWhatADonePiecesWorktreeHeldComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	p := w.inReview()
	if _, err := w.engine.Restore(t.Context(), p.ID, "", pieces.ByPerson); err == nil || !strings.Contains(err.Error(), "Nothing was saved") {
		t.Errorf("nothing saved yet: %v", err)
	}
	w.put(p.Worktree, "staged.txt", "staged")
	w.repo.Git("-C", p.Worktree, "add", ".")
	w.put(p.Worktree, "폴더/untracked.bin", "\x00\r\n\xff")
	w.act(p.ID, pieces.MarkDone)
	if _, err := os.Stat(p.Worktree); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("the worktree stays", err)
	}
	r := w.restore(p.ID, "")
	if r.Fresh || r.Path != p.Worktree || r.Piece.Piece.Worktree != p.Worktree || r.Piece.Piece.Phase != pieces.PhaseComplete {
		t.Errorf("restored %+v", r)
	}
	w.holds(r.Path, "staged.txt", "staged")
	w.holds(r.Path, "폴더/untracked.bin", "\x00\r\n\xff")
	if got := w.repo.Git("-C", r.Path, "status", "--porcelain", "-uall", "-z"); !strings.HasPrefix(got, "A  staged.txt\x00?? ") {
		t.Errorf("status %q", got)
	}
	history, err := w.engine.History(t.Context(), p.ID)
	if err != nil || !strings.Contains(history[len(history)-1].Note.String(), r.Ref) {
		t.Errorf("history %+v, %v", history, err)
	}
	list, err := w.engine.SavedWork(t.Context(), "")
	if err != nil || len(list) != 1 || list[0].PieceID != p.ID || list[0].Ref != r.Ref || list[0].Expired || time.Since(list[0].At) > time.Hour {
		t.Errorf("saved work %+v, %v", list, err)
	}
}

func TestSavedWorkGoesIntoAFreshWorktreeWhereTheOldPlaceHoldsSomethingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	p := w.inReview()
	w.put(p.Worktree, "mine.txt", "first")
	w.act(p.ID, pieces.MarkDone)
	if _, err := w.engine.OpenWorkspace(t.Context(), p.ID, pieces.ByPerson); err != nil {
		t.Fatal(err)
	}
	w.put(p.Worktree, "mine.txt", "second")
	r := w.restore(p.ID, "")
	if !r.Fresh || r.Path == p.Worktree || r.Piece.Piece.Worktree != p.Worktree {
		t.Errorf("restored %+v", r)
	}
	w.holds(p.Worktree, "mine.txt", "second")
	w.holds(r.Path, "mine.txt", "first")
	if again := w.restore(p.ID, r.Ref); again.Path != r.Path {
		t.Errorf("the same again made %s beside %s", again.Path, r.Path)
	}
	if _, err := w.engine.Restore(t.Context(), p.ID, "refs/heads/main", pieces.ByPerson); err == nil || !strings.Contains(err.Error(), "no saved work") {
		t.Errorf("another ref: %v", err)
	}
}

func TestSavedWorkComesBackWithItsBranchWhenThatWasDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	p := w.inReview()
	w.repo.Git("-C", p.Worktree, "commit", "-q", "--allow-empty", "-m", "unpushed")
	head := w.repo.Git("-C", p.Worktree, "rev-parse", "HEAD")
	w.put(p.Worktree, "mine.txt", "mine")
	w.act(p.ID, pieces.MarkDone)
	w.repo.Git("branch", "-D", p.Branch)
	r := w.restore(p.ID, "")
	if r.Fresh || r.Branch != p.Branch || w.repo.Git("-C", r.Path, "rev-parse", "HEAD") != head {
		t.Errorf("restored %+v", r)
	}
	w.holds(r.Path, "mine.txt", "mine")
}

func TestSavedWorkIsExpiredAfterThirtyDaysAndStaysThere(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)
	for ref, want := range map[string]bool{
		pieces.SavedRef("p", now.AddDate(0, 0, -29), 0): false,
		pieces.SavedRef("p", now.AddDate(0, 0, -31), 0): true,
		pieces.SavedRef("p", now.AddDate(0, 0, -31), 2): true,
		pieces.SavedRefs("p") + "by hand":               false,
	} {
		if pieces.SavedExpired(ref, now) != want {
			t.Errorf("%s: expired %v", ref, !want)
		}
	}
}
