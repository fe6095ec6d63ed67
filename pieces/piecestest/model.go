package piecestest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// Model is a server on loopback that answers the Anthropic Messages API from a script, well enough to drive the real
// Claude Code. It is safe for concurrent use.
type Model struct {
	server *loopback

	requests book[Request]

	mu       sync.Mutex
	script   Script
	problems []string
	failed   map[failureKey]int
	ids      int
}

// failureKey counts the failures of one reply per session, so that sessions do not use up one another's.
type failureKey struct {
	session, rule string
	index         int
}

// NewModel starts a model for the test and ends it with the test, which fails if the script lacked a rule or a reply.
func NewModel(tb testing.TB, script Script) *Model {
	tb.Helper()
	m, err := StartModel(script)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		m.Close()
		for _, problem := range m.Problems() {
			tb.Errorf("scripted model: %s", problem)
		}
	})
	return m
}

// StartModel starts a model that the caller closes.
func StartModel(script Script) (*Model, error) {
	m := &Model{script: script, failed: map[failureKey]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", countTokens)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, struct{}{}) })
	mux.HandleFunc("POST /", func(w http.ResponseWriter, _ *http.Request) {
		writeFailure(w, Failure{Status: http.StatusNotFound, Message: "not found"})
	})
	server, err := listen(mux)
	if err != nil {
		return nil, fmt.Errorf("start model: %w", err)
	}
	m.server = server
	return m, nil
}

// URL is the base URL for ANTHROPIC_BASE_URL.
func (m *Model) URL() string { return m.server.url }

// Close ends the server and the requests it holds.
func (m *Model) Close() { m.server.close() }

// SetScript replaces the script for the requests to come.
func (m *Model) SetScript(script Script) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script = script
}

// Requests returns the messages requests so far, in the order of arrival.
func (m *Model) Requests() []Request { return m.requests.all() }

// Problems lists the requests for which the script had no rule or no reply.
func (m *Model) Problems() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.problems)
}

// Wait returns the first request, past or to come, that the function takes. A request is recorded when it arrives, before
// its reply is held or delayed.
func (m *Model) Wait(ctx context.Context, take func(Request) bool) (Request, error) {
	return m.requests.wait(ctx, take)
}

func (m *Model) messages(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	req, err := parseRequest(body)
	if err != nil {
		writeFailure(w, Failure{Status: http.StatusBadRequest, Message: err.Error()})
		return
	}
	req.SessionID = r.Header.Get("X-Claude-Code-Session-Id")
	req, chosen := m.record(req)
	reply := chosen.reply
	if !m.pause(r.Context(), reply) {
		panic(http.ErrAbortHandler) // cuts the connection: an empty 200 would read as an answer
	}
	if reply.Failure != nil && m.mayFail(req, reply) {
		writeFailure(w, *reply.Failure)
		return
	}
	message, err := m.compose(req, reply)
	if err != nil {
		writeFailure(w, Failure{Status: http.StatusBadRequest, Message: err.Error()})
		return
	}
	if !req.Stream {
		writeJSON(w, http.StatusOK, message)
		return
	}
	stream(r.Context(), w, message, reply.ChunkDelay)
}

func (m *Model) record(req Request) (Request, choice) {
	m.mu.Lock()
	script := m.script
	m.mu.Unlock()
	// Match is the caller's code, so no lock is held meanwhile.
	chosen := script.pick(req)
	req.Rule, req.Index, req.At = chosen.rule.Name, chosen.index, time.Now()
	req = m.requests.add(func(number int) Request {
		req.Seq = number
		return req
	})
	if chosen.problem == "" {
		return req, chosen
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.problems = append(m.problems, fmt.Sprintf("request %d, rule %q, reply %d: %s; the latest words: %.400q",
		req.Seq, req.Rule, req.Index, chosen.problem, req.LastWords()))
	return req, chosen
}

// pause holds and delays a reply; false means that nobody listens any more.
func (m *Model) pause(ctx context.Context, reply Reply) bool {
	if reply.Hold != nil {
		select {
		case <-reply.Hold:
		case <-ctx.Done():
			return false
		}
	}
	return wait(ctx, reply.Delay)
}

func (m *Model) mayFail(req Request, reply Reply) bool {
	if reply.Times == 0 {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := failureKey{req.SessionID, req.Rule, req.Index}
	m.failed[key]++
	return m.failed[key] <= reply.Times
}

func (m *Model) nextID() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids++
	return m.ids
}

func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
