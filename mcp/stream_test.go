package mcp

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"
)

func (k *rig) listen(session string) (<-chan frame, io.Closer) {
	k.t.Helper()
	resp := k.do(k.request(context.Background(), http.MethodGet, "", header{"Accept": "text/event-stream", "Mcp-Session-Id": session}))
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		k.t.Fatalf("GET answered %d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	f := frames(k.t, resp.Body)
	if got := want(k.t, f, "the opening"); got.comment != "open" {
		k.t.Fatalf("opened with %v", got)
	}
	return f, resp.Body
}

func TestNotificationReachesEveryOpenStreamOnce(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	one, _ := k.listen("one")
	two, _ := k.listen("two")
	if err := k.s.Notify("notifications/resources/updated", map[string]string{"uri": "fermata://pieces/1"}); err != nil {
		t.Fatal(err)
	}
	if err := k.s.Notify("notifications/tools/list_changed", nil); err != nil {
		t.Fatal(err)
	}
	for _, f := range []<-chan frame{one, two} {
		first, second := want(t, f, "a note"), want(t, f, "a note")
		if got := toJSON(t, first.data); got != `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"fermata://pieces/1"}}` {
			t.Errorf("first %s", got)
		}
		if got := toJSON(t, second.data); got != `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` {
			t.Errorf("second %s", got)
		}
	}
	if err := k.s.Notify("x", []int{1}); err == nil {
		t.Error("took params that are no object")
	}
}

func TestSecondStreamOfASessionEndsTheFirst(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	first, _ := k.listen("one")
	second, _ := k.listen("one")
	select {
	case f, more := <-first:
		if more {
			t.Errorf("the first got %v", f)
		}
	case <-time.After(soon):
		t.Fatal("the first stream stays")
	}
	if err := k.s.Notify("notifications/tools/list_changed", nil); err != nil {
		t.Fatal(err)
	}
	want(t, second, "the note")
}

func TestStreamBeats(t *testing.T) {
	t.Parallel()
	k := newRig(t, func(o *Options, _ *limits) { o.Beat = 10 * time.Millisecond })
	f, body := k.listen("one")
	for range 3 {
		if got := want(t, f, "a beat"); got.comment != "open" {
			t.Errorf("beat %v", got)
		}
	}
	body.Close()
	for end := time.Now().Add(soon); ; { // the beat finds out that the client is gone
		k.s.streams.mu.Lock()
		n := len(k.s.streams.byID)
		k.s.streams.mu.Unlock()
		if n == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the stream of a client that left stays")
		}
		time.Sleep(time.Millisecond) // polls a table that signals nothing
	}
}

func TestSlowStreamIsCutNotWaitedFor(t *testing.T) {
	t.Parallel()
	streams := newStreams()
	slow, quick := streams.open("slow"), streams.open("quick")
	for range streamBacklog + 1 {
		streams.send([]byte("x"))
		<-quick.events
	}
	want(t, slow.ended, "the cut")
	if streams.byID["quick"] == nil {
		t.Error("the quick one was cut too")
	}
}

func TestModernSubscriptionIsServedAndEndsAtClose(t *testing.T) {
	t.Parallel()
	k := newRig(t, func(o *Options, _ *limits) { o.FirstBeat, o.Beat = 10*time.Millisecond, 10*time.Millisecond })
	body := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"next","version":"9"}}}}`
	resp := want(t, k.start(context.Background(), body, header{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}), "the stream")
	if resp == nil || resp.StatusCode != 200 {
		t.Fatalf("answer %v", resp)
	}
	got := frames(t, resp.Body)
	method := func() any {
		for {
			if f := want(t, got, "an event"); f.data != nil {
				return f.data["method"]
			}
		}
	}
	if m := method(); m != "notifications/subscriptions/acknowledged" {
		t.Fatalf("first came %v", m)
	}
	if err := k.s.Notify("notifications/tools/list_changed", nil); err != nil {
		t.Fatal(err)
	}
	if m := method(); m != "notifications/tools/list_changed" {
		t.Errorf("then came %v", m)
	}
	begin := time.Now()
	if err := k.s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if d := time.Since(begin); d > 2*time.Second {
		t.Errorf("close waited %v for a subscription", d)
	}
}
