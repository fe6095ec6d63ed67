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
	sentenceMoved     = "The piece moved on while the card waited."
	sentenceRaced     = "The piece moved on while the card waited; nothing was changed. Read it again and repeat the call if it is still wanted."
	waitingForCard    = "Waiting for the person to answer the card in Fermata"
)

// card is what the person must allow before a call is carried out.
type card struct {
	verb      pieces.Sentence
	item      string // the piece's or draft's name
	pieceID   string
	projectID string
	danger    bool
	plain     bool // the verb says all; the item is only named
	effect    pieces.Effect
	// look reads the whole effect where effect is only what is known at once; nil: it is all.
	look func(context.Context) (pieces.Effect, error)
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
		if asked {
			// A second card is worth its while only if it says something else.
			if err := k.complete(ctx); err != nil {
				return nil, movedOn(err, true)
			}
			if k.effect.Fingerprint == last {
				return nil, refuse(sentenceRaced)
			}
		}
		var v any
		v, last, err = c.asked(ctx, tool, a, *k, asked, do)
		if !errors.Is(err, pieces.ErrStale) {
			return v, movedOn(err, true)
		}
	}
}

// complete reads what of the effect is not known yet.
func (k *card) complete(ctx context.Context) (err error) {
	if k.look != nil {
		k.effect, err = k.look(ctx)
		k.look = nil
	}
	return err
}

// movedOn says that a legal call became illegal while its card waited.
func movedOn(err error, asked bool) error {
	var r *engine.Refusal
	if !asked || !errors.As(err, &r) || r.Legal == nil {
		return err
	}
	return &engine.Refusal{Sentence: pieces.Say(sentenceMoved).Then(r.Sentence), Legal: r.Legal, Cause: r.Cause}
}

// asked shows one card and carries the call out if it is allowed, bound to what that card showed. Calls that share the card
// share what it did.
func (c *control) asked(ctx context.Context, tool string, a args, k card, again bool, do carry) (v any, bound string, err error) {
	q, err := c.question(ctx, tool, a, k)
	if err != nil {
		return nil, "", err
	}
	q.Again, q.Shared = again, &flight{}
	if w := c.Caller(ctx).Waiting; w != nil {
		w(waitingForCard)
	}
	reply := c.Desk.Ask(ctx, q)
	noteCard(ctx, q.Title.String(), reply)
	bound = reply.Question.Bound
	switch reply.Outcome {
	case consent.Allowed:
		f, ok := reply.Question.Shared.(*flight)
		if !ok {
			return nil, bound, errors.New("the desk lost what the calls of a card share")
		}
		v, err = f.carry(func() (any, error) {
			// The person's Allow is carried out whole, even when the client hangs up half way.
			return do(context.WithoutCancel(ctx), bound)
		})
		return v, bound, err
	case consent.Cancelled:
		return nil, bound, refuse(sentenceCancelled)
	case consent.Stopped:
		return nil, bound, refuse(sentenceStopped)
	case consent.Failed:
		return nil, bound, reply.Err
	default:
		return nil, bound, refuse("%s", denial(reply.Note))
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
	var project string
	if k.projectID != "" {
		p, err := c.Engine.Project(ctx, k.projectID)
		switch {
		case err == nil:
			project = p.Name
		case !unknown(err):
			return consent.Question{}, err
		}
	}
	// One client's identical calls share a card; what another client asks for is another question. What would happen is not
	// part of it: an Allow is bound to what the card shows, whoever shares it.
	strange := strangersTool(ctx) != nil
	key, err := json.Marshal([]any{tool, a, who.Name, who.Version, strange})
	if err != nil {
		return consent.Question{}, fmt.Errorf("name question: %w", err)
	}
	look := k.look
	if strange {
		k.effect = ofStranger(k.effect)
		if look != nil {
			look = func(ctx context.Context) (pieces.Effect, error) {
				e, err := k.look(ctx)
				return ofStranger(e), err
			}
		}
	}
	return consent.Question{
		ProjectID: k.projectID, PieceID: k.pieceID,
		Title:  pieces.Say("Allow the MCP client to %s?", k.verb),
		Body:   k.body(project),
		Effect: k.effect.Lines, Writing: k.effect.Writing, Bound: k.effect.Fingerprint, Look: look,
		Client: consent.Client{Name: who.Name, Version: who.Version},
		Danger: k.danger, At: time.Now(), Key: string(key),
	}, nil
}

// ofStranger says of an effect that it is asked for because nobody knows the caller.
func ofStranger(e pieces.Effect) pieces.Effect {
	e.Lines = append([]pieces.Sentence{pieces.Say("Fermata cannot tell which program is calling, so it asks before every change.")}, e.Lines...)
	return e
}

// body is what the client wants, and in which project, when it is in one.
func (k card) body(project string) pieces.Sentence {
	in := project != ""
	switch {
	case k.item == "" && in:
		return pieces.Say("An external MCP client wants to %s (%s).", k.verb, project)
	case k.item == "":
		return pieces.Say("An external MCP client wants to %s.", k.verb)
	case k.plain && in:
		return pieces.Say("An external MCP client wants to %s: '%s' (%s).", k.verb, k.item, project)
	case k.plain:
		return pieces.Say("An external MCP client wants to %s: '%s'.", k.verb, k.item)
	case in:
		return pieces.Say("An external MCP client wants to %s on '%s' (%s).", k.verb, k.item, project)
	}
	return pieces.Say("An external MCP client wants to %s on '%s'.", k.verb, k.item)
}

// askBefore reads "Ask before runs and pull requests", anew for every call.
func (c *control) askBefore(ctx context.Context) (bool, error) {
	return c.on(ctx, pieces.KeyMCPAskBefore)
}
