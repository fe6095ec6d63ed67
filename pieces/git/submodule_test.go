package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// nested makes a repository with a submodule that has one of its own, both checked out, and returns the outer module's repository.
func nested(t *testing.T) (p, outer *place) {
	t.Helper()
	p, outer = newPlace(t), newPlace(t)
	inner := newPlace(t)
	outer.git(outer.repo, "submodule", "--quiet", "add", inner.repo, "in ner")
	outer.git(outer.repo, "commit", "-q", "-m", "inner")
	p.git(p.repo, "submodule", "--quiet", "add", "--name", "named/otherwise", outer.repo, "lib/모듈")
	p.git(p.repo, "submodule", "--quiet", "update", "--init", "--recursive")
	p.git(p.repo, "commit", "-q", "-m", "outer")
	return p, outer
}

func TestSubmodulesOfAWorktreeComeFromTheMainCheckout(t *testing.T) {
	t.Parallel()
	p, outer := nested(t)
	config := p.git(p.repo, "config", "--local", "--list")
	// The remote of the module is gone, and git would not clone from a folder.
	if err := os.Rename(outer.repo, outer.repo+"-gone"); err != nil {
		t.Fatal(err)
	}
	path, branch := p.worktree("x")
	filled, err := p.FillSubmodules(t.Context(), path)
	if err != nil || !slices.Equal(filled, []string{"lib/모듈"}) {
		t.Fatalf("filled %q, %v", filled, err)
	}
	module := filepath.Join(path, "lib/모듈")
	if got := p.git(module, "show", "HEAD:a.txt"); got != "one" || !exists(filepath.Join(module, "a.txt")) || !exists(filepath.Join(module, "in ner", "a.txt")) {
		t.Errorf("the module holds %q", got)
	}
	if url := p.git(module, "remote", "get-url", "origin"); url != outer.repo {
		t.Errorf("its origin is %s", url)
	}
	if filled, err = p.FillSubmodules(t.Context(), path); err != nil || len(filled) > 0 {
		t.Errorf("filled again: %q, %v", filled, err)
	}
	if now := p.git(p.repo, "config", "--local", "--list"); now != config {
		t.Errorf("the configuration was\n%s\nand is\n%s", config, now)
	}
	s, err := p.Status(t.Context(), path)
	if err != nil || s.Dirty() {
		t.Errorf("status %+v, %v", s, err)
	}
	if id, err := p.Commit(t.Context(), path, branch, "nothing"); err != nil || id != "" {
		t.Errorf("committed %q, %v", id, err)
	}
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ""); err != nil || exists(path) {
		t.Error(err)
	}
	if got := p.git(filepath.Join(p.repo, "lib/모듈"), "show", "HEAD:a.txt"); got != "one" {
		t.Errorf("the main checkout's module holds %q", got)
	}
}

func TestAWorktreesSubmoduleKeepsNothingBackThatTheMainCheckoutHas(t *testing.T) {
	t.Parallel()
	p, _ := nested(t)
	module := filepath.Join(p.repo, "lib/모듈")
	p.write(module, "a.txt", "mine\n")
	p.git(module, "stash", "-q")
	p.git(module, "switch", "-q", "-c", "wip/mine")
	p.git(module, "commit", "-q", "--allow-empty", "-m", "not pushed")
	p.git(p.repo, "commit", "-q", "-am", "what is not pushed")
	path, _ := p.worktree("x")
	if _, err := p.FillSubmodules(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if head := p.head(filepath.Join(path, "lib/모듈")); head != p.head(module) {
		t.Errorf("the submodule is at %s", head)
	}
	if _, err := p.Save(t.Context(), path, ref); err != nil {
		t.Error(err)
	}
	p.git(filepath.Join(path, "lib/모듈"), "commit", "-q", "--allow-empty", "-m", "an agent's own")
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ref); err == nil {
		t.Error("a commit that only this submodule has was lost")
	}
}

func TestSubmodulesThatCannotBeFetchedSayWhy(t *testing.T) {
	t.Parallel()
	p, outer := nested(t)
	bare := filepath.Join(p.dir, "clone")
	p.git(p.dir, "clone", "-q", p.repo, bare) // has no submodule
	p.repo = bare
	p.env = append(p.env, "GIT_CONFIG_GLOBAL="+filepath.Join(p.dir, "strict"))
	p.write(p.dir, "strict", "[user]\n\tname = Ada\n\temail = ada@example.com\n")
	path, _ := p.worktree("x")
	filled, err := p.FillSubmodules(t.Context(), path)
	if err == nil || !strings.Contains(err.Error(), "transport 'file' not allowed") || len(filled) > 0 {
		t.Errorf("filled %q from %s, %v", filled, outer.repo, err)
	}
	if s, err := p.Status(t.Context(), path); err != nil || s.Dirty() {
		t.Errorf("status %+v, %v", s, err)
	}
	p.git(p.repo, "config", "submodule.named/otherwise.active", "false")
	if filled, err = p.FillSubmodules(t.Context(), path); err != nil || len(filled) > 0 {
		t.Errorf("one that is turned off: %q, %v", filled, err)
	}
}

func TestSubmodulesFollowTheirWorktree(t *testing.T) {
	t.Parallel()
	p, outer := nested(t)
	path, branch := p.worktree("x")
	if _, err := p.FillSubmodules(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	outer.write(outer.repo, "a.txt", "two\n")
	outer.git(outer.repo, "commit", "-q", "-am", "second")
	module := filepath.Join(p.repo, "lib/모듈")
	p.git(module, "pull", "-q")
	p.git(p.repo, "commit", "-q", "-am", "newer module")
	inStep := func() {
		t.Helper()
		if s, err := p.Status(t.Context(), path); err != nil || s.Dirty() || p.head(filepath.Join(path, "lib/모듈")) != p.head(module) {
			t.Errorf("status %+v, %v", s, err)
		}
	}
	if err := p.FastForward(t.Context(), path, branch, p.head(p.repo)); err != nil {
		t.Fatal(err)
	}
	inStep()
	outer.git(outer.repo, "commit", "-q", "--allow-empty", "-m", "third")
	p.git(module, "pull", "-q")
	p.git(p.repo, "commit", "-q", "-am", "newest module")
	if err := p.Merge(t.Context(), path, branch, "main", "merge"); err != nil {
		t.Fatal(err)
	}
	inStep()
}
