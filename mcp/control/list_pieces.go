package control

import (
	"context"

	"fermata/pieces"
)

var listPieces = tool{
	name: "list_pieces", title: "List pieces and drafts", reads: true, repeatable: true,
	description: "List pieces, then Backlog drafts (see kind), of all projects or one. A piece row has phase, gate (the decision that waits for a person; null while working), activity, progress and prURL.",
	args: []arg{
		argProjectID, argCwd,
		{name: "includeArchived", kind: kindFlag, def: false},
	},
	run: (*control).listPieces,
}

func (c *control) listPieces(ctx context.Context, a args) (any, error) {
	rows := []any{}
	projectID, none, err := c.scope(ctx, a)
	if err != nil || none {
		return map[string]any{"pieces": rows}, err
	}
	startSplits, err := c.on(ctx, keyStartSplits)
	if err != nil {
		return nil, err
	}
	// Drafts are read first: one that is released meanwhile is then read twice, and never missed.
	drafts, err := c.Engine.Drafts(ctx, projectID)
	if err != nil {
		return nil, err
	}
	list, err := c.Engine.Pieces(ctx, pieces.PieceFilter{ProjectID: projectID, IncludeArchived: a.flag("includeArchived")})
	if err != nil {
		return nil, err
	}
	isPiece := make(map[string]bool, len(list))
	for _, s := range list {
		isPiece[s.Piece.ID] = true
		rows = append(rows, pieceRowOf(s, startSplits))
	}
	for _, d := range drafts {
		if !isPiece[d.ID] {
			rows = append(rows, draftRowOf(d))
		}
	}
	return map[string]any{"pieces": rows}, nil
}
