package git

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// files is every file under dir but .git with its mode and content.
func (p *place) files(dir string) map[string]string {
	p.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".git" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if info.Mode()&os.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			all[name] = "-> " + target
			return err
		}
		text, err := os.ReadFile(path)
		all[name] = info.Mode().String() + string(text)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return all
}

// sameFiles compares two readings.
func sameFiles(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%q is %q, want %q", name, got[name], text)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%q is there", name)
		}
	}
}

// again saves a worktree, removes it, makes it again from its branch and restores what was saved.
func (p *place) again(path, branch string) error {
	p.t.Helper()
	ctx := p.t.Context()
	if _, err := p.Save(ctx, path, ref); err != nil {
		p.t.Fatal(err)
	}
	if err := p.RemoveWorktree(ctx, p.repo, path, p.root, ref); err != nil {
		p.t.Fatal(err)
	}
	if err := p.OpenWorktree(ctx, p.repo, path, branch); err != nil {
		p.t.Fatal(err)
	}
	return p.Restore(ctx, path, ref)
}

func TestRestoreBringsFilesAndStagedStateBackByteForByte(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *place, path string){
		"everything": func(p *place, path string) {
			p.write(path, "both.txt", "staged\n")
			p.write(path, "뉴\nline.txt", "새것")
			p.write(path, "bin", "\x00\xff\r\n\x00")
			p.git(path, "add", ".")
			p.write(path, "both.txt", "then changed\n")
			p.write(path, "a.txt", "changed\n")
			p.write(path, "폴더/untracked.txt", "alone")
			p.write(path, "run.sh", "#!/bin/sh\n")
			p.chmod(filepath.Join(path, "run.sh"))
			if err := os.Symlink("a.txt", filepath.Join(path, "link")); err != nil {
				p.t.Fatal(err)
			}
		},
		"all staged":     func(p *place, path string) { p.write(path, "a.txt", "two\n"); p.git(path, "add", ".") },
		"nothing staged": func(p *place, path string) { p.write(path, "a.txt", "two\n") },
		"staged, then undone": func(p *place, path string) {
			p.write(path, "a.txt", "2\n")
			p.git(path, "add", ".")
			p.write(path, "a.txt", "one\n")
		},
		"deleted":              func(p *place, path string) { p.git(path, "rm", "-q", "a.txt") },
		"deleted, not staged":  func(p *place, path string) { p.must(os.Remove(filepath.Join(path, "a.txt"))) },
		"staged deletion only": func(p *place, path string) { p.git(path, "rm", "-q", "--cached", "a.txt") },
		"renamed":              func(p *place, path string) { p.git(path, "mv", "a.txt", "b.txt") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			path, branch := p.worktree("x")
			change(p, path)
			before, status := p.files(path), p.git(path, "status", "--porcelain", "-z")
			if err := p.again(path, branch); err != nil {
				t.Fatal(err)
			}
			sameFiles(t, p.files(path), before)
			if now := p.git(path, "status", "--porcelain", "-z"); now != status {
				t.Errorf("status %q, was %q", now, status)
			}
			if err := p.Restore(t.Context(), path, ref); err != nil {
				t.Errorf("the same again: %v", err)
			}
			if p.git(p.repo, "rev-parse", ref) == "" {
				t.Error("the ref is gone")
			}
		})
	}
}

func (p *place) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func TestRestoreOfUnpushedCommitsAloneChangesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.remote()
	path, branch := p.worktree("x")
	p.git(path, "commit", "-q", "--allow-empty", "-m", "own")
	before := p.files(path)
	if err := p.again(path, branch); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, p.files(path), before)
}

func TestRestoreNeverWritesOverWhatIsThere(t *testing.T) {
	t.Parallel()
	for name, occupy := range map[string]func(p *place, path string){
		"changed":       func(p *place, path string) { p.write(path, "a.txt", "mine\n") },
		"untracked":     func(p *place, path string) { p.write(path, "mine.txt", "mine\n") },
		"in the way":    func(p *place, path string) { p.write(path, "new.txt", "mine\n") },
		"staged":        func(p *place, path string) { p.write(path, "z", "z"); p.git(path, "add", "z") },
		"another HEAD":  func(p *place, path string) { p.git(path, "commit", "-q", "--allow-empty", "-m", "later") },
		"ignored there": func(p *place, path string) { p.exclude("new.txt"); p.write(path, "new.txt", "mine\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			path, branch := p.worktree("x")
			p.write(path, "new.txt", "saved\n")
			p.write(path, "a.txt", "two\n")
			if _, err := p.Save(t.Context(), path, ref); err != nil {
				t.Fatal(err)
			}
			p.must(p.RemoveWorktree(t.Context(), p.repo, path, p.root, ref))
			p.must(p.OpenWorktree(t.Context(), p.repo, path, branch))
			occupy(p, path)
			before, status := p.files(path), p.git(path, "status", "--porcelain")
			if err := p.Restore(t.Context(), path, ref); !errors.Is(err, ErrOccupied) {
				t.Errorf("error %v", err)
			}
			sameFiles(t, p.files(path), before)
			if now := p.git(path, "status", "--porcelain"); now != status {
				t.Errorf("status %q, was %q", now, status)
			}
		})
	}
}

// exclude ignores a name in all of the repository's worktrees.
func (p *place) exclude(name string) {
	p.t.Helper()
	p.write(p.repo, ".git/info/exclude", name+"\n")
}

func TestRestoreOfNothingSavedSaysSo(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, _ := p.worktree("x")
	if err := p.Restore(t.Context(), path, ref); !errors.Is(err, ErrNotSaved) {
		t.Error(err)
	}
	if err := p.Restore(t.Context(), path, "refs/heads/main"); !errors.Is(err, ErrBadName) {
		t.Error(err)
	}
	p.write(path, "new.txt", "saved\n")
	commit, err := p.Save(t.Context(), path, ref)
	p.must(err)
	s, err := p.Saved(t.Context(), p.repo, ref)
	if err != nil || s.Commit != commit || s.Base != p.head(path) {
		t.Errorf("%+v, %v", s, err)
	}
	list, err := p.SavedRefs(t.Context(), p.repo, "refs/fermata/saved/p1/")
	if err != nil || len(list) != 1 || list[0] != ref {
		t.Error(list, err)
	}
}
