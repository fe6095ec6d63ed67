package piecestest

import (
	"strings"
	"time"
)

// Script says what the model answers: of the rules that match a request, the one whose message comes latest in the
// conversation wins; the earlier listed one breaks a tie. So one session can go through several rules, turn by turn.
type Script []Rule

// Rule answers the conversations that it matches with its replies, one a request.
//
// Which reply is due is read from the conversation alone: it is the number of assistant messages since the message that
// matched. Retries, resumed conversations and parallel sessions therefore need no bookkeeping.
type Rule struct {
	Name string
	// Match says whether a request belongs to the rule. The message that matched is the latest one that satisfies Match
	// on its own, or the conversation's first when only the system prompt does. A nil Match takes what no other rule
	// matches, counted from the latest words of the person.
	Match   func(Request) bool
	Replies []Reply
	// Repeat gives the last reply again when the conversation runs past the end. Without it that is a problem.
	Repeat bool
}

// Contains matches a conversation with the text in the system prompt or in the words of a user message. Tool results do
// not count.
func Contains(text string) func(Request) bool {
	return func(r Request) bool {
		if strings.Contains(r.System, text) {
			return true
		}
		for _, m := range r.Messages {
			if m.Role != "assistant" && strings.Contains(m.Text, text) {
				return true
			}
		}
		return false
	}
}

// Tag matches a conversation whose words carry [[name]].
func Tag(name string) func(Request) bool { return Contains("[[" + name + "]]") }

// All matches when every one of the matches does, for one message.
func All(matches ...func(Request) bool) func(Request) bool {
	return func(r Request) bool {
		for _, match := range matches {
			if !match(r) {
				return false
			}
		}
		return true
	}
}

// AnsweredBy matches requests that the named rule answered; it is meant for Model.Wait.
func AnsweredBy(rule string) func(Request) bool {
	return func(r Request) bool { return r.Rule == rule }
}

// Reply is one answer of the model.
//
// In every text and every string of a tool's input these templates are replaced: {{cwd}} is the working directory that
// Claude Code announces, {{last_result}} the text of the latest tool result, {{turn}} the reply's index and {{planfile}}
// the file that plan mode announces.
type Reply struct {
	Blocks []Block
	// StopReason is by default "tool_use" when a block uses a tool, else "end_turn".
	StopReason string
	// Delay passes before the first byte, ChunkDelay between the words of a text.
	Delay, ChunkDelay time.Duration
	// Hold keeps the whole answer back until the channel is closed or the caller is gone.
	Hold <-chan struct{}
	// Failure is given instead of the blocks: Times times for each session, or always when Times is 0.
	Failure *Failure
	Times   int
	// InputTokens and OutputTokens are guessed from the lengths when 0.
	InputTokens, OutputTokens int
}

// Failure is an answer in the API's error shape.
type Failure struct {
	Status  int
	Type    string // such as "overloaded_error"; guessed from Status when empty
	Message string
	Header  map[string]string
}

// Block is one content block of a reply.
type Block struct {
	kind  string
	text  string
	tool  string
	input any
}

// Text is a block of words.
func Text(text string) Block { return Block{kind: "text", text: text} }

// Thinking is a block of thought.
func Thinking(text string) Block { return Block{kind: "thinking", text: text} }

// ToolUse is a block that calls a tool; input is anything that JSON can carry, and nil is the empty object.
func ToolUse(tool string, input any) Block { return Block{kind: "tool_use", tool: tool, input: input} }

// Say is a reply of words alone; it ends the turn.
func Say(text string) Reply { return Reply{Blocks: []Block{Text(text)}} }

// Use is a reply that calls one tool.
func Use(tool string, input any) Reply { return Reply{Blocks: []Block{ToolUse(tool, input)}} }

// Structured is the reply that a session started with a JSON schema must end with.
func Structured(answer any) Reply { return Use("StructuredOutput", answer) }

// Fail is a reply that is always the given failure.
func Fail(status int, message string) Reply {
	return Reply{Failure: &Failure{Status: status, Message: message}}
}

// choice is the rule and reply that a script picks for a request.
type choice struct {
	rule  Rule
	index int
	reply Reply
	// problem says what the script lacks; empty when it has the reply.
	problem string
}

func (s Script) pick(r Request) choice {
	best, at := -1, -1
	for i, rule := range s {
		if pos := rule.position(r); pos > at {
			best, at = i, pos
		}
	}
	if best < 0 {
		best, at = s.fallback(), r.lastWords()
	}
	if best < 0 {
		return choice{reply: Say("(no rule matches)"), problem: "no rule matches"}
	}
	c := choice{rule: s[best], index: r.repliesAfter(at)}
	n := len(c.rule.Replies)
	switch {
	case c.index < n:
		c.reply = c.rule.Replies[c.index]
	case n > 0 && c.rule.Repeat:
		c.reply = c.rule.Replies[n-1]
	default:
		c.reply, c.problem = Say("(script exhausted)"), "no reply is left"
	}
	return c
}

func (s Script) fallback() int {
	for i, rule := range s {
		if rule.Match == nil {
			return i
		}
	}
	return -1
}

// position is the index of the message that the rule matches, or -1.
func (rule Rule) position(r Request) int {
	if rule.Match == nil || !rule.Match(r) {
		return -1
	}
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "assistant" {
			continue
		}
		alone := r
		alone.System, alone.Messages = "", r.Messages[i:i+1]
		if rule.Match(alone) {
			return i
		}
	}
	return 0
}
