package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"fermata/pieces"
)

// DiskUse is what one worktree takes.
type DiskUse struct {
	Path    string
	Branch  string
	PieceID string
	Piece   string // its name; empty when the piece is deleted
	Agent   string // the agent whose worktree it is; empty for the piece's own
	Bytes   int64
	Missing bool // the folder is not there
	// Keeps says in a few words why the worktree is not released; empty when it can be.
	Keeps string
}

// DiskUse measures the worktrees of a project, in the order in which they were made. It reads every file's size, so it
// takes its time.
func (e *Engine) DiskUse(ctx context.Context, projectID string) ([]DiskUse, error) {
	records, err := e.Store.Worktrees(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("read worktrees: %w", err)
	}
	var list []DiskUse
	for _, w := range records {
		if w.ProjectID != projectID {
			continue
		}
		u, err := e.diskUse(ctx, w)
		if err != nil {
			return nil, err
		}
		list = append(list, u)
	}
	return list, nil
}

func (e *Engine) diskUse(ctx context.Context, w pieces.WorktreeRecord) (DiskUse, error) {
	u := DiskUse{Path: w.Path, Branch: w.Branch, PieceID: w.PieceID}
	s, err := e.Piece(ctx, w.PieceID)
	switch {
	case isUnknown(err):
		u.Keeps = "Its piece is deleted"
	case err != nil:
		return u, err
	default:
		u.Piece = s.Piece.Name
		if t, ok := s.Task(w.TaskID); ok {
			u.Agent = t.Name
		}
		u.Keeps = e.keeps(ctx, s, w.Path)
	}
	u.Bytes, err = e.Git.DiskUse(ctx, w.Path)
	if errors.Is(err, fs.ErrNotExist) {
		u.Missing, u.Keeps = true, "The folder is not there"
		return u, nil
	}
	return u, err
}

// keeps says why a worktree of a piece is not released: only clean ones are, of pieces that are over.
func (e *Engine) keeps(ctx context.Context, s pieces.Snapshot, path string) string {
	switch {
	case !s.Undeletable().Empty():
		return "The piece is busy"
	case s.Piece.Phase != pieces.PhaseComplete && !s.Piece.Archived:
		return "The piece is not done"
	case s.Piece.WorktreeMissing:
		return "The worktree is missing"
	}
	status, err := e.Git.Status(ctx, path)
	switch {
	case err != nil && errors.Is(err, pieces.ErrWorktreeMissing) && path != s.Piece.Worktree:
		return "" // there is nothing to lose
	case err != nil:
		return "It cannot be read: " + err.Error()
	case status.Dirty():
		return "It has changes that no commit holds"
	}
	return ""
}

// ReleaseWorktree removes the clean worktrees of a piece that is done or archived, the same way as when its pull request
// is merged: the branch stays, and open_piece_workspace makes the worktree again.
func (e *Engine) ReleaseWorktree(ctx context.Context, pieceID string, by pieces.Actor) error {
	unlock, err := e.locks.lock(ctx, pieceID)
	if err != nil {
		return fmt.Errorf("release the worktree of piece %s: %w", pieceID, err)
	}
	defer unlock()
	s, err := e.Piece(ctx, pieceID)
	if err != nil {
		return err
	}
	list, err := e.Store.Worktrees(ctx, pieceID)
	if err != nil {
		return fmt.Errorf("read worktrees: %w", err)
	}
	for _, w := range list {
		if words := e.keeps(ctx, s, w.Path); words != "" {
			return refuse(nil, "The worktree %s stays: %s.", w.Path, words)
		}
	}
	if err := e.releaseLocked(ctx, s.Piece, by, pieces.Say("The clean worktree was released.")); err != nil {
		return refuse(err, "The worktree stays: %v", err)
	}
	return nil
}

// releaseLocked removes the worktrees of a piece whose lock is held, and says so in its history.
func (e *Engine) releaseLocked(ctx context.Context, p pieces.Piece, by pieces.Actor, note pieces.Sentence) error {
	ctx = context.WithoutCancel(ctx) // quitting between a removal and the record of it would leave a lie
	saved, err := e.clearWorktrees(ctx, p)
	if err != nil {
		return err
	}
	_, err = e.moveLocked(ctx, p.ID, pieces.OnWorktree, by, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.Worktree, c.Note = "", note
		if saved != "" {
			c.Piece.SavedRef = saved
		}
		return nil
	})
	return err
}
