package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestIgnoredFilesThatAreNamedAreCopiedAndNoOthers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.repo, ".gitignore", ".env*\nsecrets/\n*.log\nlinks/\n")
	p.write(p.repo, ".worktreeinclude", "# comment\n.env*\n!.env.old\nsecrets/*.json\nlinks/\n/a.txt\nloose.txt\n")
	p.git(p.repo, "add", ".")
	p.git(p.repo, "commit", "-q", "-m", "ignore")
	path, _ := p.worktree("x")
	p.write(p.repo, ".env", "KEY=1\r\n")
	p.must(os.Chmod(filepath.Join(p.repo, ".env"), 0o600))
	p.write(p.repo, ".env.old", "old")
	p.write(p.repo, "sub/.env 한글", "sub")
	p.write(p.repo, "secrets/a.json", "{}")
	p.write(p.repo, "secrets/a.txt", "no")
	p.write(p.repo, "x.log", "no")
	p.write(p.repo, "a.txt", "tracked, changed\n")
	p.write(p.repo, "loose.txt", "named and not ignored")
	p.write(path, "secrets/b.json", "mine")
	p.write(p.repo, "secrets/b.json", "theirs")
	done, err := p.CopyIncluded(t.Context(), p.repo, path)
	if err != nil || len(done.Skipped) > 0 {
		t.Fatal(done, err)
	}
	slices.Sort(done.Copied)
	if want := []string{".env", "secrets/a.json", "sub/.env 한글"}; !slices.Equal(done.Copied, want) {
		t.Errorf("copied %q, want %q", done.Copied, want)
	}
	files := p.files(path)
	for name, want := range map[string]string{
		".env": "-rw-------KEY=1\r\n", "sub/.env 한글": "-rw-r--r--sub", "secrets/b.json": "-rw-r--r--mine", "a.txt": "-rw-r--r--one\n",
	} {
		if files[name] != want {
			t.Errorf("%s is %q, want %q", name, files[name], want)
		}
	}
	if p.git(path, "status", "--porcelain") != "" {
		t.Error("the worktree is not clean")
	}
	if again, err := p.CopyIncluded(t.Context(), p.repo, path); err != nil || len(again.Copied)+len(again.Skipped) > 0 {
		t.Error("the second time", again, err)
	}
}

func TestNothingIsCopiedFromOrToOutside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	outside := filepath.Join(p.dir, "outside")
	p.write(outside, "secret", "secret")
	p.write(p.repo, ".gitignore", "links/\nout/\n")
	p.write(p.repo, ".worktreeinclude", "links/\nout/\n../outside/\n/"+outside+"\n")
	// The branch that the worktree is on has a folder that leads out.
	p.must(os.Symlink(outside, filepath.Join(p.repo, "out")))
	p.git(p.repo, "add", "-f", ".")
	p.git(p.repo, "commit", "-q", "-m", "trap")
	path, _ := p.worktree("x")
	p.git(p.repo, "rm", "-q", "--cached", "out")
	p.must(os.Remove(filepath.Join(p.repo, "out")))
	p.write(p.repo, "out/pwned", "pwned")
	p.write(p.repo, "links/real", "real")
	for name, target := range map[string]string{
		"in": "real", "abs": outside, "up": "../../outside/secret", "dangling": "nowhere", "hop": "abs/secret",
	} {
		p.must(os.Symlink(target, filepath.Join(p.repo, "links", name)))
	}
	done, err := p.CopyIncluded(t.Context(), p.repo, path)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(done.Copied)
	if want := []string{"links/dangling", "links/in", "links/real"}; !slices.Equal(done.Copied, want) {
		t.Errorf("copied %q, want %q", done.Copied, want)
	}
	said := strings.Join(done.Skipped, "\n")
	for _, name := range []string{"links/abs:", "links/up:", "links/hop:", "out/pwned:"} {
		if !strings.Contains(said, name) {
			t.Errorf("%s is not among the skipped: %s", name, said)
		}
	}
	if exists(filepath.Join(outside, "pwned")) {
		t.Error("a file was written outside")
	}
}

func TestWithoutAnIncludeFileNothingIsCopied(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, _ := p.worktree("x")
	p.exclude(".env")
	p.write(p.repo, ".env", "KEY=1")
	if done, err := p.CopyIncluded(t.Context(), p.repo, path); err != nil || len(done.Copied) > 0 {
		t.Error(done, err)
	}
	p.must(os.Symlink("/etc/passwd", filepath.Join(p.repo, ".worktreeinclude")))
	if done, err := p.CopyIncluded(t.Context(), p.repo, path); err != nil || len(done.Copied) > 0 {
		t.Error("an include file that is a symlink", done, err)
	}
}
