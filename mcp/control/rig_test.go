package control

import (
	"context"
	"encoding/json"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fermata/pieces/consent"
)

// soon bounds what must happen; a test that runs into it has failed.
const soon = 10 * time.Second

// rig is the tools on a fake engine and a real desk.
type rig struct {
	t      *testing.T
	engine *fakeEngine
	desk   *consent.Desk
	server *server.MCPServer
	kind   CallerKind

	mu      sync.Mutex
	waiting []string
	log     strings.Builder
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newRigWith(t, func(*Options) {})
}

// newRigWith makes a rig whose options a test changes.
func newRigWith(t *testing.T, change func(o *Options)) *rig {
	t.Helper()
	k := &rig{t: t, engine: newFake(), desk: &consent.Desk{}, kind: CallerOutside}
	o := Options{
		Engine: k.engine, Desk: k.desk, Version: "1.2.3", Log: slog.New(slog.NewTextHandler(k, nil)),
		Caller: func(context.Context) Caller {
			return Caller{Name: "claude-code", Version: "2.1", Waiting: k.told, Kind: func() CallerKind { return k.kind }}
		},
	}
	change(&o)
	k.server = New(o)
	return k
}

func (k *rig) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.log.Write(p)
}

func (k *rig) logged() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.log.String()
}

func (k *rig) told(message string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.waiting = append(k.waiting, message)
}

// answer is what came back for a call.
type answer struct {
	text  string
	error bool
	code  int // of a JSON-RPC error
}

func message(t *testing.T, tool string, arguments any) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments},
	})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func (k *rig) callIn(ctx context.Context, tool string, arguments any) answer {
	raw, err := json.Marshal(k.server.HandleMessage(ctx, message(k.t, tool, arguments)))
	if err != nil {
		return answer{text: err.Error(), error: true, code: -1}
	}
	a := readAnswer(k.t, raw)
	if !a.error {
		if err := keepsToSchema(tool, a.text); err != nil {
			k.t.Errorf("the result of %s breaks its schema: %v\n%s", tool, err, a.text)
		}
	}
	return a
}

func readAnswer(t *testing.T, raw []byte) answer {
	t.Helper()
	var r struct {
		Result *struct {
			Content           []mcpgo.TextContent `json:"content"`
			IsError           bool                `json:"isError"`
			StructuredContent any                 `json:"structuredContent"`
		} `json:"result"`
		Error *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatalf("answer %s: %v", raw, err)
	}
	if r.Error != nil {
		return answer{text: r.Error.Message, error: true, code: r.Error.Code}
	}
	if r.Result == nil || len(r.Result.Content) != 1 || r.Result.StructuredContent != nil {
		t.Fatalf("answer %s is not one text", raw)
	}
	return answer{text: r.Result.Content[0].Text, error: r.Result.IsError}
}

func (k *rig) call(tool string, arguments any) answer {
	return k.callIn(k.t.Context(), tool, arguments)
}

// ok calls a tool and returns its result as JSON decodes it.
func (k *rig) ok(tool string, arguments any) any {
	k.t.Helper()
	a := k.call(tool, arguments)
	if a.error {
		k.t.Fatalf("%s %v failed: %s", tool, arguments, a.text)
	}
	return decode(k.t, a.text)
}

// refused calls a tool and returns the sentence it fails with.
func (k *rig) refused(tool string, arguments any) string {
	k.t.Helper()
	a := k.call(tool, arguments)
	if !a.error || a.code != 0 {
		k.t.Fatalf("%s %v: want a tool error, got %+v", tool, arguments, a)
	}
	return a.text
}

// start calls a tool in the background.
func (k *rig) start(ctx context.Context, tool string, arguments any) <-chan answer {
	done := make(chan answer, 1)
	go func() { done <- k.callIn(ctx, tool, arguments) }()
	return done
}

// cards waits until n questions wait on the desk.
func (k *rig) cards(n int) []consent.Question {
	k.t.Helper()
	wake, stop := k.desk.Watch()
	defer stop()
	timeout := time.After(soon)
	for {
		if q := k.desk.Pending(); len(q) == n {
			return q
		}
		select {
		case <-wake:
		case <-timeout:
			k.t.Fatalf("%d cards wait, not %d", len(k.desk.Pending()), n)
		}
	}
}

func (k *rig) allow(q consent.Question) {
	k.t.Helper()
	if err := k.desk.Answer(q.ID, true, ""); err != nil {
		k.t.Fatal(err)
	}
}

func (k *rig) ended(done <-chan answer) answer {
	k.t.Helper()
	select {
	case a := <-done:
		return a
	case <-time.After(soon):
		k.t.Fatal("the call does not end")
		return answer{}
	}
}

func decode(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%q is not JSON: %v", text, err)
	}
	return v
}

// same compares a result with what is expected of it, in every field.
func same(t *testing.T, got any, want string) {
	t.Helper()
	if w := decode(t, want); !reflect.DeepEqual(got, w) {
		g, _ := json.MarshalIndent(got, "", " ")
		e, _ := json.MarshalIndent(w, "", " ")
		t.Errorf("got %s\nwant %s", g, e)
	}
}

func wants(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q lacks %q", text, p)
		}
	}
}
