package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"fermata/pieces"
)

// HeldError is what releasing a draft ends with while its dependencies hold it: the draft stays in the Backlog and starts by
// itself once they are met.
type HeldError struct {
	Draft        pieces.Draft
	Dependencies []pieces.Dependency
}

// Error says what the draft waits on.
func (h *HeldError) Error() string {
	var names []string
	for _, d := range h.Dependencies {
		if d.Standing != pieces.Met {
			names = append(names, fmt.Sprintf("“%s” (%s)", d.Name, d.State))
		}
	}
	return "It waits on " + strings.Join(names, ", ") + ", and starts by itself once that is done."
}

// Dependencies returns what drafts and pieces wait on, by their id; nil while piece dependencies are turned off.
func (e *Engine) Dependencies(ctx context.Context) (map[string][]pieces.Dependency, error) {
	flags, err := e.flags(ctx)
	if err != nil || !flags.Dependencies {
		return nil, err
	}
	all, err := e.dependencies(ctx, "", nil)
	if all == nil && err == nil {
		all = map[string][]pieces.Dependency{}
	}
	return all, err
}

// dependencies reads the links of one item, or of all when of is empty, whether they are turned off or not. With known it
// reads those of the known pieces alone, and does not read blockers again that are among them.
func (e *Engine) dependencies(ctx context.Context, of string, known []pieces.Snapshot) (map[string][]pieces.Dependency, error) {
	links, err := e.Store.Links(ctx)
	if err != nil {
		return nil, err
	}
	if of != "" {
		links = slices.DeleteFunc(links, func(l pieces.Link) bool { return l.ItemID != of })
	}
	if len(links) == 0 {
		return nil, nil
	}
	b := blockers{pieces: map[string]*pieces.Snapshot{}, drafts: map[string]*pieces.Draft{}}
	for i := range known {
		b.pieces[known[i].Piece.ID] = &known[i]
	}
	// Drafts are read before pieces: one that is released meanwhile is then found as a piece, and never taken for deleted.
	drafts, err := e.Store.Drafts(ctx, "")
	if err != nil {
		return nil, err
	}
	for i := range drafts {
		b.drafts[drafts[i].ID] = &drafts[i]
	}
	out := map[string][]pieces.Dependency{}
	for _, l := range links {
		if known != nil && b.pieces[l.ItemID] == nil {
			continue
		}
		d, err := e.dependency(ctx, l, b)
		if err != nil {
			return nil, err
		}
		out[l.ItemID] = append(out[l.ItemID], d)
	}
	return out, nil
}

// blockers is what was read already of what items wait on, by id.
type blockers struct {
	pieces map[string]*pieces.Snapshot
	drafts map[string]*pieces.Draft
}

func (e *Engine) dependency(ctx context.Context, l pieces.Link, read blockers) (pieces.Dependency, error) {
	if s, ok := read.pieces[l.BlockerID]; ok {
		return pieces.DependencyOn(l, s, nil), nil
	}
	if d, ok := read.drafts[l.BlockerID]; ok {
		return pieces.DependencyOn(l, nil, d), nil
	}
	s, err := e.Store.Piece(ctx, l.BlockerID)
	if errors.Is(err, pieces.ErrNotFound) {
		return pieces.DependencyOn(l, nil, nil), nil
	}
	return pieces.DependencyOn(l, &s, nil), err
}

// hold keeps a draft in the Backlog that its dependencies hold, and remembers who released it; nil when nothing holds it.
// d is the draft as it shall be, stored as it was read.
func (e *Engine) hold(ctx context.Context, stored, d pieces.Draft, by pieces.Actor) (*HeldError, error) {
	flags, err := e.flags(ctx)
	if err != nil || !flags.Dependencies || d.Lane == pieces.LaneManual {
		return nil, err
	}
	all, err := e.dependencies(ctx, d.ID, nil)
	if err != nil || len(pieces.BlockingKeys(all[d.ID])) == 0 {
		return nil, err
	}
	if d.ReleasedBy == "" && by != pieces.ByFermata { // the Loop looks again by itself, while it plays
		d.ReleasedBy = by
	}
	if !reflect.DeepEqual(d, stored) {
		if err := e.Store.SaveDraft(ctx, d); err != nil {
			return nil, fmt.Errorf("hold draft %s: %w", d.ID, err)
		}
	}
	return &HeldError{d, all[d.ID]}, nil
}

// keepRelease decides whether a held release outlives an edit: on the manual lane nothing is held, and what a person allowed
// on a card must be what starts.
func (e *Engine) keepRelease(ctx context.Context, was, now pieces.Draft) (pieces.Actor, error) {
	if was.ReleasedBy == "" || now.Lane == pieces.LaneManual {
		return "", nil
	}
	ask, err := e.Setting(ctx, pieces.KeyMCPAskBefore)
	was.Title, was.UpdatedAt = now.Title, now.UpdatedAt
	if err == nil && ask == "true" && now.Lane == pieces.LaneAuto && !reflect.DeepEqual(was, now) {
		return "", nil
	}
	return now.ReleasedBy, err
}

