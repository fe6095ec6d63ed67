package control

import (
	"context"
	"strings"

	"fermata/pieces"
)

var listPieces = tool{
	name: "list_pieces", title: "List pieces and drafts", reads: true, repeatable: true, keeps: true,
	description: "List pieces, then Backlog drafts (see kind), of all projects or one. A piece row has phase, gate (the decision that waits for a person; null while working), activity, progress and prURL.",
	args: []arg{
		argProjectID, argCwd,
		{name: "includeArchived", kind: kindFlag, def: false},
	},
	run: (*control).listPieces,
}

func (c *control) listPieces(ctx context.Context, a args) (any, error) {
	projectID, none, err := c.scope(ctx, a)
	if err != nil || none {
		return map[string]any{"pieces": []any{}}, err
	}
	startSplits, err := c.on(ctx, pieces.KeyStartSplits)
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
	on, err := c.Engine.Dependencies(ctx)
	if err != nil {
		return nil, err
	}
	return c.encodeRows(list, drafts, on, startSplits)
}

// encodeRows is the result of list_pieces.
func (c *control) encodeRows(list []pieces.Snapshot, drafts []pieces.Draft, on map[string][]pieces.Dependency, startSplits bool) (any, error) {
	isPiece := make(map[string]bool, len(drafts))
	for _, d := range drafts {
		isPiece[d.ID] = false
	}
	size := 0
	rows := make([]string, 0, len(list)+len(drafts))
	for i := range list {
		s := &list[i]
		if _, both := isPiece[s.Piece.ID]; both {
			isPiece[s.Piece.ID] = true
		}
		row, err := c.rows.of(s, startSplits)
		if err != nil {
			return nil, err
		}
		rows, size = append(rows, row), size+len(row)+1
	}
	for _, d := range drafts {
		if isPiece[d.ID] {
			continue
		}
		row, err := encodeText(draftRowOf(d, on[d.ID]))
		if err != nil {
			return nil, err
		}
		rows, size = append(rows, row), size+len(row)+1
	}
	const head, tail = `{"pieces":[`, `]}`
	var out strings.Builder
	out.Grow(len(head) + size + len(tail))
	out.WriteString(head)
	for i, row := range rows {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(row)
	}
	out.WriteString(tail)
	return encoded(out.String()), nil
}
