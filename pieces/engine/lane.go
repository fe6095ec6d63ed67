package engine

import (
	"context"
	"slices"

	"fermata/pieces"
)

func checkLane(r Request) error {
	if !slices.Contains(pieces.Lanes(), r.Lane) {
		return refuse(nil, "setLane takes the lane manual, auto or loop, not %q.", r.Lane)
	}
	return nil
}

// setLane hands the piece to another lane and starts nothing by itself: Play is not pressed by it, and leaving Auto clears a
// pressed one. A piece in the Loop's lane waits for a Loop that is playing.
func (e *Engine) setLane(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.act(ctx, r, func(s pieces.Snapshot, c *pieces.Change) error {
		if r.Lane != pieces.LaneAuto {
			c.Piece.Play = false
		}
		c.Note = pieces.Say("From %s to %s", s.Piece.Config.Lane, r.Lane)
		c.Piece.Config.Lane = r.Lane
		return nil
	})
}
