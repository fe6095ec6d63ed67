package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// args are the arguments of a tool.
type args = map[string]any

// object is a decoded JSON object.
type object = map[string]any

// message is one JSON-RPC message of the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params object          `json:"params"`
	Result object          `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// reply is a whole HTTP answer.
type reply struct {
	status int
	header http.Header
	body   string
	// messages are what the body carries, be it JSON or an event stream.
	messages []message
}

// answer is the message that ends the reply; the zero message when there is none.
func (r reply) answer() message {
	for _, m := range r.messages {
		if m.Method == "" {
			return m
		}
	}
	return message{}
}

// wire is a client that knows nothing but HTTP.
type wire struct {
	url     string
	session string // empty until initialize
	next    atomic.Int64
}

// headers change a request; an empty value takes a header away. Host is the request's own.
type headers map[string]string

// send makes one request. heard gets the messages of an event stream as they come; it may be nil.
func (c *wire) send(ctx context.Context, method, body string, h headers, heard func(message)) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("User-Agent", "conformance/1")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	for name, v := range h {
		switch {
		case name == "Host":
			req.Host = v
		case v == "":
			req.Header.Del(name)
		default:
			req.Header.Set(name, v)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	r := reply{status: res.StatusCode, header: res.Header}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return r, r.readEvents(res.Body, heard)
	}
	raw, err := io.ReadAll(res.Body)
	r.body = string(raw)
	var m message
	if json.Unmarshal(raw, &m) == nil {
		r.messages = append(r.messages, m)
	}
	return r, err
}

func (r *reply) readEvents(body io.Reader, heard func(message)) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue
		}
		r.body += string(data) + "\n"
		var m message
		if err := json.Unmarshal(data, &m); err != nil {
			return fmt.Errorf("read event %q: %w", data, err)
		}
		r.messages = append(r.messages, m)
		if heard != nil {
			heard(m)
		}
	}
	return lines.Err()
}

// rpc makes one JSON-RPC call.
func (c *wire) rpc(ctx context.Context, method string, params any, heard func(message)) (reply, error) {
	return c.rpcAs(ctx, c.next.Add(1), method, params, heard)
}

func (c *wire) rpcAs(ctx context.Context, id any, method string, params any, heard func(message)) (reply, error) {
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return reply{}, err
	}
	return c.send(ctx, http.MethodPost, string(body), nil, heard)
}

// hello initializes a session under a name.
func (c *wire) hello(ctx context.Context, name string) (message, error) {
	r, err := c.rpc(ctx, "initialize", object{
		"protocolVersion": "2025-11-25", "capabilities": object{}, "clientInfo": object{"name": name, "version": "1"},
	}, nil)
	if err != nil {
		return message{}, err
	}
	c.session = r.header.Get("Mcp-Session-Id")
	_, err = c.send(ctx, http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, nil)
	return r.answer(), err
}

// outcome is what came of a tool call: text of a result or of a tool error, or a JSON-RPC error.
type outcome struct {
	text   string
	failed bool // isError
	code   int  // of a JSON-RPC error; 0 when there is none
	result object
	err    error // of the connection
}

func (o outcome) String() string {
	switch {
	case o.err != nil:
		return "connection: " + o.err.Error()
	case o.code != 0:
		return fmt.Sprintf("error %d: %s", o.code, o.text)
	case o.failed:
		return "tool error: " + o.text
	}
	return o.text
}

func (c *wire) tool(ctx context.Context, name string, a args, heard func(message)) outcome {
	if a == nil {
		a = args{}
	}
	params := object{"name": name, "arguments": a}
	if heard != nil {
		params["_meta"] = object{"progressToken": "p"}
	}
	r, err := c.rpc(ctx, "tools/call", params, heard)
	return outcomeOf(r, err)
}

func outcomeOf(r reply, err error) outcome {
	if err != nil {
		return outcome{err: err}
	}
	m := r.answer()
	if m.Error != nil {
		return outcome{code: m.Error.Code, text: m.Error.Message}
	}
	o := outcome{result: m.Result}
	o.failed, _ = m.Result["isError"].(bool)
	content, _ := m.Result["content"].([]any)
	if len(content) != 1 {
		o.err = fmt.Errorf("HTTP %d with %d blocks of content: %.300s", r.status, len(content), r.body)
		return o
	}
	block, _ := content[0].(object)
	o.text, _ = block["text"].(string)
	return o
}

// pending is a call that waits for a card.
type pending struct {
	cancel context.CancelFunc
	done   chan outcome
	id     int64
	heard  chan message
}

// begin makes a tool call that may wait for as long as the person does.
func (c *wire) begin(name string, a args) *pending {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	p := &pending{cancel: cancel, done: make(chan outcome, 1), id: c.next.Add(1), heard: make(chan message, 100)}
	go func() {
		r, err := c.rpcAs(ctx, p.id, "tools/call", object{"name": name, "arguments": a, "_meta": object{"progressToken": "p"}}, func(m message) {
			select {
			case p.heard <- m:
			default:
			}
		})
		p.done <- outcomeOf(r, err)
	}()
	return p
}

// withdraw cancels the call as the protocol says, with the connection kept.
func (c *wire) withdraw(ctx context.Context, p *pending) error {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, p.id)
	_, err := c.send(ctx, http.MethodPost, body, nil, nil)
	return err
}
