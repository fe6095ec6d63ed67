package control

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"fermata/pieces"
	"fermata/pieces/engine"
)

var releaseDraft = tool{
	name: "release_draft", title: "Release a draft", repeatable: true, reachesOut: true, asks: true,
	description: "Start a Backlog draft; the piece keeps its id. manual and loop run the spec step, auto runs the whole piece up to Review and may wait until the person answers a card in Fermata. Resending returns the piece and starts nothing.",
	args: []arg{
		argDraftID,
		{name: "model", kind: kindText, format: modelID, maxLen: 200, note: "Exact model id for the spec step, written onto the draft first."},
	},
	run: func(c *control, ctx context.Context, a args) (any, error) {
		s, held, err := c.releaseGated(ctx, "release_draft", a, a.text("draftId"), a.text("model"))
		if err != nil {
			return nil, err
		}
		if held != nil {
			return heldOf(held), nil
		}
		return c.pieceRow(ctx, s)
	},
}

// releaseGated releases a draft, after its card where it needs one. A draft that was released already is its piece.
func (c *control) releaseGated(ctx context.Context, tool string, a args, id, model string) (pieces.Snapshot, *engine.HeldError, error) {
	var done *pieces.Snapshot // the piece of an earlier release
	read := func(ctx context.Context) (pieces.Draft, error) {
		d, err := c.Engine.Draft(ctx, id)
		if unknown(err) {
			if s, pieceErr := c.Engine.Piece(ctx, id); pieceErr == nil {
				done = &s
				return d, nil
			}
		}
		if model != "" {
			d.Model = model
		}
		return d, err
	}
	check := func(ctx context.Context) (*card, error) {
		d, err := read(ctx)
		if err != nil || done != nil {
			return nil, err
		}
		if d.ReleasedBy != "" && model == "" && strangersTool(ctx) == nil {
			return nil, nil // it was allowed already, and waits for its dependencies
		}
		return c.releaseCard(ctx, d)
	}
	v, err := c.gated(ctx, tool, a, check, func(ctx context.Context, bound string) (any, error) {
		d, err := read(ctx)
		if err != nil {
			return nil, err
		}
		if done != nil {
			return *done, nil
		}
		if bound != "" && releaseFingerprint(d) != bound {
			return nil, fmt.Errorf("release draft %s: %w", id, pieces.ErrStale)
		}
		s, held, err := c.release(ctx, id, model)
		if held != nil {
			return held, nil
		}
		return s, err
	})
	s, _ := v.(pieces.Snapshot)
	held, _ := v.(*engine.HeldError)
	return s, held, err
}

// release releases a draft; held is set when its dependencies hold it.
func (c *control) release(ctx context.Context, id, model string) (s pieces.Snapshot, held *engine.HeldError, err error) {
	s, err = c.Engine.ReleaseDraft(ctx, id, model, pieces.ByClient)
	if errors.As(err, &held) {
		err = nil
	}
	return s, held, err
}

// releaseCard is the card that releasing a draft waits for; nil when it runs on the call.
func (c *control) releaseCard(ctx context.Context, d pieces.Draft) (*card, error) {
	auto := d.Lane == pieces.LaneAuto
	if strangersTool(ctx) == nil {
		if !auto {
			return nil, nil
		}
		if ask, err := c.askBefore(ctx); err != nil || !ask {
			return nil, err
		}
	}
	on, err := c.Engine.Dependencies(ctx)
	if err != nil {
		return nil, err
	}
	lines := releaseLines(d)
	if len(pieces.BlockingKeys(on[d.ID])) > 0 {
		lines = append(lines, waitsLine())
	}
	verb := pieces.Term(pieces.VerbReleaseAuto)
	if !auto {
		verb = pieces.Say("release the draft")
	}
	return &card{
		verb: verb, item: d.Title, projectID: d.ProjectID,
		effect: pieces.Effect{Lines: lines, Writing: writingOf(d), Fingerprint: releaseFingerprint(d)},
	}, nil
}

// writingOf is what a draft asks for, so that a person who allows it to run unattended can read it.
func writingOf(d pieces.Draft) *pieces.Writing {
	w := pieces.Writing{Name: "Spec", After: strings.TrimSpace(d.Spec)}
	if w.After == "" {
		w = pieces.Writing{Name: "Seed", After: strings.TrimSpace(d.Seed)}
	}
	if w.After == "" {
		return nil
	}
	return &w
}

// waitsLine is what a card adds about a draft that waits on others.
func waitsLine() pieces.Sentence {
	return pieces.Say("It first waits in the Backlog for what it depends on, and then starts by itself.")
}

func releaseLines(d pieces.Draft) []pieces.Sentence {
	lines := []pieces.Sentence{pieces.Say("Makes a branch and a worktree, then runs the spec, the strategy and all agents unattended up to Review.")}
	if d.Lane != pieces.LaneAuto {
		lines = []pieces.Sentence{pieces.Say("Makes a branch and a worktree, and starts the piece on the lane %s.", d.Lane)}
	}
	switch {
	case d.ChecksSpec():
		lines = append(lines, pieces.Say("The draft's spec is looked through for gaps first; without one it is used as it is."))
	case d.NeedsSpecStep():
		lines = append(lines, pieces.Say("The spec is written from the draft first."))
	default:
		lines = append(lines, pieces.Say("The draft's spec is used as it is."))
	}
	if d.Model != "" {
		lines = append(lines, pieces.Say("Model of the spec step: %s.", d.Model))
	}
	return lines
}

// releaseFingerprint binds an Allow to everything of the draft that decides what would run.
func releaseFingerprint(d pieces.Draft) string {
	sum := sha256.New()
	for _, s := range []string{d.ID, d.ProjectID, d.Title, d.Seed, d.Spec, string(d.Lane), string(d.Refine), d.Model, d.RunAt} {
		fmt.Fprintf(sum, "%d:%s", len(s), s)
	}
	for _, a := range d.Attachments {
		fmt.Fprintf(sum, "%d:%s%d", len(a.Name), a.Name, a.Bytes)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
