package git

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// includedPlace is a repository whose .worktreeinclude has files copied into a worktree at path.
func includedPlace(t *testing.T) (p *place, path string) {
	t.Helper()
	p = newPlace(t)
	p.write(p.repo, ".gitignore", "*.env\nconfig/\nbuild/\nlink\n")
	p.write(p.repo, IncludeFile, "*.env\nconfig/\nlink\n")
	p.git(p.repo, "add", ".")
	p.git(p.repo, "commit", "-q", "-m", "ignore")
	p.write(p.repo, "own.env", "PORT=1\n")
	p.write(p.repo, "same.env", "KEY=1\n")
	p.write(p.repo, "config/빈 칸\nline", "one\n")
	if err := os.Symlink("own.env", filepath.Join(p.repo, "link")); err != nil {
		t.Fatal(err)
	}
	path, _ = p.worktree("x")
	if done, err := p.CopyIncluded(t.Context(), p.repo, path); err != nil || len(done.Copied) != 4 {
		t.Fatal(done, err)
	}
	return p, path
}

func (p *place) text(dir, name string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	p.must(err)
	return string(text)
}

func TestCopiesThatNobodyChangedAreNoWork(t *testing.T) {
	t.Parallel()
	p, path := includedPlace(t)
	p.write(path, "build/out", "made")
	p.write(path, "same.env", "KEY=1\n") // written again, with another time
	if err := os.Remove(filepath.Join(path, "own.env")); err != nil {
		t.Fatal(err)
	}
	s, _, err := p.Survey(t.Context(), path)
	if err != nil || len(s.Included) != 0 || slices.Contains(s.Ignored, "same.env") || !slices.Contains(s.Ignored, "build/") {
		t.Errorf("%+v, %v", s, err)
	}
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ""); err != nil {
		t.Error(err)
	}
}

func TestIncludedFilesThatChangedAreSavedAndComeBackIgnored(t *testing.T) {
	t.Parallel()
	p, path := includedPlace(t)
	p.write(path, "own.env", "PORT=2\n")
	p.write(path, "config/빈 칸\nline", "two\n")
	p.write(path, "new.env", "made here\n")
	p.write(path, "build/out", "made")
	if err := errors.Join(os.Remove(filepath.Join(path, "link")), os.Symlink("same.env", filepath.Join(path, "link"))); err != nil {
		t.Fatal(err)
	}
	s, print, err := p.Survey(t.Context(), path)
	slices.Sort(s.Included)
	if want := []string{"config/빈 칸\nline", "link", "new.env", "own.env"}; err != nil || !reflect.DeepEqual(s.Included, want) || s.Dirty() {
		t.Fatalf("%+v, %v", s, err)
	}
	p.write(path, "own.env", "PORT=3\n")
	if _, later, err := p.Survey(t.Context(), path); err != nil || later == print {
		t.Error("an edit of an included file does not show in the fingerprint", err)
	}
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ""); !errors.Is(err, ErrDirty) {
		t.Fatal("it was removed without a save:", err)
	}
	before := p.snapshot(path)
	if commit, err := p.Save(t.Context(), path, ref); err != nil || commit == "" {
		t.Fatal(commit, err)
	}
	if after := p.snapshot(path); !reflect.DeepEqual(after, before) {
		t.Error("the files or the index changed")
	}
	p.write(path, "own.env", "PORT=4\n")
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ref); !errors.Is(err, ErrDirty) {
		t.Fatal("an edit after the save was lost:", err)
	}
	p.write(path, "own.env", "PORT=3\n")
	head := p.head(path)
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ref); err != nil {
		t.Fatal(err)
	}

	back := filepath.Join(p.root, "back")
	p.git(p.repo, "worktree", "add", "-q", "-b", "back", back, head)
	p.write(back, "own.env", "in the way\n")
	if err := p.Restore(t.Context(), back, ref); !errors.Is(err, ErrOccupied) || p.text(back, "own.env") != "in the way\n" {
		t.Fatal("an ignored file was written over:", err)
	}
	if err := os.Remove(filepath.Join(back, "own.env")); err != nil {
		t.Fatal(err)
	}
	if err := p.Restore(t.Context(), back, ref); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"own.env": "PORT=3\n", "config/빈 칸\nline": "two\n", "new.env": "made here\n", "link": "KEY=1\n"} {
		if name == "link" {
			p.write(back, "same.env", "KEY=1\n")
		}
		if got := p.text(back, name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if out := p.git(back, "status", "--porcelain"); out != "" {
		t.Error("what came back is not ignored:", out)
	}
	if strings.Contains(p.git(p.repo, "ls-tree", "-r", "--name-only", ref), "build/") {
		t.Error("what nobody named was saved")
	}
	if err := p.Restore(t.Context(), back, ref); err != nil {
		t.Error("a second restore:", err)
	}
}

func TestIncludedFilesAreFoundWhereTheMainCheckoutForgotThem(t *testing.T) {
	t.Parallel()
	p, path := includedPlace(t)
	p.write(path, "own.env", "PORT=2\n")
	for _, name := range []string{"own.env", IncludeFile} {
		if err := os.Remove(filepath.Join(p.repo, name)); err != nil {
			t.Fatal(err)
		}
	}
	s, _, err := p.Survey(t.Context(), path)
	if err != nil || !reflect.DeepEqual(s.Included, []string{"own.env"}) {
		t.Errorf("%q, %v", s.Included, err)
	}
}

// A saved .env may hold secrets: nothing that the app pushes may carry it along.
func TestSavedWorkIsNeverPushed(t *testing.T) {
	t.Parallel()
	p, path := includedPlace(t)
	p.remote()
	p.write(path, "own.env", "PORT=2\n")
	if _, err := p.Save(t.Context(), path, ref); err != nil {
		t.Fatal(err)
	}
	p.git(path, "commit", "-q", "--allow-empty", "-m", "own")
	branch := p.git(path, "branch", "--show-current")
	if err := p.Push(t.Context(), path, "origin", branch); err != nil {
		t.Fatal(err)
	}
	if out := p.git(p.repo, "ls-remote", "origin"); strings.Contains(out, "refs/fermata") || !strings.Contains(out, branch) {
		t.Error(out)
	}
}

func TestNothingIsCopiedThatTheWorktreesBranchDoesNotIgnore(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, _ := p.worktree("x")
	p.write(p.repo, ".gitignore", "*.env\n") // the branch has none of it
	p.write(p.repo, IncludeFile, "*.env\n")
	p.write(p.repo, "own.env", "SECRET=1\n")
	done, err := p.CopyIncluded(t.Context(), p.repo, path)
	if err != nil || len(done.Copied) != 0 || len(done.Skipped) != 1 || !strings.Contains(done.Skipped[0], "own.env") {
		t.Errorf("%+v, %v", done, err)
	}
	if out := p.git(path, "status", "--porcelain"); out != "" {
		t.Error("a secret would be committed:", out)
	}
}
