package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Push pushes the branch to the branch of the same name on the remote, without force, and asks the remote afterwards
// whether it has the commit: git has been seen to say that all is well when signing failed on the way.
func (g *Git) Push(ctx context.Context, worktree, remote, branch string) error {
	err := errors.Join(checkPath(worktree), checkRemote(remote), checkBranch(branch))
	if err == nil {
		err = g.push(ctx, worktree, remote, branch)
	}
	if err != nil {
		return fmt.Errorf("push %s to %s: %w", branch, remote, err)
	}
	return nil
}

func (g *Git) push(ctx context.Context, worktree, remote, branch string) error {
	if err := g.ownTop(ctx, worktree); err != nil {
		return err
	}
	ref := "refs/heads/" + branch
	id, err := g.resolve(ctx, worktree, ref)
	if exitCode(err) == 1 {
		return ErrNoBranch
	}
	if err != nil {
		return err
	}
	// The id and not the branch is pushed, so that what is checked below is what was sent.
	_, err = g.run(ctx, call{
		dir: worktree, write: true, limit: g.limits.push,
		args: []string{"push", "--quiet", "--no-follow-tags", "--", remote, id + ":" + ref},
	})
	if err != nil {
		return err
	}
	return g.pushed(ctx, worktree, remote, ref, id)
}

// pushed asks the remote that was pushed to, which need not be the one that is fetched from.
func (g *Git) pushed(ctx context.Context, worktree, remote, ref, id string) error {
	from, err := g.line(ctx, worktree, "remote", "get-url", remote)
	if err != nil {
		return err
	}
	to, err := g.line(ctx, worktree, "remote", "get-url", "--push", remote)
	if err != nil {
		return err
	}
	asked := remote
	if to != from {
		asked = to
	}
	out, err := g.run(ctx, call{dir: worktree, limit: g.limits.remote, args: []string{"ls-remote", "--quiet", "--", asked, ref}})
	if err != nil {
		return err
	}
	there, _, _ := strings.Cut(out, "\t")
	switch there {
	case id:
		return nil
	case "":
		return errors.New("git reported success, but the remote does not have the branch")
	}
	return fmt.Errorf("git reported success, but the remote's branch is at %s instead of %s", there, id)
}
