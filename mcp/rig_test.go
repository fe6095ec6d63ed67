package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const testToken = "a-token-of-the-tests-0123456789"

// soon bounds what must happen; a test that runs into it has failed.
const soon = 30 * time.Second

// rig is a running server with tools that block until they are told to go on.
type rig struct {
	t       *testing.T
	s       *Server
	started chan *Caller // a blocking tool began
	release chan string  // what it answers
	causes  chan error   // why its context ended
}

// newRig starts a server; change adjusts it before it listens.
func newRig(t *testing.T, change func(*Options, *limits)) *rig {
	t.Helper()
	k := &rig{t: t, started: make(chan *Caller, 1000), release: make(chan string), causes: make(chan error, 1000)}
	o := Options{Tools: k.tools(), Token: testToken, ToolCount: func() int { return 4 }, FirstBeat: time.Hour, Beat: time.Hour}
	l := defaultLimits()
	if change != nil {
		change(&o, &l)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s.limits = l
	s.sessions = newSessions(l.sessions, l.calls)
	k.s = s
	if _, err := s.Listen(0); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { served <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-served
	})
	return k
}

func (k *rig) tools() *server.MCPServer {
	tools := server.NewMCPServer("fermata", "test", server.WithToolCapabilities(true), server.WithPaginationLimit(3))
	tools.AddTool(mcpgo.NewTool("echo", mcpgo.WithString("text")), func(_ context.Context, r mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		return mcpgo.NewToolResultText(r.GetString("text", "")), nil
	})
	tools.AddTool(mcpgo.NewTool("wait"), func(ctx context.Context, _ mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		CallerFrom(ctx).Waiting("waiting for Allow or Deny")
		return k.block(ctx)
	})
	tools.AddTool(mcpgo.NewTool("silent"), func(ctx context.Context, _ mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		return k.block(ctx)
	})
	tools.AddTool(mcpgo.NewTool("panics"), func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		panic("no")
	})
	return tools
}

func (k *rig) block(ctx context.Context) (*mcpgo.CallToolResult, error) {
	k.started <- CallerFrom(ctx)
	select {
	case text := <-k.release:
		return mcpgo.NewToolResultText(text), nil
	case <-ctx.Done():
		k.causes <- context.Cause(ctx)
		return nil, ctx.Err()
	}
}

// want waits for a value of c.
func want[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(soon):
		t.Fatalf("%s did not happen", what)
		panic("unreachable")
	}
}

type header map[string]string

// request makes a POST with the headers of a well-behaved client; an empty value in h takes a header away.
func (k *rig) request(ctx context.Context, method, body string, h header) *http.Request {
	k.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, k.s.Endpoint(), strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Session-Id", "session-of-the-test")
	for name, v := range h {
		switch {
		case name == "Host":
			r.Host = v
		case v == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, v)
		}
	}
	return r
}

// do sends a request on a connection of its own.
func (k *rig) do(r *http.Request) *http.Response {
	k.t.Helper()
	web := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := web.Do(r)
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func (k *rig) post(body string, h header) (*http.Response, string) {
	k.t.Helper()
	resp := k.do(k.request(context.Background(), http.MethodPost, body, h))
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		k.t.Fatal(err)
	}
	return resp, string(b)
}

// start begins a call that blocks, and returns its answer as it comes.
func (k *rig) start(ctx context.Context, body string, h header) <-chan *http.Response {
	answers := make(chan *http.Response, 1)
	r := k.request(ctx, http.MethodPost, body, h)
	go func() {
		web := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := web.Do(r)
		if err != nil {
			resp = nil
		} else {
			k.t.Cleanup(func() { resp.Body.Close() })
		}
		answers <- resp
	}()
	return answers
}

// toolCall is the body of a tools/call.
func toolCall(id any, tool string, args map[string]any, token any) string {
	params := map[string]any{"name": tool, "arguments": args}
	if token != nil {
		params["_meta"] = map[string]any{"progressToken": token}
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func cancelNote(id any) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%v}}`, id)
}

// frame is one event or comment of an event stream.
type frame struct {
	comment string
	data    map[string]any
}

func (f frame) progress() (token any, n float64, text string) {
	p, _ := f.data["params"].(map[string]any)
	if f.data["method"] != "notifications/progress" {
		return nil, 0, ""
	}
	n, _ = p["progress"].(float64)
	text, _ = p["message"].(string)
	return p["progressToken"], n, text
}

// frames reads an event stream until it ends.
func frames(t *testing.T, body io.Reader) <-chan frame {
	t.Helper()
	out := make(chan frame, 100)
	go func() {
		defer close(out)
		lines := bufio.NewScanner(body)
		lines.Buffer(nil, 8<<20)
		for lines.Scan() {
			line := lines.Bytes()
			if c, ok := bytes.CutPrefix(line, []byte(": ")); ok {
				out <- frame{comment: string(c)}
			}
			if d, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				var f frame
				if json.Unmarshal(d, &f.data) != nil {
					f.comment = "not JSON: " + string(d)
				}
				out <- f
			}
		}
	}()
	return out
}
