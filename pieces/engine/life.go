package engine

import (
	"context"
	"errors"
	"fmt"

	"fermata/pieces"
)

// Start mends what an earlier start left behind and begins to work. ctx ends the engine's work; Close waits for it.
func (e *Engine) Start(ctx context.Context) error {
	e.ctx, e.cancel = context.WithCancelCause(ctx)
	if err := e.mend(e.ctx); err != nil {
		e.cancel(errQuitting)
		return fmt.Errorf("mend what the last start left: %w", err)
	}
	if err := e.readSeats(e.ctx); err != nil {
		e.cancel(errQuitting)
		return err
	}
	wake, stop := e.Store.Watch()
	e.work.Go(func() {
		defer stop()
		for {
			select {
			case <-wake:
				e.hub.Wake()
			case <-e.ctx.Done():
				return
			}
		}
	})
	e.work.Go(func() { e.poll(e.ctx) })
	e.work.Go(func() { e.keepDependencies(e.ctx) })
	e.work.Go(func() { e.keepLoops(e.ctx) })
	e.spawn("autoplay at the start", func(ctx context.Context) error {
		list, err := e.Pieces(ctx, pieces.PieceFilter{})
		for _, s := range list {
			e.autoplay(s)
		}
		return err
	})
	return nil
}

// Close ends every session, verifies that its processes are gone, and waits for all work. Agents that ran are found
// interrupted by the next Start and can be resumed.
func (e *Engine) Close() {
	if e.cancel == nil {
		return
	}
	e.cancel(errQuitting)
	e.groups.stopAll(errQuitting)
	e.work.Wait()
}

// mend makes the state true after a crash or a quit: recorded processes are verified gone, live states become what
// their row of the rail says, and worktrees are checked.
func (e *Engine) mend(ctx context.Context) error {
	left, err := e.endSessions(ctx)
	if err != nil {
		return err
	}
	checkouts, err := e.Store.Checkouts(ctx)
	if err != nil {
		return err
	}
	if err := e.checkWorktrees(ctx, checkouts); err != nil {
		return err
	}
	list, err := e.Pieces(ctx, pieces.PieceFilter{IncludeArchived: true, CutOff: true})
	if err != nil {
		return err
	}
	for _, s := range list {
		if err := e.recoverPiece(ctx, s, left[s.Piece.ID]); err != nil {
			return err
		}
	}
	return nil
}

const interruptedWords = "Fermata stopped while this was running."

func (e *Engine) endSessions(ctx context.Context) (map[string]string, error) {
	live, err := e.Store.Sessions(ctx, pieces.SessionFilter{LiveOnly: true, IncludeHidden: true})
	if err != nil {
		return nil, err
	}
	left := map[string]string{}
	for _, s := range live {
		words := interruptedWords
		if s.Host.PID != 0 {
			if err := e.Agents.Gone(ctx, s.Host); err != nil {
				words = interruptedWords + " A process of it could not be ended: " + err.Error()
				left[s.PieceID] = words
			}
		}
		now := e.Now()
		s.State, s.Error, s.EndedAt, s.UpdatedAt = pieces.SessionFailed, words, &now, now
		if err := e.Store.SaveSession(ctx, s); err != nil {
			return nil, fmt.Errorf("write session %s: %w", s.ID, err)
		}
	}
	return left, nil
}

func (e *Engine) recoverPiece(ctx context.Context, s pieces.Snapshot, left string) error {
	if err := e.recoverCodeReview(ctx, s, left); err != nil {
		return err
	}
	if !pieces.LiveState(s.State()) {
		return e.cutOffTasks(ctx, s)
	}
	if s.Piece.Activity == pieces.CreatingPR {
		// No feedback session works on any more.
		if err := e.note(ctx, s.Piece.ID, func(_ pieces.Snapshot, c *pieces.Change) error {
			endFeedback(c)
			return nil
		}); err != nil {
			return err
		}
		return e.recoverPR(ctx, s)
	}
	words := pieces.Say("Fermata stopped while this was running.")
	if left != "" {
		words = pieces.Quote(left)
	}
	if left == "" {
		e.loops.noteCutOff(s.Piece.ID)
	}
	home := homecoming{}
	if s.Piece.Activity == pieces.Changing {
		home = e.bringHome(ctx, s.Piece.ID, errors.New("it was cut off"))
	}
	_, err := e.move(ctx, s.Piece.ID, pieces.OnInterrupted, pieces.ByFermata, func(s pieces.Snapshot, c *pieces.Change) error {
		c.Piece.Failure, c.Note = words.String(), words
		if c.Piece.Activity == pieces.Paused {
			c.Piece.Pause = pieces.PauseInterrupted
		}
		c.Tasks = cutOff(s.Tasks, pieces.TaskInterrupted, interruptedWords)
		home.write(c)
		return nil
	})
	return err
}

