package control

import (
	"context"
	"reflect"

	"fermata/pieces"
	"fermata/pieces/engine"
)

var updateDraft = tool{
	name: "update_draft", title: "Edit a draft", destroys: true, repeatable: true, reachesOut: true,
	description: "Edit a Backlog draft; pass at least one field, the others keep their value. A spec with a # heading renames it. An empty seed or spec clears it, but one of the two has to stay.",
	args: []arg{
		argDraftID,
		{name: "title", kind: kindText, format: notBlank, maxLen: pieces.MaxTitle},
		{name: "seed", kind: kindText, maxLen: pieces.MaxSpec},
		{name: "spec", kind: kindText, maxLen: pieces.MaxSpec},
		{name: "refine", kind: kindText, enum: names(pieces.Refines())},
		argModel,
		{name: "lane", kind: kindText, enum: names(pieces.Lanes())},
		{name: "keys", kind: kindTexts, format: trackerKey, maxLen: maxID, maxItems: 10, note: "Replaces the linked tracker keys; [] clears them."},
		argRunAt,
	},
	check: func(a args) *ArgumentError {
		if len(a) < 2 {
			return &ArgumentError{Tool: "update_draft", Rule: "needs at least one field to change: title, seed, spec, refine, model, lane, keys or runAt"}
		}
		return nil
	},
	run: (*control).updateDraft,
}

func (c *control) updateDraft(ctx context.Context, a args) (any, error) {
	id := a.text("draftId")
	d, err := c.Engine.Draft(ctx, id)
	if err != nil {
		return nil, err
	}
	// Keys are verified before any field is written. Clearing them changes nothing: no draft has any so far.
	if err := c.verifyKeys(ctx, a.texts("keys")); err != nil {
		return nil, err
	}
	edit := engine.DraftEdit{
		Title: a.pointer("title"), Seed: a.pointer("seed"), Spec: a.pointer("spec"), Model: a.pointer("model"),
		Lane: as[pieces.Lane](a.pointer("lane")), Refine: as[pieces.Refine](a.pointer("refine")),
	}
	if a.has("runAt") {
		at, err := c.runAt(ctx, a.text("runAt"))
		if err != nil {
			return nil, err
		}
		edit.RunAt = &at
	}
	if !reflect.DeepEqual(edit, engine.DraftEdit{}) {
		if d, err = c.Engine.UpdateDraft(ctx, id, edit); err != nil {
			return nil, err
		}
	}
	if edit.Lane != nil && *edit.Lane == pieces.LaneLoop {
		s, err := c.Engine.Piece(ctx, id)
		if err == nil {
			return c.pieceRow(ctx, s) // the Loop plays, and started it
		}
		if !unknown(err) {
			return nil, err
		}
	}
	return c.draftRow(ctx, d)
}

func as[T ~string](s *string) *T {
	if s == nil {
		return nil
	}
	t := T(*s)
	return &t
}
