package engine

import (
	"context"
	"errors"
	"fmt"

	"fermata/pieces"
)

// markDone saves what would be lost, removes the piece's worktree and completes it. When anything of that cannot be done
// the piece stays where it was.
func (e *Engine) markDone(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	unlock, err := e.locks.lock(ctx, r.PieceID)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	s, _, err := e.Check(ctx, r)
	if err != nil {
		return Result{}, err
	}
	if err := e.stillMissing(ctx, s.Piece, r.By); err != nil {
		return Result{}, err
	}
	if s.Piece.Worktree != "" {
		if err := e.unused(s.Piece.Worktree); err != nil {
			return Result{}, err // before a feedback session is ended for it
		}
	}
	if r.Bound != "" {
		now, err := e.Effect(ctx, r)
		if err != nil {
			return Result{}, err
		}
		if now.Fingerprint != r.Bound {
			return Result{}, fmt.Errorf("mark piece %s done: what would be lost changed: %w", r.PieceID, pieces.ErrStale)
		}
	}
	// From here on it is carried through: a caller that hangs up between a removal and the record of it would leave a
	// piece that names a worktree which is neither there nor known to be missing.
	ctx = context.WithoutCancel(ctx)
	cost, err := e.stopChanges(ctx, s)
	if err != nil {
		return Result{}, e.notDone(ctx, s, cost, err)
	}
	saved := ""
	if err = e.stopCodeReview(ctx, s); err == nil {
		saved, err = e.clearWorktrees(ctx, s.Piece)
	}
	if err != nil {
		return Result{}, e.notDone(ctx, s, cost, err)
	}
	s, err = e.moveLocked(ctx, r.PieceID, pieces.Trigger(pieces.MarkDone), r.By, func(_ pieces.Snapshot, c *pieces.Change) error {
		now := e.Now()
		c.Piece.CostUSD += cost
		c.Piece.CompletedAt, c.Piece.Worktree, c.Piece.WorktreeMissing = &now, "", false
		if saved != "" {
			c.Piece.SavedRef, c.Note = saved, pieces.Say("Saved to %s", saved)
		}
		return nil
	})
	return Result{Piece: s}, err
}

// stillMissing refuses to go on for a worktree that was missing and has come back meanwhile, as on a disk that was mounted
// again: what it holds was not in what the person was asked.
func (e *Engine) stillMissing(ctx context.Context, p pieces.Piece, by pieces.Actor) error {
	if p.Worktree == "" || !p.WorktreeMissing {
		return nil
	}
	project, err := e.Project(ctx, p.ProjectID)
	if err != nil {
		return err
	}
	err = e.Git.CheckWorktree(ctx, project.Path, p.Worktree, p.Branch)
	if errors.Is(err, pieces.ErrWorktreeMissing) {
		return nil
	}
	if err != nil {
		return refuse(err, "Fermata cannot tell whether the worktree %s is really gone, so it changed nothing: %v", p.Worktree, err)
	}
	if _, err := e.moveLocked(ctx, p.ID, pieces.OnWorktree, by, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.WorktreeMissing = false
		return nil
	}); err != nil {
		return err
	}
	return fmt.Errorf("mark piece %s done: the worktree %s is there again: %w", p.ID, p.Worktree, pieces.ErrStale)
}

// forgetMissing strikes a worktree that is not there off git's list and ours. A folder that somebody put in its place is
// left alone, and so is the record of what was there.
func (e *Engine) forgetMissing(ctx context.Context, w pieces.WorktreeRecord) error {
	if err := e.Git.RemoveWorktree(ctx, w.Repo, w.Path, e.WorktreeRoot, ""); err != nil && !errors.Is(err, pieces.ErrWorktreeMissing) {
		e.Log.Warn("a missing worktree stays on record", "path", w.Path, "err", err)
		return nil
	}
	if err := e.Store.ForgetWorktree(ctx, w.Path); err != nil {
		return fmt.Errorf("forget the worktree %s: %w", w.Path, err)
	}
	return nil
}

// vanished says whether a worktree beside the piece's own was taken away from outside: an agent's, or one for restored work. The
// piece's own is a state of the piece, which is written when git says so.
func (e *Engine) vanished(ctx context.Context, w pieces.WorktreeRecord) bool {
	s, err := e.Piece(ctx, w.PieceID)
	if err == nil && s.Piece.Worktree == w.Path {
		return false
	}
	return errors.Is(e.Git.CheckWorktree(ctx, w.Repo, w.Path, w.Branch), pieces.ErrWorktreeMissing)
}

// clearWorktrees removes every recorded worktree of a piece, its own and its agents', each saved first where it holds
// anything that no branch does. It returns the ref that holds what the piece's own worktree had.
func (e *Engine) clearWorktrees(ctx context.Context, p pieces.Piece) (saved string, err error) {
	list, err := e.Store.Worktrees(ctx, p.ID)
	if err != nil {
		return "", fmt.Errorf("read worktrees: %w", err)
	}
	for _, w := range list {
		if err := e.unused(w.Path); err != nil {
			return "", err // before any of them is removed
		}
	}
	for i, w := range list {
		if w.Path == p.Worktree && p.WorktreeMissing || e.vanished(ctx, w) {
			if err := e.forgetMissing(ctx, w); err != nil {
				return saved, err
			}
			continue
		}
		ref := pieces.SavedRef(p.ID, e.Now(), 0)
		if w.Path != p.Worktree {
			ref = pieces.SavedRef(p.ID, e.Now(), i+1)
		}
		commit, err := e.Git.Save(ctx, w.Path, ref)
		if err != nil {
			return saved, fmt.Errorf("save what the worktree %s holds: %w", w.Path, err)
		}
		if commit == "" {
			ref = ""
		}
		if err := e.removeWorktree(ctx, w, ref); err != nil {
			return saved, fmt.Errorf("remove the worktree %s: %w", w.Path, err)
		}
		if w.Path == p.Worktree {
			saved = ref
		}
	}
	return saved, nil
}
