package git

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// noneNested makes sure that no folder of the worktree is a repository with work of its own: a commit here would hold only
// a pointer into it. Submodules are fine while they are clean and their commits are on their remotes.
func (g *Git) noneNested(ctx context.Context, worktree string) error {
	untracked, err := g.untracked(ctx, worktree)
	if err != nil {
		return err
	}
	for _, path := range untracked {
		if strings.HasSuffix(path, "/") {
			return fmt.Errorf("%s: %w", path, ErrUnsavable)
		}
	}
	modules, err := g.submodules(ctx, worktree)
	if err != nil {
		return err
	}
	for _, path := range modules {
		if err := g.moduleHeld(ctx, filepath.Join(worktree, path)); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// untracked lists the untracked files that are not ignored; a repository inside ends in '/'.
func (g *Git) untracked(ctx context.Context, worktree string) ([]string, error) {
	out, err := g.read(ctx, worktree, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	return fields(out), nil
}

// ownPaths is a list of pathspecs, with NULs between, for all of the worktree but the repositories inside that are no submodules.
func (g *Git) ownPaths(ctx context.Context, worktree string) (string, error) {
	untracked, err := g.untracked(ctx, worktree)
	if err != nil {
		return "", err
	}
	paths := "."
	for _, path := range untracked {
		if folder, ok := strings.CutSuffix(path, "/"); ok {
			paths += "\x00:(exclude,top,literal)" + folder
		}
	}
	return paths, nil
}

// submodules lists the submodules that are checked out.
func (g *Git) submodules(ctx context.Context, worktree string) ([]string, error) {
	recorded, err := g.gitlinks(ctx, worktree)
	return slices.DeleteFunc(recorded, func(path string) bool { return !checkedOutAt(worktree, path) }), err
}

// moduleHeld makes sure that all of a submodule is on its remotes.
func (g *Git) moduleHeld(ctx context.Context, dir string) error {
	s, err := g.status(ctx, dir)
	if err != nil {
		return err
	}
	if s.Dirty() {
		return ErrUnsavable
	}
	ours, err := g.read(ctx, dir, "rev-list", "--max-count=1", "HEAD", "--branches", "--not", "--remotes", "--")
	if err != nil {
		return err
	}
	stashed, err := g.read(ctx, dir, "for-each-ref", "refs/stash")
	if err != nil {
		return err
	}
	if ours != "" || stashed != "" {
		return ErrUnsavable
	}
	return g.noneNested(ctx, dir)
}

// fields splits what git printed with -z.
func fields(out string) []string {
	if out == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
}
