package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// includedWork lists the ignored files of a worktree that .worktreeinclude names: work are those that the main checkout does
// not hold just so, an edited copy or a file written in its place, and copies the others. Work would go with the worktree
// like any untracked file, which is why Save, RemoveWorktree and Survey all ask here.
func (g *Git) includedWork(ctx context.Context, worktree string) (work, copies []string, err error) {
	main, linked, err := g.mainOf(ctx, worktree)
	if err != nil || !linked {
		return nil, nil, err
	}
	var patterns []string
	for _, dir := range []string{main, worktree} {
		file := filepath.Join(dir, IncludeFile)
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			patterns = append(patterns, file)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
	}
	if len(patterns) == 0 {
		return nil, nil, nil
	}
	names, err := g.included(ctx, worktree, patterns...)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		mine, err := differs(ctx, main, worktree, filepath.FromSlash(name))
		switch {
		case err != nil:
			return nil, nil, err
		case mine:
			work = append(work, name)
		default:
			copies = append(copies, name)
		}
	}
	return work, copies, nil
}

// mainOf is the main checkout of a linked worktree; the worktree itself where the repository has none. False: it is no
// linked worktree, so nothing was copied into it.
func (g *Git) mainOf(ctx context.Context, worktree string) (string, bool, error) {
	own, ok := pathIn(filepath.Join(worktree, ".git"), "gitdir: ")
	if !ok {
		return "", false, nil
	}
	if common, ok := pathIn(filepath.Join(own, "commondir"), ""); ok && filepath.Base(common) == ".git" {
		return filepath.Dir(common), true, nil
	}
	common, err := g.commonDir(ctx, worktree)
	if err != nil {
		return "", false, err
	}
	main, err := g.mainTop(ctx, worktree, common)
	return main, true, err
}

// differs says whether a worktree's file is another than the main checkout's of that name. A copy keeps its original's time,
// so most need not be read. What git cannot hold, such as a socket, counts as the same.
func differs(ctx context.Context, main, worktree, name string) (bool, error) {
	mine, err := os.Lstat(filepath.Join(worktree, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	link := mine.Mode()&fs.ModeSymlink != 0
	if !link && !mine.Mode().IsRegular() {
		return false, nil
	}
	theirs, err := os.Lstat(filepath.Join(main, name))
	if err != nil || main == worktree || mine.Mode().Type() != theirs.Mode().Type() {
		return true, nil //nolint:nilerr // what cannot be compared is kept
	}
	if link {
		a, err := os.Readlink(filepath.Join(worktree, name))
		if err != nil {
			return false, err
		}
		b, err := os.Readlink(filepath.Join(main, name))
		return err != nil || a != b, nil
	}
	if mine.Size() != theirs.Size() {
		return true, nil
	}
	if mine.ModTime().Equal(theirs.ModTime()) {
		return false, nil
	}
	a, err := hashFile(ctx, filepath.Join(worktree, name))
	if err != nil {
		return false, err
	}
	b, err := hashFile(ctx, filepath.Join(main, name))
	return err != nil || a != b, nil
}

// ignored lists what git ignores in a worktree, a folder of nothing else by its name alone.
func (g *Git) ignored(ctx context.Context, worktree string) ([]string, error) {
	out, err := g.read(ctx, worktree, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	return fields(out), err
}

// addIncluded brings included work into the copy too. The plumbing does not mind that git ignores it.
func (s *scratch) addIncluded(ctx context.Context) error {
	names, _, err := s.g.includedWork(ctx, s.dir)
	if err != nil || len(names) == 0 {
		return err
	}
	_, err = s.run(ctx, strings.Join(names, "\x00")+"\x00", "update-index", "--add", "-z", "--stdin")
	return err
}
