package mcp

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func toJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func testReply(token string) (*reply, *httptest.ResponseRecorder) {
	w := httptest.NewRecorder()
	m := &message{id: json.RawMessage("1")}
	if token != "" {
		m.progress = json.RawMessage(token)
	}
	return newReply(w, m, true, 5*time.Second, 15*time.Second, time.Second), w
}

func TestBeatsComeOnTime(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name  string
		after time.Duration
		waits bool
		beats int
	}{
		{"silent before the first", 4 * time.Second, false, 0},
		{"silent for long", 6 * time.Second, false, 1},
		{"silent for longer", 36 * time.Second, false, 3},
		{"waits", 0, true, 1},
		{"waits, 14 s", 14 * time.Second, true, 1},
		{"waits, an hour", time.Hour + time.Second, true, 241},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, w := testReply("7")
				if row.waits {
					r.wait("for you")
				}
				time.Sleep(row.after) // the clock of the bubble
				synctest.Wait()
				r.mu.Lock()
				got := strings.Count(w.Body.String(), "notifications/progress")
				r.mu.Unlock()
				r.finish(ErrClientGone)
				if got != row.beats {
					t.Errorf("%d beats, want %d", got, row.beats)
				}
				time.Sleep(time.Hour) // the clock of the bubble
				if after := strings.Count(w.Body.String(), "notifications/progress"); after != got {
					t.Errorf("%d beats after the end", after-got)
				}
			})
		})
	}
}

func TestReplyTakesTheHandlersAnswerWhateverCameBefore(t *testing.T) {
	t.Parallel()
	json := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0",`)
		_, _ = io.WriteString(w, `"id":1,"result":{}}`+"\n")
	}
	stream := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, "event: message\ndata: {\"own\":1}\n\n")
		w.(http.Flusher).Flush()
	}
	text := func(w http.ResponseWriter) { http.Error(w, "no good", http.StatusBadRequest) }
	none := func(http.ResponseWriter) {}
	const progress = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":7,\"progress\":1,\"message\":\"\\\"so\\\"\\n\"}}\n\n"
	const answer = `{"jsonrpc":"2.0","id":1,"result":{}}`
	rows := []struct {
		name    string
		waits   bool
		handler func(http.ResponseWriter)
		cause   error
		status  int
		kind    string
		body    string
	}{
		{"json", false, json, nil, 200, "application/json", answer + "\n"},
		{"json in our stream", true, json, nil, 200, "text/event-stream", progress + "event: message\ndata: " + answer + "\n\n"},
		{"stream", false, stream, nil, 200, "text/event-stream", "event: message\ndata: {\"own\":1}\n\n"},
		{"stream in our stream", true, stream, nil, 200, "text/event-stream", progress + "event: message\ndata: {\"own\":1}\n\n"},
		{"text", false, text, nil, 400, "text/plain; charset=utf-8", "no good\n"},
		{"text in our stream", true, text, nil, 200, "text/event-stream", progress + "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"no good\"}}\n\n"},
		{"nothing", false, none, nil, 200, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no answer"}}`},
		{"nothing, stopping", false, none, ErrServerStopping, 503, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"the server is stopping"}}`},
		{"nothing, stopping, our stream", true, none, ErrServerStopping, 200, "text/event-stream", progress + "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,\"message\":\"the server is stopping\"}}\n\n"},
		{"nothing, cancelled", false, none, ErrClientCancelled, 200, "text/event-stream", ": cancelled\n\n"},
		{"nothing, gone", true, none, ErrClientGone, 200, "text/event-stream", progress},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r, w := testReply("7")
			if row.waits {
				r.wait("\"so\"\n")
			}
			row.handler(r)
			r.finish(row.cause)
			r.wait("too late")
			if w.Code != row.status || w.Header().Get("Content-Type") != row.kind || w.Body.String() != row.body {
				t.Errorf("%d %s\n%s\nwant %d %s\n%s", w.Code, w.Header().Get("Content-Type"), w.Body, row.status, row.kind, row.body)
			}
		})
	}
}

// brokenPipe is the connection of a client that hung up.
type brokenPipe struct{ *httptest.ResponseRecorder }

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAnAnswerToAClientThatHungUpIsNoError(t *testing.T) {
	t.Parallel()
	r := newReply(brokenPipe{httptest.NewRecorder()}, &message{id: json.RawMessage("1")}, true, time.Hour, time.Hour, time.Second)
	// The library would log it as a fault of the server.
	if n, err := r.Write([]byte("{}")); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := r.Write([]byte("{}")); err == nil {
		t.Error("a handler that goes on writing hears nothing")
	}
	r.finish(ErrClientGone)
}
