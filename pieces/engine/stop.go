package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fermata/pieces"
)

// stopRun ends every agent of the piece and says "stopped" only once every process of theirs is verified gone.
func (e *Engine) stopRun(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	s, err := e.move(ctx, r.PieceID, pieces.Trigger(pieces.StopAgents), r.By, nil)
	if err != nil {
		return Result{}, err
	}
	done := make(chan struct{})
	var end pieces.Snapshot
	var endErr error
	e.spawn("stop agents", func(context.Context) error {
		defer close(done)
		end, endErr = e.finishStop(s.Piece.ID)
		return endErr
	})
	select {
	case <-done:
		return Result{Piece: end}, endErr
	case <-ctx.Done():
		return Result{Piece: s, Message: "The agents are being stopped."}, nil
	}
}

// finishStop runs under the app's life: a stop that was allowed is carried out even when nobody waits for it.
func (e *Engine) finishStop(id string) (pieces.Snapshot, error) {
	ctx := context.WithoutCancel(e.ctx)
	// One stop at a time: a second one finds nothing left to wait for, and must not say "stopped" before the first.
	unlock, err := e.locks.lock(ctx, "stop "+id)
	if err != nil {
		return pieces.Snapshot{}, err
	}
	defer unlock()
	if s, err := e.Piece(ctx, id); err != nil || s.Piece.Activity != pieces.Stopping {
		return s, err
	}
	e.seats.drop(id)
	left := e.groups.stop(id, errStopped)
	// What an earlier stop could not end is tried again.
	for _, l := range e.live.ofPiece(id) {
		conv := e.live.conversation(l)
		end, err := conv.Stop(ctx)
		switch {
		case err != nil:
			e.Log.Error("stop session again", "session", l.id, "err", err)
		case len(end.Left) == 0:
			e.live.remove(l)
		default:
			left = append(left, end.Left...)
		}
	}
	on, words := pieces.OnStopped, pieces.Sentence{}
	if len(left) > 0 {
		var names []string
		for _, p := range left {
			names = append(names, fmt.Sprintf("%s (process %d)", p.Command, p.PID))
		}
		on, words = pieces.OnStopFailed, pieces.Say("These processes could not be ended: %s.", strings.Join(names, ", "))
	}
	var s pieces.Snapshot
	err = e.insist("the end of a stop", func() (err error) {
		s, err = e.move(ctx, id, on, pieces.ByFermata, func(s pieces.Snapshot, c *pieces.Change) error {
			c.Piece.Failure, c.Note = words.String(), words
			if on == pieces.OnStopped {
				c.Piece.Pause = pieces.PauseStopped
				c.Tasks = cutOff(s.Tasks, pieces.TaskCancelled, "Stopped.")
			}
			return nil
		})
		return err
	})
	return s, err
}

// cutOff returns the tasks that were running with what became of them; a cut off review waits to run again.
func cutOff(tasks []pieces.Task, state pieces.TaskState, why string) []pieces.Task {
	var out []pieces.Task
	for _, t := range tasks {
		if !slices.Contains(pieces.LiveTaskStates(), t.State) {
			continue
		}
		t.State, t.Failure = state, why
		if t.Kind == pieces.TaskReview {
			t.State, t.Failure = pieces.TaskPending, ""
		}
		out = append(out, t)
	}
	return out
}
