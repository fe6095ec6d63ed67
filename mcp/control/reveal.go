package control

import "context"

var reveal = tool{
	name: "reveal", title: "Show in Fermata", repeatable: true,
	description: "Open a piece or a session in Fermata on the person's screen. Pass exactly one of the two.",
	args: []arg{
		{name: "pieceId", kind: kindText, maxLen: maxID},
		{name: "sessionId", kind: kindText, maxLen: maxID},
	},
	check: func(a args) *ArgumentError {
		switch piece, session := !a.blank("pieceId"), !a.blank("sessionId"); {
		case piece && session:
			return &ArgumentError{"reveal", "sessionId", "can't be combined with 'pieceId': pass one of the two"}
		case !piece && !session:
			return &ArgumentError{Tool: "reveal", Rule: "needs one of 'pieceId' or 'sessionId'"}
		}
		return nil
	},
	run: func(c *control, ctx context.Context, a args) (any, error) {
		piece, session := a.text("pieceId"), a.text("sessionId")
		if a.blank("pieceId") {
			piece = ""
			if _, err := c.Engine.Session(ctx, session); err != nil {
				return nil, err
			}
		} else {
			session = ""
			if _, err := c.Engine.Piece(ctx, piece); err != nil {
				return nil, c.aboutDraft(ctx, piece, err)
			}
		}
		if c.Reveal == nil {
			return nil, refuse("Fermata has no window here to show it in.")
		}
		if err := c.Reveal(ctx, piece, session); err != nil {
			return nil, err
		}
		return map[string]any{"revealed": true}, nil
	},
}
