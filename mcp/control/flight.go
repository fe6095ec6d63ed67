package control

import (
	"errors"
	"sync"
)

var errPanicked = errors.New("carry out an allowed call: it panicked")

// flights are the calls that wait for cards, by the key under which they share one. The zero value is ready to use.
type flights struct {
	mu    sync.Mutex
	byKey map[string]*flight
}

// flight is the calls that share one card: what it allows is done once, and all of them return what came of it.
type flight struct {
	calls int // guarded by flights.mu
	once  sync.Once
	value any
	err   error
}

// board joins the flight of a key, or opens one.
func (s *flights) board(key string) *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byKey == nil {
		s.byKey = map[string]*flight{}
	}
	f := s.byKey[key]
	if f == nil {
		f = &flight{}
		s.byKey[key] = f
	}
	f.calls++
	return f
}

// depart closes a flight to later calls: they show a card of their own.
func (s *flights) depart(key string, f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byKey[key] == f {
		delete(s.byKey, key)
	}
}

func (s *flights) leave(key string, f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.calls--; f.calls == 0 && s.byKey[key] == f {
		delete(s.byKey, key)
	}
}

// carry does what was allowed, the first time; it returns what came of that every time.
func (f *flight) carry(do func() (any, error)) (any, error) {
	f.once.Do(func() {
		f.err = errPanicked // what the others see when do panics
		f.value, f.err = do()
	})
	return f.value, f.err
}
