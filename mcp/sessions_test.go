package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestUnknownSessionIsAdoptedAndAnEndedOneIsNot(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	h := header{"Mcp-Session-Id": "mcp-session-of-an-earlier-run"}
	if resp, body := k.post(toolCall(1, "echo", map[string]any{"text": "still here"}, nil), h); resp.StatusCode != 200 || !strings.Contains(body, "still here") {
		t.Fatalf("adopted: %d %s", resp.StatusCode, body)
	}
	answers := k.start(context.Background(), toolCall(2, "silent", nil, nil), h)
	want(t, k.started, "the call")
	if resp := k.do(k.request(context.Background(), http.MethodDelete, "", h)); resp.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE answered %d", resp.StatusCode)
	}
	if err := want(t, k.causes, "the end of the call"); !errors.Is(err, ErrClientGone) {
		t.Errorf("cause %v", err)
	}
	want(t, answers, "the end of the answer")
	if resp, _ := k.post(ping, h); resp.StatusCode != http.StatusNotFound {
		t.Errorf("after DELETE: %d", resp.StatusCode)
	}
}

func TestSessionIsMintedAtInitialize(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	hello := func(version string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	}
	seen := map[string]bool{}
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		resp, body := k.post(hello(version), header{"Mcp-Session-Id": "forced-on-us"})
		id := resp.Header.Get("Mcp-Session-Id")
		if resp.StatusCode != 200 || !strings.Contains(body, `"protocolVersion":"`+version+`"`) {
			t.Errorf("%s: %d %s", version, resp.StatusCode, body)
		}
		if id == "" || id == "forced-on-us" || seen[id] {
			t.Errorf("%s: session id %q", version, id)
		}
		seen[id] = true
		if resp, _ := k.post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, header{"Mcp-Session-Id": id, "Mcp-Protocol-Version": version}); resp.StatusCode != 200 {
			t.Errorf("%s: list answered %d", version, resp.StatusCode)
		}
	}
}

func TestSessionTableIsBoundedAndKeepsTheBusy(t *testing.T) {
	t.Parallel()
	table := newSessions(3, 8)
	busy := &call{key: "n1", cancel: func(error) {}}
	if _, err := table.enter("busy", Client{}, busy); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if _, err := table.touch(fmt.Sprint("idle-", i), Client{}); err != nil {
			t.Fatal(err)
		}
		table.byID[fmt.Sprint("idle-", i)].seen = time.Unix(int64(i), 0)
	}
	if len(table.byID) != 3 || table.byID["busy"] == nil || table.byID["idle-9"] == nil || table.byID["idle-8"] == nil {
		t.Errorf("table %v", table.byID)
	}
	for i := range 2 {
		if _, err := table.enter(fmt.Sprint("idle-", 9-i), Client{}, &call{key: "n1", cancel: func(error) {}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := table.open(Client{}); !errors.Is(err, errSessionsTaken) {
		t.Errorf("full of busy sessions: %v", err)
	}
	table.leave("busy", busy)
	if _, err := table.open(Client{}); err != nil {
		t.Errorf("with room: %v", err)
	}
}
