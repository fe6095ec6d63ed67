package engine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"fermata/pieces"
)

// seats are the places for Claude Code's processes: no more of them live at once, over all pieces, than the setting allows.
// Whoever finds none waits in one queue, in which what the person opened comes first and everything else in the order in
// which it came.
//
// It cannot deadlock: who has a place never waits for another one, and gives it back when its process is gone. The zero value
// has no limit.
type seats struct {
	changed func() // wakes who shows what waits

	mu      sync.Mutex
	most    int // 0 for no limit
	used    int
	queue   []*seatWait
	granted map[string]int // places that a piece's turn in the queue brought it and that nothing of it has taken yet

	revision atomic.Int64 // grows with every change of the queue
}

// seatWait is one place in the queue.
type seatWait struct {
	pieceID string
	id      string        // of what waits: an agent's task, or the piece for one of its steps or its next agent
	person  bool          // the person opened it
	ready   chan struct{} // closed when it has its place; nil for a piece's turn
	turn    func()        // looks again at a piece whose turn it is
}

// take waits for a place until ctx ends. give has to follow.
func (s *seats) take(ctx context.Context, pieceID, id string, person bool) error {
	s.mu.Lock()
	if s.free() && len(s.queue) == 0 {
		s.used++
		s.mu.Unlock()
		return nil
	}
	w := &seatWait{pieceID: pieceID, id: id, person: person, ready: make(chan struct{})}
	s.enqueue(w)
	s.mu.Unlock()
	s.wake()
	defer s.wake()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.leave(func(o *seatWait) bool { return o == w }) { // it got one in this very moment
			s.used--
			s.hand()
		}
		return context.Cause(ctx)
	}
}

// try takes a place for something of a piece that is about to start. When there is none the piece gets a turn in the queue,
// and turn is called when it has come; unspent has to follow that.
func (s *seats) try(pieceID string, turn func()) bool {
	s.mu.Lock()
	if s.granted[pieceID] > 0 {
		s.grant(pieceID, -1)
		s.mu.Unlock()
		return true
	}
	if s.free() && len(s.queue) == 0 {
		s.used++
		s.mu.Unlock()
		return true
	}
	queued := slices.ContainsFunc(s.queue, func(o *seatWait) bool { return o.turn != nil && o.pieceID == pieceID })
	if !queued {
		s.enqueue(&seatWait{pieceID: pieceID, id: pieceID, turn: turn})
	}
	s.mu.Unlock()
	s.wake()
	return false
}

// unspent gives back what a piece's turn brought it and what it had no use for.
func (s *seats) unspent(pieceID string) {
	s.mu.Lock()
	s.used -= s.granted[pieceID]
	s.grant(pieceID, -s.granted[pieceID])
	s.hand()
	s.mu.Unlock()
	s.wake()
}

// give gives a place back, to whoever waits first.
func (s *seats) give() {
	s.mu.Lock()
	s.used--
	s.hand()
	s.mu.Unlock()
	s.wake()
}

// drop takes a piece's turn out of the queue: nothing of it shall start.
func (s *seats) drop(pieceID string) {
	s.mu.Lock()
	left := s.leave(func(o *seatWait) bool { return o.turn != nil && o.pieceID == pieceID })
	s.mu.Unlock()
	if left {
		s.wake()
	}
}

// resize says how many places there are from now on; what runs beyond that ends by itself.
func (s *seats) resize(most int) {
	s.mu.Lock()
	s.most = most
	s.hand()
	s.mu.Unlock()
	s.wake()
}

// waiting lists what waits for a place, by piece.
func (s *seats) waiting() map[string][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return nil
	}
	m := map[string][]string{}
	for _, w := range s.queue {
		m[w.pieceID] = append(m[w.pieceID], w.id)
	}
	return m
}

func (s *seats) wake() {
	if s.changed != nil {
		s.changed()
	}
}

func (s *seats) free() bool { return s.most <= 0 || s.used < s.most }

func (s *seats) enqueue(w *seatWait) {
	at := len(s.queue)
	if w.person {
		at = 0
		for at < len(s.queue) && s.queue[at].person {
			at++
		}
	}
	s.queue = slices.Insert(s.queue, at, w)
	s.revision.Add(1)
}

func (s *seats) leave(who func(*seatWait) bool) bool {
	n := len(s.queue)
	s.queue = slices.DeleteFunc(s.queue, who)
	s.revision.Add(1)
	return len(s.queue) < n
}

func (s *seats) grant(pieceID string, n int) {
	if s.granted == nil {
		s.granted = map[string]int{}
	}
	if s.granted[pieceID] += n; s.granted[pieceID] == 0 {
		delete(s.granted, pieceID)
	}
}

// hand gives what is free to those who wait first.
func (s *seats) hand() {
	for len(s.queue) > 0 && s.free() {
		w := s.queue[0]
		s.queue = s.queue[1:]
		s.used++
		s.revision.Add(1)
		if w.ready != nil {
			close(w.ready)
			continue
		}
		s.grant(w.pieceID, 1)
		w.turn()
	}
}

// seat gets a place for something of a running piece that is about to start, or has the piece looked at again when there is
// one.
func (e *Engine) seat(pieceID string) bool {
	return e.seats.try(pieceID, func() {
		e.spawn("advance", func(ctx context.Context) error {
			defer e.seats.unspent(pieceID)
			return e.insist("advance", func() error { return e.advance(ctx, pieceID) })
		})
	})
}

type seatedKey struct{}

// withSeat marks work that has a place already, so that its sessions take none of their own.
func withSeat(ctx context.Context) context.Context { return context.WithValue(ctx, seatedKey{}, true) }

func seated(ctx context.Context) bool { return ctx.Value(seatedKey{}) != nil }

// opened says whether the person opened a session of the kind, and waits for it.
func opened(k pieces.SessionKind) bool {
	return k == pieces.SessionFeedback || k == pieces.SessionCanvas
}
