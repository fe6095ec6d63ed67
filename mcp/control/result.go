package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fermata/pieces"
	"fermata/pieces/engine"
)

// Sentences of a call that could not be carried out for no reason of the client's.
const (
	sentenceFault = "Something went wrong in Fermata, and the call was not carried out as asked; Fermata's log has the details."
	sentenceStale = "The piece moved on while the call was carried out; read it again with get_piece and repeat the call if it is still wanted."
	sentenceGone  = "The call was cancelled before it was carried out."
)

// handler turns a tool's run into what the library calls: every end of it is one JSON text or one sentence.
func (c *control) handler(t tool) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		raw := rawArguments(r)
		ctx, book := c.booked(ctx, t.name, raw)
		text, err := c.answer(ctx, t, raw)
		if malformed := (*ArgumentError)(nil); errors.As(err, &malformed) {
			book(err, err.Error())
			return nil, err // Checked answers it before it comes here
		}
		if err != nil {
			words := c.sentence(ctx, t.name, err)
			book(err, words)
			return mcpgo.NewToolResultError(words), nil
		}
		book(nil, "")
		return mcpgo.NewToolResultText(text), nil
	}
}

// answer runs a tool. A panic is a fault of ours like any other.
func (c *control) answer(ctx context.Context, t tool, raw json.RawMessage) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("run %s: it panicked: %v\n%s", t.name, p, debug.Stack())
		}
	}()
	if !t.keeps {
		v, err := c.guarded(ctx, t, func() (args, error) { return t.parse(raw) })
		if err != nil {
			return "", err
		}
		return encodeText(v)
	}
	return c.results.of(ask{t.name, string(raw)}, c.Engine.Revision(), func() (text string, keep bool, err error) {
		a, err := t.parse(raw)
		if err != nil {
			return "", false, err
		}
		v, err := t.run(c, ctx, a)
		if err != nil {
			return "", false, err
		}
		text, err = encodeText(v)
		return text, !a.has("cwd"), err
	})
}

func rawArguments(r mcpgo.CallToolRequest) json.RawMessage {
	if len(r.Params.RawArguments) > 0 || r.Params.Arguments == nil {
		return r.Params.RawArguments
	}
	raw, err := json.Marshal(r.Params.Arguments)
	if err != nil {
		return json.RawMessage(`""`) // refused as what it is: not an object
	}
	return raw
}

// sentence says to the client why its call failed. A fault of ours is logged and told in general words.
func (c *control) sentence(ctx context.Context, tool string, err error) string {
	var refusal *engine.Refusal
	switch {
	case errors.As(err, &refusal):
		return refusal.Error()
	case errors.Is(err, pieces.ErrStale):
		return sentenceStale
	case ctx.Err() != nil:
		return sentenceGone
	}
	c.Log.Error("mcp call failed", "tool", tool, "err", err)
	return sentenceFault
}

func refuse(format string, values ...any) error {
	return &engine.Refusal{Sentence: pieces.Say(format, values...)}
}

func unknown(err error) bool { return errors.Is(err, pieces.ErrNotFound) }

// encoded is a result that is JSON already.
type encoded string

// encode writes compact JSON without the escapes that are only of use inside HTML.
func encode(v any) ([]byte, error) {
	text, err := encodeText(v)
	return []byte(text), err
}

// encodeText is encode for what goes on as a string.
func encodeText(v any) (string, error) {
	if done, ok := v.(encoded); ok {
		return string(done), nil
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("encode result: %w", err)
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

// orNull makes an empty string null, as results show what is absent.
func orNull[S ~string](s S) *string {
	if s == "" {
		return nil
	}
	t := string(s)
	return &t
}

// stamp writes a time as ISO 8601 in UTC; null when it is zero.
func stamp(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format("2006-01-02T15:04:05.000Z")
	return &s
}

func stampOf(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return stamp(*t)
}
