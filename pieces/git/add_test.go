package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWorktreeIsMadeOnItsBranchWithoutUpstream(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.remote()
	p.git(p.repo, "config", "branch.autoSetupMerge", "always")
	path, branch := filepath.Join(p.root, "p", "x"), "fermata/x"
	if err := p.AddWorktree(t.Context(), p.repo, path, branch, "refs/remotes/origin/main"); err != nil {
		t.Fatal(err)
	}
	if err := p.CheckWorktree(t.Context(), p.repo, path, branch); err != nil {
		t.Error(err)
	}
	if got := p.git(p.repo, "for-each-ref", "--format=%(upstream)", "refs/heads/"+branch); got != "" {
		t.Errorf("upstream %q", got)
	}
	all, err := p.Worktrees(t.Context(), p.repo)
	if err != nil || len(all) != 2 || !all[0].Main || all[0].Path != p.repo || all[1].Path != path || all[1].Branch != branch || all[1].Head != p.head(p.repo) {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestEightWorktreesAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	// Two of them, as if two processes did it, share nothing but the lock files.
	other := New(Options{LockDir: p.lockDir, Environ: p.environ})
	head := p.head(p.repo)
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		g := p.Git
		if i%2 == 1 {
			g = other
		}
		all.Go(func() {
			errs[i] = g.AddWorktree(t.Context(), p.repo, filepath.Join(p.root, fmt.Sprint(i)), fmt.Sprintf("fermata/%d", i), head)
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Worktrees(t.Context(), p.repo); err != nil || len(got) != 9 {
		t.Errorf("%d worktrees, %v", len(got), err)
	}
}

func TestWorktreeIsMadeThoughAHookFailsOrHangs(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"fails": "exit 1\n", "hangs": "sleep 60\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.hook("post-checkout", script)
			began := time.Now()
			p.worktree("x")
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestWorktreeIsMadeWhileConfigIsLocked(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.repo, ".git/config.lock", "")
	p.worktree("x")
}

func TestAFilterThatIsNotThereLeavesNothingAndIsNamed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.repo, ".gitattributes", "*.psd filter=lfs -text\n")
	p.write(p.repo, "art.psd", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1\n")
	p.git(p.repo, "add", ".")
	p.git(p.repo, "commit", "-q", "-m", "lfs")
	// As `git lfs install` leaves it, where the binary is on the terminal's PATH alone.
	for key, value := range map[string]string{"smudge": "git-lfs-is-not-here smudge", "process": "git-lfs-is-not-here filter-process", "required": "true"} {
		p.git(p.repo, "config", "filter.lfs."+key, value)
	}
	path := filepath.Join(p.root, "x")
	err := p.AddWorktree(t.Context(), p.repo, path, "fermata/x", p.git(p.repo, "rev-parse", "HEAD"))
	if err == nil || !strings.Contains(err.Error(), "git-lfs-is-not-here") {
		t.Errorf("%v", err)
	}
	if !gone(path) || p.git(p.repo, "branch", "--list", "fermata/*") != "" || strings.Contains(p.git(p.repo, "worktree", "list"), path) {
		t.Error("something of it is left")
	}
}

func TestHalfMadeWorktreeIsTakenBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.repo, ".gitattributes", "a.txt filter=broken\n")
	p.git(p.repo, "add", ".")
	p.git(p.repo, "commit", "-q", "-m", "attributes")
	p.git(p.repo, "config", "filter.broken.smudge", "exit 1")
	p.git(p.repo, "config", "filter.broken.required", "true")
	path := filepath.Join(p.root, "x")
	err := p.AddWorktree(t.Context(), p.repo, path, "fermata/x", "HEAD")
	if err == nil || !strings.Contains(err.Error(), "smudge filter broken failed") {
		t.Fatal(err)
	}
	all, _ := p.Worktrees(t.Context(), p.repo)
	if exists(path) || len(all) != 1 || p.git(p.repo, "branch", "--list", "fermata/*") != "" {
		t.Errorf("left behind: folder %v, worktrees %+v, branches %q", exists(path), all, p.git(p.repo, "branch", "--list"))
	}
}

func TestHalfMadeWorktreeIsTakenBackAtATimeLimit(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.repo, ".gitattributes", "a.txt filter=slow\n")
	p.git(p.repo, "add", ".")
	p.git(p.repo, "commit", "-q", "-m", "attributes")
	p.git(p.repo, "config", "filter.slow.smudge", "sleep 60")
	p.limits.tree = 500 * time.Millisecond
	path := filepath.Join(p.root, "x")
	err := p.AddWorktree(t.Context(), p.repo, path, "fermata/x", "HEAD")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	all, _ := p.Worktrees(t.Context(), p.repo)
	if exists(path) || len(all) != 1 || p.git(p.repo, "branch", "--list", "fermata/*") != "" {
		t.Errorf("left behind: folder %v, worktrees %+v, branches %q", exists(path), all, p.git(p.repo, "branch", "--list"))
	}
}

func TestWhatWasThereBeforeIsKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.git(p.repo, "branch", "fermata/x")
	path := filepath.Join(p.root, "x")
	if err := p.AddWorktree(t.Context(), p.repo, path, "fermata/x", "HEAD"); !errors.Is(err, ErrBranchExists) {
		t.Error(err)
	}
	if p.git(p.repo, "branch", "--list", "fermata/x") == "" {
		t.Error("the branch is gone")
	}
	p.write(path, "mine.txt", "mine")
	if err := p.AddWorktree(t.Context(), p.repo, path, "fermata/y", "HEAD"); !errors.Is(err, ErrPathTaken) {
		t.Error(err)
	}
	if !exists(filepath.Join(path, "mine.txt")) || p.git(p.repo, "branch", "--list", "fermata/y") != "" {
		t.Error("the folder is gone or a branch was left")
	}
	if err := p.AddWorktree(t.Context(), p.repo, filepath.Join(p.repo, ".git", "x"), "fermata/z", "HEAD"); !errors.Is(err, ErrBadName) {
		t.Error(err)
	}
	if err := p.AddWorktree(t.Context(), p.repo, filepath.Join(p.root, "none"), "fermata/z", strings.Repeat("0", 40)); !errors.Is(err, ErrNoCommit) {
		t.Error(err)
	}
}

func TestRemovedWorktreeOpensAgainAtItsPlace(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	if err := p.OpenWorktree(t.Context(), p.repo, path, branch); err != nil {
		t.Errorf("a live one: %v", err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := p.CheckWorktree(t.Context(), p.repo, path, branch); !errors.Is(err, ErrWorktreeMissing) {
		t.Error(err)
	}
	if err := p.OpenWorktree(t.Context(), p.repo, path, branch); err != nil {
		t.Error(err)
	}
	if err := p.CheckWorktree(t.Context(), p.repo, path, branch); err != nil {
		t.Error(err)
	}
	if err := p.OpenWorktree(t.Context(), p.repo, filepath.Join(p.root, "y"), "fermata/y"); !errors.Is(err, ErrNoBranch) {
		t.Error(err)
	}
	if err := p.OpenWorktree(t.Context(), p.repo, filepath.Join(p.root, "y"), branch); err == nil || !strings.Contains(err.Error(), "already checked out") {
		t.Errorf("a branch that is checked out elsewhere: %v", err)
	}
}

func TestCheckTellsAStubFromAWorktree(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	p.git(path, "checkout", "-q", "--detach")
	if err := p.CheckWorktree(t.Context(), p.repo, path, branch); !errors.Is(err, ErrWrongBranch) {
		t.Error(err)
	}
	p.git(path, "checkout", "-q", "-b", "elsewhere")
	if err := p.CheckWorktree(t.Context(), p.repo, path, branch); !errors.Is(err, ErrWrongBranch) {
		t.Error(err)
	}
	// Without its .git file the folder is part of whatever repository is above it.
	p.git(p.dir, "init", "-q", p.root)
	if err := os.Remove(filepath.Join(path, ".git")); err != nil {
		t.Fatal(err)
	}
	if err := p.CheckWorktree(t.Context(), p.repo, path, "elsewhere"); !errors.Is(err, ErrWorktreeMissing) {
		t.Error(err)
	}
	if _, err := p.Status(t.Context(), path); !errors.Is(err, ErrWorktreeMissing) {
		t.Error(err)
	}
	if _, err := p.Commit(t.Context(), path, "main", "x"); !errors.Is(err, ErrWorktreeMissing) {
		t.Error(err)
	}
}

func TestLockGivesUpWithItsCaller(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	common := filepath.Join(p.repo, ".git")
	release, err := p.lock(t.Context(), common)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for name, g := range map[string]*Git{"same process": p.Git, "another one": New(Options{LockDir: p.lockDir, Environ: p.environ})} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		err := g.AddWorktree(ctx, p.repo, filepath.Join(p.root, "x"), "fermata/x", "HEAD")
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if entries, err := os.ReadDir(common); err != nil || strings.Contains(fmt.Sprint(entries), "fermata") {
		t.Errorf("lock files in the repository: %v, %v", entries, err)
	}
}

func TestMissingWorktreesAreToldFromThoseThatAreThere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	branches, want := map[string]string{}, map[string]bool{}
	add := func(name string, missing bool, harm func(path string)) {
		path, branch := p.worktree(name)
		harm(path)
		branches[path] = branch
		if missing {
			want[path] = true
		}
	}
	add("there", false, func(string) {})
	add("elsewhere", false, func(path string) { p.git(path, "checkout", "-q", "-b", "elsewhere") }) // on another branch is not gone
	add("deleted", true, func(path string) {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	})
	add("stub", true, func(path string) {
		if err := os.Remove(filepath.Join(path, ".git")); err != nil {
			t.Fatal(err)
		}
	})
	add("unlisted", true, func(path string) { p.git(p.repo, "worktree", "remove", path) })
	missing, err := p.MissingWorktrees(t.Context(), p.repo, branches)
	if err != nil || !maps.Equal(missing, want) {
		t.Errorf("missing are %v, %v; want %v", missing, err, want)
	}
	if _, err := p.MissingWorktrees(t.Context(), filepath.Join(p.dir, "nowhere"), branches); err == nil {
		t.Error("without the repository all worktrees would count as missing")
	}
}
