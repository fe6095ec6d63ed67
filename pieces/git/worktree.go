package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Worktree is one checkout of a repository as git records it, whether its folder is there or not.
type Worktree struct {
	Path     string
	Branch   string // empty when HEAD is detached
	Head     string
	Main     bool // the main checkout, or the bare repository itself
	Bare     bool
	Locked   bool
	Prunable bool // git finds no such worktree on disk
}

// Worktrees lists the repository's worktrees, the main one first.
func (g *Git) Worktrees(ctx context.Context, repo string) ([]Worktree, error) {
	if err := checkPath(repo); err != nil {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	all, err := g.list(ctx, repo)
	if err != nil {
		return nil, fmt.Errorf("list worktrees of %s: %w", repo, err)
	}
	return all, nil
}

func (g *Git) list(ctx context.Context, repo string) ([]Worktree, error) {
	separator := "\x00"
	out, err := g.read(ctx, repo, "worktree", "list", "--porcelain", "-z")
	if exitCode(err) == 129 {
		// Before git 2.36 there is no -z; a path with a newline cannot be told there, and is then found to be no worktree.
		separator = "\n"
		out, err = g.read(ctx, repo, "worktree", "list", "--porcelain")
	}
	if err != nil {
		return nil, err
	}
	var all []Worktree
	for record := range strings.SplitSeq(out, separator+separator) {
		if strings.TrimRight(record, separator) == "" {
			continue
		}
		w := Worktree{Main: len(all) == 0}
		for line := range strings.SplitSeq(record, separator) {
			w.set(strings.Cut(line, " "))
		}
		all = append(all, w)
	}
	return all, nil
}

// set takes one attribute of the porcelain listing.
func (w *Worktree) set(name, value string, _ bool) {
	switch name {
	case "worktree":
		w.Path = real(value)
	case "HEAD":
		w.Head = value
	case "branch":
		w.Branch = strings.TrimPrefix(value, "refs/heads/")
	case "bare":
		w.Bare = true
	case "locked":
		w.Locked = true
	case "prunable":
		w.Prunable = true
	}
}

// find is the entry of a path without symlinks.
func find(all []Worktree, path string) (Worktree, bool) {
	for _, w := range all {
		if w.Path == path {
			return w, true
		}
	}
	return Worktree{}, false
}

// CheckWorktree says whether path is a live worktree of repo, is its own top level, and is on the branch. The error is
// ErrWorktreeMissing or ErrWrongBranch when git says it is not, and another one when git could not say.
func (g *Git) CheckWorktree(ctx context.Context, repo, path, branch string) error {
	_, err := g.WorktreeHead(ctx, repo, path, branch)
	return err
}

// MissingWorktrees tells which of a repository's recorded worktrees, each with its branch, are not on disk as git knows them
// any more. It asks git once for all of them, and once more for a folder that git lists and that holds no checkout.
func (g *Git) MissingWorktrees(ctx context.Context, repo string, branches map[string]string) (missing map[string]bool, err error) {
	all, err := g.Worktrees(ctx, repo)
	if err != nil {
		return nil, err
	}
	missing = map[string]bool{}
	for path, branch := range branches {
		if err := checkPath(path); err != nil {
			return nil, fmt.Errorf("check worktrees: %w", err)
		}
		_, listed := find(all, real(path))
		switch {
		case !listed || gone(path):
			missing[path] = true
		case gone(filepath.Join(path, ".git")):
			err := g.CheckWorktree(ctx, repo, path, branch)
			if err != nil && !errors.Is(err, ErrWorktreeMissing) {
				return nil, err
			}
			missing[path] = err != nil
		}
	}
	return missing, nil
}

// gone says yes only when there surely is nothing.
func gone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// WorktreeHead is CheckWorktree, and gives the commit that the worktree has checked out.
func (g *Git) WorktreeHead(ctx context.Context, repo, path, branch string) (string, error) {
	if err := errors.Join(checkPath(repo), checkPath(path), checkBranch(branch)); err != nil {
		return "", fmt.Errorf("check worktree: %w", err)
	}
	w, err := g.live(ctx, repo, path, branch)
	if err != nil {
		return "", fmt.Errorf("check worktree %s: %w", path, err)
	}
	return w.Head, nil
}

func (g *Git) check(ctx context.Context, repo, path, branch string) error {
	_, err := g.live(ctx, repo, path, branch)
	return err
}

// live is the entry of a live worktree of repo that is on the branch.
func (g *Git) live(ctx context.Context, repo, path, branch string) (Worktree, error) {
	if w, ok := g.seen(ctx, repo, path); ok {
		return w, isOn(w.Branch, branch)
	}
	all, err := g.list(ctx, repo)
	if err != nil {
		return Worktree{}, err
	}
	w, ok := find(all, real(path))
	if !ok {
		return w, fmt.Errorf("%w: git does not list it", ErrWorktreeMissing)
	}
	return w, g.onBranch(ctx, path, branch)
}

// onBranch makes sure that a command in dir acts on dir's own checkout and on that branch. In a folder that lost its .git
// file git would walk up, and act on whatever repository is above it.
func (g *Git) onBranch(ctx context.Context, dir, branch string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: there is no such folder", ErrWorktreeMissing)
	}
	top, err := g.top(ctx, dir)
	if errors.Is(err, ErrNotRepository) {
		return fmt.Errorf("%w: %w", ErrWorktreeMissing, err)
	}
	if err != nil {
		return err
	}
	if top != real(dir) {
		return fmt.Errorf("%w: the folder is part of %s", ErrWorktreeMissing, top)
	}
	on, err := g.checkedOut(ctx, dir)
	if err != nil {
		return err
	}
	return isOn(on, branch)
}

// isOn compares the branch that is checked out, empty when HEAD is detached, with the one that should be.
func isOn(on, branch string) error {
	if on == "" {
		return fmt.Errorf("%w: HEAD is detached instead of on %s", ErrWrongBranch, branch)
	}
	if on != branch {
		return fmt.Errorf("%w: %s instead of %s", ErrWrongBranch, on, branch)
	}
	return nil
}

// ownTop makes sure that dir is the top folder of a checkout.
func (g *Git) ownTop(ctx context.Context, dir string) error {
	if err := checkPath(dir); err != nil {
		return err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return ErrWorktreeMissing
	}
	top, err := g.top(ctx, dir)
	if err == nil && top != real(dir) {
		return fmt.Errorf("%w: the folder is part of %s", ErrWorktreeMissing, top)
	}
	return err
}

// vacant says whether a worktree may be made at path: nothing is there, or an empty folder.
func vacant(path string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err == nil {
		return ErrPathTaken
	}
	return fmt.Errorf("%w: %w", ErrPathTaken, err)
}

// inside says whether path is in the repository's git folder, where no worktree may be.
func inside(commonDir, path string) bool {
	path = real(path)
	return path == commonDir || within(commonDir, path) || within(path, commonDir)
}

// makeParent makes the folder that a worktree will be in.
func makeParent(path string) error { return os.MkdirAll(filepath.Dir(path), 0o755) }
