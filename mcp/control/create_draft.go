package control

import (
	"context"

	"fermata/pieces"
	"fermata/pieces/engine"
)

var createDraft = tool{
	name: "create_draft", title: "File a draft", reachesOut: true, asks: true,
	description: "File a draft into a project's Backlog from a spec, a seed or a tracker issue (one of them is needed). Nothing starts unless release is true or its lane is loop and the project's Loop plays; releasing on the auto lane may wait until the person answers a card in Fermata. Choose an id to make a retry safe.",
	args: []arg{
		{name: "spec", kind: kindText, maxLen: pieces.MaxSpec, note: "The spec in markdown; its # heading becomes the title."},
		{name: "seed", kind: kindText, maxLen: pieces.MaxSpec, note: "A rough prompt."},
		{name: "issue", kind: kindText, format: trackerKey, maxLen: maxID, note: "SUP-12 (Linear) or owner/repo#12 (GitHub). Not with spec, seed, refine or keys."},
		{name: "keys", kind: kindTexts, format: trackerKey, maxLen: maxID, minItems: 1, maxItems: 10, note: "Tracker keys that the spec or seed implements; the first is the source."},
		{name: "title", kind: kindText, maxLen: pieces.MaxTitle, note: "Used when the spec has no title heading."},
		{name: "lane", kind: kindText, enum: names(pieces.Lanes()), def: string(pieces.LaneManual)},
		{name: "refine", kind: kindText, enum: names(pieces.Refines()), note: "Whether a given spec is completed at release; default if_gaps."},
		argModel,
		{name: "release", kind: kindFlag, def: false, note: "Release it right away."},
		{name: "dependsOn", kind: kindTexts, maxLen: maxID, maxItems: 20, note: "Pieces or drafts it waits on, by id or tracker key."},
		argProjectID, argCwd, argRunAt, argNewID,
	},
	check: checkNewDraft,
	run:   (*control).createDraft,
}

// notWithIssue are the arguments that an issue excludes, and why.
var notWithIssue = []struct{ name, why string }{
	{"keys", "the issue is the draft's only ticket; pass 'spec' or 'seed' with 'keys' to link several"},
	{"spec", "the issue becomes the draft's spec"},
	{"seed", "the issue becomes the draft's spec"},
	{"refine", "an issue is always formatted into a full spec when the draft is released"},
}

func checkNewDraft(a args) *ArgumentError {
	broken := func(name, rule string) *ArgumentError { return &ArgumentError{"create_draft", name, rule} }
	if a.has("issue") {
		for _, other := range notWithIssue {
			if a.has(other.name) {
				return broken("issue", "can't be combined with '"+other.name+"': "+other.why)
			}
		}
		return nil
	}
	if !a.blank("spec") || !a.blank("seed") {
		return nil
	}
	if a.has("keys") {
		return broken("keys", "needs 'spec' or 'seed'")
	}
	return broken("", "needs one of 'spec', 'seed' or 'issue'")
}

// filedView acknowledges a draft.
type filedView struct {
	OK      bool        `json:"ok"`
	DraftID string      `json:"draftId"`
	Title   string      `json:"title"`
	Lane    pieces.Lane `json:"lane"`
	// DependsOn is nil for a draft that was filed without dependencies.
	DependsOn []dependency  `json:"dependsOn,omitzero"`
	Skipped   []skippedLink `json:"skippedDependencies,omitempty"`
}

func filedOf(d pieces.Draft) filedView {
	return filedView{OK: true, DraftID: d.ID, Title: d.Title, Lane: d.Lane}
}

// releasedView acknowledges a draft that an earlier call released.
type releasedView struct {
	OK       bool   `json:"ok"`
	DraftID  string `json:"draftId"`
	PieceID  string `json:"pieceId"`
	Released bool   `json:"released"`
}

// releasedRow is the row of the piece that a call released.
type releasedRow struct {
	pieceRow
	Released bool          `json:"released"`
	Skipped  []skippedLink `json:"skippedDependencies,omitempty"`
}

func (c *control) createDraft(ctx context.Context, a args) (any, error) {
	if answer, err := c.resent(ctx, a); answer != nil || err != nil {
		return answer, err
	}
	n, err := c.newDraft(ctx, a)
	if err != nil {
		return nil, err
	}
	if !a.flag("release") {
		return c.gated(ctx, "create_draft", a, runsOnCall, func(ctx context.Context, _ string) (any, error) { return c.file(ctx, n) })
	}
	return c.fileAndRelease(ctx, a, n)
}

