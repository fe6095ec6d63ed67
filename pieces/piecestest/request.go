package piecestest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Request is one request of the Messages API as the model saw it.
type Request struct {
	Seq       int    // from 1, in the order of arrival
	SessionID string // Claude Code's session, from its header
	Model     string
	Effort    string
	System    string // the system prompt's text
	Messages  []Message
	Tools     []string // names of the offered tools
	Stream    bool
	Body      json.RawMessage
	At        time.Time // of arrival
	// Rule and Index name the rule that answers the request and which of its replies. Rule is empty without one.
	Rule  string
	Index int
}

// Message is one message of a conversation.
type Message struct {
	Role    string   // "user", "assistant" or "system"
	Text    string   // the words: text blocks, joined by newlines
	Results []string // texts of the tool results
	Uses    []string // names of the used tools
}

// LastWords is the text of the latest user message that has words, without tool results.
func (r Request) LastWords() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[r.lastWords()].Text
}

// LastResult is the text of the latest tool result, or "".
func (r Request) LastResult() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if n := len(r.Messages[i].Results); n > 0 {
			return r.Messages[i].Results[n-1]
		}
	}
	return ""
}

// Dir is the working directory that Claude Code announces, or "." when it announces none.
func (r Request) Dir() string {
	announced := regexp.MustCompile(`[Ww]orking directory: *(\S+)`)
	if m := announced.FindStringSubmatch(r.System); m != nil {
		return m[1]
	}
	for _, message := range r.Messages {
		if m := announced.FindStringSubmatch(message.Text); m != nil {
			return m[1]
		}
	}
	return "."
}

// lastWords is the index of the message that LastWords reads; 0 when there is none such.
func (r Request) lastWords() int {
	for i := len(r.Messages) - 1; i > 0; i-- {
		if m := r.Messages[i]; m.Role == "user" && m.Text != "" && len(m.Results) == 0 {
			return i
		}
	}
	return 0
}

// repliesAfter counts the model's own messages after the one at index. What Claude Code writes in the model's name when it
// resumes a cut conversation is not one of them.
func (r Request) repliesAfter(index int) int {
	n := 0
	for i := index + 1; i < len(r.Messages); i++ {
		if m := r.Messages[i]; m.Role == "assistant" && m.Text != "No response requested." {
			n++
		}
	}
	return n
}

func (r Request) templates(index int) *strings.Replacer {
	planFile := ""
	if all := regexp.MustCompile(`/[^\s"\\]*?/plans/[\w.-]+\.md`).FindAllString(string(r.Body), -1); len(all) > 0 {
		planFile = all[len(all)-1]
	}
	return strings.NewReplacer("{{cwd}}", r.Dir(), "{{last_result}}", r.LastResult(),
		"{{turn}}", fmt.Sprint(index), "{{planfile}}", planFile)
}

// wireBlock is a content block as the API carries it; only what is read here.
type wireBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Name    string          `json:"name"`
	Content json.RawMessage `json:"content"`
}

type wireRequest struct {
	Model    string          `json:"model"`
	System   json.RawMessage `json:"system"`
	Stream   bool            `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
	OutputConfig struct {
		Effort string `json:"effort"`
	} `json:"output_config"`
}

func parseRequest(body []byte) (Request, error) {
	var wire wireRequest
	if err := json.Unmarshal(body, &wire); err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	r := Request{Model: wire.Model, Stream: wire.Stream, Effort: wire.OutputConfig.Effort, Body: body}
	r.System = textOf(wire.System)
	for _, tool := range wire.Tools {
		r.Tools = append(r.Tools, tool.Name)
	}
	for _, m := range wire.Messages {
		message := Message{Role: m.Role}
		var words []string
		for _, b := range blocksOf(m.Content) {
			switch b.Type {
			case "text":
				words = append(words, b.Text)
			case "tool_result":
				message.Results = append(message.Results, textOf(b.Content))
			case "tool_use":
				message.Uses = append(message.Uses, b.Name)
			}
		}
		message.Text = strings.Join(words, "\n")
		r.Messages = append(r.Messages, message)
	}
	return r, nil
}

// blocksOf reads content that is either a string or a list of blocks.
func blocksOf(content json.RawMessage) []wireBlock {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []wireBlock{{Type: "text", Text: text}}
	}
	var blocks []wireBlock
	if json.Unmarshal(content, &blocks) != nil {
		return nil
	}
	return blocks
}

func textOf(content json.RawMessage) string {
	var words []string
	for _, b := range blocksOf(content) {
		if b.Type == "text" {
			words = append(words, b.Text)
		}
	}
	return strings.Join(words, "\n")
}
