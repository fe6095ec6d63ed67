package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestWaitingCallShowsProgressAtOnceAndThenTheAnswer(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	answers := k.start(context.Background(), toolCall(7, "wait", nil, "tok-1"), nil)
	resp := want(t, answers, "the head of the answer") // the tool still blocks: it comes with the first sign of life
	if resp == nil || resp.Header.Get("Content-Type") != "text/event-stream" || resp.StatusCode != 200 {
		t.Fatalf("answer %v", resp)
	}
	got := frames(t, resp.Body)
	token, n, text := want(t, got, "progress").progress()
	if token != "tok-1" || n != 1 || text != "waiting for Allow or Deny" {
		t.Errorf("progress %v %v %q", token, n, text)
	}
	k.release <- "allowed"
	last := want(t, got, "the result")
	if last.data["id"] != 7.0 || !strings.Contains(toJSON(t, last.data), `"text":"allowed"`) {
		t.Errorf("result %v", last)
	}
	if f, more := <-got; more {
		t.Errorf("after the result came %v", f)
	}
}

func TestWaitingCallKeepsBeating(t *testing.T) {
	t.Parallel()
	k := newRig(t, func(o *Options, _ *limits) { o.Beat = 20 * time.Millisecond })
	resp := want(t, k.start(context.Background(), toolCall("a", "wait", nil, 5), nil), "the head")
	got := frames(t, resp.Body)
	for i := 1; i <= 5; i++ {
		if token, n, text := want(t, got, "a beat").progress(); token != 5.0 || n != float64(i) || text == "" {
			t.Fatalf("beat %d: %v %v %q", i, token, n, text)
		}
	}
	k.release <- "x"
}

func TestSilentCallBecomesAStream(t *testing.T) {
	t.Parallel()
	k := newRig(t, func(o *Options, _ *limits) { o.FirstBeat, o.Beat = 20*time.Millisecond, 20*time.Millisecond })
	resp := want(t, k.start(context.Background(), toolCall(1, "silent", nil, nil), nil), "the head")
	got := frames(t, resp.Body)
	for range 3 {
		if f := want(t, got, "a comment"); f.comment != "waiting" {
			t.Fatalf("frame %v", f)
		}
	}
	k.release <- "x"
}

func TestQuickCallIsPlainJSON(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	resp, body := k.post(toolCall(1, "echo", map[string]any{"text": "hello"}, 1), nil)
	if resp.Header.Get("Content-Type") != "application/json" || !strings.Contains(body, "hello") {
		t.Errorf("%s %s", resp.Header.Get("Content-Type"), body)
	}
}

func TestClientWithoutStreamsWaitsForPlainJSON(t *testing.T) {
	t.Parallel()
	k := newRig(t, func(o *Options, _ *limits) { o.FirstBeat, o.Beat = time.Millisecond, time.Millisecond })
	answers := k.start(context.Background(), toolCall(1, "wait", nil, 1), header{"Accept": "application/json"})
	want(t, k.started, "the call")
	k.release <- "allowed"
	resp := want(t, answers, "the answer")
	b, _ := io.ReadAll(resp.Body)
	if resp.Header.Get("Content-Type") != "application/json" || !strings.Contains(string(b), "allowed") {
		t.Errorf("%s %s", resp.Header.Get("Content-Type"), b)
	}
}

func TestCancelEndsOnlyTheCallMeant(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	mine, other := header{"Mcp-Session-Id": "mine"}, header{"Mcp-Session-Id": "other"}
	first := k.start(context.Background(), toolCall(3, "silent", nil, nil), mine)
	want(t, k.started, "my call")
	second := k.start(context.Background(), toolCall("3", "silent", nil, nil), mine)
	want(t, k.started, "my other call")
	third := k.start(context.Background(), toolCall(3, "silent", nil, nil), other)
	want(t, k.started, "the other's call")

	for _, h := range []header{{"Mcp-Session-Id": "nobody"}, {"Mcp-Session-Id": ""}, {"Mcp-Session-Id": "mine", "Mcp-Protocol-Version": "2026-07-28"}} {
		if resp, _ := k.post(cancelNote(3), h); resp.StatusCode != 202 {
			t.Errorf("cancel answered %d", resp.StatusCode)
		}
	}
	select {
	case err := <-k.causes:
		t.Fatalf("a foreign cancel ended a call: %v", err)
	default:
	}

	k.post(cancelNote(3), mine)
	if err := want(t, k.causes, "the cancel"); !errors.Is(err, ErrClientCancelled) {
		t.Errorf("cause %v", err)
	}
	resp := want(t, first, "the end of the cancelled call")
	if b, _ := io.ReadAll(resp.Body); strings.Contains(string(b), "jsonrpc") {
		t.Errorf("a cancelled call was answered: %s", b)
	}
	k.release <- "a"
	k.release <- "b"
	for _, c := range []<-chan *http.Response{second, third} {
		if resp := want(t, c, "the other answers"); resp == nil || resp.StatusCode != 200 {
			t.Errorf("answer %v", resp)
		}
	}
	if len(k.causes) > 0 {
		t.Errorf("another call ended: %v", <-k.causes)
	}
}

