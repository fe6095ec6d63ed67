package git

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"fermata/pieces"
)

func TestInspectResolvesSymlinksAndFindsTheMainCheckout(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	if err := os.MkdirAll(filepath.Join(path, "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(p.dir, "link")
	if err := os.Symlink(filepath.Join(path, "deep"), link); err != nil {
		t.Skip(err)
	}
	got, err := p.Inspect(t.Context(), link)
	if err != nil {
		t.Fatal(err)
	}
	want := pieces.Repository{Top: path, CommonDir: filepath.Join(p.repo, ".git"), Main: p.repo, Branch: branch, Head: p.head(p.repo)}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestInspectTellsWhatIsNoRepository(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	file := filepath.Join(p.repo, "a.txt")
	for _, path := range []string{p.root, filepath.Join(p.dir, "absent"), file, filepath.Join(p.repo, ".git")} {
		if _, err := p.Inspect(t.Context(), path); !errors.Is(err, ErrNotRepository) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := p.Inspect(t.Context(), "relative"); !errors.Is(err, ErrBadName) {
		t.Errorf("relative path: %v", err)
	}
}

func TestInspectFillsARepositoryWithoutCommit(t *testing.T) {
	t.Parallel()
	p := emptyPlace(t)
	got, err := p.Inspect(t.Context(), p.repo)
	if !errors.Is(err, ErrNoCommit) {
		t.Fatal(err)
	}
	if got.Top != p.repo || got.Main != p.repo || got.Branch != "main" || got.Head != "" {
		t.Errorf("%+v", got)
	}
	if _, err := p.Base(t.Context(), p.repo, "main"); !errors.Is(err, ErrNoCommit) {
		t.Errorf("Base: %v", err)
	}
}

func TestInspectSaysWhenHeadIsDetached(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.git(p.repo, "checkout", "-q", "--detach")
	got, err := p.Inspect(t.Context(), p.repo)
	if err != nil || got.Branch != "" || got.Head == "" {
		t.Errorf("%+v, %v", got, err)
	}
	if branch, err := p.DefaultBranch(t.Context(), p.repo); err != nil || branch != "main" {
		t.Errorf("default branch %q, %v", branch, err)
	}
}

func TestEnvironmentOfAHookDoesNotRedirect(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	other := newPlace(t)
	plain := p.env
	p.env = append(append([]string{}, plain...),
		"GIT_DIR="+filepath.Join(other.repo, ".git"), "GIT_WORK_TREE="+other.repo, "GIT_INDEX_FILE=/nowhere", "GIT_TRACE=1",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.bare", "GIT_CONFIG_VALUE_0=true", "GIT_SSH_COMMAND=kept")
	got, err := p.Inspect(t.Context(), p.repo)
	if err != nil || got.Top != p.repo {
		t.Errorf("%+v, %v", got, err)
	}
	env := strings.Join(p.clean(t.Context(), true), "\n")
	if strings.Contains(env, "GIT_DIR=") || !strings.Contains(env, "GIT_SSH_COMMAND=kept") || !strings.Contains(env, "GIT_OPTIONAL_LOCKS=0") {
		t.Errorf("environment:\n%s", env)
	}
}

func TestRemotesAreAsConfigured(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.git(p.repo, "config", "url.ssh://real/.insteadOf", "work:")
	p.git(p.repo, "remote", "add", "origin", "work:o/n.git")
	p.git(p.repo, "remote", "add", "team/fork", "https://example.com/f/n")
	p.git(p.repo, "remote", "set-url", "--add", "origin", "https://second")
	got, err := p.Remotes(t.Context(), p.repo)
	want := []pieces.Remote{{Name: "origin", URL: "work:o/n.git"}, {Name: "team/fork", URL: "https://example.com/f/n"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestDefaultBranchFollowsTheRemotesHead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.remote()
	p.git(p.repo, "checkout", "-q", "-b", "topic")
	if branch, err := p.DefaultBranch(t.Context(), p.repo); err != nil || branch != "topic" {
		t.Errorf("without origin/HEAD: %q, %v", branch, err)
	}
	p.git(p.repo, "remote", "set-head", "origin", "main")
	if branch, err := p.DefaultBranch(t.Context(), p.repo); err != nil || branch != "main" {
		t.Errorf("with origin/HEAD: %q, %v", branch, err)
	}
}

func TestAProgramThatIsNotThereIsSaidSo(t *testing.T) {
	t.Parallel()
	g := New(Options{LockDir: t.TempDir(), Program: "git-that-is-not-there"})
	if _, err := g.Inspect(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Error(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if said := (&Error{Args: []string{"push"}, Stderr: "hint: no\nfatal: bad https://me:pw@host/x\n"}).Error(); said != "git push: bad https://host/x" {
		t.Error(said)
	}
}
