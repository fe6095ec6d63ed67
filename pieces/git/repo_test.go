package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// place is a repository in a temporary folder, with a Git that sees no configuration but its own.
type place struct {
	*Git
	t    *testing.T
	dir  string // holds everything
	repo string
	root string // where worktrees go
	env  []string
}

// newPlace makes a repository on main with one commit, and an identity.
func newPlace(t *testing.T) *place {
	t.Helper()
	p := emptyPlace(t)
	p.write(p.repo, "a.txt", "one\n")
	p.git(p.repo, "add", ".")
	p.git(p.repo, "commit", "-m", "first")
	return p
}

// emptyPlace makes a repository without a commit.
func emptyPlace(t *testing.T) *place {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, dir: dir, repo: filepath.Join(dir, "repo"), root: filepath.Join(dir, "worktrees")}
	p.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + filepath.Join(dir, "gitconfig")}
	p.Git = New(Options{LockDir: filepath.Join(dir, "locks"), Environ: func() []string { return p.env }})
	p.write(dir, "gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
	if err := os.Mkdir(p.root, 0o755); err != nil {
		t.Fatal(err)
	}
	p.git(dir, "init", "-q", p.repo)
	return p
}

// git runs plain git, as the person would.
func (p *place) git(dir string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *place) write(dir, name, text string) {
	p.t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// hook installs an executable hook.
func (p *place) hook(name, script string) {
	p.t.Helper()
	p.write(p.repo, ".git/hooks/"+name, "#!/bin/sh\n"+script)
	p.chmod(filepath.Join(p.repo, ".git/hooks", name))
}

// chmod makes a script executable.
func (p *place) chmod(path string) {
	p.t.Helper()
	if err := os.Chmod(path, 0o755); err != nil {
		p.t.Fatal(err)
	}
}

// worktree adds a worktree on a branch fermata/<name>.
func (p *place) worktree(name string) (path, branch string) {
	p.t.Helper()
	path, branch = filepath.Join(p.root, name), "fermata/"+name
	if err := p.AddWorktree(p.t.Context(), p.repo, path, branch, p.head(p.repo)); err != nil {
		p.t.Fatal(err)
	}
	return path, branch
}

func (p *place) head(dir string) string { return p.git(dir, "rev-parse", "HEAD") }

// remote makes a bare repository that is the repo's origin and has main.
func (p *place) remote() string {
	p.t.Helper()
	bare := filepath.Join(p.dir, "origin.git")
	p.git(p.dir, "init", "-q", "--bare", bare)
	p.git(p.repo, "remote", "add", "origin", bare)
	p.git(p.repo, "push", "-q", "-u", "origin", "main")
	return bare
}

// snapshot is every file under dir with its content, and the index.
func (p *place) snapshot(dir string) map[string]string {
	p.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	index, err := os.ReadFile(p.git(dir, "rev-parse", "--path-format=absolute", "--git-path", "index"))
	if err != nil {
		p.t.Fatal(err)
	}
	all["index"] = string(index)
	return all
}
