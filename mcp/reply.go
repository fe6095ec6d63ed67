package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// reply is the answer to one request. It is silent at first. When the handler says that it waits, or is silent for
// long, it becomes an event stream with a sign of life every beat: progress under the client's token, else a
// comment; a JSON answer that comes later is sent as the stream's last event. The library has notifications of its
// own, but loses some and sends others to the wrong client.
type reply struct {
	w         http.ResponseWriter
	rc        *http.ResponseController
	id        json.RawMessage
	token     json.RawMessage
	canStream bool
	every     time.Duration
	limit     time.Duration // for one write

	mu      sync.Mutex
	timer   *time.Timer
	header  http.Header // the handler's
	state   replyState
	done    bool
	lost    bool // a write of the handler's failed
	message string
	beats   int
	held    bytes.Buffer // the handler's answer, when it goes into our stream
}

type replyState int

const (
	silent       replyState = iota
	handlerJSON             // the handler's own answer passes through
	handlerEvent            // the handler opened an event stream itself
	ourEvent                // we opened the event stream, the handler has not answered
	answerHeld              // the same, and the handler's answer is kept for finish
)

func newReply(w http.ResponseWriter, m *message, canStream bool, first, every, limit time.Duration) *reply {
	r := &reply{
		w: w, rc: http.NewResponseController(w), id: m.id, token: m.progress, canStream: canStream,
		every: every, limit: limit, header: w.Header().Clone(), message: "working",
	}
	if canStream {
		r.mu.Lock()
		r.timer = time.AfterFunc(first, r.beat)
		r.mu.Unlock()
	}
	return r
}

func (r *reply) beat() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sign()
}

func (r *reply) wait(message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.canStream {
		r.message = message
		r.sign()
	}
}

// sign writes a sign of life and orders the next. The caller holds the lock.
func (r *reply) sign() {
	if r.done || r.state == handlerJSON || r.state == answerHeld {
		return
	}
	if r.state == silent {
		r.open()
	}
	r.beats++
	if r.token == nil {
		r.write([]byte(": waiting\n\n"))
	} else {
		r.write(event(r.progress()))
	}
	_ = r.rc.Flush()
	r.timer.Reset(r.every)
}

func (r *reply) open() {
	h := r.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	r.w.WriteHeader(http.StatusOK)
	r.state = ourEvent
}

func (r *reply) progress() []byte {
	text, _ := json.Marshal(r.message) // a string always marshals
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":%s}}`,
		r.token, r.beats, text)
}

// write sends b within the limit. Its errors are no news: a client that is gone ends the call's context.
func (r *reply) write(b []byte) {
	_ = r.rc.SetWriteDeadline(time.Now().Add(r.limit))
	_, _ = r.w.Write(b)
}

// Header, WriteHeader, Write and Flush are the handler's side of the reply.
func (r *reply) Header() http.Header { return r.header }

func (r *reply) WriteHeader(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begin(status)
}

func (r *reply) begin(status int) {
	switch r.state {
	case silent:
		maps.Copy(r.w.Header(), r.header)
		r.w.WriteHeader(status)
		r.state = handlerJSON
		if isEventStream(r.header) {
			r.state = handlerEvent
		}
	case ourEvent:
		r.state = answerHeld
		if isEventStream(r.header) {
			r.state = handlerEvent
		}
	default: // begun before
	}
}

func (r *reply) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begin(http.StatusOK)
	if r.state == answerHeld {
		return r.held.Write(p)
	}
	_ = r.rc.SetWriteDeadline(time.Now().Add(r.limit))
	if n, err := r.w.Write(p); err != nil && r.lost {
		return n, err
	} else if err != nil {
		// A single answer that a client hung up on is nothing that the handler should log; one who goes on hears of it.
		r.lost = true
	}
	return len(p), nil
}

func (r *reply) Flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != silent && !r.done {
		_ = r.rc.Flush()
	}
}

// fail answers with f unless the handler has answered.
func (r *reply) fail(f *fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.give(f)
}

func (r *reply) give(f *fault) {
	switch r.state {
	case silent:
		f.write(r.w)
		r.state = handlerJSON
	case ourEvent:
		r.held.Write(f.body())
		r.state = answerHeld
	default: // the handler has answered
	}
}

// finish ends the reply after the handler returned; cause is why its context ended, if it did. Nothing is written
// after finish.
func (r *reply) finish(cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer != nil {
		r.timer.Stop()
	}
	r.unanswered(cause)
	if r.state == answerHeld {
		r.write(event(r.heldMessage()))
	}
	// The bytes still in net/http's buffers are sent after we return.
	_ = r.rc.SetWriteDeadline(time.Now().Add(r.limit))
	r.done = true
}

// unanswered speaks for a handler that said nothing, which the library's do when their context ended.
func (r *reply) unanswered(cause error) {
	switch {
	case r.state != silent && r.state != ourEvent, errors.Is(cause, ErrClientGone):
	case errors.Is(cause, ErrClientCancelled):
		// A cancelled request gets no answer: an empty stream, if the client takes one.
		if r.state == silent && r.canStream {
			r.open()
			r.write([]byte(": cancelled\n\n"))
		} else {
			r.give(&fault{status: http.StatusOK, id: r.id, code: codeRefused, text: cause.Error()})
		}
	case cause != nil:
		r.give(&fault{status: http.StatusServiceUnavailable, id: r.id, code: codeRefused, text: cause.Error()})
	default:
		r.give(&fault{status: http.StatusOK, id: r.id, code: mcpgo.INTERNAL_ERROR, text: "no answer"})
	}
}

// heldMessage is the handler's answer as one JSON-RPC message.
func (r *reply) heldMessage() []byte {
	b := bytes.TrimSpace(r.held.Bytes())
	if json.Valid(b) && !bytes.ContainsAny(b, "\r\n") {
		return b
	}
	f := fault{id: r.id, code: mcpgo.INTERNAL_ERROR, text: string(b)}
	return f.body()
}

func event(data []byte) []byte {
	return fmt.Appendf(nil, "event: message\ndata: %s\n\n", data)
}

func isEventStream(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
}

var (
	_ http.Flusher = (*reply)(nil)
	_ io.Writer    = (*reply)(nil)
)
