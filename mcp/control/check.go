package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// CheckCall checks the arguments of a tools/call message against the tool's table. The error is an *ArgumentError, to be
// answered with -32602. Messages of other kinds, and calls of a tool there is not, are left to the server.
func CheckCall(message []byte) error {
	if _, method := readEnvelope(message); method != string(mcpgo.MethodToolsCall) {
		return nil
	}
	_, _, err := readCall(message)
	return err
}

// readEnvelope reads a message's id and method; the id is empty where it has none. It is decoded as the library does, field
// names in any case and the last of two winning, so that both see one message.
func readEnvelope(message []byte) (id json.RawMessage, method string) {
	var envelope struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(message, &envelope) != nil || string(envelope.ID) == "null" {
		return nil, ""
	}
	return envelope.ID, envelope.Method
}

// readCall reads a tools/call message and checks its arguments; the tool's name is empty when there is no such tool.
func readCall(message []byte) (tool string, arguments json.RawMessage, err error) {
	var call mcpgo.CallToolRequest
	if json.Unmarshal(message, &call) != nil {
		return "", nil, nil
	}
	t, ok := toolNamed(call.Params.Name)
	if !ok {
		return "", nil, nil
	}
	_, err = t.parse(call.Params.RawArguments)
	return t.name, call.Params.RawArguments, err
}

// refusal is the answer to a message that never comes to the library.
type refusal struct {
	code int
	err  error
}

// refused says why a message is not passed on; nil when it is.
func (o Options) refused(ctx context.Context, method string, message []byte) *refusal {
	switch method {
	case string(mcpgo.MethodToolsCall):
		tool, arguments, err := readCall(message)
		if err == nil || o.fenced(ctx, tool) {
			return nil
		}
		_, book := o.booked(ctx, tool, arguments)
		book(err, err.Error())
		return &refusal{mcpgo.INVALID_PARAMS, err}
	case string(mcpgo.MethodPromptsGet):
		return refusedPrompt(message)
	case string(mcpgo.MethodResourcesRead):
		return o.refusedResource(ctx, message)
	}
	return nil
}

func refusedPrompt(message []byte) *refusal {
	var get mcpgo.GetPromptRequest
	if json.Unmarshal(message, &get) != nil {
		return nil
	}
	for _, p := range prompts {
		if p.name != get.Params.Name {
			continue
		}
		if err := p.check(get.Params.Arguments); err != nil {
			return &refusal{mcpgo.INVALID_PARAMS, err}
		}
	}
	return nil
}

// refusedResource says that there is no such resource: the library could only call it an internal error.
func (o Options) refusedResource(ctx context.Context, message []byte) *refusal {
	var read mcpgo.ReadResourceRequest
	if o.Engine == nil || json.Unmarshal(message, &read) != nil {
		return nil
	}
	_, _, err := (&control{Options: o}).resource(ctx, read.Params.URI)
	if errors.Is(err, errNoResource) || unknown(err) {
		return &refusal{mcpgo.RESOURCE_NOT_FOUND, err}
	}
	return nil
}

// Checked answers malformed arguments with -32602 and passes everything else on. The library itself can only answer them
// with a tool error or an internal error. With an Engine, a resource that does not exist is answered as such. The body's
// size must be bounded before.
func Checked(next http.Handler) http.Handler { return Options{}.Checked(next) }

// Checked is the function of that name, which books malformed calls too: they never come to their tool.
func (o Options) Checked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "the request body did not arrive", http.StatusBadRequest)
			return
		}
		if id, method := readEnvelope(body); len(id) > 0 {
			if no := o.refused(r.Context(), method, body); no != nil {
				no.write(w, r, id)
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

func (no *refusal) write(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
	status, code := http.StatusOK, no.code
	if mcpgo.IsModernProtocol(r.Header.Get(mcpgo.HeaderProtocolVersion)) {
		// The newest revision wants the HTTP status to say it too, and knows no code of its own for a missing resource.
		status, code = http.StatusBadRequest, mcpgo.INVALID_PARAMS
	}
	answer, err := encode(map[string]any{
		"jsonrpc": mcpgo.JSONRPC_VERSION,
		"id":      id,
		"error":   map[string]any{"code": code, "message": no.err.Error()},
	})
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(answer)
}
