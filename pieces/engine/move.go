package engine

import (
	"context"
	"errors"
	"fmt"

	"fermata/pieces"
)

// change fills in what a transition writes besides the state; an error leaves everything as it was.
type change func(s pieces.Snapshot, c *pieces.Change) error

// move carries one transition out: it reads the piece under its lock, asks the rail, lets fill add the facts, and writes
// all in one transaction. A trigger that the rail does not know at the piece's state is pieces.ErrStale.
func (e *Engine) move(ctx context.Context, id string, on pieces.Trigger, by pieces.Actor, fill change) (pieces.Snapshot, error) {
	unlock, err := e.locks.lock(ctx, id)
	if err != nil {
		return pieces.Snapshot{}, fmt.Errorf("move piece %s: %w", id, err)
	}
	defer unlock()
	return e.moveLocked(ctx, id, on, by, fill)
}

func (e *Engine) moveLocked(ctx context.Context, id string, on pieces.Trigger, by pieces.Actor, fill change) (pieces.Snapshot, error) {
	s, err := e.Piece(ctx, id)
	if err != nil {
		return s, err
	}
	from := s.State()
	to, ok := pieces.Next(from, s.Piece.Before, on, s.Facts())
	// An action was legal when it was asked for; that it still is, an archived piece included, is only known here.
	if action := pieces.Action(on); ok && isAction(action) {
		ok = s.Legal(action)
	}
	if !ok {
		return s, fmt.Errorf("move piece %s on %s from %s/%s: %w", id, on, from.Phase, from.Activity, pieces.ErrStale)
	}
	c := pieces.Change{Piece: s.Piece, From: from, Trigger: on, By: by}
	c.Piece.Phase, c.Piece.Activity = to.Phase, to.Activity
	if to.Activity == pieces.CreatingPR && to != from {
		c.Piece.Before = from.Activity
	}
	if to != from {
		c.Piece.Failure = ""
		if to.Activity != pieces.Paused {
			c.Piece.Pause = pieces.PauseNone
		}
	}
	if by != pieces.ByFermata && to.Phase != from.Phase {
		c.Piece.Splits.WaitsForYou = false // the person moved it on
	}
	if fill != nil {
		if err := fill(s, &c); err != nil {
			return s, err
		}
	}
	if _, err := e.Store.Apply(ctx, c); err != nil {
		return s, writeError("write piece "+id, err)
	}
	// What was written has to be followed, also when its caller is gone by now.
	return e.Piece(context.WithoutCancel(ctx), id)
}

func isAction(a pieces.Action) bool {
	_, ok := pieces.RuleOf(a)
	return ok
}

// note writes facts of a piece that are no transition, such as a task's new state, under the piece's lock.
func (e *Engine) note(ctx context.Context, id string, fill change) error {
	unlock, err := e.locks.lock(ctx, id)
	if err != nil {
		return fmt.Errorf("note on piece %s: %w", id, err)
	}
	defer unlock()
	s, err := e.Piece(ctx, id)
	if err != nil {
		return err
	}
	c := pieces.Change{Piece: s.Piece, From: s.State(), Trigger: pieces.OnTaskChanged, By: pieces.ByFermata, Quiet: true}
	if err := fill(s, &c); err != nil {
		return err
	}
	if _, err := e.Store.Apply(ctx, c); err != nil {
		return writeError("write piece "+id, err)
	}
	return nil
}

// spawn runs work that follows from an action, under the app's life and not the call's.
func (e *Engine) spawn(what string, work func(ctx context.Context) error) {
	e.work.Go(func() {
		err := work(e.ctx)
		var refusal *Refusal
		switch {
		case err == nil || errors.Is(err, errQuitting) || e.ctx.Err() != nil:
		case errors.As(err, &refusal):
			e.Log.Info("engine work refused", "what", what, "err", err) // its caller and the piece say so
		default:
			e.Log.Error("engine work ended", "what", what, "err", err)
		}
	})
}

// follow does what a piece's new state asks for: it starts the next step's work, and lets an Auto piece whose Play is
// pressed go through the gate it reached.
func (e *Engine) follow(s pieces.Snapshot) {
	id := s.Piece.ID
	switch s.State() {
	case pieces.State{Phase: pieces.PhaseSpec, Activity: pieces.Interviewing}:
		e.spawn("spec", func(ctx context.Context) error { return e.writeSpec(ctx, id) })
	case pieces.State{Phase: pieces.PhaseStrategy, Activity: pieces.Planning}:
		e.spawn("strategy", func(ctx context.Context) error { return e.writeStrategy(ctx, id) })
	case pieces.State{Phase: pieces.PhaseAgents, Activity: pieces.Decomposing}:
		e.spawn("plan", func(ctx context.Context) error { return e.buildPlan(ctx, id) })
	case pieces.State{Phase: pieces.PhaseAgents, Activity: pieces.Running},
		pieces.State{Phase: pieces.PhaseAgents, Activity: pieces.Pausing}:
		e.goOn(id)
	default:
		e.autoplay(s)
	}
}

// autoplay presses the gate's button for an Auto piece whose Play is pressed; Auto ends at Review.
func (e *Engine) autoplay(s pieces.Snapshot) {
	if s.Piece.Config.Lane != pieces.LaneAuto || !s.Piece.Play || s.Piece.Splits.WaitsForYou || s.DependencyMove() != "" {
		return
	}
	if s.AppliesSplits() {
		e.spawn("auto-split", func(ctx context.Context) error { return e.acceptSplits(ctx, s.Piece.ID) })
		return
	}
	var next pieces.Action
	switch s.Gate() {
	case pieces.GateSpecReady:
		next = pieces.ApproveSpec
	case pieces.GateStrategyReady:
		next = pieces.ApproveStrategy
	case pieces.GatePlanReady:
		next = pieces.StartExecution
	default:
		return
	}
	e.spawn("autoplay", func(ctx context.Context) error {
		_, err := e.Act(ctx, Request{PieceID: s.Piece.ID, Action: next, By: pieces.ByFermata, Lane: s.Piece.Config.Lane})
		return err
	})
}
