package pieces

import "errors"

// Errors that callers test for.
var (
	// ErrStale is returned when the piece moved on since it was read.
	ErrStale = errors.New("the piece moved on meanwhile")
	// ErrNotFound is returned for an id that names nothing.
	ErrNotFound = errors.New("not found")
	// ErrExists is returned when an id is taken.
	ErrExists = errors.New("already exists")
	// ErrWorktreeMissing is returned when a recorded worktree is not on disk as git knows it.
	ErrWorktreeMissing = errors.New("the worktree is missing")
)

// Change is one intent on a piece: everything it writes happens in one transaction, or nothing does.
type Change struct {
	// Piece is the piece as it shall be; its Version is the one that was read, and the change is refused with ErrStale
	// when the store has another.
	Piece   Piece
	From    State
	Trigger Trigger
	By      Actor
	Note    Sentence
	// Tasks are written over those with the same id; with ReplacePlan the old graph goes first.
	Tasks       []Task
	Edges       []Edge
	ReplacePlan bool
	Artifacts   []Artifact
	// Links are added to what the piece waits on, DropLinks taken away by their blockers' ids.
	Links     []Link
	DropLinks []string
	// IgnoreLinks are the blockers whose links hold nothing any more.
	IgnoreLinks []string
	// Quiet leaves out the history row: for facts that are no transition, such as a cost that grew.
	Quiet bool
}

// PieceFilter selects pieces; the zero value selects all but the archived.
type PieceFilter struct {
	ProjectID       string
	IncludeArchived bool
	// OpenPullRequest leaves out the pieces without a pull request that was open when it was last read.
	OpenPullRequest bool
	// CutOff leaves out the pieces at which a crash can have cut nothing off: no process or call of ours has to stand behind
	// their state, behind an agent or behind a code review.
	CutOff bool
}

// Checkout is where a piece works on disk, as far as it is known.
type Checkout struct {
	PieceID, ProjectID string
	Worktree, Branch   string
	Missing            bool // it was not there when it was last looked for
	Phase              Phase
	Archived           bool
	Version            int64 // of the piece
}

// SessionFilter selects sessions; the zero value selects all that are not hidden.
type SessionFilter struct {
	ProjectID     string
	PieceID       string
	IncludeHidden bool
	LiveOnly      bool
}

// Effect is what allowing an action would do, in plain words for the card, and what the words were bound to.
type Effect struct {
	Lines []Sentence
	// Writing is the text that the action sends or puts in another's place, for a card that shows it whole; nil for most.
	Writing *Writing
	// Fingerprint changes when anything the lines speak of changes.
	Fingerprint string
}

// Writing is a text that an action hands on, such as an agent's new brief.
type Writing struct {
	Name   string // what it is: "Brief", "Message"
	Before string // what it takes the place of; empty when nothing was there
	After  string
}
