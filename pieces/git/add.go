package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// cleanup is how long taking back a half-made worktree may take, also when the caller gave up.
const cleanup = time.Minute

// AddWorktree makes branch at commit and a worktree for it at path. When it cannot, the branch and the folder are gone
// again, and only those: the error is ErrBranchExists or ErrPathTaken when they were there before.
func (g *Git) AddWorktree(ctx context.Context, repo, path, branch, commit string) error {
	if err := errors.Join(checkPath(repo), checkPath(path), checkBranch(branch), checkRevision(commit)); err != nil {
		return fmt.Errorf("add worktree: %w", err)
	}
	release, err := g.ready(ctx, repo, path)
	if err == nil {
		defer release()
		err = g.add(ctx, repo, path, branch, commit)
	}
	if err != nil {
		return fmt.Errorf("add worktree %s: %w", path, err)
	}
	return nil
}

// OpenWorktree makes a worktree at path for a branch that exists, such as one whose worktree was removed. A worktree that
// is there already on that branch is kept as it is.
func (g *Git) OpenWorktree(ctx context.Context, repo, path, branch string) error {
	if err := errors.Join(checkPath(repo), checkPath(path), checkBranch(branch)); err != nil {
		return fmt.Errorf("open worktree: %w", err)
	}
	if g.check(ctx, repo, path, branch) == nil {
		return nil
	}
	release, err := g.ready(ctx, repo, path)
	if err == nil {
		defer release()
		err = g.open(ctx, repo, path, branch)
	}
	if err != nil {
		return fmt.Errorf("open worktree %s: %w", path, err)
	}
	return nil
}

// ready takes the repository's lock and makes sure that a worktree can be made at path.
func (g *Git) ready(ctx context.Context, repo, path string) (release func(), err error) {
	common, err := g.commonDir(ctx, repo)
	if err != nil {
		return nil, err
	}
	if inside(common, path) {
		return nil, fmt.Errorf("%w: it is in the repository's git folder", ErrBadName)
	}
	release, err = g.lock(ctx, common)
	if err != nil {
		return nil, err
	}
	err = vacant(path)
	if err == nil && !neverListed(common, path) {
		err = g.forget(ctx, repo, path)
	}
	if err == nil {
		err = makeParent(path)
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// forget clears git's record of a worktree whose folder is gone, so that a new one can be made in its place.
func (g *Git) forget(ctx context.Context, repo, path string) error {
	all, err := g.list(ctx, repo)
	if err != nil {
		return err
	}
	w, ok := find(all, real(path))
	if !ok {
		return nil
	}
	if w.Main || w.Locked {
		return fmt.Errorf("%w: git holds the place for a locked worktree", ErrPathTaken)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	_, err = g.run(ctx, call{dir: repo, write: true, args: []string{"worktree", "remove", "--", w.Path}})
	return err
}

func (g *Git) add(ctx context.Context, repo, path, branch, commit string) error {
	found, err := g.resolveAll(ctx, repo, "refs/heads/"+branch, commit)
	if err != nil {
		return err
	}
	taken, id := found[0], found[1]
	if taken != "" {
		return fmt.Errorf("branch %s: %w", branch, ErrBranchExists)
	}
	if id == "" {
		return fmt.Errorf("commit %s: %w", commit, ErrNoCommit)
	}
	if err := g.checkout(ctx, repo, path, branch, "--no-track", "-b", branch, "--", path, id); err != nil {
		g.undo(ctx, repo, path)
		g.dropBranch(ctx, repo, branch, id)
		return err
	}
	return nil
}

func (g *Git) open(ctx context.Context, repo, path, branch string) error {
	if _, err := g.resolve(ctx, repo, "refs/heads/"+branch); exitCode(err) == 1 {
		return fmt.Errorf("branch %s: %w", branch, ErrNoBranch)
	} else if err != nil {
		return err
	}
	if err := g.checkout(ctx, repo, path, branch, "--", path, branch); err != nil {
		g.undo(ctx, repo, path)
		return err
	}
	return nil
}

// checkout runs `worktree add` and asks git what came of it.
//
// Hooks are off: post-checkout hooks are written for a person's checkout, and have hung or failed the making of worktrees
// whose files were all there. What a project needs in a new worktree is its setup script's business.
func (g *Git) checkout(ctx context.Context, repo, path, branch string, args ...string) error {
	_, err := g.run(ctx, call{
		dir: repo, set: noHooks, write: true, limit: g.limits.tree,
		args: append([]string{"worktree", "add", "--quiet"}, args...),
	})
	if err != nil {
		return err
	}
	return g.check(ctx, repo, path, branch)
}

// undo takes away a half-made worktree. Its folder was not there, or empty, when the lock was taken, so all in it is ours.
func (g *Git) undo(ctx context.Context, repo, path string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer cancel()
	// What cannot be taken away shows up as ErrPathTaken or as git's words at the next try; the first error is the one to report.
	if err := removeAll(path); err != nil {
		return
	}
	_ = g.forget(ctx, repo, path)
}

// dropBranch deletes the branch that a failed `worktree add` left, unless it has moved from where it was made.
func (g *Git) dropBranch(ctx context.Context, repo, branch, commit string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer cancel()
	_, _ = g.run(ctx, call{
		dir: repo, set: noHooks, write: true,
		args: []string{"update-ref", "--no-deref", "-d", "refs/heads/" + branch, commit},
	})
}
