package mcp

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// connections are the open TCP connections. The zero value is ready.
type connections struct {
	mu  sync.Mutex
	all map[net.Conn]struct{}
}

func (s *connections) track(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		if s.all == nil {
			s.all = map[net.Conn]struct{}{}
		}
		s.all[c] = struct{}{}
	case http.StateClosed, http.StateHijacked:
		delete(s.all, c)
	default: // in use and idle ones are open all the same
	}
}

// cut closes every connection; net/http notices and ends their requests.
func (s *connections) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.all {
		_ = c.Close()
	}
}

type connectionKey struct{}

func (s *connections) context(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, &connection{})
}

// connection remembers what was found out about one TCP connection.
type connection struct {
	mu    sync.Mutex
	known map[any]any
}

func connectionOf(ctx context.Context) *connection {
	c, _ := ctx.Value(connectionKey{}).(*connection)
	return c
}

// once returns what look found for key, looking at most a few times however many ask.
func (c *connection) once(key any, look func() any) any {
	c.mu.Lock()
	v, ok := c.known[key]
	c.mu.Unlock()
	if ok {
		return v
	}
	v = look() // without the lock: it may read the process table
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[any]any{}
	}
	c.known[key] = v
	return v
}
