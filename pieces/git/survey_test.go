package git

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

func TestFingerprintChangesWithEveryFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	other := newPlace(t)
	p.git(p.repo, "submodule", "--quiet", "add", other.repo, "mod")
	p.write(p.repo, "b.txt", "one\n")
	p.write(p.repo, ".gitignore", "*.log\n")
	p.git(p.repo, "add", ".")
	p.git(p.repo, "commit", "-q", "-m", "module")
	path, _ := p.worktree("x")
	p.git(path, "submodule", "--quiet", "update", "--init")
	link := func(target string) {
		t.Helper()
		name := filepath.Join(path, "link")
		if err := errors.Join(os.RemoveAll(name), os.Symlink(target, name)); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	steps := []func(){
		func() {},
		func() { p.write(path, "a.txt", "two\n") },
		func() { p.write(path, "a.txt", "six\n") },
		func() { p.chmod(filepath.Join(path, "a.txt")) },
		func() { p.write(path, "new.txt", "x") },
		func() { p.write(path, "new.txt", "y") },
		func() { p.git(path, "add", "new.txt") },
		func() { p.write(path, "new.txt", "z") },
		func() { p.git(path, "add", "new.txt") },
		func() { p.git(path, "commit", "-q", "-m", "x") },
		func() { p.git(path, "init", "-q", "clone") },
		func() { link("a.txt") },
		func() { link("b.txt") },
		func() { p.git(path, "update-index", "--assume-unchanged", "b.txt"); p.write(path, "b.txt", "hidden\n") },
		func() { p.write(path, "b.txt", "unseen\n") },
		func() {
			p.git(path, "update-index", "--no-assume-unchanged", "--skip-worktree", "b.txt")
			p.write(path, "b.txt", "sparse\n")
		},
		func() { p.write(path, "b.txt", "still sparse\n") },
		func() { p.git(filepath.Join(path, "mod"), "commit", "-q", "--allow-empty", "-m", "one") },
		func() { p.git(filepath.Join(path, "mod"), "commit", "-q", "--allow-empty", "-m", "two") },
		func() {
			if err := os.Remove(filepath.Join(path, "a.txt")); err != nil {
				t.Fatal(err)
			}
		},
	}
	for i, step := range steps {
		step()
		before := p.snapshot(path)
		for range 2 {
			s, print, err := p.Survey(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if was, ok := seen[print]; ok && was != i {
				t.Errorf("step %d has the fingerprint of step %d", i, was)
			}
			seen[print] = i
			if status, err := p.Status(t.Context(), path); err != nil || !reflect.DeepEqual(s, status) {
				t.Errorf("step %d: %+v, and the status is %+v, %v", i, s, status, err)
			}
		}
		if !reflect.DeepEqual(p.snapshot(path), before) {
			t.Errorf("step %d: looking changed something", i)
		}
	}
	if len(seen) != len(steps) {
		t.Errorf("%d fingerprints of %d states", len(seen), len(steps))
	}
}

// TestFingerprintStaysWithoutAChange holds what must not make a person answer a second card.
func TestFingerprintStaysWithoutAChange(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.remote()
	path, branch := p.worktree("x")
	p.write(path, ".gitignore", "*.log\n")
	p.write(path, "a.txt", "two\n")
	look := func() string {
		t.Helper()
		_, print, err := p.Survey(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return print
	}
	before := look()
	for name, change := range map[string]func(){
		"an ignored file": func() { p.write(path, "noise.log", "x") },
		"a file written anew as it was": func() {
			p.write(path, "a.txt", "two\n")
			later := time.Now().Add(time.Hour)
			if err := os.Chtimes(filepath.Join(path, "a.txt"), later, later); err != nil {
				t.Fatal(err)
			}
		},
		"a push":              func() { p.git(path, "push", "-q", "-u", "origin", branch) },
		"another's own stash": func() { p.write(p.repo, "a.txt", "other\n"); p.git(p.repo, "stash", "-q") },
	} {
		change()
		if after := look(); after != before {
			t.Errorf("%s changes the fingerprint", name)
		}
	}
}

func TestSurveyOfWhatIsNoWorktreeIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, _ := p.worktree("x")
	if err := os.Remove(filepath.Join(path, ".git")); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{filepath.Join(p.root, "none"), path, filepath.Join(p.repo, "..")} {
		if _, _, err := p.Survey(t.Context(), bad); err == nil {
			t.Errorf("%s was surveyed", bad)
		}
	}
	p.write(p.repo, "sub/x", "x")
	if _, _, err := p.Survey(t.Context(), filepath.Join(p.repo, "sub")); !errors.Is(err, ErrWorktreeMissing) {
		t.Errorf("a folder inside a repository: %v", err)
	}
	empty := emptyPlace(t)
	if _, _, err := empty.Survey(t.Context(), empty.repo); !errors.Is(err, ErrNoCommit) {
		t.Errorf("without a commit: %v", err)
	}
}
