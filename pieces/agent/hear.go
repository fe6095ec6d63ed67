package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"fermata/pieces"
)

// hear takes one line from Claude Code. Unknown lines are ignored: newer versions say more.
func (r *Run) hear(raw []byte) {
	r.events.await()
	var l line
	// A field that has another type than we know is left out; the rest of the line still counts.
	var otherType *json.UnmarshalTypeError
	if err := json.Unmarshal(raw, &l); err != nil && !errors.As(err, &otherType) {
		r.log.Debug("unreadable line from Claude Code", "bytes", len(raw))
		return
	}
	switch l.Type {
	case "control_request":
		r.asked(l.ID, l.Request)
	case "control_cancel_request":
		r.withdrawn(l.ID)
	case "control_response":
		if l.Response != nil {
			r.answered(*l.Response)
		}
	case "assistant", "user":
		// A sub-agent's messages belong to its own conversation; what it found comes back as a tool's result.
		if l.Parent == nil && l.Message != nil {
			r.transcribe(l.Type, blocks(l.Message.Content))
		}
	case "system":
		r.system(l)
	case "rate_limit_event":
		if l.RateLimit != nil && l.RateLimit.Status == "rejected" && l.RateLimit.ResetsAt > 0 {
			r.mu.Lock()
			r.limitEnds = new(time.Unix(l.RateLimit.ResetsAt, 0))
			r.mu.Unlock()
		}
	case "result":
		r.turn(l)
	}
}

func (r *Run) lineSkipped() { r.notice("A message of Claude Code was too long and is missing here.") }

func (r *Run) notice(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.say(pieces.Message{Role: pieces.RoleNotice, Text: text})
}

func (r *Run) transcribe(who string, list []block) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range list {
		switch {
		case who == "assistant" && b.Type == "text" && b.Text != "":
			r.say(pieces.Message{Role: pieces.RoleAssistant, Text: b.Text})
		case who == "assistant" && b.Type == "tool_use":
			r.toolNames[b.ID] = b.Name
			r.say(pieces.Message{Role: pieces.RoleToolUse, Tool: b.Name, ToolID: b.ID, Input: b.Input})
		case who == "user" && b.Type == "tool_result":
			r.say(pieces.Message{
				Role: pieces.RoleToolResult, ToolID: b.ToolID, Tool: r.toolNames[b.ToolID], Text: resultText(b.Content), Error: b.IsError,
			})
			delete(r.toolNames, b.ToolID)
		case who == "user" && b.Type == "text" && strings.HasPrefix(b.Text, "[Request interrupted"):
			r.say(pieces.Message{Role: pieces.RoleNotice, Text: interruptedSentence})
		}
	}
}

// resultText is a tool result in words; what is no text is named in brackets.
func resultText(content json.RawMessage) string {
	var parts []string
	for _, b := range blocks(content) {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		} else {
			parts = append(parts, "["+b.Type+"]")
		}
	}
	return strings.Join(parts, "\n")
}

func (r *Run) system(l line) {
	switch l.Subtype {
	case "init":
		r.mu.Lock()
		r.setBusy() // also a turn that a message between two turns began
		r.mu.Unlock()
	case "compact_boundary":
		r.notice("Claude Code summarised the conversation so far to make room.")
	case "api_retry":
		var reason string
		_ = json.Unmarshal(l.Error, &reason)
		f := recognise(reason, time.Now())
		if f.kind == pieces.FailureNotLoggedIn || l.ErrorStatus == 401 {
			// Claude Code would try ten times over minutes; a wrong login does not mend itself.
			r.fail(failure{kind: pieces.FailureNotLoggedIn, sentence: notLoggedInSentence})
			return
		}
		r.notice(fmt.Sprintf("Claude did not answer (%s); attempt %d of %d.", strings.ReplaceAll(reason, "_", " "), l.Attempt, l.MaxRetries))
	}
}

// turn reports the end of a turn.
func (r *Run) turn(l line) {
	end := pieces.TurnEnd{
		Text: l.Text, Structured: l.Structured, CostUSD: l.CostUSD, Turns: l.Turns, Denials: len(l.Denials),
	}
	if string(end.Structured) == "null" {
		end.Structured = nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fatal.kind != pieces.FailureNone {
		return // the turn's end was told already
	}
	// Claude Code says subtype "success" for a turn that the API refused: only is_error counts.
	switch {
	case l.IsError && strings.HasPrefix(l.Terminal, "aborted"):
		end.Failure, end.Error = pieces.FailureInterrupted, interruptedSentence
	case l.IsError || l.Subtype != "success":
		f := recognise(cmp.Or(strings.Join(l.Errors, "\n"), l.Text, l.Subtype), time.Now())
		end.Failure, end.Error, end.LimitEnds = f.kind, f.sentence, f.ends
	}
	if end.Failure == pieces.FailureUsageLimit && end.LimitEnds == nil && r.limitEnds != nil {
		f := usageLimit(r.limitEnds)
		end.Error, end.LimitEnds = f.sentence, f.ends
	}
	r.turnOver(end)
}
