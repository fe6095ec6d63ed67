package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fermata/pieces"
)

// linksLock guards the links against a loop that two calls would close together. It is taken after an item's own lock.
const linksLock = "links"

func loopWords() pieces.Sentence { return pieces.Say("That link would create a loop.") }

// SkippedLink is a link that filing a draft left out.
type SkippedLink struct {
	Blocker string // as the caller named it
	Reason  string
}

// subject returns the piece that a request is about. For the actions that take drafts too it returns a draft as a piece that
// stands in the Backlog.
func (e *Engine) subject(ctx context.Context, r Request) (pieces.Snapshot, error) {
	if r.Action != pieces.AddDependency && r.Action != pieces.RemoveDependency {
		return e.Piece(ctx, r.PieceID)
	}
	s, _, err := e.linkable(ctx, r.PieceID)
	return s, err
}

// linkable returns a piece, or a draft as a piece that stands in the Backlog, and whether its dependencies hold it.
func (e *Engine) linkable(ctx context.Context, id string) (s pieces.Snapshot, waits bool, err error) {
	// The draft is looked for first: one that is released meanwhile is then found as a piece.
	d, err := e.Draft(ctx, id)
	if errors.Is(err, pieces.ErrNotFound) {
		s, err = e.Piece(ctx, id)
		return s, s.Waits(), err
	}
	if err != nil {
		return s, false, err
	}
	if s.Flags, err = e.flags(ctx); err != nil {
		return s, false, err
	}
	s.Piece = pieces.Piece{
		ID: d.ID, ProjectID: d.ProjectID, Name: d.Title, Phase: pieces.PhaseBacklog, Activity: pieces.Idle,
		Config: pieces.Config{Lane: d.Lane},
	}
	all, err := e.dependencies(ctx, id, nil)
	s.Dependencies = all[id]
	return s, d.Waits(s.Dependencies), err
}

// blocker is a piece or draft that another item may wait on.
type blocker struct{ id, name string }

// blockerOf finds a piece or draft of a project by its id, or by the tracker key it was made from.
func (e *Engine) blockerOf(ctx context.Context, projectID, name string) (blocker, error) {
	b, project, err := e.itemOf(ctx, strings.ToLower(name)) // ids are UUIDs
	if err == nil {
		if project != projectID {
			return b, refuse(nil, "%s is in another project; pieces and drafts wait only on those of their own project.", name)
		}
		return b, nil
	}
	if !errors.Is(err, pieces.ErrNotFound) {
		return b, err
	}
	list, err := e.Store.Pieces(ctx, pieces.PieceFilter{ProjectID: projectID, IncludeArchived: true})
	if err != nil {
		return b, err
	}
	for _, s := range slices.Backward(list) {
		if d := pieces.DependencyOn(pieces.Link{BlockerID: s.Piece.ID}, &s, nil); d.Is(name) {
			return blocker{s.Piece.ID, s.Piece.Name}, nil
		}
	}
	return b, refuse(nil, "Unknown blocker %s: this project has no piece or draft of that id or tracker key.", name)
}

func (e *Engine) itemOf(ctx context.Context, id string) (b blocker, projectID string, err error) {
	d, err := e.Store.Draft(ctx, id)
	if err == nil {
		return blocker{d.ID, d.Title}, d.ProjectID, nil
	}
	if !errors.Is(err, pieces.ErrNotFound) {
		return b, "", err
	}
	s, err := e.Store.Piece(ctx, id)
	return blocker{s.Piece.ID, s.Piece.Name}, s.Piece.ProjectID, err
}

// CheckBlockers says whether every name means a piece or draft of the project, and dependencies are on; a Refusal otherwise.
func (e *Engine) CheckBlockers(ctx context.Context, projectID string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	flags, err := e.flags(ctx)
	if err != nil {
		return err
	}
	if !flags.Dependencies {
		return refuse(nil, "Piece dependencies are turned off, so nothing was filed: leave 'dependsOn' out.")
	}
	for _, name := range names {
		if _, err := e.blockerOf(ctx, projectID, name); err != nil {
			return err
		}
	}
	return nil
}

// addDraft files a draft together with its links. Every name is resolved first; a link that would close a loop is left out.
func (e *Engine) addDraft(ctx context.Context, d pieces.Draft, names []string) ([]SkippedLink, error) {
	if len(names) == 0 {
		return nil, e.Store.AddDraft(ctx, d)
	}
	unlock, err := e.locks.lock(ctx, linksLock)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := e.CheckBlockers(ctx, d.ProjectID, names); err != nil {
		return nil, err
	}
	all, err := e.Store.Links(ctx)
	if err != nil {
		return nil, err
	}
	var links []pieces.Link
	var skipped []SkippedLink
	for _, name := range names {
		b, err := e.blockerOf(ctx, d.ProjectID, name)
		switch {
		case err != nil:
			return nil, err
		case slices.ContainsFunc(links, func(l pieces.Link) bool { return l.BlockerID == b.id }):
		case pieces.WouldLoop(all, d.ID, b.id):
			skipped = append(skipped, SkippedLink{name, loopWords().String()})
		default:
			links = append(links, e.linkTo(d.ID, b))
		}
	}
	return skipped, e.Store.AddDraft(ctx, d, links...)
}

func (e *Engine) linkTo(item string, b blocker) pieces.Link {
	return pieces.Link{ItemID: item, BlockerID: b.id, Name: b.name, Origin: pieces.OriginManual, CreatedAt: e.Now()}
}

