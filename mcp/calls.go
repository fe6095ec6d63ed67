package mcp

import (
	"context"
	"sync"
)

// call is one request being handled.
type call struct {
	key     string // its JSON-RPC id, as sessions know it
	cancel  context.CancelCauseFunc
	endless bool // a subscription: it ends only when it is told to
}

// calls are all requests being handled. The zero value is ready.
type calls struct {
	mu   sync.Mutex
	all  map[*call]struct{}
	idle chan struct{} // made by stop; closed when the last call left
}

// add takes c in; it refuses once the server stops.
func (s *calls) add(c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle != nil {
		return false
	}
	if s.all == nil {
		s.all = map[*call]struct{}{}
	}
	s.all[c] = struct{}{}
	return true
}

func (s *calls) remove(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, c)
	if s.idle != nil && len(s.all) == 0 {
		close(s.idle)
	}
}

// stop refuses further calls, ends the endless ones, and returns a channel that closes when none is left. It is
// called once.
func (s *calls) stop() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = make(chan struct{})
	if len(s.all) == 0 {
		close(s.idle)
	}
	for c := range s.all {
		if c.endless {
			c.cancel(ErrServerStopping)
		}
	}
	return s.idle
}

func (s *calls) stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idle != nil
}

func (s *calls) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

func (s *calls) cancelAll(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.all {
		c.cancel(cause)
	}
}
