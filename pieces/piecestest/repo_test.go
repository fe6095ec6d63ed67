package piecestest_test

import (
	"path/filepath"
	"testing"

	. "fermata/pieces/piecestest"
)

func TestRepoKnowsNoConfigurationFromOutside(t *testing.T) {
	t.Parallel()
	r := NewRepo(t)
	if got := r.Git("log", "--format=%an <%ae> %s", "main"); got != "Ada Lovelace <ada@example.com> Begin" {
		t.Errorf("log %q", got)
	}
	if got := r.Git("config", "--global", "--list"); got != "" {
		t.Errorf("global configuration %q", got)
	}
	if got := r.Git("status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
}

func TestEmptyRepoHasNoCommit(t *testing.T) {
	t.Parallel()
	r := NewEmptyRepo(t).WithRemote()
	if _, err := r.Run("rev-parse", "--verify", "HEAD"); err == nil {
		t.Fatal("there is a commit")
	}
}

func TestRemoteKeepsItsConfiguredURL(t *testing.T) {
	t.Parallel()
	r := NewRepo(t).WithRemote()
	if got := r.Git("config", "remote.origin.url"); got != RemoteURL {
		t.Errorf("configured URL %q", got)
	}
	r.Write("docs/a.txt", "a\n")
	id := r.Commit("Add a")
	r.Git("push", "--quiet", "origin", "main")
	if got := r.Git("ls-remote", r.Bare, "refs/heads/main"); got != id+"\trefs/heads/main" {
		t.Errorf("remote main %q, want %s", got, id)
	}
}

func TestCommitElsewhereIsUnknownUntilFetched(t *testing.T) {
	t.Parallel()
	r := NewRepo(t).WithRemote()
	before := r.Git("rev-parse", "origin/main")
	id := r.CommitElsewhere("main", "b.txt", "b\n")
	if got := r.Git("rev-parse", "origin/main"); got != before {
		t.Errorf("origin/main moved to %s before a fetch", got)
	}
	r.Git("fetch", "--quiet")
	if got := r.Git("rev-parse", "origin/main"); got != id {
		t.Errorf("origin/main %s, want %s", got, id)
	}
}

func TestMakeRepoNeedsNoTest(t *testing.T) {
	t.Parallel()
	r, err := MakeRepo(filepath.Join(t.TempDir(), "deep", "demo"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.AddRemote(); err != nil {
		t.Fatal(err)
	}
	r.Write("a", "a")
	r.Commit("Add a")
	defer func() {
		if recover() == nil {
			t.Error("a failing git command passed")
		}
	}()
	r.Git("no-such-command")
}
