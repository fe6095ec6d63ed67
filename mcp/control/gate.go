package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
)

// Sentences of the ends of a card that are no Allow.
const (
	sentenceDenied    = "The person denied this in Fermata."
	sentenceCancelled = "The call was cancelled before the card was answered; nothing was changed."
	sentenceStopped   = "Fermata's MCP server stopped before the card was answered; nothing was changed."
	sentenceMoved     = "The piece moved on while the card waited. "
	sentenceRaced     = "The piece moved on while the card waited; nothing was changed. Read it again and repeat the call if it is still wanted."
	waitingForCard    = "Waiting for the person to answer the card in Fermata"
)

// card is what the person must allow before a call is carried out.
type card struct {
	verb      string
	item      string // the piece's or draft's name
	pieceID   string
	projectID string
	danger    bool
	plain     bool // the verb says all; the item is only named
	effect    pieces.Effect
}

// plan checks that a call can be carried out now, and returns the card it must wait for; nil when it runs on the call.
type plan func(ctx context.Context) (*card, error)

// carry carries a call out. bound is the fingerprint of the effect that was allowed, empty when no card was shown; an
// effect that is another by now is pieces.ErrStale.
type carry func(ctx context.Context, bound string) (any, error)

// gated carries a call out once it may be: at once, or after the person allowed its card. When what was allowed is no
// longer what would happen, a new card shows it; when it can no longer be done, the refusal says what is legal now.
func (c *control) gated(ctx context.Context, tool string, a args, check plan, do carry) (any, error) {
	last := ""
	for asked := false; ; asked = true {
		k, err := check(ctx)
		if err != nil {
			return nil, movedOn(err, asked)
		}
		t := strangersTool(ctx)
		if k == nil && t == nil {
			return do(ctx, "")
		}
		if k == nil {
			if k, err = c.strangerCard(ctx, t, a); err != nil {
				return nil, movedOn(err, asked)
			}
		}
		if asked && k.effect.Fingerprint == last {
			return nil, refuse(sentenceRaced)
		}
		last = k.effect.Fingerprint
		v, err := c.asked(ctx, tool, a, *k, do)
		if !errors.Is(err, pieces.ErrStale) {
			return v, movedOn(err, true)
		}
	}
}

// movedOn says that a legal call became illegal while its card waited.
func movedOn(err error, asked bool) error {
	var r *engine.Refusal
	if !asked || !errors.As(err, &r) || r.Legal == nil {
		return err
	}
	return &engine.Refusal{Sentence: sentenceMoved + r.Sentence, Legal: r.Legal, Cause: r.Cause}
}

// asked shows one card and carries the call out if it is allowed. Calls that share the card share what it did.
func (c *control) asked(ctx context.Context, tool string, a args, k card, do carry) (any, error) {
	q, err := c.question(ctx, tool, a, k)
	if err != nil {
		return nil, err
	}
	if w := c.Caller(ctx).Waiting; w != nil {
		w(waitingForCard)
	}
	f := c.flights.board(q.Key)
	defer c.flights.leave(q.Key, f)
	reply := c.Desk.Ask(ctx, q)
	noteCard(ctx, q.Title, reply)
	switch reply.Outcome {
	case consent.Allowed:
		return f.carry(func() (any, error) {
			c.flights.depart(q.Key, f)
			// The person's Allow is carried out whole, even when the client hangs up half way.
			return do(context.WithoutCancel(ctx), k.effect.Fingerprint)
		})
	case consent.Cancelled:
		return nil, refuse(sentenceCancelled)
	case consent.Stopped:
		return nil, refuse(sentenceStopped)
	default:
		return nil, refuse("%s", denial(reply.Note))
	}
}

func denial(note string) string {
	note = strings.Join(strings.Fields(note), " ")
	if note == "" {
		return sentenceDenied
	}
	return fmt.Sprintf(`%s They said: "%s"`, sentenceDenied, note)
}

func (c *control) question(ctx context.Context, tool string, a args, k card) (consent.Question, error) {
	who := c.Caller(ctx)
	body := "An external MCP client wants to " + k.about()
	if k.projectID != "" {
		p, err := c.Engine.Project(ctx, k.projectID)
		switch {
		case err == nil:
			body += " (" + p.Name + ")"
		case !unknown(err):
			return consent.Question{}, err
		}
	}
	// One client's identical calls share a card; what another client asks for is another question.
	strange := strangersTool(ctx) != nil
	key, err := json.Marshal([]any{tool, a, k.effect.Fingerprint, who.Name, who.Version, strange})
	if err != nil {
		return consent.Question{}, fmt.Errorf("name question: %w", err)
	}
	effect := k.effect.Lines
	if strange {
		effect = append([]string{effectStranger}, effect...)
	}
	return consent.Question{
		ProjectID: k.projectID, PieceID: k.pieceID,
		Title:  "Allow the MCP client to " + k.verb + "?",
		Body:   body + ".",
		Effect: effect, Writing: k.effect.Writing,
		Client: consent.Client{Name: who.Name, Version: who.Version},
		Danger: k.danger, At: time.Now(), Key: string(key),
	}, nil
}

// about is what the client wants, as the card's body says it.
func (k card) about() string {
	switch {
	case k.item == "":
		return k.verb
	case k.plain:
		return fmt.Sprintf("%s: '%s'", k.verb, k.item)
	}
	return fmt.Sprintf("%s on '%s'", k.verb, k.item)
}

// askBefore reads "Ask before runs and pull requests", anew for every call.
func (c *control) askBefore(ctx context.Context) (bool, error) {
	return c.on(ctx, pieces.KeyMCPAskBefore)
}
