package engine

import (
	"context"
	"errors"

	"fermata/pieces"
)

// moveOn lets a piece that waited start from what landed meanwhile. A piece that has work of its own stays on its base, and so
// does one whose repository cannot be asked: either way it goes on, and the note says from where.
func (e *Engine) moveOn(ctx context.Context, s pieces.Snapshot, c *pieces.Change) {
	base, err := e.freshBase(ctx, s.Piece)
	switch {
	case err != nil:
		c.Note = pieces.Say("Stays on its base: %v", err)
		e.Log.Info("a piece that waited stays on its base", "piece", s.Piece.ID, "err", err)
	case base.Commit != s.Piece.Base.Commit:
		c.Note = pieces.Say("Starts from %s at %s", base.Branch, short(base.Commit))
		c.Piece.Base = base
	}
}

// freshBase moves the piece's branch on to the base branch as it is now.
func (e *Engine) freshBase(ctx context.Context, p pieces.Piece) (pieces.Base, error) {
	if p.Worktree == "" || p.WorktreeMissing {
		return p.Base, nil
	}
	project, err := e.Project(ctx, p.ProjectID)
	if err != nil {
		return p.Base, err
	}
	base, err := e.Git.Base(ctx, project.Path, project.Branch)
	if err != nil || base.Commit == p.Base.Commit {
		return p.Base, err
	}
	status, err := e.Git.Status(ctx, p.Worktree)
	switch {
	case err != nil:
		return p.Base, err
	case status.Head == base.Commit: // moved on just before Fermata ended
		return base, nil
	case status.Head != p.Base.Commit || status.Dirty():
		return p.Base, errors.New("there is work on its branch already")
	}
	return base, e.Git.FastForward(ctx, p.Worktree, p.Branch, base.Commit)
}
