package agent

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// line is any line that Claude Code writes; each type fills its own fields.
type line struct {
	Type    string          `json:"type"`
	Subtype string          `json:"subtype"`
	Parent  *string         `json:"parent_tool_use_id"` // set in a sub-agent's messages
	Message *apiMessage     `json:"message"`
	Request json.RawMessage `json:"request"`
	ID      string          `json:"request_id"`

	Response *controlReply `json:"response"`

	// Of system/api_retry; Error is a text there, and in a failed reply.
	Attempt     int             `json:"attempt"`
	MaxRetries  int             `json:"max_retries"`
	ErrorStatus int             `json:"error_status"`
	Error       json.RawMessage `json:"error"`

	// Of rate_limit_event.
	RateLimit *rateLimit `json:"rate_limit_info"`

	result
}

type result struct {
	IsError    bool              `json:"is_error"`
	Text       string            `json:"result"`
	Errors     []string          `json:"errors"`
	Turns      int               `json:"num_turns"`
	CostUSD    float64           `json:"total_cost_usd"`
	Structured json.RawMessage   `json:"structured_output"`
	Denials    []json.RawMessage `json:"permission_denials"`
	Terminal   string            `json:"terminal_reason"`
}

type rateLimit struct {
	Status   string `json:"status"`
	ResetsAt int64  `json:"resetsAt"` // seconds since 1970
}

type controlReply struct {
	Subtype  string          `json:"subtype"`
	ID       string          `json:"request_id"`
	Response json.RawMessage `json:"response"`
	Error    string          `json:"error"`
}

type apiMessage struct {
	Content json.RawMessage `json:"content"` // a text or a list of blocks
}

type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	ToolID  string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	IsError bool            `json:"is_error"`
}

// blocks reads content in both its forms; what it can't read is no block.
func blocks(content json.RawMessage) []block {
	var list []block
	if json.Unmarshal(content, &list) == nil {
		return list
	}
	var text string
	if json.Unmarshal(content, &text) == nil && text != "" {
		return []block{{Type: "text", Text: text}}
	}
	return nil
}

// controlRequest is what Claude Code asks of us.
type controlRequest struct {
	Subtype     string          `json:"subtype"`
	Tool        string          `json:"tool_name"`
	Input       json.RawMessage `json:"input"`
	Description string          `json:"description"`
	Reason      string          `json:"decision_reason"`
	Callback    string          `json:"callback_id"`
}

// hookInput is a hook_callback's input.
type hookInput struct {
	Tool  string          `json:"tool_name"`
	Input json.RawMessage `json:"tool_input"`
}

// object is a JSON object that we write.
type object map[string]any

func userMessage(text string) object {
	return object{
		"type": "user", "message": object{"role": "user", "content": text}, "parent_tool_use_id": nil, "session_id": "",
	}
}

func request(id string, body object) object {
	return object{"type": "control_request", "request_id": id, "request": body}
}

func reply(id string, body object) object {
	return object{"type": "control_response", "response": object{"subtype": "success", "request_id": id, "response": body}}
}

func refusal(id, reason string) object {
	return object{"type": "control_response", "response": object{"subtype": "error", "request_id": id, "error": reason}}
}

func allow(id string, input any) object {
	return reply(id, object{"behavior": "allow", "updatedInput": input})
}

func deny(id, message string) object {
	return reply(id, object{"behavior": "deny", "message": message})
}

// longestLine is the most that one line may hold, in bytes; a longer one is skipped, and the stream goes on after it.
const longestLine = 64 << 20

// readLines calls each with every complete line of r until its end. A torn last line is dropped: whoever wrote it died.
func readLines(r io.Reader, longest int, each func(line []byte), skipped func()) {
	lines := bufio.NewReaderSize(r, 64<<10)
	var buffer []byte
	tooLong := false
	for {
		part, err := lines.ReadSlice('\n')
		if !tooLong && len(buffer)+len(part) > longest {
			tooLong, buffer = true, nil
		}
		if !tooLong {
			buffer = append(buffer, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return
		}
		if tooLong {
			skipped()
		} else {
			each(buffer)
		}
		tooLong, buffer = false, buffer[:0]
	}
}
