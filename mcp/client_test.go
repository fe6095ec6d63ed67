package mcp

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

func (k *rig) client(ctx context.Context, name string) (*client.Client, error) {
	c, err := client.NewStreamableHttpClient(k.s.Endpoint(), transport.WithContinuousListening()) //nolint:staticcheck // clients of today listen so
	if err != nil {
		return nil, err
	}
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	var hello mcpgo.InitializeRequest
	hello.Params.ProtocolVersion = mcpgo.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcpgo.Implementation{Name: name, Version: "1"}
	_, err = c.Initialize(ctx, hello)
	return c, err
}

func useTool(ctx context.Context, c *client.Client, tool, text string) (string, error) {
	var r mcpgo.CallToolRequest
	r.Params.Name = tool
	r.Params.Arguments = map[string]any{"text": text}
	r.Params.Meta = &mcpgo.Meta{ProgressToken: text}
	res, err := c.CallTool(ctx, r)
	if err != nil {
		return "", err
	}
	return res.Content[0].(mcpgo.TextContent).Text, nil
}

func TestRealClientWaitsAndIsAnswered(t *testing.T) {
	t.Parallel()
	k := newRig(t, func(o *Options, _ *limits) { o.Beat = 20 * time.Millisecond })
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	c, err := k.client(ctx, "tester")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	notes := make(chan string, 100)
	c.OnNotification(func(n mcpgo.JSONRPCNotification) { notes <- n.Method })
	answer := make(chan string, 1)
	go func() {
		text, err := useTool(ctx, c, "wait", "p")
		answer <- fmt.Sprint(text, err)
	}()
	who := want(t, k.started, "the call")
	if who.Client != (Client{"tester", "1"}) || who.Session == "" {
		t.Errorf("caller %+v", who)
	}
	for range 3 {
		if m := want(t, notes, "progress"); m != "notifications/progress" {
			t.Errorf("note %s", m)
		}
	}
	k.release <- "allowed"
	if got := want(t, answer, "the answer"); got != "allowed<nil>" {
		t.Errorf("answer %s", got)
	}
}

// TestTwoHundredClientsAtOnce holds a waiting call in each of 200 sessions while the same clients do quick calls.
func TestTwoHundredClientsAtOnce(t *testing.T) {
	t.Parallel()
	const clients = 200
	k := newRig(t, func(o *Options, _ *limits) { o.FirstBeat, o.Beat = time.Second, time.Second })
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	fail := make(chan error, 2*clients)
	for i := range clients {
		all.Go(func() {
			c, err := k.client(ctx, fmt.Sprint("client-", i))
			if err != nil {
				fail <- err
				return
			}
			defer c.Close()
			var held sync.WaitGroup
			held.Go(func() {
				if text, err := useTool(ctx, c, "wait", fmt.Sprint("held-", i)); err != nil || text != "go" {
					fail <- fmt.Errorf("held call: %q %w", text, err)
				}
			})
			for n := range 5 {
				text := fmt.Sprint("text-", i, "-", n)
				if got, err := useTool(ctx, c, "echo", text); err != nil || got != text {
					fail <- fmt.Errorf("echo: %q %w", got, err)
				}
			}
			held.Wait()
		})
	}
	sessions := map[string]bool{}
	for range clients {
		sessions[want(t, k.started, "a held call").Session] = true
	}
	if len(sessions) != clients {
		t.Errorf("%d sessions", len(sessions))
	}
	for range clients {
		k.release <- "go"
	}
	all.Wait()
	close(fail)
	var texts []string
	for err := range fail {
		texts = append(texts, err.Error())
	}
	if len(texts) > 0 {
		t.Errorf("%d failed:\n%s", len(texts), strings.Join(texts[:min(5, len(texts))], "\n"))
	}
}

func TestModernClientIsServedWithoutASession(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"next","version":"9"}}`
	rows := []struct {
		name, body string
		header     header
		status     int
		answer     string
	}{
		{"discover", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`, header{"Mcp-Method": "server/discover"}, 200, "2026-07-28"},
		{"list", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, header{"Mcp-Method": "tools/list"}, 200, `"echo"`},
		{"call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},` + meta + `}}`, header{"Mcp-Method": "tools/call", "Mcp-Name": "echo"}, 200, `"hi"`},
		{"initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{` + meta + `}}`, header{"Mcp-Method": "initialize"}, 404, "-32601"},
		{"wrong method header", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, header{"Mcp-Method": "tools/call"}, 400, "-32020"},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 202, ""},
	}
	for _, row := range rows {
		h := header{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Session-Id": "ignored"}
		for name, v := range row.header {
			h[name] = v
		}
		resp, body := k.post(row.body, h)
		if resp.StatusCode != row.status || !strings.Contains(body, row.answer) {
			t.Errorf("%s: %d %s", row.name, resp.StatusCode, body)
		}
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			t.Errorf("%s: session %q", row.name, id)
		}
	}
	if len(k.s.sessions.byID) != 0 {
		t.Errorf("sessions %v", k.s.sessions.byID)
	}
}
