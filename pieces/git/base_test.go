package git

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// upstream makes a remote whose main is one commit ahead of everything in the repo, and gives that commit.
func upstream(p *place) (bare, ahead string) {
	p.t.Helper()
	bare = p.remote()
	clone := filepath.Join(p.dir, "colleague")
	p.git(p.dir, "clone", "-q", bare, clone)
	p.write(clone, "b.txt", "two\n")
	p.git(clone, "add", ".")
	p.git(clone, "commit", "-q", "-m", "second")
	p.git(clone, "push", "-q", "origin", "HEAD:main")
	return bare, p.head(clone)
}

func TestBaseIsFetchedAndNoUserRefMoves(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	_, ahead := upstream(p)
	// A mirror's refspec would move the branches themselves.
	p.git(p.repo, "config", "remote.origin.fetch", "+refs/*:refs/*")
	before := p.git(p.repo, "for-each-ref", "refs/heads", "refs/tags")
	base, err := p.Base(t.Context(), p.repo, "main")
	if err != nil {
		t.Fatal(err)
	}
	if !base.Fetched || base.Note != "" || base.Commit != ahead || base.Ref != "refs/remotes/origin/main" || base.Branch != "main" {
		t.Errorf("%+v", base)
	}
	if age := time.Since(base.CommittedAt); age < 0 || age > time.Hour {
		t.Errorf("committed %v ago", age)
	}
	if after := p.git(p.repo, "for-each-ref", "refs/heads", "refs/tags"); after != before {
		t.Errorf("refs moved from\n%s\nto\n%s", before, after)
	}
	if exists(filepath.Join(p.repo, ".git", "FETCH_HEAD")) {
		t.Error("FETCH_HEAD was written")
	}
}

func TestBaseWithoutItsRemoteIsLocalAndSaysWhy(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	bare, ahead := upstream(p)
	p.git(p.repo, "remote", "set-url", "origin", bare+"-gone")
	base, err := p.Base(t.Context(), p.repo, "main")
	if err != nil || base.Fetched || base.Commit != p.head(p.repo) || !strings.Contains(base.Note, "does not appear to be a git repository") {
		t.Errorf("%+v, %v", base, err)
	}
	// What was seen of the remote before counts when it holds all of the local branch.
	p.git(p.repo, "remote", "set-url", "origin", bare)
	p.git(p.repo, "fetch", "-q")
	p.git(p.repo, "remote", "set-url", "origin", bare+"-gone")
	if base, err = p.Base(t.Context(), p.repo, ""); err != nil || base.Fetched || base.Commit != ahead || base.Note == "" {
		t.Errorf("%+v, %v", base, err)
	}
}

func TestBaseWithoutAnyRemote(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	base, err := p.Base(t.Context(), p.repo, "main")
	if err != nil || base.Fetched || base.Note == "" || base.Ref != "refs/heads/main" {
		t.Errorf("%+v, %v", base, err)
	}
	if _, err := p.Base(t.Context(), p.repo, "nowhere"); !errors.Is(err, ErrNoBranch) {
		t.Error(err)
	}
	if _, err := p.Base(t.Context(), p.repo, "--upload-pack=x"); !errors.Is(err, ErrBadName) {
		t.Error(err)
	}
}

func TestBaseFollowsTheConfiguredUpstream(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	_, ahead := upstream(p)
	p.git(p.repo, "remote", "rename", "origin", "work")
	p.git(p.repo, "remote", "add", "other", "/nowhere")
	p.git(p.repo, "branch", "-q", "-m", "main", "trunk")
	base, err := p.Base(t.Context(), p.repo, "trunk")
	if err != nil || !base.Fetched || base.Commit != ahead || base.Ref != "refs/remotes/work/main" {
		t.Errorf("%+v, %v", base, err)
	}
}

func TestFetchThatHangsEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.limits.fetch = 300 * time.Millisecond
	p.write(p.dir, "ssh", "#!/bin/sh\nexec sleep 60\n")
	p.git(p.repo, "remote", "add", "origin", "ssh://host/o/n.git")
	p.env = append(p.env, "GIT_SSH_COMMAND=sh "+filepath.Join(p.dir, "ssh"))
	began := time.Now()
	base, err := p.Base(t.Context(), p.repo, "main")
	if err != nil || base.Fetched || !strings.Contains(base.Note, "no end within") {
		t.Errorf("%+v, %v", base, err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}