// resent answers a call whose id was filed before; nil when it was not.
func (c *control) resent(ctx context.Context, a args) (any, error) {
	id := a.text("id")
	if id == "" {
		return nil, nil
	}
	d, err := c.Engine.Draft(ctx, id)
	switch {
	case err == nil && a.flag("release"):
		// The first call filed it and did not get to the release.
		s, held, err := c.releaseGated(ctx, "create_draft", a, id, "")
		if err != nil {
			return nil, err
		}
		return c.released(ctx, s, held, nil)
	case err == nil:
		return c.filedRow(ctx, engine.Filed{Draft: d})
	case !unknown(err):
		return nil, err
	}
	s, err := c.Engine.Piece(ctx, id)
	if unknown(err) {
		return nil, nil
	}
	return releasedView{true, id, s.Piece.ID, true}, err
}

// newDraft resolves everything that a call names, before anything is filed and before any card shows.
func (c *control) newDraft(ctx context.Context, a args) (engine.NewDraft, error) {
	n := engine.NewDraft{
		ID: a.text("id"), Title: a.text("title"), Seed: a.text("seed"), Spec: a.text("spec"),
		Lane: pieces.LaneManual, Refine: pieces.RefineIfGaps, Model: a.text("model"),
	}
	if a.has("lane") {
		n.Lane = pieces.Lane(a.text("lane"))
	}
	if a.has("refine") {
		n.Refine = pieces.Refine(a.text("refine"))
	}
	p, err := c.project(ctx, a)
	if err != nil {
		return n, err
	}
	n.ProjectID = p.ID
	if n.RunAt, err = c.runAt(ctx, a.text("runAt")); err != nil {
		return n, err
	}
	n.DependsOn = a.texts("dependsOn")
	if err := c.Engine.CheckBlockers(ctx, p.ID, n.DependsOn); err != nil {
		return n, err
	}
	if a.has("issue") {
		return n, c.fetchIssue(ctx, a.text("issue"))
	}
	return n, c.verifyKeys(ctx, a.texts("keys"))
}

func (c *control) file(ctx context.Context, n engine.NewDraft) (any, error) {
	f, err := c.Engine.FileDraft(ctx, n)
	if err != nil {
		return nil, err
	}
	if f.Released != nil {
		id := f.Released.Piece.ID
		return releasedView{true, id, id, true}, nil
	}
	return c.filedRow(ctx, f)
}

// filedRow acknowledges a draft with what it waits on.
func (c *control) filedRow(ctx context.Context, f engine.Filed) (any, error) {
	v := filedOf(f.Draft)
	all, err := c.Engine.Dependencies(ctx)
	if on := all[f.Draft.ID]; len(on)+len(f.Skipped) > 0 {
		v.DependsOn, v.Skipped = dependenciesOf(on), skippedOf(f.Skipped)
	}
	return v, err
}

// fileAndRelease files a draft and releases it. Its card shows before anything is filed, so that a denied one leaves
// nothing behind.
func (c *control) fileAndRelease(ctx context.Context, a args, n engine.NewDraft) (any, error) {
	check := func(ctx context.Context) (*card, error) {
		d := pieces.Draft{
			ID: n.ID, ProjectID: n.ProjectID, Title: pieces.TitleOf(n.Spec, n.Title, n.Seed),
			Seed: n.Seed, Spec: n.Spec, Lane: n.Lane, Refine: n.Refine, Model: n.Model, RunAt: n.RunAt,
		}
		k, err := c.releaseCard(ctx, d)
		if k != nil && len(n.DependsOn) > 0 {
			k.effect.Lines = append(k.effect.Lines, waitsLine())
		}
		return k, err
	}
	return c.gated(ctx, "create_draft", a, check, func(ctx context.Context, _ string) (any, error) {
		f, err := c.Engine.FileDraft(ctx, n)
		if err != nil {
			return nil, err
		}
		if f.Released != nil {
			id := f.Released.Piece.ID
			return releasedView{true, id, id, true}, nil
		}
		// Once it is filed it is released too: a client that hangs up in between would find half of what it asked for.
		ctx = context.WithoutCancel(ctx)
		s, held, err := c.release(ctx, f.Draft.ID, "")
		if err != nil {
			return nil, c.leftInBacklog(ctx, f.Draft, err)
		}
		return c.released(ctx, s, held, f.Skipped)
	})
}

// leftInBacklog tells of a draft that was filed and could not be released, so that the client releases it and does not
// file it again.
func (c *control) leftInBacklog(ctx context.Context, d pieces.Draft, err error) error {
	return refuse("The draft was filed with the id %s but not released: %s Call release_draft with that id to try again.",
		d.ID, c.sentence(ctx, "create_draft", err))
}

// released tells of a piece that a call released, or of the draft that its dependencies hold.
func (c *control) released(ctx context.Context, s pieces.Snapshot, held *engine.HeldError, skipped []engine.SkippedLink) (any, error) {
	if held != nil {
		v := heldOf(held)
		v.Skipped = skippedOf(skipped)
		return v, nil
	}
	row, err := c.pieceRow(ctx, s)
	return releasedRow{row, true, skippedOf(skipped)}, err
}