// starts are the held drafts that are being started, and since when those wait whose start went wrong. The zero value is ready.
type starts struct {
	mu     sync.Mutex
	busy   map[string]bool
	failed map[string]time.Time
}

// begin says whether a draft may be started now; end has to follow.
func (s *starts) begin(id string, now time.Time, again time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, failed := s.failed[id]; s.busy[id] || (failed && now.Sub(at) < again) {
		return false
	}
	if s.busy == nil {
		s.busy, s.failed = map[string]bool{}, map[string]time.Time{}
	}
	s.busy[id] = true
	return true
}

// now returns what is being started, and what rests since its start went wrong.
func (s *starts) now(now time.Time, again time.Duration) (busy, resting map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	busy, resting = maps.Clone(s.busy), map[string]bool{}
	for id, at := range s.failed {
		resting[id] = now.Sub(at) < again
	}
	return busy, resting
}

func (s *starts) end(id string, now time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, id)
	delete(s.failed, id)
	if err != nil {
		s.failed[id] = now
	}
}

// keepDependencies brings whatever waits in line with what it waits on, at every change until ctx ends.
func (e *Engine) keepDependencies(ctx context.Context) {
	wake, stop := e.Store.Watch()
	defer stop()
	tick := time.NewTicker(e.PollEvery) // for starts that went wrong
	defer tick.Stop()
	rest := time.NewTimer(0)
	defer rest.Stop()
	linked := true // whether anything waited when it was looked at last; at the start nobody knows
	for {
		var err error
		if linked, err = e.followDependencies(ctx, linked); err != nil && ctx.Err() == nil {
			e.Log.Warn("follow dependencies", "err", err)
		}
		select {
		case <-wake:
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		rest.Reset(followEvery)
		select {
		case <-rest.C:
		case <-ctx.Done():
			return
		}
	}
}

// followEvery is how often dependencies are followed at most: running agents write all the time.
const followEvery = 50 * time.Millisecond

// followDependencies brings every item in line, and says whether there are links. Without links, now as before, nothing can
// be out of line.
func (e *Engine) followDependencies(ctx context.Context, linked bool) (bool, error) {
	links, err := e.Store.Links(ctx)
	if err != nil {
		return true, err
	}
	if len(links) == 0 && !linked {
		return false, nil
	}
	list, err := e.Pieces(ctx, pieces.PieceFilter{})
	if err != nil {
		return true, err
	}
	for _, s := range list {
		if s.DependencyMove() == "" {
			continue
		}
		if err := e.bringInLine(ctx, s.Piece.ID); err != nil {
			return true, err
		}
	}
	return len(links) > 0, e.startHeld(ctx)
}

// bringInLine moves a piece to where its dependencies put it, and lets one that they no longer hold go on.
func (e *Engine) bringInLine(ctx context.Context, id string) error {
	for {
		s, err := e.Piece(ctx, id)
		if errors.Is(err, pieces.ErrNotFound) {
			return nil // a draft, or gone
		}
		if err != nil {
			return err
		}
		on := s.DependencyMove()
		if on == "" {
			return nil
		}
		s, err = e.move(ctx, id, on, pieces.ByFermata, func(s pieces.Snapshot, c *pieces.Change) error {
			c.Note = pieces.Quote(waitWords(s.Dependencies))
			if on == pieces.OnDependenciesMet {
				e.moveOn(ctx, s, c)
			}
			return nil
		})
		if err == nil {
			e.follow(s)
			return nil
		}
		if !errors.Is(err, pieces.ErrStale) {
			return err
		}
	}
}

func waitWords(list []pieces.Dependency) string {
	var words []string
	for _, d := range list {
		if d.Standing != pieces.Met {
			words = append(words, fmt.Sprintf("%s (%s)", d.Name, d.State))
		}
	}
	return strings.Join(words, ", ")
}

// startHeld starts the drafts whose release was held and is no longer.
func (e *Engine) startHeld(ctx context.Context) error {
	drafts, err := e.Store.Drafts(ctx, "")
	if err != nil {
		return err
	}
	drafts = slices.DeleteFunc(drafts, func(d pieces.Draft) bool { return d.ReleasedBy == "" })
	if len(drafts) == 0 {
		return nil
	}
	all, err := e.dependencies(ctx, "", nil)
	if err != nil {
		return err
	}
	for _, d := range drafts {
		if len(pieces.BlockingKeys(all[d.ID])) > 0 || !e.starts.begin(d.ID, e.Now(), e.PollEvery) {
			continue
		}
		e.spawn("start held draft", func(ctx context.Context) error {
			_, err := e.ReleaseDraft(ctx, d.ID, "", d.ReleasedBy)
			if held := (*HeldError)(nil); errors.As(err, &held) {
				err = nil
			}
			e.starts.end(d.ID, e.Now(), err)
			return err
		})
	}
	return nil
}