func TestHangUpReachesTheHandlerQuickly(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"silent", "wait"} { // before and after the answer became a stream
		k := newRig(t, nil)
		ctx, cancel := context.WithCancel(context.Background())
		answers := k.start(ctx, toolCall(1, tool, nil, 1), nil)
		want(t, k.started, "the call")
		if tool == "wait" {
			want(t, answers, "the head")
		}
		begin := time.Now()
		cancel()
		if err := want(t, k.causes, "the hang-up"); !errors.Is(err, ErrClientGone) {
			t.Errorf("%s: cause %v", tool, err)
		}
		if d := time.Since(begin); d > time.Second {
			t.Errorf("%s: hang-up took %v", tool, d)
		}
	}
}

func TestDuplicateInFlightIsRefused(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	answers := k.start(context.Background(), toolCall("a", "silent", nil, nil), nil)
	want(t, k.started, "the call")
	same := strings.Replace(toolCall("X", "echo", nil, nil), `"X"`, `"\u0061"`, 1) // the same id, spelt otherwise
	if resp, body := k.post(same, nil); resp.StatusCode != 400 || !strings.Contains(body, "in flight") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	k.release <- "x"
	want(t, answers, "the answer")
	if resp, body := k.post(same, nil); resp.StatusCode != 200 {
		t.Errorf("after the answer: %d %s", resp.StatusCode, body)
	}
}

func TestCallsOfOneSessionAreBounded(t *testing.T) {
	t.Parallel()
	k := newRig(t, func(_ *Options, l *limits) { l.calls, l.grace = 2, time.Millisecond })
	for i := range 2 {
		k.start(context.Background(), toolCall(10+i, "silent", nil, nil), nil)
		want(t, k.started, "the call")
	}
	if resp, _ := k.post(ping, nil); resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("status %d", resp.StatusCode)
	}
	if resp, _ := k.post(ping, header{"Mcp-Session-Id": "other"}); resp.StatusCode != 200 {
		t.Errorf("other session: status %d", resp.StatusCode)
	}
}

func TestCallerIsKnown(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	hello := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1.197"}}}`
	resp, _ := k.post(hello, header{"Mcp-Session-Id": ""})
	sid := resp.Header.Get("Mcp-Session-Id")
	modern := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"silent","arguments":{},"_meta":{"progressToken":9,` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"next","version":"9"}}}}`
	rows := []struct {
		name, body string
		header     header
		want       Caller
	}{
		{"initialized", toolCall(1, "silent", nil, "p"), header{"Mcp-Session-Id": sid}, Caller{Session: sid, Client: Client{"claude-code", "2.1.197"}, ProgressToken: []byte(`"p"`)}},
		{"adopted", toolCall(1, "silent", nil, nil), header{"Mcp-Session-Id": "from-before", "User-Agent": "claude-code/2.1.200 (cli)"}, Caller{Session: "from-before", Client: Client{"claude-code", "2.1.200"}}},
		{"modern", modern, header{"Mcp-Session-Id": sid, "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "silent"}, Caller{Client: Client{"next", "9"}, ProgressToken: []byte("9")}},
	}
	for _, row := range rows {
		answers := k.start(context.Background(), row.body, row.header)
		got := want(t, k.started, row.name)
		if got.Session != row.want.Session || got.Client != row.want.Client || string(got.ProgressToken) != string(row.want.ProgressToken) {
			t.Errorf("%s: %+v", row.name, got)
		}
		if !strings.HasPrefix(got.Remote, "127.0.0.1:") {
			t.Errorf("%s: remote %q", row.name, got.Remote)
		}
		k.release <- "x"
		if resp := want(t, answers, "the answer"); resp.StatusCode != 200 || resp.Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: %d", row.name, resp.StatusCode)
		}
	}
}

func TestConnectionIsLookedUpOnce(t *testing.T) {
	t.Parallel()
	c := &Caller{conn: &connection{}}
	looks := 0
	look := func() any { looks++; return looks }
	first, again, other := c.PerConnection("k", look), c.PerConnection("k", look), c.PerConnection("other", look)
	if first != 1 || again != 1 || other != 2 {
		t.Errorf("found %v, again %v, other %v", first, again, other)
	}
	alone := CallerFrom(context.Background())
	alone.Waiting("outside of a call this does nothing")
	if alone.PerConnection("k", look) != 3 {
		t.Error("a caller without a connection does not look")
	}
}

func TestClientThatDoesNotReadIsCut(t *testing.T) {
	t.Parallel()
	k := newRig(t, func(_ *Options, l *limits) { l.write = 200 * time.Millisecond })
	cut := make(chan error, 1)
	k.s.inner = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 1<<20)
		for {
			if _, err := w.Write(chunk); err != nil {
				cut <- err
				return
			}
		}
	})
	k.start(context.Background(), ping, nil)
	want(t, cut, "the cut")
}
