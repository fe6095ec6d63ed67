package control

import (
	"context"

	"fermata/pieces"
	"fermata/pieces/engine"
)

var createPiece = tool{
	name: "create_piece", title: "Start a piece", reachesOut: true,
	description: "Create a piece from a prompt and start its spec step, which runs on: poll get_piece for questions and answer them with piece_action interviewMessage. Use create_draft when a spec is already written.",
	args: []arg{
		{name: "prompt", kind: kindText, required: true, format: notBlank, maxLen: pieces.MaxSpec, note: "The idea."},
		argProjectID, argCwd,
		{name: "name", kind: kindText, maxLen: pieces.MaxTitle, note: "A working name until the spec's title replaces it."},
		{name: "depth", kind: kindText, enum: pieces.Depths(), def: pieces.DepthBalanced},
		argModel, argRunAt, argNewID,
	},
	run: (*control).createPiece,
}

// createdView acknowledges a piece.
type createdView struct {
	OK      bool      `json:"ok"`
	PieceID string    `json:"pieceId"`
	Name    string    `json:"name"`
	Phase   phaseView `json:"phase"`
}

func createdOf(s pieces.Snapshot) createdView {
	return createdView{true, s.Piece.ID, s.Piece.Name, phaseOf(s)}
}

func (c *control) createPiece(ctx context.Context, a args) (any, error) {
	// A resend is answered before anything else is looked at: what it names may have changed since.
	if id := a.text("id"); id != "" {
		s, err := c.Engine.Piece(ctx, id)
		if err == nil {
			return createdOf(s), nil
		}
		if !unknown(err) {
			return nil, err
		}
	}
	runAt, err := c.runAt(ctx, a.text("runAt"))
	if err != nil {
		return nil, err
	}
	p, err := c.project(ctx, a)
	if err != nil {
		return nil, err
	}
	s, err := c.Engine.CreatePiece(ctx, engine.NewPiece{
		ID: a.text("id"), ProjectID: p.ID, Prompt: a.text("prompt"), Name: a.text("name"), Depth: a.text("depth"),
		Model: a.text("model"), RunAt: runAt, By: pieces.ByClient,
	})
	if err != nil {
		return nil, err
	}
	return createdOf(s), nil
}
