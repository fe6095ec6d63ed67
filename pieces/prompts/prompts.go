// Package prompts says what each step asks Claude Code, and the JSON schema of its answer.
package prompts

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"fermata/pieces"
)

//go:embed *.md *.json
var files embed.FS

// Data is what the steps' texts are filled with; a step uses what it needs.
type Data struct {
	Piece    string // the piece's name
	Branch   string
	Base     string
	Seed     string
	Spec     string
	Strategy string
	Summary  string // of the work so far
	Problem  string // what was wrong with the last answer, when the step is asked again
	Guidance string
	Depth    string   // of the spec step
	Files    []string // absolute paths of what the person attached
	Rounds   int      // how many rounds of questions the spec interview still has
	Turns    []pieces.InterviewTurn
	Agent    pieces.Task
	Agents   []pieces.Task
	Handoffs []Handoff
	Diff     string
	Cut      bool
	Commits  []pieces.Commit
	MaxPlan  int
	// Proposals are the splits that wait for the person, Rejected the titles of those turned down.
	Proposals []pieces.SplitProposal
	Rejected  []string
	MaxSplits int
}

// Handoff is what one agent left for those that depend on it.
type Handoff struct {
	Name    string
	Content string
}

// Step is one question to Claude Code.
type Step struct {
	Prompt string
	Schema json.RawMessage // nil where the answer is the work itself
}

// Names of the steps, as their texts are named.
const (
	Spec        = "spec"
	SpecCheck   = "speccheck" // whether a supplied spec has gaps
	Interview   = "interview" // a further turn of a spec's conversation
	Strategy    = "strategy"
	Plan        = "plan"
	Task        = "task"
	WorkReview  = "workreview"
	CodeReview  = "codereview"
	PullRequest = "pullrequest"
	Feedback    = "feedback"
)

// schemas names the steps whose answer has the shape of another step's.
var schemas = map[string]string{SpecCheck: Spec, Interview: Spec}

// System is appended to Claude Code's system prompt in every session that Fermata starts.
func System() string { return strings.TrimSpace(text("system.md")) }

// Build fills a step's text. The error is of the text itself and means a broken build.
func Build(step string, d Data) (Step, error) {
	d.MaxPlan, d.MaxSplits = pieces.MaxAgents, pieces.MaxSplits
	t, err := template.New(step).Parse(text("parts.md"))
	if err == nil {
		t, err = t.Parse(text(step + ".md"))
	}
	if err != nil {
		return Step{}, fmt.Errorf("parse prompt %s: %w", step, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, d); err != nil {
		return Step{}, fmt.Errorf("fill prompt %s: %w", step, err)
	}
	s := Step{Prompt: strings.TrimSpace(b.String())}
	if schema := text(cmp.Or(schemas[step], step) + ".json"); schema != "" {
		s.Schema = json.RawMessage(schema)
	}
	return s, nil
}

// text returns an embedded file, or "" when the step has none of that kind.
func text(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(b)
}
