package git

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

const ref = "refs/fermata/saved/p1/1"

func TestSaveHoldsStagedChangedAndUntrackedAndTouchesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, _ := p.worktree("x")
	p.write(path, ".gitignore", "*.log\n")
	p.git(path, "add", ".")
	p.git(path, "commit", "-q", "-m", "own")
	p.write(path, "both.txt", "staged\n")
	p.write(path, "뉴\nline.txt", "새것")
	p.git(path, "add", ".")
	p.write(path, "both.txt", "then changed\n")
	p.write(path, "a.txt", "changed\n")
	p.write(path, "폴더/untracked.txt", "alone\n")
	p.write(path, "ignored.log", "noise")
	before := p.snapshot(path)
	commit, err := p.Save(t.Context(), path, ref)
	if err != nil || commit == "" {
		t.Fatal(commit, err)
	}
	if after := p.snapshot(path); !reflect.DeepEqual(after, before) {
		t.Error("the files or the index changed")
	}
	for name, want := range map[string]string{
		ref + ":both.txt": "then changed", ref + "^:both.txt": "staged", ref + ":뉴\nline.txt": "새것",
		ref + ":a.txt": "changed", ref + ":폴더/untracked.txt": "alone",
	} {
		if got := p.git(p.repo, "show", name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if p.git(p.repo, "rev-parse", ref+"~2") != p.head(path) || p.git(p.repo, "rev-parse", ref) != commit {
		t.Error("HEAD is not below the saved commits")
	}
	if p.git(p.repo, "ls-tree", "-r", "--name-only", ref, "ignored.log") != "" {
		t.Error("an ignored file was saved")
	}
	if _, err := p.Save(t.Context(), path, ref); err == nil {
		t.Error("a saved ref was written over")
	}
}

func TestSaveOfNothingAndOfUnpushedCommits(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.remote()
	path, _ := p.worktree("x")
	if commit, err := p.Save(t.Context(), path, ref); err != nil || commit != "" {
		t.Errorf("%q, %v", commit, err)
	}
	p.git(path, "commit", "-q", "--allow-empty", "-m", "own")
	if commit, err := p.Save(t.Context(), path, ref); err != nil || commit != p.head(path) {
		t.Errorf("%q, %v", commit, err)
	}
	if _, err := p.Save(t.Context(), path, "refs/heads/main"); !errors.Is(err, ErrBadName) {
		t.Error(err)
	}
}

func TestSaveSeesChangesThatGitWasToldNotToSee(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	p.git(path, "update-index", "--assume-unchanged", "a.txt")
	p.write(path, "a.txt", "hidden\n")
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ""); !errors.Is(err, ErrDirty) {
		t.Error(err)
	}
	commit, err := p.Save(t.Context(), path, ref)
	if err != nil || commit == "" || p.git(p.repo, "show", ref+":a.txt") != "hidden" {
		t.Errorf("%q, %v, branch %s", commit, err, branch)
	}
}

func TestSaveHoldsAChangeMadeInTheMomentOfTheIndex(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.git(p.repo, "config", "core.trustctime", "false")
	path, _ := p.worktree("x")
	index := p.git(path, "rev-parse", "--path-format=absolute", "--git-path", "index")
	past := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	set := func(file string) {
		if err := os.Chtimes(file, past, past); err != nil {
			t.Fatal(err)
		}
	}
	// Same size and same time as what the index knows: only the index file's own time tells git to look again.
	set(filepath.Join(path, "a.txt"))
	p.git(path, "update-index", "--refresh")
	p.write(path, "a.txt", "two\n")
	set(filepath.Join(path, "a.txt"))
	set(index)
	if commit, err := p.Save(t.Context(), path, ref); err != nil || commit == "" {
		t.Errorf("%q, %v", commit, err)
	}
}

func TestSaveKeepsAConflictAsItStands(t *testing.T) {
	t.Parallel()
	p, path, _ := conflicted(t)
	before := p.snapshot(path)
	if commit, err := p.Save(t.Context(), path, ref); err != nil || !strings.Contains(p.git(p.repo, "show", commit+":a.txt"), "<<<<<<<") {
		t.Errorf("%q, %v", commit, err)
	}
	if !reflect.DeepEqual(p.snapshot(path), before) {
		t.Error("the files or the index changed")
	}
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ref); err != nil {
		t.Error(err)
	}
}

func TestRepositoriesInsideCannotBeSaved(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	p.git(path, "init", "-q", "clone")
	p.write(path, "clone/work.txt", "x")
	p.write(path, "own.txt", "x")
	if _, err := p.Save(t.Context(), path, ref); !errors.Is(err, ErrUnsavable) || !strings.Contains(err.Error(), "clone/") {
		t.Error(err)
	}
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ""); !errors.Is(err, ErrDirty) {
		t.Error(err)
	}
	if id, err := p.Commit(t.Context(), path, branch, "own"); err != nil || p.git(path, "ls-tree", "--name-only", id) != "a.txt\nown.txt" {
		t.Errorf("%q, %v", id, err)
	}
}

func TestSubmoduleIsLeftOnlyWithItsCommitsOnARemote(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	other := newPlace(t)
	p.git(p.repo, "submodule", "--quiet", "add", other.repo, "mod")
	p.git(p.repo, "commit", "-q", "-m", "module")
	path, _ := p.worktree("x")
	p.git(path, "submodule", "--quiet", "update", "--init")
	if _, err := p.Save(t.Context(), path, ref+"a"); err != nil {
		t.Error(err)
	}
	p.git(filepath.Join(path, "mod"), "commit", "-q", "--allow-empty", "-m", "only here")
	if _, err := p.Save(t.Context(), path, ref); !errors.Is(err, ErrUnsavable) {
		t.Error(err)
	}
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ""); !errors.Is(err, ErrDirty) {
		t.Error(err)
	}
	p.git(filepath.Join(path, "mod"), "reset", "-q", "--hard", "HEAD~1")
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ""); err != nil || exists(path) {
		t.Error(err)
	}
}