// checkLink says whether the link that a request is about can be added, or is there to be removed.
func (e *Engine) checkLink(ctx context.Context, s pieces.Snapshot, r Request) error {
	var err error
	switch r.Action {
	case pieces.AddDependency:
		_, _, err = e.newLink(ctx, s, r)
	case pieces.RemoveDependency:
		_, err = linkedTo(s, r.Blocker)
	default:
	}
	return err
}

// newLink returns the link that a request asks for; false when it is there already.
func (e *Engine) newLink(ctx context.Context, s pieces.Snapshot, r Request) (pieces.Link, bool, error) {
	b, err := e.blockerOf(ctx, s.Piece.ProjectID, r.Blocker)
	if err != nil {
		return pieces.Link{}, false, err
	}
	if slices.ContainsFunc(s.Dependencies, func(d pieces.Dependency) bool { return d.ID == b.id }) {
		return pieces.Link{}, false, nil
	}
	all, err := e.Store.Links(ctx)
	if err != nil {
		return pieces.Link{}, false, err
	}
	if pieces.WouldLoop(all, s.Piece.ID, b.id) {
		return pieces.Link{}, false, refuse(nil, "%s", loopWords())
	}
	return e.linkTo(s.Piece.ID, b), true, nil
}

func linkedTo(s pieces.Snapshot, name string) (pieces.Dependency, error) {
	i := slices.IndexFunc(s.Dependencies, func(d pieces.Dependency) bool { return d.Is(name) })
	if i < 0 {
		return pieces.Dependency{}, refuse(nil, "It does not wait on %s.", name)
	}
	return s.Dependencies[i], nil
}

func (e *Engine) addDependency(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.link(ctx, r, func(s pieces.Snapshot) (change, func() error, error) {
		l, missing, err := e.newLink(ctx, s, r)
		if err != nil || !missing {
			return nil, nil, err
		}
		fill := func(_ pieces.Snapshot, c *pieces.Change) error {
			c.Links, c.Note = []pieces.Link{l}, pieces.Say("Waits on “%s”", l.Name)
			return nil
		}
		return fill, func() error { return e.Store.AddLink(ctx, l) }, nil
	})
}

func (e *Engine) removeDependency(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.link(ctx, r, func(s pieces.Snapshot) (change, func() error, error) {
		d, err := linkedTo(s, r.Blocker)
		if err != nil {
			return nil, nil, err
		}
		fill := func(_ pieces.Snapshot, c *pieces.Change) error {
			c.DropLinks, c.Note = []string{d.ID}, pieces.Say("No longer waits on “%s”", d.Name)
			return nil
		}
		return fill, func() error { return e.Store.DropLink(ctx, s.Piece.ID, d.ID) }, nil
	})
}

// link edits the links of a piece or draft under its lock, and lets a piece go on that the edit freed; a freed draft starts
// on its own. edit returns how a piece and how a draft is written, nil when there is nothing to write.
func (e *Engine) link(ctx context.Context, r Request, edit func(pieces.Snapshot) (change, func() error, error)) (Result, error) {
	if err := e.linkLocked(ctx, r, edit); err != nil {
		return Result{}, err
	}
	if err := e.bringInLine(ctx, r.PieceID); err != nil {
		return Result{}, err
	}
	s, waits, err := e.linkable(ctx, r.PieceID)
	return Result{Piece: s, Waiting: waits}, err
}

func (e *Engine) linkLocked(ctx context.Context, r Request, edit func(pieces.Snapshot) (change, func() error, error)) error {
	for _, key := range []string{r.PieceID, linksLock} {
		unlock, err := e.locks.lock(ctx, key)
		if err != nil {
			return fmt.Errorf("link %s: %w", r.PieceID, err)
		}
		defer unlock()
	}
	s, err := e.subject(ctx, r)
	if err != nil {
		return err
	}
	if rule, _ := pieces.RuleOf(r.Action); !s.Legal(r.Action) {
		return illegal(s, rule)
	}
	asPiece, asDraft, err := edit(s)
	if err != nil || asPiece == nil {
		return err
	}
	if s.Piece.Phase == pieces.PhaseBacklog {
		return asDraft()
	}
	_, err = e.moveLocked(ctx, r.PieceID, pieces.Trigger(r.Action), r.By, asPiece)
	return err
}

// Candidate is a piece or draft that an item could wait on.
type Candidate struct {
	ID    string
	Name  string
	State string // its phase as the board shows it
}

// Candidates lists what a piece or draft could wait on: what of its project is not done yet and would close no loop, pieces
// before drafts.
func (e *Engine) Candidates(ctx context.Context, id string) ([]Candidate, error) {
	s, err := e.subject(ctx, Request{PieceID: id, Action: pieces.AddDependency})
	if err != nil {
		return nil, err
	}
	links, err := e.Store.Links(ctx)
	if err != nil {
		return nil, err
	}
	drafts, err := e.Store.Drafts(ctx, s.Piece.ProjectID)
	if err != nil {
		return nil, err
	}
	list, err := e.Store.Pieces(ctx, pieces.PieceFilter{ProjectID: s.Piece.ProjectID})
	if err != nil {
		return nil, err
	}
	var out []Candidate
	add := func(piece *pieces.Snapshot, draft *pieces.Draft, id string) {
		d := pieces.DependencyOn(pieces.Link{BlockerID: id}, piece, draft)
		linked := slices.ContainsFunc(s.Dependencies, func(o pieces.Dependency) bool { return o.ID == id })
		if d.Standing != pieces.Met && !linked && !pieces.WouldLoop(links, s.Piece.ID, id) {
			out = append(out, Candidate{id, d.Name, d.State})
		}
	}
	for i := range list {
		add(&list[i], nil, list[i].Piece.ID)
	}
	for i := range drafts {
		add(nil, &drafts[i], drafts[i].ID)
	}
	return out, nil
}
