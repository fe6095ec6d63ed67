package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
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

// CopyIncluded copies the files that the main checkout's .worktreeinclude names into a worktree: those that git ignores in
// both and that are not there yet. Nothing outside the main checkout is read and nothing outside the worktree is written,
// whatever symlinks say. What could not be copied is said in Skipped; an error means that nothing more was tried.
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
	// On the worktree's branch they may be files like any other, which would be committed and pushed with the work.
	inside := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return throughLink(worktree, name) })
	listed, err := g.whichIgnored(ctx, worktree, inside)
	if err != nil {
		return done, err
	}
	ignored := map[string]bool{}
	for _, name := range listed {
		ignored[name] = true
	}
	for i, name := range names {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if i == mostIncluded || c.size > mostIncludedSize {
			done.Skipped = append(done.Skipped, fmt.Sprintf("%d more files: that is more than %s is meant for", len(names)-i, IncludeFile))
			break
		}
		if !ignored[name] {
			why := "git does not ignore it on the worktree's branch"
			if throughLink(worktree, name) {
				why = "it would come to lie beyond a symlink"
			}
			done.Skipped = append(done.Skipped, name+": "+why)
			continue
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
	if err != nil {
		return nil, err
	}
	return g.whichIgnored(ctx, dir, fields(out))
}

// whichIgnored are those of the files that git ignores in a checkout, without repositories inside.
func (g *Git) whichIgnored(ctx context.Context, dir string, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	out, err := g.run(ctx, call{dir: dir, stdin: strings.Join(names, "\x00") + "\x00", args: []string{"check-ignore", "-z", "--stdin"}})
	if exitCode(err) == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// A folder in the list is a repository of its own.
	return slices.DeleteFunc(fields(out), func(name string) bool { return strings.HasSuffix(name, "/") }), nil
}

// throughLink says whether a folder above a file is a symlink in a checkout.
func throughLink(dir, name string) bool {
	for above := path.Dir(name); above != "."; above = path.Dir(above) {
		if info, err := os.Lstat(filepath.Join(dir, above)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
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
