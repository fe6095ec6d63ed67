package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"fermata/pieces"
)

// NewPiece is what create_piece makes a piece from.
type NewPiece struct {
	ID        string // chosen by the client, or empty
	ProjectID string
	Prompt    string // the idea that the spec step starts from
	Name      string // until the spec's title replaces it; empty takes the prompt's first line
	Depth     string // of pieces.Depths; balanced when empty
	Model     string // of the spec step alone
	RunAt     string
	By        pieces.Actor
}

// CreatePiece makes a piece with its branch and worktree, and starts its spec step from the prompt. A resend with an id that
// a piece has returns that piece and starts nothing.
func (e *Engine) CreatePiece(ctx context.Context, n NewPiece) (pieces.Snapshot, error) {
	n.ID = cmp.Or(n.ID, e.NewID())
	s, made, err := e.create(ctx, n)
	if err == nil && made {
		e.follow(s)
	}
	return s, err
}

func (e *Engine) create(ctx context.Context, n NewPiece) (pieces.Snapshot, bool, error) {
	unlock, err := e.locks.lock(ctx, n.ID)
	if err != nil {
		return pieces.Snapshot{}, false, fmt.Errorf("create piece %s: %w", n.ID, err)
	}
	defer unlock()
	filed, found, err := e.filed(ctx, n.ID)
	switch {
	case err != nil:
		return pieces.Snapshot{}, false, err
	case found && filed.Released != nil:
		return *filed.Released, false, nil
	case found:
		return pieces.Snapshot{}, false, refuse(pieces.ErrExists, "The id %s belongs to a draft in the Backlog: release that draft, or choose another id.", n.ID)
	case strings.TrimSpace(n.Prompt) == "":
		return pieces.Snapshot{}, false, refuse(nil, "A piece needs a prompt.")
	}
	project, err := e.Project(ctx, n.ProjectID)
	if err != nil {
		return pieces.Snapshot{}, false, err
	}
	p, err := e.newPiece(ctx, pieces.Draft{
		ID: n.ID, ProjectID: project.ID, Title: pieces.TitleOf("", n.Name, n.Prompt), Seed: n.Prompt,
		Lane: pieces.LaneManual, Refine: pieces.RefineIfGaps, Model: n.Model, RunAt: n.RunAt,
	})
	if err != nil {
		return pieces.Snapshot{}, false, err
	}
	p.Config.Depth = cmp.Or(n.Depth, pieces.DepthBalanced)
	if err := e.makeWorktree(ctx, project, &p); err != nil {
		return pieces.Snapshot{}, false, err
	}
	// From here on a client that hangs up must not leave a worktree without its piece.
	ctx = context.WithoutCancel(ctx)
	if err := e.addPiece(ctx, p, n.By); err != nil {
		return pieces.Snapshot{}, false, err
	}
	s, err := e.Piece(ctx, n.ID)
	return s, err == nil, err
}

func (e *Engine) addPiece(ctx context.Context, p pieces.Piece, by pieces.Actor) error {
	from := pieces.State{Phase: pieces.PhaseBacklog, Activity: pieces.Idle}
	to, ok := pieces.Next(from, "", pieces.OnSpecAsked, pieces.Facts{})
	if !ok {
		return errors.New("create piece: the rail has no way to the spec step")
	}
	p.Phase, p.Activity = to.Phase, to.Activity
	_, err := e.Store.AddPiece(ctx, pieces.Change{Piece: p, From: from, Trigger: pieces.OnSpecAsked, By: by})
	if err == nil {
		return nil
	}
	if w, known, rerr := e.recordOf(ctx, p.ID, p.Worktree); rerr == nil && known {
		if rerr := e.removeWorktree(ctx, w, ""); rerr != nil {
			e.Log.Warn("a worktree of a piece that was not made stays", "path", w.Path, "err", rerr)
		}
	}
	return fmt.Errorf("create piece %s: %w", p.ID, err)
}
