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
		Agents: []pieces.Task{{Ordinal: 1, Name: "One", Brief: "B"}}, Handoffs: []Handoff{{"One", "{}"}}, Diff: "+a", Commits: []pieces.Commit{{Subject: "c"}},
	}
	for _, name := range []string{Spec, Strategy, Plan, Task, WorkReview, PullRequest} {
		s, err := Build(name, d)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(s.Prompt, "# Step: ") || strings.Contains(s.Prompt, "<no value>") {
			t.Errorf("%s: the prompt does not start with its step: %.60q", name, s.Prompt)
		}
		var schema struct{ Required []string }
		if err := json.Unmarshal(s.Schema, &schema); err != nil || len(schema.Required) == 0 {
			t.Errorf("%s: schema %s: %v", name, s.Schema, err)
		}
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
