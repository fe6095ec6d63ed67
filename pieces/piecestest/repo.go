package piecestest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// RemoteURL is the URL that WithRemote configures; GitHub's zero options answer for it.
const RemoteURL = "https://github.com/acme/app.git"

// Repo is a real git repository with the branch main, an author of its own, and no configuration from outside.
//
// Its methods without an error fail the test; on a repository made without a test they panic.
type Repo struct {
	Path string // the checkout, absolute and without symlinks
	Bare string // the bare repository behind origin; empty without WithRemote

	tb testing.TB
}

// NewRepo makes a repository with one commit in a folder of the test.
func NewRepo(tb testing.TB) *Repo {
	tb.Helper()
	r := NewEmptyRepo(tb)
	r.check(r.firstCommit())
	return r
}

// NewEmptyRepo makes a repository without a commit in a folder of the test.
func NewEmptyRepo(tb testing.TB) *Repo {
	tb.Helper()
	r, err := initRepo(filepath.Join(tb.TempDir(), "app"))
	if err != nil {
		tb.Fatal(err)
	}
	r.tb = tb
	return r
}

// MakeRepo makes a repository with one commit in dir, which may not exist yet, without a test.
func MakeRepo(dir string) (*Repo, error) {
	r, err := initRepo(dir)
	if err != nil {
		return nil, err
	}
	return r, r.firstCommit()
}

func initRepo(dir string) (*Repo, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make repository: %w", err)
	}
	path, err := filepath.EvalSymlinks(dir)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fmt.Errorf("make repository: %w", err)
	}
	r := &Repo{Path: path}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"config", "user.name", "Ada Lovelace"},
		{"config", "user.email", "ada@example.com"},
		{"config", "commit.gpgSign", "false"},
	} {
		if _, err := r.Run(args...); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Repo) firstCommit() error {
	if err := os.WriteFile(filepath.Join(r.Path, "README.md"), []byte("# App\n"), 0o644); err != nil {
		return fmt.Errorf("write the first file: %w", err)
	}
	_, err := r.commit("Begin")
	return err
}

// WithRemote adds the remote origin with everything on main pushed. The configured URL is RemoteURL; the repository's
// insteadOf leads it to a bare repository beside the checkout.
func (r *Repo) WithRemote() *Repo {
	r.helper()
	r.check(r.AddRemote())
	return r
}

// AddRemote is WithRemote with an error.
func (r *Repo) AddRemote() error {
	bare := r.Path + "-remote.git"
	if _, err := runGit(filepath.Dir(bare), "init", "--quiet", "--bare", "--initial-branch=main", bare); err != nil {
		return err
	}
	steps := [][]string{
		{"config", "url." + bare + ".insteadOf", RemoteURL},
		{"remote", "add", "origin", RemoteURL},
	}
	if _, err := r.Run("rev-parse", "--verify", "--quiet", "HEAD"); err == nil {
		steps = append(steps, []string{"push", "--quiet", "--set-upstream", "origin", "main"}, []string{"remote", "set-head", "origin", "main"})
	}
	for _, args := range steps {
		if _, err := r.Run(args...); err != nil {
			return err
		}
	}
	r.Bare = bare
	return nil
}

// Run runs git in the checkout and returns its output without the last newline.
func (r *Repo) Run(args ...string) (string, error) { return runGit(r.Path, args...) }

// Git is Run for what must work.
func (r *Repo) Git(args ...string) string {
	r.helper()
	out, err := r.Run(args...)
	r.check(err)
	return out
}

// Write writes a file of the checkout; name has slashes, and folders are made.
func (r *Repo) Write(name, content string) {
	r.helper()
	path := filepath.Join(r.Path, filepath.FromSlash(name))
	r.check(os.MkdirAll(filepath.Dir(path), 0o755))
	r.check(os.WriteFile(path, []byte(content), 0o644))
}

// Commit commits everything in the checkout and returns the commit's id.
func (r *Repo) Commit(message string) string {
	r.helper()
	id, err := r.commit(message)
	r.check(err)
	return id
}

// CommitElsewhere commits one file to a branch of the remote, as a colleague would: the checkout does not know until it
// fetches. It returns the commit's id.
func (r *Repo) CommitElsewhere(branch, name, content string) string {
	r.helper()
	dir, err := os.MkdirTemp(filepath.Dir(r.Path), "elsewhere-")
	r.check(err)
	defer func() { _ = os.RemoveAll(dir) }()
	other, err := initRepo(dir)
	r.check(err)
	other.tb = r.tb
	other.Git("fetch", "--quiet", r.Bare, branch)
	other.Git("checkout", "--quiet", "-b", "work", "FETCH_HEAD")
	other.Write(name, content)
	id := other.Commit("Change " + name)
	other.Git("push", "--quiet", r.Bare, "HEAD:refs/heads/"+branch)
	return id
}

func (r *Repo) commit(message string) (string, error) {
	if _, err := r.Run("add", "--all"); err != nil {
		return "", err
	}
	if _, err := r.Run("commit", "--quiet", "--allow-empty", "-m", message); err != nil {
		return "", err
	}
	return r.Run("rev-parse", "HEAD")
}

func (r *Repo) helper() {
	if r.tb != nil {
		r.tb.Helper()
	}
}

func (r *Repo) check(err error) {
	r.helper()
	if err == nil {
		return
	}
	if r.tb == nil {
		panic(err)
	}
	r.tb.Fatal(err)
}
