package engine

import (
	"context"
	"errors"
	"strings"

	"fermata/pieces"
)

// EditText rewrites the spec or the strategy by hand, which the person does in the app while it waits for approval. before
// is the text that the person began with: one that was written anew meanwhile is a Refusal of pieces.ErrStale, so that
// nobody's text is overwritten unseen.
func (e *Engine) EditText(ctx context.Context, pieceID string, kind pieces.ArtifactKind, before, text string) (pieces.Snapshot, error) {
	gate, what := pieces.GateSpecReady, "spec"
	switch kind {
	case pieces.ArtifactSpec:
	case pieces.ArtifactStrategy:
		gate, what = pieces.GateStrategyReady, "strategy"
	default:
		return pieces.Snapshot{}, refuse(nil, "Only the spec and the strategy can be edited.")
	}
	switch {
	case strings.TrimSpace(text) == "":
		return pieces.Snapshot{}, refuse(nil, "A %s can't be empty.", what)
	case len([]rune(text)) > pieces.MaxSpec:
		return pieces.Snapshot{}, refuse(nil, "That is longer than a %s may be.", what)
	}
	past := refuse(pieces.ErrStale, "The %s can be edited only while it waits for your approval.", what)
	s, err := e.move(ctx, pieceID, pieces.OnTextEdited, pieces.ByPerson, func(s pieces.Snapshot, c *pieces.Change) error {
		if s.Gate() != gate {
			return past
		}
		now, err := e.text(ctx, pieceID, kind)
		if err != nil {
			return err
		}
		if now != before {
			return refuse(pieces.ErrStale, "The %s was written anew meanwhile.", what)
		}
		artifact(c, kind, "", text)
		if title := pieces.SpecTitle(text); kind == pieces.ArtifactSpec && title != "" {
			c.Piece.Name = title
		}
		c.Note = pieces.Say("The %s", what)
		return nil
	})
	if refusal := (*Refusal)(nil); errors.Is(err, pieces.ErrStale) && !errors.As(err, &refusal) {
		err = past
	}
	return s, err
}
