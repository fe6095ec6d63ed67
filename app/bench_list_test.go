//go:build bench

package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fermata/mcp"
	"fermata/mcp/control"
)

const (
	readRounds = 11
	readCalls  = 20 // a round
)

// TestBenchReads measures calls on the real server against the same calls on a bare server that returns the very same bytes.
func TestBenchReads(t *testing.T) {
	all := benchMessage("list_pieces", `{}`)
	url, _ := serveFilled(t, 100)
	benchCall(t, "list_pieces_100", 1.5, url, all)
	url, ids := serveFilled(t, 1000)
	benchCall(t, "get_piece", 1.5, url, benchMessage("get_piece", fmt.Sprintf(`{"pieceId":%q}`, ids[len(ids)/2])))
	benchCall(t, "list_pieces_1000", 3, url, all)
}

func benchMessage(tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args)
}

func benchCall(t *testing.T, name string, limit float64, url, call string) {
	t.Helper()
	want := answerOf(t, url, call)
	bareURL := serveBare(t, textOf(t, want))
	if got := answerOf(t, bareURL, call); !bytes.Equal(got, want) {
		t.Fatalf("the bare server answers with other bytes:\n%.300s\n%.300s", got, want)
	}
	var ours, bare []time.Duration
	for range readRounds {
		ours = append(ours, callTime(t, url, call, len(want)))
		bare = append(bare, callTime(t, bareURL, call, len(want)))
	}
	printRatio(t, name, limit, ours, bare)
}

// callTime is the median of some calls, begun without the garbage of what was measured before.
func callTime(t *testing.T, url, call string, size int) time.Duration {
	t.Helper()
	runtime.GC()
	times := make([]time.Duration, readCalls)
	for i := range times {
		begun := time.Now()
		got := answerOf(t, url, call)
		times[i] = time.Since(begun)
		if len(got) != size {
			t.Fatalf("%d bytes instead of %d: %.300s", len(got), size, got)
		}
	}
	return median(times)
}

func answerOf(t *testing.T, url, body string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set(mcpgo.HeaderSessionID, "bench")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%d %v %.300s", res.StatusCode, err, got)
	}
	return got
}

func textOf(t *testing.T, answer []byte) string {
	t.Helper()
	var m struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(answer, &m); err != nil || m.Result.IsError || len(m.Result.Content) != 1 {
		t.Fatalf("no result: %v %.300s", err, answer)
	}
	return m.Result.Content[0].Text
}

// serveBare serves tools that only return the text.
func serveBare(t *testing.T, text string) string {
	t.Helper()
	s := server.NewMCPServer("bare", "1", server.WithToolCapabilities(false))
	for _, name := range []string{"list_pieces", "get_piece"} {
		s.AddTool(mcpgo.NewTool(name), func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
			return mcpgo.NewToolResultText(text), nil
		})
	}
	web := httptest.NewServer(server.NewStreamableHTTPServer(s, server.WithStateLess(true), server.WithDisableStreaming(true)))
	t.Cleanup(web.Close)
	return web.URL + "/mcp"
}

// serveFilled serves the app's own object graph over a database with so many pieces, without the windows.
func serveFilled(t *testing.T, count int) (url string, ids []string) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	c, err := build(t.Context(), folder(t.TempDir()), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.store.Close() })
	ids = fill(t, c.store, count)
	tools := control.New(control.Options{Engine: c.engine, Desk: c.desk, Version: Version, Log: log})
	s, err := mcp.New(mcp.Options{Tools: tools, ToolCount: control.ToolCount, Token: mcp.NewToken(), Wrap: control.Checked})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Listen(0); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		<-served
	})
	return s.Endpoint(), ids
}
