package git

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCleanWorktreeIsRemovedAndItsBranchStays(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	p.write(p.repo, ".git/info/exclude", "cache\n")
	p.write(path, "cache/mod/file", "x")
	if err := os.Chmod(filepath.Join(path, "cache/mod"), 0o555); err != nil {
		t.Fatal(err)
	}
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ""); err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(p.root)
	all, _ := p.Worktrees(t.Context(), p.repo)
	if len(entries) != 0 || len(all) != 1 {
		t.Errorf("left: %v, %+v", entries, all)
	}
	if p.git(p.repo, "branch", "--list", branch) == "" {
		t.Error("the branch is gone")
	}
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ""); !errors.Is(err, ErrWorktreeMissing) {
		t.Errorf("a second time: %v", err)
	}
}

func TestDirtyWorktreeIsRemovedOnlyAsItWasSaved(t *testing.T) {
	t.Parallel()
	changes := map[string]func(p *place, path string){
		"changed":   func(p *place, path string) { p.write(path, "a.txt", "again\n") },
		"untracked": func(p *place, path string) { p.write(path, "more.txt", "x") },
		"deleted":   func(p *place, path string) { p.git(path, "rm", "-q", "-f", "a.txt") },
		"only staged": func(p *place, path string) {
			p.write(path, "s.txt", "s")
			p.git(path, "add", "s.txt")
			p.remove(path, "s.txt")
		},
		"committed":     func(p *place, path string) { p.git(path, "commit", "-q", "-a", "-m", "later") },
		"nothing saved": func(p *place, _ string) { p.git(p.repo, "update-ref", "-d", ref) },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			path, _ := p.worktree("x")
			p.write(path, "a.txt", "changed\n")
			p.write(path, "new.txt", "new\n")
			if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ""); !errors.Is(err, ErrDirty) {
				t.Fatalf("without a save: %v", err)
			}
			if _, err := p.Save(t.Context(), path, ref); err != nil {
				t.Fatal(err)
			}
			change(p, path)
			before := p.snapshot(path)
			if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ref); !errors.Is(err, ErrDirty) {
				t.Fatalf("after a change: %v", err)
			}
			if len(p.snapshot(path)) != len(before) {
				t.Error("files are gone")
			}
			if _, err := p.Save(t.Context(), path, ref+"b"); err != nil {
				t.Fatal(err)
			}
			if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ref+"b"); err != nil || exists(path) {
				t.Errorf("as saved: %v", err)
			}
		})
	}
}

func (p *place) remove(dir, name string) {
	p.t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		p.t.Fatal(err)
	}
}

func TestOnlyOurOwnWorktreesAreEverRemoved(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	other := newPlace(t)
	path, _ := p.worktree("x")
	locked, _ := p.worktree("locked")
	p.git(p.repo, "worktree", "lock", locked)
	outer, _ := p.worktree("outer")
	p.git(p.repo, "worktree", "add", "-q", "-b", "in", filepath.Join(outer, "in"))
	foreign := filepath.Join(p.root, "foreign")
	other.git(other.repo, "worktree", "add", "-q", "-b", "b", foreign)
	p.write(p.root, "plain/file.txt", "x")
	link := filepath.Join(p.root, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(p.dir, "elsewhere")
	p.git(p.repo, "worktree", "add", "-q", "-b", "e", elsewhere)
	escape := filepath.Join(p.root, "escape")
	if err := os.Symlink(p.dir, escape); err != nil {
		t.Fatal(err)
	}
	replaced, _ := p.worktree("replaced")
	if err := os.RemoveAll(replaced); err != nil {
		t.Fatal(err)
	}
	p.git(p.dir, "init", "-q", replaced)

	cases := []struct {
		name, path, root string
		want             error
	}{
		{"main checkout", p.repo, p.dir, ErrRefused},
		{"git folder", filepath.Join(p.repo, ".git"), p.dir, ErrRefused},
		{"folder above everything", p.dir, filepath.Dir(p.dir), ErrRefused},
		{"root itself", p.root, p.root, ErrRefused},
		{"not under root", elsewhere, p.root, ErrRefused},
		{"under root by dots", filepath.Join(p.root, "..", "elsewhere"), p.root, ErrRefused},
		{"out of root by a symlink", filepath.Join(escape, "elsewhere"), p.root, ErrRefused},
		{"symlink to a worktree", link, p.root, ErrRefused},
		{"locked", locked, p.root, ErrRefused},
		{"another worktree inside", outer, p.root, ErrRefused},
		{"another repository in its place", replaced, p.root, ErrRefused},
		{"root that is not there", path, filepath.Join(p.dir, "unmounted"), ErrRefused},
		{"worktree of another repository", foreign, p.root, ErrWorktreeMissing},
		{"plain folder", filepath.Join(p.root, "plain"), p.root, ErrWorktreeMissing},
		{"nothing", filepath.Join(p.root, "absent"), p.root, ErrWorktreeMissing},
		{"relative", "worktrees/x", p.root, ErrBadName},
	}
	for _, c := range cases {
		before := exists(c.path)
		if err := p.RemoveWorktree(t.Context(), p.repo, c.path, c.root, ""); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if exists(c.path) != before {
			t.Errorf("%s: removed", c.name)
		}
	}
	if err := p.RemoveWorktree(t.Context(), filepath.Join(p.dir, "norepo"), path, p.root, ""); err == nil || !exists(path) {
		t.Errorf("a repository that is not there: %v", err)
	}
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, "refs/heads/main"); !errors.Is(err, ErrBadName) {
		t.Errorf("a ref that is not hidden: %v", err)
	}
}

func TestGoneFolderIsStruckOffTheList(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, branch := p.worktree("x")
	bystander, _ := p.worktree("y")
	for _, gone := range []string{path, bystander} {
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ""); err != nil {
		t.Fatal(err)
	}
	all, err := p.Worktrees(t.Context(), p.repo)
	if err != nil || len(all) != 2 || all[1].Path != bystander || !all[1].Prunable {
		t.Errorf("%+v, %v", all, err)
	}
	if p.git(p.repo, "branch", "--list", branch) == "" {
		t.Error("the branch is gone")
	}
}

func TestCommitOfADetachedHeadIsNotLost(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path, _ := p.worktree("x")
	p.git(path, "checkout", "-q", "--detach")
	p.git(path, "commit", "-q", "--allow-empty", "-m", "alone")
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ""); !errors.Is(err, ErrDirty) {
		t.Fatal(err)
	}
	if _, err := p.Save(t.Context(), path, ref); err != nil {
		t.Fatal(err)
	}
	if err := p.RemoveWorktree(t.Context(), p.repo, path, p.root, ref); err != nil {
		t.Error(err)
	}
}
