package control

import "context"

var cancelDraft = tool{
	name: "cancel_draft", title: "Delete a draft", destroys: true,
	description: "Delete a Backlog draft. A released draft is a piece and is not affected.",
	args:        []arg{argDraftID},
	run: func(c *control, ctx context.Context, a args) (any, error) {
		id := a.text("draftId")
		if err := c.Engine.CancelDraft(ctx, id); err != nil {
			return nil, err
		}
		return struct {
			OK      bool   `json:"ok"`
			DraftID string `json:"draftId"`
		}{true, id}, nil
	},
}
