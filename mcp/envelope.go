package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

// message is a JSON-RPC envelope, with those parts of params that the front itself needs.
type message struct {
	id       json.RawMessage // nil in a notification
	key      string          // id in one spelling: two spellings of one string are one id
	method   string          // empty in a response
	version  string          // _meta's protocol version
	progress json.RawMessage // _meta's progressToken, nil without a usable one
	client   Client          // who says to be calling: initialize's clientInfo, or _meta's
	cancels  string          // key of the request that notifications/cancelled means
	modern   bool            // since 2026-07-28: no sessions
}

// fault is a JSON-RPC error.
type fault struct {
	status int
	id     json.RawMessage
	code   int
	text   string
}

func invalid(id json.RawMessage, text string) *fault {
	return &fault{status: http.StatusBadRequest, id: id, code: mcpgo.INVALID_REQUEST, text: text}
}

// parse reads one JSON-RPC message. It is stricter than the library behind it, which takes METHOD for method, a
// null id for a notification and 1.5 for an id.
func parse(body []byte) (*message, *fault) {
	if !utf8.Valid(body) {
		return nil, &fault{status: http.StatusBadRequest, code: mcpgo.PARSE_ERROR, text: "body is not UTF-8"}
	}
	var parts map[string]json.RawMessage
	var wrongKind *json.UnmarshalTypeError // found after the whole text proved to be JSON
	if err := json.Unmarshal(body, &parts); err != nil && !errors.As(err, &wrongKind) {
		return nil, &fault{status: http.StatusBadRequest, code: mcpgo.PARSE_ERROR, text: "body is not valid JSON"}
	}
	switch bytes.TrimLeft(body, " \t\r\n")[0] {
	case '{':
	case '[':
		return nil, invalid(nil, "JSON-RPC batches are not supported")
	default:
		return nil, invalid(nil, "a JSON-RPC message is an object")
	}
	return fromParts(parts)
}

func fromParts(parts map[string]json.RawMessage) (*message, *fault) {
	m := &message{}
	raw, hasID := parts["id"]
	if hasID {
		if m.key = idKey(raw); m.key == "" {
			return nil, invalid(nil, "id must be a string or an integer within 2^53")
		}
		m.id = raw
	}
	for name := range parts {
		if lower := strings.ToLower(name); lower != name && isPart(lower) {
			return nil, invalid(m.id, "unknown member "+strconv.Quote(name)+", did you mean "+strconv.Quote(lower)+"?")
		}
	}
	if string(parts["jsonrpc"]) != `"2.0"` {
		return nil, invalid(m.id, `jsonrpc must be "2.0"`)
	}
	_, isResult := parts["result"]
	_, isError := parts["error"]
	name, hasMethod := parts["method"]
	switch {
	case hasMethod && (isResult || isError):
		return nil, invalid(m.id, "a message has either a method or a result")
	case hasMethod:
		if json.Unmarshal(name, &m.method) != nil || m.method == "" {
			return nil, invalid(m.id, "method must be a string")
		}
	case !isResult && !isError:
		return nil, invalid(m.id, "method is missing")
	case !hasID:
		return nil, invalid(nil, "a response needs an id")
	}
	return m.withParams(parts["params"])
}

func isPart(name string) bool {
	switch name {
	case "jsonrpc", "id", "method", "params", "result", "error":
		return true
	}
	return false
}

func (m *message) withParams(raw json.RawMessage) (*message, *fault) {
	if raw == nil {
		return m, nil
	}
	if raw[0] != '{' {
		return nil, &fault{status: http.StatusBadRequest, id: m.id, code: mcpgo.INVALID_PARAMS, text: "params must be an object"}
	}
	var p struct {
		ClientInfo json.RawMessage            `json:"clientInfo"`
		RequestID  json.RawMessage            `json:"requestId"`
		Meta       map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return nil, &fault{status: http.StatusBadRequest, id: m.id, code: mcpgo.INVALID_PARAMS, text: "_meta must be an object"}
	}
	// What does not decode here stays empty; the library answers for it.
	_ = json.Unmarshal(p.Meta[mcpgo.MetaKeyProtocolVersion], &m.version)
	if info, ok := p.Meta[mcpgo.MetaKeyClientInfo]; ok {
		m.client = clientFrom(info)
	} else if m.method == string(mcpgo.MethodInitialize) {
		m.client = clientFrom(p.ClientInfo)
	}
	if t := p.Meta["progressToken"]; idKey(t) != "" {
		m.progress = t
	}
	if m.method == methodCancelled {
		m.cancels = idKey(p.RequestID)
	}
	return m, nil
}

// idKey brings an id to one spelling; it is empty for what cannot be an id. Integers past 2^53 are no ids: the
// library's numbers are floats, so it would answer another id than it was asked with.
func idKey(raw json.RawMessage) string {
	if len(raw) == 0 || len(raw) > 256 {
		return ""
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return ""
		}
		return "s" + s
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n > 1<<53 || n < -1<<53 {
		return ""
	}
	return "n" + strconv.FormatInt(n, 10)
}

func (f *fault) body() []byte {
	type inner struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	id := f.id
	if id == nil {
		id = json.RawMessage("null")
	}
	b, _ := json.Marshal(struct { // strings and a checked id always marshal
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   inner           `json:"error"`
	}{"2.0", id, inner{f.code, f.text}})
	return b
}

func (f *fault) write(w http.ResponseWriter) {
	b := f.body()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(f.status)
	_, _ = w.Write(b)
}
