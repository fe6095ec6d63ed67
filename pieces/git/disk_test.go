package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDiskUseCountsFilesAndFollowsNoLink(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	folder := filepath.Join(p.dir, "measured")
	p.write(folder, "a.txt", strings.Repeat("x", 1000))
	p.write(filepath.Join(folder, "b"), "c.txt", strings.Repeat("x", 500))
	if err := os.Symlink(p.repo, filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	n, err := p.DiskUse(t.Context(), folder)
	if err != nil || n != 1500+int64(len(p.repo)) {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := p.DiskUse(t.Context(), filepath.Join(p.dir, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestAMovedRepositoryFindsItsWorktreesAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	tree := filepath.Join(p.root, "x")
	base := strings.TrimSpace(p.git(p.repo, "rev-parse", "HEAD"))
	if err := p.AddWorktree(t.Context(), p.repo, tree, "fermata/x", base); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(p.dir, "renamed")
	if err := os.Rename(p.repo, moved); err != nil {
		t.Fatal(err)
	}
	if err := p.CheckWorktree(t.Context(), moved, tree, "fermata/x"); err == nil {
		t.Fatal("the move broke nothing, so the test proves nothing")
	}
	if err := p.Adopt(t.Context(), moved, []string{base}); err != nil {
		t.Fatal(err)
	}
	if err := p.CheckWorktree(t.Context(), moved, tree, "fermata/x"); err != nil {
		t.Error(err)
	}
	if err := p.Adopt(t.Context(), moved, []string{strings.Repeat("1", 40)}); err == nil {
		t.Error("a repository without the commit is taken for the same")
	}
}
