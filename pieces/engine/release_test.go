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

func TestHostileTitlesGetAWorktreeOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.repo.Git("branch", "fermata/release/x")
	titles := []string{
		"release", "release/x", "../..", "🚀🚀", "한글 제목", strings.Repeat("very long ", 30), "-rf", "CON", "nul.txt",
		"Same title", "same  TITLE", "a.lock", "refs/heads/main", "@{-1}", "tab\there", "..", ".", "~^:?*[\\", "\u202egnirts", "x--1",
	}
	seen := map[string]string{}
	for _, title := range titles {
		filed, err := w.engine.FileDraft(t.Context(), engine.NewDraft{ProjectID: w.id, Title: title, Spec: "no heading", Refine: pieces.RefineNone})
		if err != nil {
			t.Fatalf("%q: %v", title, err)
		}
		s, err := w.engine.ReleaseDraft(t.Context(), filed.Draft.ID, "", pieces.ByClient)
		if err != nil {
			t.Errorf("%q: %v", title, err)
			continue
		}
		if other, taken := seen[strings.ToLower(s.Piece.Worktree)]; taken {
			t.Errorf("%q and %q share the worktree %s", title, other, s.Piece.Worktree)
		}
		seen[strings.ToLower(s.Piece.Worktree)] = title
		rel, err := filepath.Rel(filepath.Join(w.dir, "worktrees"), s.Piece.Worktree)
		if err != nil || strings.HasPrefix(rel, "..") {
			t.Errorf("%q: the worktree %s is outside the root", title, s.Piece.Worktree)
		}
		if _, err := os.Stat(filepath.Join(s.Piece.Worktree, ".git")); err != nil {
			t.Errorf("%q: %v", title, err)
		}
		if head := w.repo.Git("-C", s.Piece.Worktree, "symbolic-ref", "HEAD"); head != "refs/heads/"+s.Piece.Branch {
			t.Errorf("%q: on %s, want %s", title, head, s.Piece.Branch)
		}
	}
	if status := w.repo.Git("status", "--porcelain"); status != "" {
		t.Errorf("the person's checkout changed: %s", status)
	}
}

func TestARepositoryWithoutACommitIsRefusedWithItsFix(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, path := range []string{piecestest.NewEmptyRepo(t).Path, t.TempDir()} {
		_, _, err := w.engine.RegisterProject(t.Context(), path)
		if err == nil || !strings.Contains(err.Error(), "Run `git init` there, make a first commit, and call register_project again.") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if list, err := w.engine.Projects(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("registered: %+v, %v", list, err)
	}
}

func TestAProjectIsFoundFromInsideAndFromItsWorktrees(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	sub := filepath.Join(w.repo.Path, "deep", "er")
	if err := os.MkdirAll(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(sub, link); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "elsewhere")
	w.repo.Git("worktree", "add", "-b", "mine", outside)
	nested := piecestest.NewRepo(t)
	inner := filepath.Join(w.repo.Path, "nested")
	if err := os.Rename(nested.Path, inner); err != nil {
		t.Fatal(err)
	}
	filed, err := w.engine.FileDraft(t.Context(), engine.NewDraft{ProjectID: w.id, Spec: piecestest.StorySpec, Refine: pieces.RefineNone})
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.engine.ReleaseDraft(t.Context(), filed.Draft.ID, "", pieces.ByClient)
	if err != nil {
		t.Fatal(err)
	}
	for _, cwd := range []string{w.repo.Path, sub, link, outside, inner, s.Piece.Worktree} {
		if p, err := w.engine.ProjectFor(t.Context(), "", cwd); err != nil || p == nil || p.ID != w.id {
			t.Errorf("from %s: %+v, %v", cwd, p, err)
		}
		if p, already, err := w.engine.RegisterProject(t.Context(), cwd); err != nil || !already || p.ID != w.id {
			t.Errorf("registered from %s: %+v, %v, %v", cwd, p, already, err)
		}
	}
	for _, cwd := range []string{"", "relative", t.TempDir(), filepath.Dir(w.repo.Path), w.repo.Path + "-beside"} {
		if p, err := w.engine.ProjectFor(t.Context(), "", cwd); err != nil || p != nil {
			t.Errorf("from %q: %+v, %v", cwd, p, err)
		}
	}
}
