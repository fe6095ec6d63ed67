package control

import (
	"context"

	"fermata/pieces/engine"
)

var snoozeCue = tool{
	name: "snooze_cue", title: "Snooze a cue", repeatable: true,
	description: "Hide one item of list_cues in every Fermata surface until its state changes or Fermata quits. An item that changed since you read it is not hidden, and the call fails.",
	args: []arg{
		{name: "target", kind: kindObject, required: true, note: "The item's target.", fields: []arg{
			{name: "kind", kind: kindText, required: true, enum: []string{string(engine.TargetPiece), string(engine.TargetSession)}},
			{name: "id", kind: kindText, required: true, format: notBlank, maxLen: maxID},
		}},
		{name: "fingerprint", kind: kindText, required: true, format: notBlank, maxLen: maxID, note: "The item's fingerprint."},
	},
	run: func(c *control, ctx context.Context, a args) (any, error) {
		t := a.object("target")
		n, err := c.Engine.Snooze(ctx, engine.Target{Kind: engine.TargetKind(t.text("kind")), ID: t.text("id")}, a.text("fingerprint"))
		if err != nil {
			return nil, err
		}
		return struct {
			Snoozed bool `json:"snoozed"`
			Count   int  `json:"snoozedCount"`
		}{true, n}, nil
	},
}
