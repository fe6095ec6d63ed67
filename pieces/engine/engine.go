// Package engine carries out the actions on pieces and what follows from them.
package engine

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"fermata/pieces"
	"fermata/pieces/signal"
)

// Options is what an Engine is made of. All fields but AttachmentRoot, Login and PollEvery are needed.
type Options struct {
	Store  Store
	Git    Git
	Agents Agents
	Forge  Forge
	Login  Login // nil: the setting is kept, and nothing follows from it
	// WorktreeRoot is the folder that worktrees are made under; nothing outside it is ever removed.
	WorktreeRoot string
	// AttachmentRoot is the folder that attached files are copied under; without it drafts take none.
	AttachmentRoot string
	Now            func() time.Time
	NewID          func() string // UUIDs
	Log            *slog.Logger
	// PollEvery is how often open pull requests are read; a minute when zero.
	PollEvery time.Duration
}

// Engine carries out actions. All methods are safe for concurrent use; one piece is moved by one goroutine at a time.
type Engine struct {
	Options
	hub      signal.Hub
	locks    keyedLocks
	live     liveSessions
	groups   groups
	starts   starts
	loops    loops
	seats    seats
	canvases canvases
	// snoozed lives in memory alone: a snooze ends when Fermata quits.
	snoozed  snoozes
	checkups checkups
	notices  notices

	ctx    context.Context //nolint:containedctx // the app's life: what follows an action outlives the call that asked for it
	cancel context.CancelCauseFunc
	work   sync.WaitGroup
}

// New returns an engine that is not started; see Start.
func New(o Options) *Engine {
	if o.PollEvery == 0 {
		o.PollEvery = time.Minute
	}
	e := &Engine{Options: o}
	e.seats.changed = e.hub.Wake
	return e
}

// Refusal is the error of a call that is well formed but cannot be done. Its text is one sentence for the person or model.
type Refusal struct {
	Sentence pieces.Sentence
	// Legal lists the legal actions when the action was illegal; nil otherwise.
	Legal []pieces.Action
	Cause error
}

// Error returns the sentence, with the legal actions when it is about one that is not.
func (r *Refusal) Error() string {
	if r.Legal == nil {
		return r.Sentence.String()
	}
	if len(r.Legal) == 0 {
		return r.Sentence.String() + " No action is legal now."
	}
	names := make([]string, len(r.Legal))
	for i, a := range r.Legal {
		names[i] = string(a)
	}
	return r.Sentence.String() + " Legal now: " + strings.Join(names, ", ") + "."
}

// Unwrap returns what caused the refusal.
func (r *Refusal) Unwrap() error { return r.Cause }

// Said is the sentence without the legal actions, whose names only a client knows.
func (r *Refusal) Said() pieces.Sentence { return r.Sentence }

func refuse(cause error, format string, facts ...any) error {
	return &Refusal{Sentence: pieces.Say(format, facts...), Cause: cause}
}

// ErrNoProject is wrapped by the refusal of a call that needs a project and names none.
var ErrNoProject = errors.New("no project")

// Request asks for one action on one piece. Fields that the action does not take are empty.
type Request struct {
	PieceID  string
	Action   pieces.Action
	By       pieces.Actor
	Prompt   string
	Lane     pieces.Lane // approveSpec: manual when empty
	TaskID   string
	TaskIDs  []string // nil: every failed agent
	Text     string
	Guidance string
	Level    string
	Title    string // createPR; with Body both nil-able through HasTitle and HasBody
	Body     string
	HasTitle bool
	HasBody  bool
	IsDraft  bool
	Blocker  string
	// Bound is the fingerprint of the effect that a person allowed; an effect that changed since is refused with
	// pieces.ErrStale, and a new card shows it. Empty when no card was shown.
	Bound string
}

// Result is what an action did.
type Result struct {
	Piece   pieces.Snapshot
	Next    string // what to call next, where the contract says so
	Message string
	Started bool
	Waiting bool // its dependencies hold the piece or draft; set by addDependency and removeDependency
	// SessionID is the session that the action started, where the contract says so.
	SessionID string
}

// NewDraft is what create_draft files.
type NewDraft struct {
	ID        string // chosen by the client, or empty
	ProjectID string
	Title     string
	Seed      string
	Spec      string
	Lane      pieces.Lane   // manual when empty
	Refine    pieces.Refine // if_gaps when empty
	Model     string
	RunAt     string
	DependsOn []string // pieces and drafts of the project, by id or tracker key
	// Attach are the absolute paths of files to take along; they are copied, so that the originals may go.
	Attach []string
}

// Filed is what filing a draft found: the draft, or the piece that an earlier call with the same id already released.
type Filed struct {
	Draft    pieces.Draft
	Existed  bool // a resend: nothing was filed
	Released *pieces.Snapshot
	Skipped  []SkippedLink // of DependsOn, because they would close a loop
}

// DraftEdit changes a draft; nil fields keep their value. An empty Seed or Spec clears it.
type DraftEdit struct {
	Title, Seed, Spec, Model, RunAt *string
	Lane                            *pieces.Lane
	Refine                          *pieces.Refine
	// Attach are the absolute paths of files that it takes along from now on, Detach the names of those that it no longer does.
	Attach, Detach []string
}

// Watch returns a wake for every change that a reader could see, and the function that ends it.
func (e *Engine) Watch() (<-chan struct{}, func()) { return e.hub.Watch() }
