package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ConflictError says which files a merge could not bring together. The merge waits in the worktree.
type ConflictError struct {
	Files []string
}

func (e *ConflictError) Error() string {
	if len(e.Files) == 1 {
		return "conflict in " + e.Files[0]
	}
	shown := e.Files
	more := ""
	if len(shown) > 5 {
		more = fmt.Sprintf(" and %d more", len(shown)-5)
		shown = shown[:5]
	}
	return fmt.Sprintf("conflicts in %s%s", strings.Join(shown, ", "), more)
}

// Merge merges from, a branch or commit, into the worktree's branch with a commit of its own. What is merged already is no
// error. On a *ConflictError the merge waits in the worktree for Commit or AbortMerge; after any other failure the
// worktree is as it was.
func (g *Git) Merge(ctx context.Context, worktree, branch, from, message string) error {
	err := errors.Join(checkPath(worktree), checkBranch(branch), checkRevision(from))
	if err == nil {
		err = g.merge(ctx, worktree, branch, from, message)
	}
	if err != nil {
		return fmt.Errorf("merge %s into %s: %w", from, branch, err)
	}
	return nil
}

func (g *Git) merge(ctx context.Context, worktree, branch, from, message string) error {
	if err := g.onBranch(ctx, worktree, branch); err != nil {
		return err
	}
	if merging, err := g.merging(ctx, worktree); err != nil || merging {
		return errors.Join(err, g.waiting(ctx, worktree))
	}
	id, err := g.resolve(ctx, worktree, from)
	if exitCode(err) == 1 {
		return ErrNoBranch
	}
	if err != nil {
		return err
	}
	identity, err := g.identity(ctx, worktree)
	if err != nil {
		return err
	}
	modules, err := g.inStep(ctx, worktree)
	if err != nil {
		return err
	}
	_, err = g.run(ctx, call{
		dir: worktree, set: identity, write: true, limit: g.limits.commit,
		args: []string{"merge", "--quiet", "--no-ff", "--no-edit", "--no-autostash", "-m", message, id},
	})
	// Like with a commit, what is merged counts more than the exit code.
	if g.contains(ctx, worktree, "HEAD", id) {
		return g.follow(ctx, worktree, modules)
	}
	if err == nil {
		return errors.New("git reported success, but the branch does not hold the commit")
	}
	files, _ := g.unmerged(ctx, worktree)
	if len(files) > 0 && exitCode(err) == 1 {
		return &ConflictError{Files: files}
	}
	return errors.Join(err, g.AbortMerge(context.WithoutCancel(ctx), worktree))
}

// FastForward moves the worktree's branch and files on to a later commit, named by its full id. Where the branch has commits of its own, or a file
// is in the way, nothing is changed.
func (g *Git) FastForward(ctx context.Context, worktree, branch, commit string) error {
	err := errors.Join(checkPath(worktree), checkBranch(branch), checkRevision(commit))
	if err == nil {
		err = g.onBranch(ctx, worktree, branch)
	}
	var modules []string
	if err == nil {
		modules, err = g.inStep(ctx, worktree)
	}
	if err == nil {
		_, err = g.run(ctx, call{
			dir: worktree, set: noHooks, write: true, limit: g.limits.tree,
			args: []string{"merge", "--quiet", "--ff-only", "--no-autostash", commit},
		})
	}
	if err == nil {
		var head string
		// Git takes an earlier commit for one that is merged already.
		if head, err = g.resolve(ctx, worktree, "HEAD"); err == nil && head != commit {
			err = errors.New("the branch is ahead of it")
		}
	}
	if err == nil {
		err = g.follow(ctx, worktree, modules)
	}
	if err != nil {
		return fmt.Errorf("move %s on to %s: %w", branch, commit, err)
	}
	return nil
}

// waiting names the conflicts of a merge that is under way already.
func (g *Git) waiting(ctx context.Context, worktree string) error {
	files, err := g.unmerged(ctx, worktree)
	if err != nil {
		return err
	}
	if len(files) > 0 {
		return &ConflictError{Files: files}
	}
	return errors.New("another merge waits to be committed")
}

// AbortMerge takes back a merge that waits. Without one it does nothing.
func (g *Git) AbortMerge(ctx context.Context, worktree string) error {
	err := g.ownTop(ctx, worktree)
	var merging bool
	if err == nil {
		merging, err = g.merging(ctx, worktree)
	}
	if err == nil && merging {
		_, err = g.run(ctx, call{dir: worktree, set: noHooks, write: true, args: []string{"merge", "--abort"}})
	}
	if err != nil {
		return fmt.Errorf("abort merge in %s: %w", worktree, err)
	}
	return nil
}

// merging says whether a merge waits in the worktree.
func (g *Git) merging(ctx context.Context, worktree string) (bool, error) {
	return g.test(ctx, worktree, "rev-parse", "--verify", "--quiet", "MERGE_HEAD")
}

// unmerged lists the files with conflicts.
func (g *Git) unmerged(ctx context.Context, worktree string) ([]string, error) {
	out, err := g.read(ctx, worktree, "diff", "--name-only", "-z", "--diff-filter=U", "--no-ext-diff")
	if err != nil {
		return nil, err
	}
	return fields(out), nil
}
