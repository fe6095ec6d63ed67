package engine

import (
	"context"
	"fmt"

	"fermata/pieces"
)

// atWorktree locks a piece for an action that starts a session in its worktree, and makes sure that the worktree is there.
// Where the action is not legal any more, its move says so. cannot begins the sentence of a refusal. Without an error the
// caller has to call unlock.
func (e *Engine) atWorktree(ctx context.Context, r Request, cannot func(error) pieces.Sentence) (s pieces.Snapshot, unlock func(), err error) {
	unlock, err = e.locks.lock(ctx, r.PieceID)
	if err != nil {
		return s, nil, fmt.Errorf("%s on piece %s: %w", r.Action, r.PieceID, err)
	}
	if s, err = e.inWorktree(ctx, r, cannot); err != nil {
		unlock()
		return s, nil, err
	}
	return s, unlock, nil
}

func (e *Engine) inWorktree(ctx context.Context, r Request, cannot func(error) pieces.Sentence) (pieces.Snapshot, error) {
	s, err := e.Piece(ctx, r.PieceID)
	if err != nil || !s.Legal(r.Action) {
		return s, err
	}
	project, err := e.Project(ctx, s.Piece.ProjectID)
	if err != nil {
		return s, err
	}
	if err := e.Git.CheckWorktree(ctx, project.Path, s.Piece.Worktree, s.Piece.Branch); err != nil {
		return s, refuse(err, "%s", cannot(err))
	}
	return s, nil
}

// besides is the row of a session that works in the piece's worktree beside its graph.
func (e *Engine) besides(p pieces.Piece, kind pieces.SessionKind, what string) pieces.Session {
	at := e.Now()
	return pieces.Session{
		ID: e.NewID(), ProjectID: p.ProjectID, PieceID: p.ID, Kind: kind, Name: p.Name + ": " + what,
		State: pieces.SessionStarting, Branch: p.Branch, Worktree: p.Worktree, CreatedAt: at, UpdatedAt: at,
	}
}

// startBeside starts a session's work in the group of a name, and returns the piece as it is then. The piece says already that the session
// works, so it has to, whatever becomes of the caller; and the caller may ask for its row before its process is there.
func (e *Engine) startBeside(ctx context.Context, name string, session pieces.Session, work func(ctx context.Context, g *group)) (pieces.Snapshot, error) {
	ctx = context.WithoutCancel(ctx)
	if err := e.Store.SaveSession(ctx, session); err != nil {
		e.Log.Error("write session", "session", session.ID, "err", err)
	}
	e.groups.start(e.ctx, name, work)
	return e.Piece(ctx, session.PieceID)
}
