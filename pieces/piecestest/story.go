package piecestest

import "fmt"

// StorySpec is the spec of the piece that Story's script builds.
const StorySpec = `# Upload retry

## Goal

Uploads are tried again when the network fails.

## Acceptance criteria

- A failed upload is tried three times.
- The waiting time between the tries grows.
`

// StoryAgent is one agent of the story's plan: it writes one file and commits it.
type StoryAgent struct {
	Key, Name, File string
	After           []string
	// Asks is a command that the agent runs before it writes, which the standard profile asks the person about.
	Asks string
	// Hold keeps the agent's first answer back until the channel is closed.
	Hold <-chan struct{}
}

// StoryAgents is a small plan: two agents side by side, and one that builds on both.
func StoryAgents() []StoryAgent {
	return []StoryAgent{
		{Key: "retry", Name: "Retry loop", File: "retry.txt"},
		{Key: "backoff", Name: "Backoff", File: "backoff.txt"},
		{Key: "wire", Name: "Wire it up", File: "wire.txt", After: []string{"retry", "backoff"}},
	}
}

// NoGaps answers the look for gaps in a supplied spec: it has none, so it stands as it is.
func NoGaps() Rule {
	return Rule{Name: "no gaps", Match: Contains("# Step: check the spec"), Replies: []Reply{Structured(map[string]any{
		"questions": []any{}, "analysis": Analysis(),
	})}, Repeat: true}
}

// Analysis is the record that the spec step answers with.
func Analysis() map[string]any {
	return map[string]any{"size": "small", "risk": "low", "files": []string{"retry.txt"}, "acceptanceCriteria": []string{"A failed upload is tried three times."}}
}

// Story is the script of a whole piece: a spec without gaps, strategy, plan, the agents, a work review that passes, and the
// pull request's text.
func Story(agents []StoryAgent) Script {
	type planned struct {
		Key       string   `json:"key"`
		Name      string   `json:"name"`
		Brief     string   `json:"brief"`
		DependsOn []string `json:"dependsOn"`
	}
	var plan []planned
	script := Script{
		NoGaps(),
		{Name: "strategy", Match: Contains("# Step: strategy"), Replies: []Reply{
			Structured(map[string]any{"strategy": "# Strategy\n\nA small loop around the upload, with a growing pause."}),
		}, Repeat: true},
	}
	for i, a := range agents {
		after := a.After
		if after == nil {
			after = []string{}
		}
		plan = append(plan, planned{a.Key, a.Name, "Write " + a.File + " and commit it.", after})
		script = append(script, Rule{
			Name: a.Key, Match: Contains(fmt.Sprintf("# Step: agent %d\n", i+1)), Replies: a.replies(), Repeat: true,
		})
	}
	return append(script,
		Rule{Name: "plan", Match: Contains("# Step: plan"), Replies: []Reply{Structured(map[string]any{"agents": plan})}, Repeat: true},
		Rule{Name: "review", Match: Contains("# Step: work review"), Replies: []Reply{Structured(map[string]any{
			"verdict": "pass",
			"criteria": []map[string]any{
				{"criterion": "A failed upload is tried three times.", "met": true, "evidence": "retry.txt:1"},
				{"criterion": "The waiting time between the tries grows.", "met": true, "evidence": "backoff.txt:1"},
			},
			"failedAgents": []any{},
			"summary":      "# Summary\n\nUploads are tried again.",
			"learnings":    "# Learnings\n\nThe repository has no tests yet.",
		})}, Repeat: true},
		CodeReview(nil),
		Rule{Name: "pull request", Match: Contains("# Step: pull request"), Replies: []Reply{Structured(map[string]any{
			"title": "Try failed uploads again", "body": "Uploads that fail are tried three times, with a growing pause.",
		})}, Repeat: true},
	)
}

// CodeReview answers the code review with two findings, the lighter one first. hold keeps the answer back until it is closed.
func CodeReview(hold <-chan struct{}) Rule {
	answer := Structured(map[string]any{
		"summary": "It can be merged once the loop ends.",
		"findings": []map[string]any{
			{"severity": "low", "title": "No test", "file": "", "line": 0, "problem": "Nothing tests the pause.", "suggestion": "Test it."},
			{"severity": "high", "title": "Endless loop", "file": "retry.txt", "line": 1, "problem": "It never gives up.", "suggestion": "Stop after three tries."},
		},
	})
	answer.Hold = hold
	return Rule{Name: "code review", Match: Contains("# Step: code review"), Replies: []Reply{answer}, Repeat: true}
}

func (a StoryAgent) replies() []Reply {
	var list []Reply
	if a.Asks != "" {
		list = append(list, Use("Bash", map[string]any{"command": a.Asks, "description": "Check the work"}))
	}
	list = append(list,
		Use("Write", map[string]any{"file_path": "{{cwd}}/" + a.File, "content": a.Name + "\n"}),
		Use("Bash", map[string]any{"command": "git add " + a.File, "description": "Stage the file"}),
		Use("Bash", map[string]any{"command": "git commit -m 'Add " + a.File + "'", "description": "Commit the file"}),
		Structured(map[string]any{"changed": "Added " + a.File, "decisions": []string{}, "openPoints": []string{}, "files": []string{a.File}}),
	)
	list[0].Hold = a.Hold
	return list
}

// StorySplit is a part of the piece that the story's strategy proposes to split off.
type StorySplit struct {
	ID        string `json:"id,omitempty"` // of the waiting proposal that it revises
	Title     string `json:"title"`
	Direction string `json:"direction"`
	Why       string `json:"why"`
	Spec      string `json:"spec"`
}

// SplitOff is a proposal with a spec of its own.
func SplitOff(title, direction string) StorySplit {
	return StorySplit{
		Title: title, Direction: direction, Why: title + " is of use by itself.",
		Spec: "# " + title + "\n\n## Goal\n\n" + title + ".\n\n## Acceptance criteria\n\n- It is there.\n",
	}
}

// ProposesSplits answers the strategy step of conversations that hold the words, ahead of Story's own rule.
func ProposesSplits(words string, splits []StorySplit) Rule {
	return Rule{Name: "strategy that splits", Match: All(Contains("# Step: strategy"), Contains(words)), Replies: []Reply{
		Structured(map[string]any{"strategy": "# Strategy\n\nFirst the parts, then the rest.", "splits": splits}),
	}, Repeat: true}
}
