package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveWorktree removes a worktree and never its branch.
//
// It refuses unless everything says that it may: path must be under root with all symlinks resolved, be a linked worktree
// that git lists for repo and that is not locked, and hold neither a git folder nor another worktree. Work that no commit
// holds must be under the hidden ref saved, exactly as it is now, else the error is ErrDirty; an empty saved ref removes
// clean worktrees only. A worktree whose folder is gone is only struck off git's list. The error is ErrWorktreeMissing when
// git does not list the path: then nothing is touched, whatever is there.
func (g *Git) RemoveWorktree(ctx context.Context, repo, path, root, saved string) error {
	err := errors.Join(checkPath(repo), checkPath(path), checkPath(root))
	if err == nil && saved != "" {
		err = checkHidden(saved)
	}
	if err == nil {
		err = g.remove(ctx, repo, path, root, saved)
	}
	if err != nil {
		return fmt.Errorf("remove worktree %s: %w", path, err)
	}
	return nil
}

func (g *Git) remove(ctx context.Context, repo, path, root, saved string) error {
	common, err := g.commonDir(ctx, repo)
	if err != nil {
		return err
	}
	release, err := g.lock(ctx, common)
	if err != nil {
		return err
	}
	defer release()
	w, err := g.removable(ctx, repo, common, path, root)
	if err != nil {
		return err
	}
	path = w.Path
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := g.headHeld(ctx, repo, w.Head); err != nil {
			return err
		}
		return g.strikeOff(ctx, repo, path)
	} else if err != nil {
		return err
	}
	if err := g.linked(ctx, common, path); err != nil {
		return err
	}
	if err := g.nothingLost(ctx, path, saved); err != nil {
		return err
	}
	return g.takeAway(ctx, repo, path)
}

// removable checks what can be said without looking into the folder.
func (g *Git) removable(ctx context.Context, repo, common, path, root string) (Worktree, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return Worktree{}, fmt.Errorf("%w: it is a symlink", ErrRefused)
	}
	// Without its root a folder is not gone but out of reach, as on a disk that is not mounted.
	if _, err := os.Stat(root); err != nil {
		return Worktree{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	path, root = real(path), real(root)
	if !within(root, path) {
		return Worktree{}, fmt.Errorf("%w: it is not under %s", ErrRefused, root)
	}
	if inside(common, path) {
		return Worktree{}, fmt.Errorf("%w: the repository's git folder is there", ErrRefused)
	}
	all, err := g.list(ctx, repo)
	if err != nil {
		return Worktree{}, err
	}
	w, ok := find(all, path)
	switch {
	case !ok:
		return Worktree{}, fmt.Errorf("%w: git does not list it", ErrWorktreeMissing)
	case w.Main || w.Bare:
		return Worktree{}, fmt.Errorf("%w: it is the main checkout", ErrRefused)
	case w.Locked:
		return Worktree{}, fmt.Errorf("%w: it is locked", ErrRefused)
	}
	for _, other := range all {
		if within(path, other.Path) {
			return Worktree{}, fmt.Errorf("%w: the worktree %s is in it", ErrRefused, other.Path)
		}
	}
	return w, nil
}

// linked makes sure that the folder is a linked worktree of this repository: its .git is a file, and git in it says so.
func (g *Git) linked(ctx context.Context, common, path string) error {
	info, err := os.Lstat(filepath.Join(path, ".git"))
	if err != nil {
		return fmt.Errorf("%w: it is no worktree any more: %w", ErrRefused, err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: it holds a git folder of its own", ErrRefused)
	}
	top, err := g.top(ctx, path)
	if err != nil {
		return err
	}
	here, err := g.commonDir(ctx, path)
	if err != nil {
		return err
	}
	if top != path || here != common {
		return fmt.Errorf("%w: it is part of the repository %s", ErrRefused, here)
	}
	return nil
}

// nothingLost makes sure that every commit and file of the worktree is held by a ref.
func (g *Git) nothingLost(ctx context.Context, path, saved string) error {
	if err := g.noneNested(ctx, path); err != nil {
		return fmt.Errorf("%w: %w", ErrDirty, err)
	}
	now, err := g.content(ctx, path)
	if err != nil {
		return err
	}
	if now.clean() {
		return g.headHeld(ctx, path, now.head)
	}
	if saved == "" {
		return ErrDirty
	}
	commit, err := g.resolve(ctx, path, saved)
	if exitCode(err) == 1 {
		return fmt.Errorf("%w: there is no %s", ErrDirty, saved)
	}
	if err != nil {
		return err
	}
	trees, err := g.savedTrees(ctx, path, commit, now.head)
	if err != nil {
		return err
	}
	if len(trees) == 0 || trees[0] != now.files {
		return fmt.Errorf("%w: it changed after it was saved", ErrDirty)
	}
	for _, tree := range append(trees, now.base, "") {
		if tree == now.staged {
			return nil
		}
	}
	return fmt.Errorf("%w: something else was staged after it was saved", ErrDirty)
}

// savedTrees are the trees of a saved commit and of what lies between it and HEAD; none when it is not on top of HEAD.
func (g *Git) savedTrees(ctx context.Context, path, commit, head string) ([]string, error) {
	if !g.contains(ctx, path, commit, head) {
		return nil, nil
	}
	out, err := g.read(ctx, path, "log", "-z", "--no-show-signature", "--no-color", "--format=%T", "--max-count=3", head+".."+commit, "--")
	return fields(out), err
}

// headHeld makes sure that some ref holds HEAD's commit once the worktree's own HEAD is gone.
func (g *Git) headHeld(ctx context.Context, path, head string) error {
	out, err := g.read(ctx, path, "for-each-ref", "--count=1", "--format=%(refname)", "--contains="+head)
	if err != nil {
		return err
	}
	if out == "" {
		return fmt.Errorf("%w: HEAD is detached and on no branch", ErrDirty)
	}
	return nil
}

// takeAway renames the folder before it deletes it: a rename fails as a whole, while files are open on Windows, and then
// nothing has happened. Git's list is put right in between, so a folder half deleted is no worktree any more.
func (g *Git) takeAway(ctx context.Context, repo, path string) error {
	aside, err := os.MkdirTemp(filepath.Dir(path), ".removed-")
	if err != nil {
		return err
	}
	gone := filepath.Join(aside, filepath.Base(path))
	if err := os.Rename(path, gone); err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	if err := g.strikeOff(ctx, repo, path); err != nil {
		return errors.Join(err, os.Rename(gone, path), os.Remove(aside))
	}
	if err := removeAll(aside); err != nil {
		return fmt.Errorf("git has forgotten it, but files are left in %s: %w", aside, err)
	}
	return nil
}

// strikeOff takes a worktree whose folder is not there off git's list.
func (g *Git) strikeOff(ctx context.Context, repo, path string) error {
	_, err := g.run(ctx, call{dir: repo, set: noHooks, write: true, args: []string{"worktree", "remove", "--", path}})
	return err
}

// removeAll removes a tree, also one with read-only folders, as module caches have.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			// RemoveAll below says what could not be removed in the end.
			_ = os.Chmod(name, 0o700) //nolint:gosec // a folder needs its x bit to be emptied
		}
		return nil
	})
	return os.RemoveAll(path)
}
