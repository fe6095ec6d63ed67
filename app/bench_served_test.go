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
	"testing"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fermata/mcp"
	"fermata/pieces"
)

// served is the app's own object graph behind its own server, without the windows; only a url for a bare server.
type served struct {
	*core
	url      string
	changing string // the piece that changes before each call; empty for none
}

// change writes a piece anew, with nothing in it that would make a result longer.
func (s *served) change(t *testing.T) {
	t.Helper()
	if s.changing == "" {
		return
	}
	p, err := s.store.Piece(t.Context(), s.changing)
	noErr(t, err)
	_, err = s.store.Apply(t.Context(), pieces.Change{Piece: p.Piece, Quiet: true})
	noErr(t, err)
}

func newServed(t *testing.T) *served {
	t.Helper()
	c, err := build(t.Context(), folder(t.TempDir()), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.store.Close() })
	s, err := c.plane.newServer(mcp.NewToken())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Listen(0); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(context.Background()) }()
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		<-done
	})
	return &served{core: c, url: s.Endpoint()}
}

// serveBare serves the tools that are measured; they only return the text.
func serveBare(t *testing.T, text string) string {
	t.Helper()
	s := server.NewMCPServer("bare", "1", server.WithToolCapabilities(false))
	for _, name := range []string{"list_pieces", "get_piece", "list_cues"} {
		s.AddTool(mcpgo.NewTool(name), func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
			return mcpgo.NewToolResultText(text), nil
		})
	}
	web := httptest.NewServer(server.NewStreamableHTTPServer(s, server.WithStateLess(true), server.WithDisableStreaming(true)))
	t.Cleanup(web.Close)
	return web.URL + "/mcp"
}

func benchMessage(tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args)
}

func answerOf(t *testing.T, url, body string) []byte {
	t.Helper()
	got, err := post(t.Context(), http.DefaultClient, url, "bench", body)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// post makes one call as the client of that session.
func post(ctx context.Context, client *http.Client, url, session, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewBufferString(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json") // no stream, however busy the machine is
	r.Header.Set(mcpgo.HeaderSessionID, session)
	res, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%d %.300s", res.StatusCode, got)
	}
	return got, err
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
