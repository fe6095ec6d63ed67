package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// frontHost is what a client of a server that does not listen sends as Host.
const frontHost = "127.0.0.1:0"

// fuzzServer is a server that nobody listens to, with tools that always answer.
func fuzzServer(tb testing.TB) *Server {
	tb.Helper()
	tools := server.NewMCPServer("fermata", "test", server.WithToolCapabilities(true))
	tools.AddTool(mcpgo.NewTool("echo"), func(_ context.Context, r mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		return mcpgo.NewToolResultText(r.GetString("text", "")), nil
	})
	tools.AddTool(mcpgo.NewTool("wait"), func(ctx context.Context, _ mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		CallerFrom(ctx).Waiting("for a moment")
		return mcpgo.NewToolResultText("done"), nil
	})
	tools.AddTool(mcpgo.NewTool("panics"), func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		panic("no")
	})
	s, err := New(Options{Tools: tools, Token: testToken, FirstBeat: time.Hour, Beat: time.Hour})
	if err != nil {
		tb.Fatal(err)
	}
	s.limits.body = 1 << 16
	return s
}

// frontRequest is one request as it comes to the front.
type frontRequest struct {
	method, path, host, origin, kind, accept, session, version string
	body                                                       []byte
}

func (q frontRequest) send(s *Server) *httptest.ResponseRecorder {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	if q.method == http.MethodGet {
		cancel() // a stream stays open until its client leaves
	}
	defer cancel()
	r := (&http.Request{
		Method: q.method, URL: &url.URL{Path: q.path}, Host: q.host, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(q.body)),
		ContentLength: int64(len(q.body)), RemoteAddr: "127.0.0.1:1", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
	for name, v := range map[string]string{
		"Origin": q.origin, "Content-Type": q.kind, "Accept": q.accept, headerSession: q.session, mcpgo.HeaderProtocolVersion: q.version,
	} {
		if v != "" {
			r.Header.Set(name, v)
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// FuzzFront sends any request to the front. Whoever lacks the right Host, Origin or token learns nothing; whoever has them
// gets one well formed answer to the request's own id, and nothing stays behind.
func FuzzFront(f *testing.F) {
	path := "/" + testToken + "/mcp"
	both := "application/json, text/event-stream"
	for _, body := range []string{
		ping, toolCall(1, "echo", map[string]any{"text": "x\r\ny"}, nil), toolCall("a", "wait", nil, "token"), toolCall(1, "panics", nil, 1), cancelNote(1),
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":"\u0031","method":"tools/list"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.0,"method":"ping"}`, `[]`, ``, "\xff", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{},"task":{"ttl":1}}}`,
	} {
		f.Add(http.MethodPost, path, frontHost, "", "application/json", both, "s", "2025-11-25", []byte(body))
		f.Add(http.MethodPost, path, "localhost:0", "http://localhost:3000", "application/json; charset=utf-8", "", "", "2026-07-28", []byte(body))
	}
	f.Add(http.MethodGet, path, frontHost, "", "", "text/event-stream", "s", "", []byte(nil))
	f.Add(http.MethodDelete, path, frontHost, "", "", "", "s", "", []byte(nil))
	f.Add(http.MethodOptions, "*", "evil.example:0", "https://evil.example", "text/plain", "*/*", "\x00", "x", []byte("x"))
	s := fuzzServer(f)
	f.Fuzz(func(t *testing.T, method, path, host, origin, kind, accept, session, version string, body []byte) {
		q := frontRequest{method, path, host, origin, kind, accept, session, version, body}
		w := q.send(s)
		checkFront(t, q, w)
		if n := s.calls.count(); n != 0 {
			t.Errorf("%d calls stay after %+v", n, q)
		}
		s.sessions.mu.Lock()
		defer s.sessions.mu.Unlock()
		if o := s.sessions.byID[session]; o != nil && len(o.inflight) > 0 {
			t.Errorf("%d calls stay in the session after %+v", len(o.inflight), q)
		}
	})
}

func checkFront(t *testing.T, q frontRequest, w *httptest.ResponseRecorder) {
	t.Helper()
	answer := w.Body.Bytes()
	switch {
	case !ownHost(q.host, 0) || q.origin != "" && !localOrigin(http.Header{"Origin": {q.origin}}):
		if w.Code != http.StatusForbidden {
			t.Errorf("a stranger gets %d %q: %+v", w.Code, answer, q)
		}
		return
	case q.path != "/"+testToken+"/mcp" && q.path != testToken+"/mcp":
		if w.Code != http.StatusNotFound || len(answer) > 0 {
			t.Errorf("another path gets %d %q: %+v", w.Code, answer, q)
		}
		return
	}
	known := []int{200, 202, 204, 400, 404, 405, 406, 413, 415, 429, 503}
	if !slices.Contains(known, w.Code) {
		t.Errorf("status %d for %+v", w.Code, q)
	}
	if bytes.Contains(answer, []byte(testToken)) && !bytes.Contains(q.body, []byte(testToken)) {
		t.Errorf("the token is told: %q", answer)
	}
	if q.method != http.MethodPost || w.Code == http.StatusAccepted {
		return
	}
	m, no := parse(q.body)
	list := messagesOf(t, w)
	if no == nil && m.id != nil && m.method != "" && len(list) > 1 {
		t.Errorf("%d answers to %+v: %q", len(list), q, answer)
	}
	for _, a := range list {
		if a.JSONRPC != "2.0" || (a.Result == nil) == (a.Error == nil) {
			t.Errorf("answer %q to %+v", answer, q)
		}
		if no == nil && w.Code == http.StatusOK && idKey(a.ID) != m.key {
			t.Errorf("the answer to %s is for %s: %q", m.key, a.ID, q.body)
		}
	}
}

type frontAnswer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// messagesOf reads the answers of a response, which is JSON or an event stream.
func messagesOf(t *testing.T, w *httptest.ResponseRecorder) []frontAnswer {
	t.Helper()
	var list []frontAnswer
	read := func(raw []byte) {
		var a frontAnswer
		if err := json.Unmarshal(raw, &a); err != nil {
			t.Errorf("the answer %q is no JSON: %v", raw, err)
			return
		}
		if a.Method == "" {
			list = append(list, a)
		}
	}
	body := w.Body.String()
	switch {
	case isEventStream(w.Header()):
		for line := range strings.SplitSeq(body, "\n") {
			data, ok := strings.CutPrefix(line, "data: ")
			switch {
			case ok:
				read([]byte(data))
			case line != "" && line != "event: message" && !strings.HasPrefix(line, ":"):
				t.Errorf("the stream has the line %q", line)
			}
		}
	case body != "":
		read([]byte(body))
	}
	return list
}
