package mcp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"
)

// BenchmarkEcho compares a quick call through the server with the same call on the bare library.
func BenchmarkEcho(b *testing.B) {
	k := &rig{}
	bare := httptest.NewServer(server.NewStreamableHTTPServer(k.tools(), server.WithStateLess(true), server.WithDisableStreaming(true)))
	defer bare.Close()
	s, err := New(Options{Tools: k.tools(), Token: testToken})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Listen(0); err != nil {
		b.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(context.Background()) }()
	b.Run("bare", func(b *testing.B) { benchEcho(b, bare.URL+"/mcp") })
	b.Run("server", func(b *testing.B) { benchEcho(b, s.Endpoint()) })
	if err := s.Close(context.Background()); err != nil {
		b.Error(err)
	}
	<-done
}

func benchEcho(b *testing.B, url string) {
	b.Helper()
	body := toolCall(1, "echo", map[string]any{"text": "hello"}, 1)
	for b.Loop() {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Session-Id", "s")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 || n == 0 {
			b.Fatalf("%d %v", resp.StatusCode, err)
		}
		resp.Body.Close()
	}
}
