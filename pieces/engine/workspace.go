package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"fermata/pieces"
)

// Workspace is a piece's worktree, ready to be worked in, with what one needs to know there.
type Workspace struct {
	Piece    pieces.Snapshot
	Spec     string // empty when there is none yet
	Strategy string
	Made     bool // it was not on disk and was made again from the branch
}

// OpenWorkspace gets a piece's worktree ready, and makes it again from the branch when it was removed. A worktree that is
// there is left exactly as it is.
func (e *Engine) OpenWorkspace(ctx context.Context, pieceID string, by pieces.Actor) (Workspace, error) {
	s, made, err := e.openWorktree(ctx, pieceID, by)
	if err != nil {
		return Workspace{}, err
	}
	if made {
		// The person or another client works there, perhaps before any session of ours does.
		project, err := e.Project(ctx, s.Piece.ProjectID)
		if err != nil {
			return Workspace{}, err
		}
		e.furnish(ctx, project, s.Piece.Worktree)
	}
	w := Workspace{Piece: s, Made: made}
	if w.Spec, err = e.text(ctx, pieceID, pieces.ArtifactSpec); err != nil {
		return w, err
	}
	w.Strategy, err = e.text(ctx, pieceID, pieces.ArtifactStrategy)
	return w, err
}

func (e *Engine) openWorktree(ctx context.Context, pieceID string, by pieces.Actor) (s pieces.Snapshot, made bool, err error) {
	unlock, err := e.locks.lock(ctx, pieceID)
	if err != nil {
		return s, false, fmt.Errorf("open workspace of piece %s: %w", pieceID, err)
	}
	defer unlock()
	if s, err = e.Piece(ctx, pieceID); err != nil {
		return s, false, err
	}
	p := s.Piece
	if p.Branch == "" {
		return s, false, refuse(nil, "This piece has no branch to open.")
	}
	project, err := e.Project(ctx, p.ProjectID)
	if err != nil {
		return s, false, err
	}
	path := p.Worktree
	if path == "" {
		path = e.worktreePath(project, p.Branch)
	}
	err = e.Git.CheckWorktree(ctx, project.Path, path, p.Branch)
	if errors.Is(err, pieces.ErrWorktreeMissing) {
		made = true
		err = e.remakeWorktree(ctx, project, p, path, p.Branch)
	}
	if err != nil {
		return s, false, refuse(err, "Fermata could not open the worktree %s on the branch %s, and changed nothing: %v", path, p.Branch, err)
	}
	if !made && p.Worktree == path && !p.WorktreeMissing {
		return s, false, nil
	}
	s, err = e.moveLocked(context.WithoutCancel(ctx), pieceID, pieces.OnWorktree, by, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.Worktree, c.Piece.WorktreeMissing = path, false
		if made {
			c.Note = pieces.Say("The worktree was made again from the branch.")
		}
		return nil
	})
	return s, made, err
}

// remakeWorktree records a worktree, of the piece or of one of its agents, and makes it for the branch, which is there already.
func (e *Engine) remakeWorktree(ctx context.Context, project pieces.Project, p pieces.Piece, path, branch string) error {
	unlock, err := e.locks.lock(ctx, "repository "+project.Path)
	if err != nil {
		return err
	}
	defer unlock()
	w, known, err := e.recordOf(ctx, p.ID, path)
	if err != nil {
		return err
	}
	if !known {
		w = pieces.WorktreeRecord{Path: path, ProjectID: project.ID, PieceID: p.ID, Repo: project.Path, Branch: branch, CreatedAt: e.Now()}
		if err := e.Store.RecordWorktree(ctx, w); err != nil {
			return fmt.Errorf("record worktree %s: %w", path, err)
		}
	}
	if err = e.Git.OpenWorktree(ctx, project.Path, path, branch); err == nil && w.Prepared {
		w.Prepared = false // what made the old one ready went with it
		return e.Store.RecordWorktree(context.WithoutCancel(ctx), w)
	}
	if err == nil || known {
		return err
	}
	if ferr := e.Store.ForgetWorktree(context.WithoutCancel(ctx), path); ferr != nil {
		e.Log.Error("forget worktree", "path", path, "err", ferr)
	}
	return err
}

// worktreePath is where the worktree of a piece's branch belongs.
func (e *Engine) worktreePath(project pieces.Project, branch string) string {
	return filepath.Join(e.WorktreeRoot, folderOf(project), strings.TrimPrefix(branch, "fermata/"))
}
