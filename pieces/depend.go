package pieces

import (
	"slices"
	"strings"
	"time"
)

// Origin says where a link between two items came from.
type Origin string

// The origins: added by a person or client, taken from a tracker, made by a split.
const (
	OriginManual Origin = "manual"
	OriginLinear Origin = "linear"
	OriginGitHub Origin = "github"
	OriginSplit  Origin = "split"
)

// Link says that a piece or draft waits on another one.
type Link struct {
	ItemID    string // the piece or draft that waits
	BlockerID string // the piece or draft that it waits on; it may be gone by now
	Name      string // the blocker's when the link was made, for when it is gone
	Origin    Origin
	// Ignored is set once the person started the item anyway: the link stays and holds nothing any more.
	Ignored   bool
	CreatedAt time.Time
}

// Standing says what a blocker means to the item that waits on it.
type Standing int

// The standings. Wrong is a blocker that nothing but a person brings on again.
const (
	Unmet Standing = iota
	Met
	Wrong
)

// What Fermata finds of a piece's dependencies.
const (
	OnDependencyUnmet  Trigger = "dependencyUnmet"
	OnDependencyFailed Trigger = "dependencyFailed"
	OnDependenciesMet  Trigger = "dependenciesMet"
)

// StateDeleted is the state word of a blocker that no longer exists.
const StateDeleted = "deleted"

// Dependency is one link as its item sees it, with what is known of the blocker now.
type Dependency struct {
	ID       string
	Key      string // the blocker's tracker key; empty when it has none
	Name     string
	Origin   Origin
	State    string // the blocker's phase as the board shows it, or StateDeleted
	Standing Standing
	Ignored  bool // the person started the item anyway
}

// DependencyOn reads a link whose blocker is a piece, a draft, or gone when both are nil.
func DependencyOn(l Link, piece *Snapshot, draft *Draft) Dependency {
	d := Dependency{ID: l.BlockerID, Name: l.Name, Origin: l.Origin, State: StateDeleted, Standing: Wrong, Ignored: l.Ignored}
	switch {
	case piece != nil:
		d.Name, d.State, d.Standing = piece.Piece.Name, piece.Display(), standingOf(*piece)
		if piece.Piece.Source != nil {
			d.Key = piece.Piece.Source.Key
		}
	case draft != nil:
		d.Name, d.State, d.Standing = draft.Title, DisplayOf(PhaseBacklog, 0, 0), Unmet
	}
	return d
}

// standingOf says what a piece means to those that wait on it: met once it is Done and its pull request, if it had one, is
// merged. One that was met stays so when it is archived.
func standingOf(s Snapshot) Standing {
	p := s.Piece
	switch {
	case p.Phase == PhaseComplete && landed(p):
		return Met
	case p.Archived, stranded(p):
		return Wrong
	}
	return Unmet
}

func landed(p Piece) bool {
	if p.PR == nil {
		return p.Activity != CreatingPR
	}
	return p.PR.State == PullRequestMerged
}

// stranded says that a piece failed or stopped. A pause that the person means to end, or that ends by itself, is none.
func stranded(p Piece) bool {
	switch p.Activity {
	case Failed: // a step that a usage limit cut short goes on by itself
		return p.Pause != PauseLimitReached
	case StopFailed, Finished: // a run finishes there with failed agents
		return true
	case Paused:
		switch p.Pause {
		case PauseStopped, PauseInterrupted, PauseBudgetReached, PauseReviewStepFailed:
			return true
		default:
			return false
		}
	default:
		return p.Phase == PhaseComplete && p.PR != nil && p.PR.State == PullRequestClosed
	}
}

// Handle is how a client names the blocker: its tracker key when it has one, its id otherwise.
func (d Dependency) Handle() string {
	if d.Key != "" {
		return d.Key
	}
	return d.ID
}

// Is says whether a name, an id or a tracker key, means this blocker.
func (d Dependency) Is(name string) bool {
	return strings.EqualFold(d.ID, name) || (d.Key != "" && strings.EqualFold(d.Key, name))
}

// BlockingKeys lists what of an item's dependencies is unmet or went wrong and is not ignored, by its handle; never nil.
func BlockingKeys(list []Dependency) []string {
	keys := []string{}
	for _, d := range list {
		if d.Standing != Met && !d.Ignored {
			keys = append(keys, d.Handle())
		}
	}
	return keys
}

// Holds says whether dependencies hold an item on a lane at all: what the person moves by hand is never held, and neither
// is an Auto piece whose Play nobody pressed.
func Holds(lane Lane, play bool) bool {
	return lane == LaneLoop || (lane == LaneAuto && play)
}

// Waits says whether the draft's dependencies hold it: it was released, or a playing Loop would start it.
func (d Draft) Waits(on []Dependency) bool {
	return (d.ReleasedBy != "" || d.Offered) && d.Lane != LaneManual && len(BlockingKeys(on)) > 0
}

// Waits says whether the piece's dependencies hold it right now.
func (s Snapshot) Waits() bool {
	return s.Piece.Activity == Waiting || s.Piece.Activity == DependencyBlocked
}

// held says whether the piece's dependencies hold it, and whether one of them went wrong. Those of a split hold in any lane.
func (s Snapshot) held() (held, wrong bool) {
	list := s.SplitBlockers()
	if Holds(s.Piece.Config.Lane, s.Piece.Play) {
		list = s.Dependencies
	}
	for _, d := range list {
		if d.Ignored {
			continue
		}
		held = held || d.Standing != Met
		wrong = wrong || d.Standing == Wrong
	}
	return held, wrong
}

// DependencyMove returns the trigger that brings a piece to where its dependencies put it, empty when it stands there.
func (s Snapshot) DependencyMove() Trigger {
	if s.Piece.Archived {
		return ""
	}
	for _, on := range []Trigger{OnDependencyUnmet, OnDependencyFailed, OnDependenciesMet} {
		if to, ok := Next(s.State(), s.Piece.Before, on, s.Facts()); ok && to != s.State() {
			return on
		}
	}
	return ""
}

// WouldLoop says whether a further link from item to blocker would close a circle of items that wait on one another.
func WouldLoop(links []Link, item, blocker string) bool {
	next := map[string][]string{}
	for _, l := range links {
		next[l.ItemID] = append(next[l.ItemID], l.BlockerID)
	}
	seen := map[string]bool{}
	var reaches func(string) bool
	reaches = func(id string) bool {
		if id == item {
			return true
		}
		if seen[id] {
			return false
		}
		seen[id] = true
		return slices.ContainsFunc(next[id], reaches)
	}
	return reaches(blocker)
}
