// Package consent keeps the questions that wait for a person's Allow or Deny.
package consent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"fermata/pieces"
	"fermata/pieces/signal"
)

// Outcome is how a question ended. The zero value is Denied.
type Outcome int

// The outcomes stay distinct, so that a client never takes a stopped server for a refusal.
const (
	Denied Outcome = iota
	Allowed
	Cancelled // the client withdrew the call or hung up
	Stopped   // the server was switched off, retried, moved or quit
	Failed    // what Allow would do could not be found out; Reply.Err says why
)

// What Answer returns for an answer that did not count.
var (
	// ErrGone says that the question is no longer waiting.
	ErrGone = errors.New("the question is no longer waiting")
	// ErrLooking says that an Allow came before it was known what it does.
	ErrLooking = errors.New("what Allow would do is still being looked at")
)

// Client says who asks.
type Client struct {
	Name    string
	Version string
}

// Question is what a card shows. But for what Look finds, the Desk never changes it, and no Allow counts before that: so
// Allow is bound to what the person read.
type Question struct {
	ID        string // set by the Desk
	ProjectID string // empty: the card shows in every open project window
	PieceID   string
	Title     pieces.Sentence // "Allow the MCP client to stop agents?"
	Body      pieces.Sentence // "An external MCP client wants to stop agents on 'upload-retry' (muse)."
	Effect    []pieces.Sentence
	Writing   *pieces.Writing // what Allow hands on, shown whole; nil for most
	Bound     string          // the fingerprint of the effect
	Client    Client
	Danger    bool // Allow kills or tears down work
	Again     bool // what an earlier card of the call allowed is no longer what would happen
	At        time.Time
	// Look finds out what Allow does, where that takes longer than a person should wait for the card. Until it has returned,
	// Effect is what is known without it. Its context ends with the question. Nil: Effect is all.
	Look func(context.Context) (pieces.Effect, error)
	// Looking says that Look has not returned yet; set by the Desk.
	Looking bool
	// Key says which calls are the same: a call with the key of a waiting question shares its card. Empty: never shared.
	Key string
	// Shared is what the calls that share the card have in common: the Desk gives back the first one's.
	Shared any
}

// Reply is a question's end.
type Reply struct {
	Outcome  Outcome
	Note     string   // the sentence a person may add to a Deny
	Question Question // as it stood at its end: the one that the card showed
	Err      error    // why the question Failed
}

// headStart is how long a card has the machine to itself to come onto the screen, before it is looked for what its Allow does:
// both take all the cores there are.
const headStart = 50 * time.Millisecond

// Desk holds the waiting questions in order of arrival. All methods are safe for concurrent use; no lock is held while a
// person thinks. The zero value is ready to use.
type Desk struct {
	hub   signal.Hub
	looks sync.WaitGroup
	mu    sync.Mutex
	items []*item
}

type item struct {
	q       Question
	waiters int
	reply   Reply
	done    chan struct{}
	halt    context.CancelFunc // ends its look
}

// Watch returns a wake for every change of the waiting questions, and the function that ends it.
func (d *Desk) Watch() (<-chan struct{}, func()) { return d.hub.Watch() }

// Ask puts a question to the person and waits for its end, without any timeout. When ctx ends first the call is withdrawn
// (the card goes with the last call that shares it) and the outcome is Cancelled.
func (d *Desk) Ask(ctx context.Context, q Question) Reply {
	it := d.join(ctx, q)
	select {
	case <-it.done:
		return it.reply
	case <-ctx.Done():
		return d.leave(it)
	}
}

func (d *Desk) join(ctx context.Context, q Question) *item {
	d.mu.Lock()
	for _, it := range d.items {
		if q.Key != "" && it.q.Key == q.Key {
			it.waiters++
			d.mu.Unlock()
			return it
		}
	}
	find := q.Look
	q.ID = rand.Text()
	q.Look, q.Looking = nil, find != nil
	q.set(pieces.Effect{Lines: q.Effect, Writing: q.Writing, Fingerprint: q.Bound})
	it := &item{q: q, waiters: 1, done: make(chan struct{})}
	// It goes on for the calls that share the card, even when this one is withdrawn.
	ctx, it.halt = context.WithCancel(context.WithoutCancel(ctx))
	d.items = append(d.items, it)
	if find != nil {
		d.looks.Go(func() { d.look(ctx, it, find) })
	}
	d.mu.Unlock()
	d.hub.Wake()
	return it
}

// set takes over what Allow does, as a copy.
func (q *Question) set(e pieces.Effect) {
	q.Effect, q.Bound, q.Writing = slices.Clone(e.Lines), e.Fingerprint, nil
	if e.Writing != nil {
		w := *e.Writing
		q.Writing = &w
	}
}

// look finds out what Allow does and puts it on the card. A question of which that cannot be found out ends.
func (d *Desk) look(ctx context.Context, it *item, find func(context.Context) (pieces.Effect, error)) {
	wait := time.NewTimer(headStart)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return
	}
	effect, err := found(ctx, find)
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case !slices.Contains(d.items, it): // it was answered or withdrawn meanwhile
	case err != nil:
		d.end(it, Reply{Outcome: Failed, Err: err})
	default:
		it.q.set(effect)
		it.q.Looking = false
		d.hub.Wake()
	}
}

func found(ctx context.Context, find func(context.Context) (pieces.Effect, error)) (effect pieces.Effect, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("find out what Allow would do: it panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return find(ctx)
}

func (d *Desk) leave(it *item) Reply {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-it.done:
		// The answer came at the same time. Nobody is left to act on an Allow, and no later Allow may count.
		if it.reply.Outcome == Allowed {
			return Reply{Outcome: Cancelled, Question: it.q}
		}
		return it.reply
	default:
	}
	if it.waiters--; it.waiters == 0 {
		d.end(it, Reply{Outcome: Cancelled})
	}
	return Reply{Outcome: Cancelled, Question: it.q}
}

// end takes a question off the desk. d.mu is held.
func (d *Desk) end(it *item, r Reply) {
	d.items = slices.DeleteFunc(d.items, func(o *item) bool { return o == it })
	r.Question = it.q
	it.reply = r
	it.halt()
	close(it.done)
	d.hub.Wake()
}

// Pending lists the waiting questions in order of arrival.
func (d *Desk) Pending() []Question {
	d.mu.Lock()
	defer d.mu.Unlock()
	qs := make([]Question, len(d.items))
	for i, it := range d.items {
		qs[i] = it.q
	}
	return qs
}

// Answer ends a question. The first answer wins; a later one, or one for a withdrawn question, is ErrGone. An Allow of what
// is still being looked at is ErrLooking, and the question waits on; a Deny of it counts.
func (d *Desk) Answer(id string, allow bool, note string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, it := range d.items {
		if it.q.ID != id {
			continue
		}
		if allow && it.q.Looking {
			return ErrLooking
		}
		r := Reply{Outcome: Denied, Note: note}
		if allow {
			r = Reply{Outcome: Allowed}
		}
		d.end(it, r)
		return nil
	}
	return ErrGone
}

// Wait returns once nothing is looked at any more. Call it after the last question was asked, and StopAll.
func (d *Desk) Wait() { d.looks.Wait() }

// StopAll ends every waiting question with Stopped: the server goes away, so no Allow can be carried out.
func (d *Desk) StopAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.items) > 0 {
		d.end(d.items[0], Reply{Outcome: Stopped})
	}
}
