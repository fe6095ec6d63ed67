package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// streamBacklog is how many notifications may wait for a slow client; a slower one is cut and connects again.
const streamBacklog = 64

// maxStreams bounds the open GET streams, each of which holds a connection.
const maxStreams = 1024

// stream is one client's standing GET.
type stream struct {
	events chan []byte
	ended  chan struct{}
}

// streams are the open GET streams, one a session.
type streams struct {
	mu      sync.Mutex
	byID    map[string]*stream
	stopped bool
}

func newStreams() *streams { return &streams{byID: map[string]*stream{}} }

// open begins the stream of session id and ends the one it had: a message may go out on one of them only. It
// returns nil when there is no room, or the server stops.
func (t *streams) open(id string) *stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(id)
	if t.stopped || len(t.byID) >= maxStreams {
		return nil
	}
	st := &stream{events: make(chan []byte, streamBacklog), ended: make(chan struct{})}
	t.byID[id] = st
	return st
}

func (t *streams) drop(id string) {
	if st := t.byID[id]; st != nil {
		close(st.ended)
		delete(t.byID, id)
	}
}

// leave forgets st, if it still is the stream of session id.
func (t *streams) leave(id string, st *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[id] == st {
		t.drop(id)
	}
}

func (t *streams) end(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(id)
}

// cut ends all streams.
func (t *streams) cut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id := range t.byID {
		t.drop(id)
	}
}

// stop ends all streams and opens no more.
func (t *streams) stop() {
	t.mu.Lock()
	t.stopped = true
	t.mu.Unlock()
	t.cut()
}

func (t *streams) send(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, st := range t.byID {
		select {
		case st.events <- b:
		default:
			t.drop(id)
		}
	}
}

// Notify sends a notification to every client that listens: those with an open GET stream, and those that
// subscribed to it under the 2026-07-28 protocol. params is nil or marshals to a JSON object. It does not block.
func (s *Server) Notify(method string, params any) error {
	note := map[string]any{"jsonrpc": "2.0", "method": method}
	var fields map[string]any
	if params != nil {
		raw, err := json.Marshal(params)
		if err == nil {
			err = json.Unmarshal(raw, &fields)
		}
		if err != nil {
			return fmt.Errorf("notify %s: %w", method, err)
		}
		note["params"] = fields
	}
	b, err := json.Marshal(note)
	if err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	s.streams.send(event(b))
	s.tools.SendNotificationToAllClients(method, fields)
	return nil
}

// stream serves a GET: it stays open, and is otherwise silent but for a comment every beat, which finds out
// whether the client is still there.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(headerSession)
	if _, err := s.sessions.touch(id, agentOf(r.Header)); err != nil {
		sessionFault(nil, err).write(w)
		return
	}
	st := s.streams.open(id)
	if st == nil {
		(&fault{status: http.StatusServiceUnavailable, code: codeRefused, text: "no stream to be had"}).write(w)
		return
	}
	defer s.streams.leave(id, st)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	beat := time.NewTicker(s.beat)
	defer beat.Stop()
	next := []byte(": open\n\n")
	for s.push(w, next) {
		select {
		case next = <-st.events:
		case <-beat.C:
			next = []byte(": open\n\n")
		case <-st.ended:
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (s *Server) push(w http.ResponseWriter, b []byte) bool {
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Now().Add(s.limits.write))
	if _, err := w.Write(b); err != nil {
		return false
	}
	return rc.Flush() == nil
}
