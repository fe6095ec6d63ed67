package piecestest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// answer is a message as the Messages API returns it.
type answer struct {
	ID           string           `json:"id"`
	Type         string           `json:"type"`
	Role         string           `json:"role"`
	Model        string           `json:"model"`
	Content      []map[string]any `json:"content"`
	StopReason   *string          `json:"stop_reason"`
	StopSequence *string          `json:"stop_sequence"`
	Usage        usage            `json:"usage"`
}

type usage struct {
	Input         int `json:"input_tokens"`
	Output        int `json:"output_tokens"`
	CacheCreation int `json:"cache_creation_input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
}

// charsPerToken is a rough guess; costs only have to be above zero and grow with the text.
const charsPerToken = 4

func (m *Model) compose(req Request, reply Reply) (answer, error) {
	templates := req.templates(req.Index)
	stop, size := "end_turn", 0
	content := []map[string]any{}
	for _, b := range reply.Blocks {
		block := map[string]any{"type": b.kind}
		switch b.kind {
		case "text":
			block["text"] = templates.Replace(b.text)
		case "thinking":
			block["thinking"], block["signature"] = templates.Replace(b.text), "c2NyaXB0ZWQ="
		case "tool_use":
			input, err := plainJSON(b.input)
			if err != nil {
				return answer{}, fmt.Errorf("compose input of %s: %w", b.tool, err)
			}
			stop = "tool_use"
			block["id"], block["name"] = fmt.Sprintf("toolu_scripted_%04d", m.nextID()), b.tool
			block["input"] = expand(input, templates)
		}
		size += len(fmt.Sprint(block))
		content = append(content, block)
	}
	if reply.StopReason != "" {
		stop = reply.StopReason
	}
	a := answer{
		ID: fmt.Sprintf("msg_scripted_%04d", m.nextID()), Type: "message", Role: "assistant", Model: req.Model,
		Content: content, StopReason: &stop,
		Usage: usage{Input: reply.InputTokens, Output: reply.OutputTokens},
	}
	if a.Usage.Input == 0 {
		a.Usage.Input = len(req.Body)/charsPerToken + 1
	}
	if a.Usage.Output == 0 {
		a.Usage.Output = size/charsPerToken + 1
	}
	return a, nil
}

// plainJSON turns a value into maps, slices and strings, so that its strings can be expanded.
func plainJSON(input any) (any, error) {
	if input == nil {
		return map[string]any{}, nil
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	var plain any
	return plain, json.Unmarshal(raw, &plain)
}

func expand(value any, templates *strings.Replacer) any {
	switch v := value.(type) {
	case string:
		return templates.Replace(v)
	case []any:
		for i := range v {
			v[i] = expand(v[i], templates)
		}
	case map[string]any:
		for key := range v {
			v[key] = expand(v[key], templates)
		}
	}
	return value
}

// stream sends the answer as server-sent events, the way the API does.
func stream(ctx context.Context, w http.ResponseWriter, a answer, chunkDelay time.Duration) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	send := func(kind string, data map[string]any) bool {
		data["type"] = kind
		raw, err := json.Marshal(data)
		if err != nil {
			return false
		}
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, raw); err != nil {
			return false
		}
		return http.NewResponseController(w).Flush() == nil
	}

	start := a
	start.Content, start.StopReason, start.Usage.Output = []map[string]any{}, nil, 1
	if !send("message_start", map[string]any{"message": start}) {
		return
	}
	for i, block := range a.Content {
		if !send("content_block_start", map[string]any{"index": i, "content_block": emptied(block)}) {
			return
		}
		for _, delta := range deltas(block) {
			if !send("content_block_delta", map[string]any{"index": i, "delta": delta}) {
				return
			}
			if delta["type"] == "text_delta" && !wait(ctx, chunkDelay) {
				return
			}
		}
		if !send("content_block_stop", map[string]any{"index": i}) {
			return
		}
	}
	end := map[string]any{"stop_reason": a.StopReason, "stop_sequence": nil}
	if send("message_delta", map[string]any{"delta": end, "usage": a.Usage}) {
		send("message_stop", map[string]any{})
	}
}

// emptied is the block as content_block_start announces it.
func emptied(block map[string]any) map[string]any {
	switch block["type"] {
	case "text":
		return map[string]any{"type": "text", "text": ""}
	case "thinking":
		return map[string]any{"type": "thinking", "thinking": "", "signature": ""}
	}
	return map[string]any{"type": "tool_use", "id": block["id"], "name": block["name"], "input": struct{}{}}
}

func deltas(block map[string]any) []map[string]any {
	switch block["type"] {
	case "text":
		var words []map[string]any
		text, _ := block["text"].(string)
		for _, word := range strings.SplitAfter(text, " ") {
			words = append(words, map[string]any{"type": "text_delta", "text": word})
		}
		return words
	case "thinking":
		return []map[string]any{
			{"type": "thinking_delta", "thinking": block["thinking"]},
			{"type": "signature_delta", "signature": block["signature"]},
		}
	}
	input, _ := json.Marshal(block["input"]) // came out of JSON, so it goes back
	return []map[string]any{{"type": "input_json_delta", "partial_json": string(input)}}
}

func countTokens(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	writeJSON(w, http.StatusOK, map[string]int{"input_tokens": len(body)/charsPerToken + 1})
}

// failureTypes are the API's names of its errors.
var failureTypes = map[int]string{
	400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
	429: "rate_limit_error", 529: "overloaded_error",
}

func writeFailure(w http.ResponseWriter, f Failure) {
	if f.Type == "" {
		f.Type = failureTypes[f.Status]
	}
	if f.Type == "" {
		f.Type = "api_error"
	}
	for key, value := range f.Header {
		w.Header().Set(key, value)
	}
	writeJSON(w, f.Status, map[string]any{
		"type": "error", "error": map[string]string{"type": f.Type, "message": f.Message},
	})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the caller may be gone
}
