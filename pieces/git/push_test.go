package git

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestPushReachesTheRemote(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	bare := p.remote()
	path, branch := p.worktree("x")
	p.git(path, "commit", "-q", "--allow-empty", "-m", "own")
	for range 2 {
		if err := p.Push(t.Context(), path, "origin", branch); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.git(bare, "rev-parse", "refs/heads/"+branch); got != p.head(path) {
		t.Errorf("the remote has %s", got)
	}
	if s, err := p.Status(t.Context(), path); err != nil || s.Unpushed != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestPushGoesWherePushURLSays(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.remote()
	mirror := filepath.Join(p.dir, "push.git")
	p.git(p.dir, "init", "-q", "--bare", mirror)
	p.git(p.repo, "remote", "set-url", "--push", "origin", mirror)
	path, branch := p.worktree("x")
	if err := p.Push(t.Context(), path, "origin", branch); err != nil {
		t.Fatal(err)
	}
	if got := p.git(mirror, "rev-parse", "refs/heads/"+branch); got != p.head(path) {
		t.Errorf("the remote has %s", got)
	}
}

func TestPushNeverForcesAndSaysGitsWords(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	bare := p.remote()
	path, branch := p.worktree("x")
	p.git(path, "commit", "-q", "--allow-empty", "-m", "own")
	if err := p.Push(t.Context(), path, "origin", branch); err != nil {
		t.Fatal(err)
	}
	there := p.head(path)
	p.git(path, "commit", "-q", "--amend", "--allow-empty", "-m", "rewritten")
	if err := p.Push(t.Context(), path, "origin", branch); err == nil || !strings.Contains(err.Error(), "rejected") {
		t.Error(err)
	}
	if p.git(bare, "rev-parse", "refs/heads/"+branch) != there {
		t.Error("the remote's branch moved")
	}
	p.write(bare, "hooks/pre-receive", "#!/bin/sh\necho 'GH006: protected branch'; exit 1\n")
	p.git(bare, "config", "core.hooksPath", filepath.Join(bare, "hooks"))
	p.chmod(filepath.Join(bare, "hooks/pre-receive"))
	other, otherBranch := p.worktree("y")
	if err := p.Push(t.Context(), other, "origin", otherBranch); err == nil || !strings.Contains(err.Error(), "GH006: protected branch") {
		t.Error(err)
	}
}

func TestPushWithoutItsRemote(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	if err := p.Push(t.Context(), path, "origin", branch); err == nil || !strings.Contains(err.Error(), "does not appear to be a git repository") {
		t.Error(err)
	}
	if err := p.Push(t.Context(), path, "--force", branch); !errors.Is(err, ErrBadName) {
		t.Error(err)
	}
	if err := p.Push(t.Context(), path, "origin", "fermata/none"); !errors.Is(err, ErrNoBranch) {
		t.Error(err)
	}
}
