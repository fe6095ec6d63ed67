package control

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// CheckCall checks the arguments of a tools/call message against the tool's table. The error is an *ArgumentError, to be
// answered with -32602. Messages of other kinds, and calls of a tool there is not, are left to the server.
func CheckCall(message []byte) error {
	_, _, _, err := readCall(message)
	return err
}

// readCall reads a tools/call message and checks its arguments; the tool's name is empty for any other message.
func readCall(message []byte) (id json.RawMessage, tool string, arguments json.RawMessage, err error) {
	// Decoded as the library does, field names in any case and the last of two winning, so that both see one call.
	var envelope struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(message, &envelope) != nil || envelope.Method != string(mcpgo.MethodToolsCall) {
		return nil, "", nil, nil
	}
	var call mcpgo.CallToolRequest
	if json.Unmarshal(message, &call) != nil {
		return nil, "", nil, nil
	}
	t, ok := toolNamed(call.Params.Name)
	if !ok {
		return nil, "", nil, nil
	}
	_, err = t.parse(call.Params.RawArguments)
	return envelope.ID, t.name, call.Params.RawArguments, err
}

// Checked answers malformed arguments with -32602 and passes everything else on. The library itself can only answer them
// with a tool error or an internal error. The body's size must be bounded before.
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
		id, tool, arguments, err := readCall(body)
		if err != nil && len(id) > 0 && string(id) != "null" && !o.fenced(r.Context(), tool) {
			_, book := o.booked(r.Context(), tool, arguments)
			book(err, err.Error())
			writeInvalidParams(w, r, id, err)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

func writeInvalidParams(w http.ResponseWriter, r *http.Request, id json.RawMessage, cause error) {
	status := http.StatusOK
	if mcpgo.IsModernProtocol(r.Header.Get(mcpgo.HeaderProtocolVersion)) {
		status = http.StatusBadRequest // the newest revision wants the HTTP status to say it too
	}
	answer, err := encode(map[string]any{
		"jsonrpc": mcpgo.JSONRPC_VERSION,
		"id":      id,
		"error":   map[string]any{"code": mcpgo.INVALID_PARAMS, "message": cause.Error()},
	})
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(answer)
}