// cutOffTasks mends a paused piece whose agent waited for the person when Fermata stopped.
func (e *Engine) cutOffTasks(ctx context.Context, s pieces.Snapshot) error {
	if len(cutOff(s.Tasks, pieces.TaskInterrupted, interruptedWords)) == 0 {
		return nil
	}
	return e.note(ctx, s.Piece.ID, func(s pieces.Snapshot, c *pieces.Change) error {
		c.Tasks = cutOff(s.Tasks, pieces.TaskInterrupted, interruptedWords)
		return nil
	})
}

// recoverPR looks for a pull request of the head branch before it says that there is none.
func (e *Engine) recoverPR(ctx context.Context, s pieces.Snapshot) error {
	project, err := e.Project(ctx, s.Piece.ProjectID)
	if err != nil {
		return err
	}
	words := pieces.Say("Fermata stopped while it opened the pull request. There was none on the remote; it can be opened again.")
	if remote, err := e.remoteOf(ctx, project); err == nil {
		pr, err := e.Forge.Find(ctx, remote.URL, s.Piece.Branch)
		if err == nil && pr != nil {
			_, err := e.prOpened(ctx, s.Piece.ID, *pr, 0)
			return err
		}
		if err != nil {
			words = pieces.Say("Fermata stopped while it opened the pull request, and cannot tell whether it is open: %v", err)
		}
	}
	e.loops.noteCutOff(s.Piece.ID)
	_, err = e.move(ctx, s.Piece.ID, pieces.OnPRFailed, pieces.ByFermata, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.Failure, c.Note = words.String(), words
		return nil
	})
	return err
}

// checkWorktrees notes which recorded worktrees are on disk as git knows them. Only git's own "it is not there" counts: any
// other error changes nothing.
func (e *Engine) checkWorktrees(ctx context.Context, list []pieces.Checkout) error {
	of := map[string]map[string]string{} // by project, the branch of each path
	for _, c := range list {
		if of[c.ProjectID] == nil {
			of[c.ProjectID] = map[string]string{}
		}
		of[c.ProjectID][c.Worktree] = c.Branch
	}
	missing := map[string]map[string]bool{}
	for id, branches := range of {
		project, err := e.Project(ctx, id)
		if err != nil {
			return err
		}
		if missing[id], err = e.Git.MissingWorktrees(ctx, project.Path, branches); err != nil {
			e.Log.Warn("check worktrees", "project", id, "err", err)
			delete(missing, id)
		}
	}
	for _, c := range list {
		known, read := missing[c.ProjectID]
		if !read {
			continue
		}
		if err := e.noteWorktree(ctx, c, known[c.Worktree]); err != nil && !errors.Is(err, pieces.ErrStale) {
			return err
		}
	}
	return nil
}

// noteWorktree writes whether a piece's worktree is missing, if that is news.
func (e *Engine) noteWorktree(ctx context.Context, was pieces.Checkout, missing bool) error {
	if missing == was.Missing {
		return nil
	}
	_, err := e.move(ctx, was.PieceID, pieces.OnWorktree, pieces.ByFermata, func(now pieces.Snapshot, c *pieces.Change) error {
		if now.Piece.Version != was.Version {
			return pieces.ErrStale // markDone or the like took it away, or brought it back, since the piece was read
		}
		c.Piece.WorktreeMissing = missing
		return nil
	})
	return err
}
