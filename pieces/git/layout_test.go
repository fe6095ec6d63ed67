package git

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestACopyOfAnotherWorktreeIsNotTakenForTheOneThatWasThere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	other, _ := p.worktree("y")
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(path, os.DirFS(other)); err != nil {
		t.Fatal(err)
	}
	// Git in there acts on the other one's branch.
	if err := p.CheckWorktree(t.Context(), p.repo, path, branch); !errors.Is(err, ErrWrongBranch) {
		t.Errorf("the copy: %v", err)
	}
	if err := p.CheckWorktree(t.Context(), p.repo, other, "fermata/y"); err != nil {
		t.Errorf("the one that was copied: %v", err)
	}
}

func TestAWorktreeOfAnotherRepositoryIsNone(t *testing.T) {
	t.Parallel()
	p, q := newPlace(t), newPlace(t)
	path, branch := p.worktree("x")
	if head, err := p.WorktreeHead(t.Context(), p.repo, path, branch); err != nil || head != p.git(p.repo, "rev-parse", branch) {
		t.Errorf("%s, %v", head, err)
	}
	if err := p.CheckWorktree(t.Context(), q.repo, path, branch); !errors.Is(err, ErrWorktreeMissing) {
		t.Errorf("asked of another repository: %v", err)
	}
}

func TestTheGitFolderIsKnownWithoutAskingOnlyWhereItIsPlain(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, _ := p.worktree("x")
	apart := filepath.Join(p.dir, "apart")
	p.git(p.dir, "init", "--quiet", "--separate-git-dir="+filepath.Join(p.dir, "apart.git"), apart)
	bare := filepath.Join(p.dir, "bare.git")
	p.git(p.dir, "init", "--quiet", "--bare", bare)
	broken := filepath.Join(p.repo, "broken")
	if err := os.MkdirAll(filepath.Join(broken, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if common, ok := plainGitDir(p.repo); !ok || common != filepath.Join(p.repo, ".git") {
		t.Errorf("the main checkout: %s, %v", common, ok)
	}
	for _, dir := range []string{path, apart, bare, broken, p.dir} {
		if common, ok := plainGitDir(dir); ok {
			t.Errorf("%s: %s", dir, common)
		}
	}
	// What is asked is what git says.
	for dir, want := range map[string]string{
		p.repo: filepath.Join(p.repo, ".git"), path: filepath.Join(p.repo, ".git"), apart: filepath.Join(p.dir, "apart.git"),
		bare: bare, broken: filepath.Join(p.repo, ".git"),
	} {
		if common, err := p.commonDir(t.Context(), dir); err != nil || common != want {
			t.Errorf("%s: %s, %v, want %s", dir, common, err, want)
		}
	}
}

func TestARecordOfAGoneWorktreeIsSeenWithoutAsking(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	common, never := filepath.Join(p.repo, ".git"), filepath.Join(p.root, "never")
	if !neverListed(common, never) {
		t.Error("without any worktree")
	}
	path, _ := p.worktree("x")
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if neverListed(common, path) || !neverListed(common, never) {
		t.Error("beside a record")
	}
	if err := os.Remove(filepath.Join(common, "worktrees", "x", "gitdir")); err != nil {
		t.Fatal(err)
	}
	if neverListed(common, never) {
		t.Error("a record that cannot be read stands for any")
	}
}
