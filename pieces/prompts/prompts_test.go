package prompts

import (
	"encoding/json"
	"strings"
	"testing"

	"fermata/pieces"
)

func TestEveryStepNamesItselfAndCarriesAValidSchema(t *testing.T) {
	t.Parallel()
	d := Data{
		Piece: "Upload retry", Branch: "fermata/upload-retry", Base: "main", Seed: "an idea", Spec: "# S", Strategy: "a way",
		Problem: "the plan has no agent", Guidance: "mind the tests", Agent: pieces.Task{Ordinal: 2, Name: "Retry", Brief: "Do it"},
		Turns:  []pieces.InterviewTurn{{Said: "yes"}},
		Agents: []pieces.Task{{Ordinal: 1, Name: "One", Brief: "B"}}, Handoffs: []Handoff{{"One", "{}"}}, Diff: "+a", Commits: []pieces.Commit{{Subject: "c"}},
	}
	for _, name := range []string{Spec, SpecCheck, Interview, Strategy, Plan, Task, WorkReview, PullRequest} {
		s, err := Build(name, d)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(s.Prompt, "# Step: ") || strings.Contains(s.Prompt, "<no value>") {
			t.Errorf("%s: the prompt does not start with its step: %.60q", name, s.Prompt)
		}
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(s.Schema, &schema); err != nil || len(schema.Properties) == 0 {
			t.Errorf("%s: schema %s: %v", name, s.Schema, err)
		}
	}
	s, err := Build(Feedback, d)
	if err != nil || !strings.HasPrefix(s.Prompt, "# Step: requested changes") || !strings.Contains(s.Prompt, d.Guidance) || s.Schema != nil {
		t.Errorf("requested changes: %+v, %v", s, err)
	}
	if System() == "" {
		t.Error("no system text")
	}
}

func TestDepthChangesWhatTheSpecStepIsAsked(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, depth := range pieces.Depths() {
		s, err := Build(Spec, Data{Seed: "an idea", Depth: depth})
		if err != nil {
			t.Fatal(err)
		}
		seen[s.Prompt] = true
	}
	if len(seen) != len(pieces.Depths()) {
		t.Errorf("%d depths ask for %d things", len(pieces.Depths()), len(seen))
	}
}

func TestTheSpecStepAsksOnlyWhileThereAreRounds(t *testing.T) {
	t.Parallel()
	turns := []pieces.InterviewTurn{
		{Questions: []pieces.Question{{Text: "Which disk?"}}, Said: "The fast one."},
		{Questions: []pieces.Question{{Text: "How often?"}}},
		{Said: "Mind the tests."},
	}
	for _, c := range []struct {
		step   string
		rounds int
		turns  []pieces.InterviewTurn
		has    []string
		lacks  []string
	}{
		{Spec, 3, nil, []string{"in 3 more rounds", "`questions`", "an idea"}, []string{"Nobody can answer", "What was asked"}},
		{Spec, 0, nil, []string{"Nobody can answer questions now", "`spec`"}, []string{"`questions`"}},
		{Spec, 1, turns, []string{"in 1 more round ", "- Which disk?", "The person answered:\n\nThe fast one.", "moved on without an answer", "The person said:\n\nMind the tests."}, nil},
		{Interview, 0, turns, []string{"Nobody can answer further questions", "- Which disk?", "The fast one."}, []string{"`questions`", "an idea"}},
		{SpecCheck, 3, nil, []string{"`questions`", "word for word"}, []string{"`spec`", "since"}},
		{SpecCheck, 3, turns[2:], []string{"`spec`", "Mind the tests."}, nil},
	} {
		s, err := Build(c.step, Data{Seed: "an idea", Rounds: c.rounds, Turns: c.turns})
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range c.has {
			if !strings.Contains(s.Prompt, words) {
				t.Errorf("%s with %d rounds lacks %q:\n%s", c.step, c.rounds, words, s.Prompt)
			}
		}
		for _, words := range c.lacks {
			if strings.Contains(s.Prompt, words) {
				t.Errorf("%s with %d rounds says %q:\n%s", c.step, c.rounds, words, s.Prompt)
			}
		}
	}
}
