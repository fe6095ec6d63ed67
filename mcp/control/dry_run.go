package control

import (
	"context"
	"errors"

	"fermata/pieces"
	"fermata/pieces/engine"
)

// dryRunView says what an action would do.
type dryRunView struct {
	OK           bool            `json:"ok"`
	PieceID      string          `json:"pieceId"`
	Action       pieces.Action   `json:"action"`
	Legal        bool            `json:"legal"`
	Reason       *string         `json:"reason"` // why it is not legal
	Card         bool            `json:"card"`   // whether it would wait for the person
	Effect       []string        `json:"effect"`
	LegalActions []pieces.Action `json:"legalActions"`
}

// dryRun says whether an action could be carried out now, whether it would wait for a card, and what it would do. Nothing
// of it happens, and no card shows.
func (c *control) dryRun(ctx context.Context, r engine.Request, askBefore bool) (any, error) {
	s, rule, err := c.Engine.Check(ctx, r)
	if err != nil && s.Piece.ID == "" {
		return nil, c.aboutDraft(ctx, r.PieceID, err)
	}
	v := dryRunView{OK: true, PieceID: s.Piece.ID, Action: r.Action, Effect: []string{}, LegalActions: []pieces.Action{}}
	v.LegalActions = append(v.LegalActions, s.LegalActions()...)
	var effect pieces.Effect
	if err == nil {
		effect, err = c.Engine.Effect(ctx, r)
	}
	if refusal := (*engine.Refusal)(nil); errors.As(err, &refusal) {
		v.Reason = orNull(refusal.Sentence.String())
		return v, nil
	}
	if err != nil {
		return nil, err
	}
	v.Legal, v.Card = true, pieces.TierOf(rule, r.Lane).NeedsCard(askBefore) || strangersTool(ctx) != nil
	v.Effect = append(v.Effect, pieces.English(effect.Lines)...)
	return v, nil
}
