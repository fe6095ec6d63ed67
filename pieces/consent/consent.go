// Package consent keeps the questions that wait for a person's Allow or Deny.
package consent

import (
	"context"
	"crypto/rand"
	"errors"
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
)

// ErrGone is returned for an answer to a question that is no longer waiting.
var ErrGone = errors.New("the question is no longer waiting")

// Client says who asks.
type Client struct {
	Name    string
	Version string
}

// Question is what a card shows. The Desk never changes it, so Allow is bound to what the person read.
type Question struct {
	ID        string // set by the Desk
	ProjectID string // empty: the card shows in every open project window
	PieceID   string
	Title     string // "Allow the MCP client to stop agents?"
	Body      string // "An external MCP client wants to stop agents on 'upload-retry' (muse)."
	Effect    []string
	Writing   *pieces.Writing // what Allow hands on, shown whole; nil for most
	Client    Client
	Danger    bool // Allow kills or tears down work
	At        time.Time
	// Key says which calls are the same: a call with the key of a waiting question shares its card. Empty: never shared.
	Key string
}

// Reply is a question's end.
type Reply struct {
	Outcome Outcome
	Note    string // the sentence a person may add to a Deny
}

// Desk holds the waiting questions in order of arrival. All methods are safe for concurrent use; no lock is held while a
// person thinks. The zero value is ready to use.
type Desk struct {
	hub   signal.Hub
	mu    sync.Mutex
	items []*item
}

type item struct {
	q       Question
	waiters int
	reply   Reply
	done    chan struct{}
}

// Watch returns a wake for every change of the waiting questions, and the function that ends it.
func (d *Desk) Watch() (<-chan struct{}, func()) { return d.hub.Watch() }

// Ask puts a question to the person and waits for its end, without any timeout. When ctx ends first the call is withdrawn
// (the card goes with the last call that shares it) and the outcome is Cancelled.
func (d *Desk) Ask(ctx context.Context, q Question) Reply {
	it := d.join(q)
	select {
	case <-it.done:
		return it.reply
	case <-ctx.Done():
		return d.leave(it)
	}
}

func (d *Desk) join(q Question) *item {
	d.mu.Lock()
	for _, it := range d.items {
		if q.Key != "" && it.q.Key == q.Key {
			it.waiters++
			d.mu.Unlock()
			return it
		}
	}
	q.ID = rand.Text()
	q.Effect = slices.Clone(q.Effect)
	if q.Writing != nil {
		w := *q.Writing
		q.Writing = &w
	}
	it := &item{q: q, waiters: 1, done: make(chan struct{})}
	d.items = append(d.items, it)
	d.mu.Unlock()
	d.hub.Wake()
	return it
}

func (d *Desk) leave(it *item) Reply {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-it.done:
		// The answer came at the same time. Nobody is left to act on an Allow, and no later Allow may count.
		if it.reply.Outcome == Allowed {
			return Reply{Outcome: Cancelled}
		}
		return it.reply
	default:
	}
	if it.waiters--; it.waiters == 0 {
		d.end(it, Reply{Outcome: Cancelled})
	}
	return Reply{Outcome: Cancelled}
}

// end takes a question off the desk. d.mu is held.
func (d *Desk) end(it *item, r Reply) {
	d.items = slices.DeleteFunc(d.items, func(o *item) bool { return o == it })
	it.reply = r
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

// Answer ends a question. The first answer wins; a later one, or one for a withdrawn question, is ErrGone.
func (d *Desk) Answer(id string, allow bool, note string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, it := range d.items {
		if it.q.ID != id {
			continue
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

// StopAll ends every waiting question with Stopped: the server goes away, so no Allow can be carried out.
func (d *Desk) StopAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.items) > 0 {
		d.end(d.items[0], Reply{Outcome: Stopped})
	}
}
