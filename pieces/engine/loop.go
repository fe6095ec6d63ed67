package engine

import (
	"context"
	"fmt"

	"fermata/pieces"
)

// PlayLoop lets a project's Loop play: it takes the pieces and drafts of its lane, one after the other, through to an opened
// pull request. It plays on after a restart, until it is paused. Playing a Loop that plays changes nothing.
func (e *Engine) PlayLoop(ctx context.Context, projectID string, by pieces.Actor) (pieces.Project, error) {
	return e.setLoop(ctx, projectID, true, by)
}

// PauseLoop lets the Loop start nothing new. What runs goes on to its next gate.
func (e *Engine) PauseLoop(ctx context.Context, projectID string, by pieces.Actor) (pieces.Project, error) {
	return e.setLoop(ctx, projectID, false, by)
}

func (e *Engine) setLoop(ctx context.Context, projectID string, plays bool, by pieces.Actor) (pieces.Project, error) {
	unlock, err := e.locks.lock(ctx, "project "+projectID)
	if err != nil {
		return pieces.Project{}, fmt.Errorf("set the Loop of project %s: %w", projectID, err)
	}
	defer unlock()
	p, err := e.Project(ctx, projectID)
	if err != nil || p.LoopPlaying == plays {
		return p, err
	}
	p.LoopPlaying = plays
	if err := e.Store.SaveProject(ctx, p); err != nil {
		return p, fmt.Errorf("write project %s: %w", projectID, err)
	}
	e.Log.Info("loop", "project", p.Name, "playing", plays, "by", by)
	return p, nil
}
