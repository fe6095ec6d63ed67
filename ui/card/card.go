// Package card shows the questions that wait for Allow or Deny, one at a time, over everything else in a window.
package card

import (
	"context"
	"slices"
	"time"

	"fyne.io/fyne/v2"

	"fermata/pieces/consent"
	"fermata/ui/pump"
)

const (
	armAfter = 500 * time.Millisecond
	linger   = 8 * time.Second
	// tellAfter is how much later than the cards the other places show what waits: a card is drawn first.
	tellAfter = 50 * time.Millisecond
)

// Desk is where the questions wait.
type Desk interface {
	Pending() []consent.Question
	Answer(id string, allow bool, note string) error
	Watch() (<-chan struct{}, func())
}

// Options is what Cards are made of.
type Options struct {
	Desk Desk
	Pump *pump.Pump
	// Notify tells the person of a question whose project has no open window, or that comes while they are away. It is called
	// once a question, on the main goroutine.
	Notify func(consent.Question)
	// Away says that the person works in another app, or that all windows are minimised; nil: never.
	Away func() bool
	// Changed is called on the main goroutine, once the cards are drawn, whenever the waiting questions may have changed; nil
	// when nobody asks.
	Changed func()
	// ArmAfter is how long a new card takes no answer, so that a click or a key that was meant for what lay there before
	// answers nothing. Half a second when zero.
	ArmAfter time.Duration
	// Linger is how long a window says that a question was withdrawn. Eight seconds when zero.
	Linger time.Duration
}

// Scope says which questions a window shows: those of a project, or, as Home, those that no project window shows.
type Scope struct {
	ProjectID string
	Home      bool
}

// Cards deals the waiting questions to the open windows. Its methods are called on the main goroutine.
type Cards struct {
	Options
	ctx      context.Context // the life of the app: timers end with it
	hosts    []*Host
	notified map[string]bool
	answered map[string]bool // by a click here: their end needs no word
	dealt    map[string]bool // that were dealt before
	telling  bool            // Changed is about to be called
}

// New returns Cards without a window; Follow begins to deal.
func New(ctx context.Context, o Options) *Cards {
	if o.ArmAfter == 0 {
		o.ArmAfter = armAfter
	}
	if o.Linger == 0 {
		o.Linger = linger
	}
	return &Cards{Options: o, ctx: ctx, notified: map[string]bool{}, answered: map[string]bool{}, dealt: map[string]bool{}}
}

// Follow deals the questions anew after each change, until the context ends.
func (c *Cards) Follow() {
	wake, stop := c.Desk.Watch()
	context.AfterFunc(c.ctx, stop)
	nothing := func(context.Context) (struct{}, error) { return struct{}{}, nil }
	// The questions are in memory, so they are read when they are dealt: a card that was answered meanwhile never returns.
	pump.Follow(c.ctx, c.Pump, wake, nothing, func(struct{}) { c.deal() }, func(error) {})
}

// Open lets a window show its questions. Its content has to show Notice over everything else.
func (c *Cards) Open(w fyne.Window, scope Scope) *Host {
	h := newHost(c, w, scope)
	c.hosts = append(c.hosts, h)
	return h
}

// Close takes a window out of the dealing; its waiting questions go to where they belong now.
func (c *Cards) Close(h *Host) {
	c.hosts = slices.DeleteFunc(c.hosts, func(o *Host) bool { return o == h })
	h.close()
	c.deal()
}

// Deal shows the waiting questions now: after a window was opened.
func (c *Cards) Deal() { c.deal() }

func (c *Cards) deal() {
	pending := c.Desk.Pending()
	hands := map[*Host][]consent.Question{}
	for _, q := range pending {
		windows := c.windows(q)
		if len(windows) == 0 || !c.dealt[q.ID] && c.Away != nil && c.Away() {
			c.notify(q)
		}
		c.dealt[q.ID] = true
		if len(windows) == 0 {
			windows = c.home()
		}
		for _, h := range windows {
			hands[h] = append(hands[h], q)
		}
	}
	for _, h := range c.hosts {
		h.show(hands[h], pending)
	}
	c.forget(pending)
	c.tell()
}

// tell says that the questions changed, once for all changes of a moment.
func (c *Cards) tell() {
	if c.Changed == nil || c.telling {
		return
	}
	c.telling = true
	c.after(c.ctx, tellAfter, func() {
		c.telling = false
		c.Changed()
	})
}

// windows are the open project windows that a question is for.
func (c *Cards) windows(q consent.Question) []*Host {
	var found []*Host
	for _, h := range c.hosts {
		if !h.scope.Home && (q.ProjectID == "" || q.ProjectID == h.scope.ProjectID) {
			found = append(found, h)
		}
	}
	return found
}

func (c *Cards) home() []*Host {
	var found []*Host
	for _, h := range c.hosts {
		if h.scope.Home {
			found = append(found, h)
		}
	}
	return found
}

func (c *Cards) notify(q consent.Question) {
	if c.notified[q.ID] {
		return
	}
	c.notified[q.ID] = true
	if c.Notify != nil {
		c.Notify(q)
	}
}

// forget drops what was kept about questions that have ended.
func (c *Cards) forget(pending []consent.Question) {
	for _, kept := range []map[string]bool{c.notified, c.answered, c.dealt} {
		for id := range kept {
			if !waits(pending, id) {
				delete(kept, id)
			}
		}
	}
}

func waits(list []consent.Question, id string) bool {
	return slices.ContainsFunc(list, func(q consent.Question) bool { return q.ID == id })
}

func (c *Cards) answer(q consent.Question, allow bool, note string) error {
	c.answered[q.ID] = true
	return c.Desk.Answer(q.ID, allow, note)
}

// after runs f on the main goroutine once the time has passed, unless the context ends first.
func (c *Cards) after(ctx context.Context, d time.Duration, f func()) {
	c.Pump.Go(ctx, func(ctx context.Context) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		return nil
	}, func(error) { f() })
}
