package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fermata/pieces"
)

// IncludeFile names the ignored files that new worktrees get a copy of, in the patterns of a .gitignore.
const IncludeFile = ".worktreeinclude"

// What may be copied at most: a pattern that takes in a folder of dependencies is a mistake that the setup script mends better.
const (
	mostIncluded     = 10_000
	mostIncludedSize = 1 << 30
)

// CopyIncluded copies the files that the main checkout's .worktreeinclude names into a worktree: those that git ignores and
// that are not there yet. Nothing outside the main checkout is read and nothing outside the worktree is written, whatever
// symlinks say. What could not be copied is said in Skipped; an error means that nothing more was tried.
func (g *Git) CopyIncluded(ctx context.Context, main, worktree string) (pieces.Included, error) {
	err := errors.Join(checkPath(main), checkPath(worktree))
	var done pieces.Included
	if err == nil {
		done, err = g.copyIncluded(ctx, main, worktree)
	}
	if err != nil {
		return done, fmt.Errorf("copy what %s names into %s: %w", IncludeFile, worktree, err)
	}
	return done, nil
}

func (g *Git) copyIncluded(ctx context.Context, main, worktree string) (pieces.Included, error) {
	var done pieces.Included
	if info, err := os.Lstat(filepath.Join(main, IncludeFile)); errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return done, nil
	} else if err != nil {
		return done, err
	}
	if err := g.ownTop(ctx, main); err != nil {
		return done, err
	}
	if err := g.ownTop(ctx, worktree); err != nil {
		return done, err
	}
	names, err := g.included(ctx, main, IncludeFile)
	if err != nil || len(names) == 0 {
		return done, err
	}
	c, err := newCopier(main, worktree)
	if err != nil {
		return done, err
	}
	defer c.close()
	for i, name := range names {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if i == mostIncluded || c.size > mostIncludedSize {
			done.Skipped = append(done.Skipped, fmt.Sprintf("%d more files: that is more than %s is meant for", len(names)-i, IncludeFile))
			break
		}
		copied, err := c.copy(filepath.FromSlash(name))
		switch {
		case err != nil:
			done.Skipped = append(done.Skipped, fmt.Sprintf("%s: %v", name, err))
		case copied:
			done.Copied = append(done.Copied, name)
		}
	}
	return done, nil
}

// included lists the files of a checkout that the patterns in any of the files match and that git ignores.
func (g *Git) included(ctx context.Context, dir string, patterns ...string) ([]string, error) {
	args := []string{"ls-files", "--others", "--ignored", "-z"}
	for _, file := range patterns {
		args = append(args, "--exclude-from="+file)
	}
	out, err := g.read(ctx, dir, args...)
	if err != nil || out == "" {
		return nil, err
	}
	out, err = g.run(ctx, call{dir: dir, stdin: out, args: []string{"check-ignore", "-z", "--stdin"}})
	if exitCode(err) == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range fields(out) {
		// A folder in the list is a repository of its own.
		if !strings.HasSuffix(name, "/") {
			names = append(names, name)
		}
	}
	return names, nil
}

// copier copies between two folders that no path and no symlink leads out of.
type copier struct {
	from, to *os.Root
	size     int64
}

func newCopier(main, worktree string) (*copier, error) {
	from, err := os.OpenRoot(main)
	if err != nil {
		return nil, err
	}
	to, err := os.OpenRoot(worktree)
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	return &copier{from: from, to: to}, nil
}

func (c *copier) close() {
	_ = c.from.Close()
	_ = c.to.Close()
}

// copy copies one file; false when something is there already.
func (c *copier) copy(name string) (bool, error) {
	info, err := c.from.Lstat(name)
	if err != nil {
		return false, err
	}
	if _, err := c.to.Lstat(name); err == nil {
		return false, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if dir := filepath.Dir(name); dir != "." {
		if err := c.to.MkdirAll(dir, 0o755); err != nil {
			return false, err
		}
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return c.link(name)
	case info.Mode().IsRegular():
		return c.file(name, info)
	}
	return false, errors.New("it is no file")
}

// link copies a symlink that stays inside: one that leads out would let the worktree write to where it leads.
func (c *copier) link(name string) (bool, error) {
	target, err := c.from.Readlink(name)
	if err != nil {
		return false, err
	}
	if filepath.IsAbs(target) || !filepath.IsLocal(filepath.Join(filepath.Dir(name), target)) {
		return false, errors.New("it is a symlink that leads out of the repository")
	}
	if _, err := c.from.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, errors.New("it is a symlink that leads out of the repository")
	}
	return true, c.to.Symlink(target, name)
}

func (c *copier) file(name string, info fs.FileInfo) (done bool, err error) {
	source, err := c.from.Open(name)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := c.to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	n, err := io.Copy(target, source)
	c.size += n
	if err = errors.Join(err, target.Close()); err != nil {
		return false, errors.Join(err, c.to.Remove(name))
	}
	return true, c.to.Chtimes(name, info.ModTime(), info.ModTime())
}
