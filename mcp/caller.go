package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

// Client is how a client names itself. Nothing proves it.
type Client struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Caller is who makes the call that a handler works on.
type Caller struct {
	// Session is the client's session id; empty for a client that has none.
	Session string
	// Client is what the client said at initialize or says with the call, else what its User-Agent says.
	Client Client
	// Remote is the client's end of the connection, ip:port.
	Remote string
	// ProgressToken is the raw token that progress is reported under; nil when the client wants none.
	ProgressToken json.RawMessage

	reply *reply
	conn  *connection
}

type callerKey struct{}

// WithCaller returns a context whose handler sees c.
func WithCaller(ctx context.Context, c *Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns who calls. It is never nil: outside of a call it is an empty Caller, whose methods work.
func CallerFrom(ctx context.Context) *Caller {
	if c, ok := ctx.Value(callerKey{}).(*Caller); ok {
		return c
	}
	return &Caller{}
}

// Waiting tells the client at once that the call waits, and why; the sign of life is repeated until the handler
// returns. A later message replaces the earlier. A client that takes no event stream is told nothing.
func (c *Caller) Waiting(message string) {
	if c.reply != nil {
		c.reply.wait(message)
	}
}

// PerConnection returns what look returned for key on this call's connection, and looks if nobody did yet. It
// spares finding out again, for each call, who is at the other end.
func (c *Caller) PerConnection(key any, look func() any) any {
	if c.conn == nil {
		return look()
	}
	return c.conn.once(key, look)
}

func clientFrom(raw json.RawMessage) Client {
	var c Client
	if json.Unmarshal(raw, &c) != nil {
		return Client{}
	}
	return Client{Name: clip(c.Name), Version: clip(c.Version)}
}

// agentOf reads the first product of a User-Agent, such as claude-code/2.1.197: all that is known of a client
// that initialized before the app was restarted.
func agentOf(h http.Header) Client {
	product, _, _ := strings.Cut(h.Get("User-Agent"), " ")
	name, version, _ := strings.Cut(product, "/")
	return Client{Name: clip(name), Version: clip(version)}
}

// clip bounds what a client can make us keep and show.
func clip(s string) string {
	if len(s) <= 100 {
		return s
	}
	return strings.ToValidUTF8(s[:100], "")
}
