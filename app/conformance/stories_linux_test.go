package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	. "fermata/pieces/piecestest"
)

// The four stories that the rows follow through the rail. Each one's spec carries its name, so that the scripted model
// tells their prompts apart.
const (
	alphaSpec = "# Alpha: the fence and a question\n\n## Goal\n\nstory-alpha goes from a draft to a pull request.\n\n## Acceptance criteria\n\n- The answer is written down.\n"
	betaSpec  = "# Beta: stopped and done\n\n## Goal\n\nstory-beta is stopped, fails and is marked done.\n\n## Acceptance criteria\n\n- Nothing is lost.\n"
	deltaSpec = "# Delta: in three pieces\n\n## Goal\n\nstory-delta is split.\n\n## Acceptance criteria\n\n- It is split.\n"
	gammaSpec = "# Gamma: from an idea\n\n## Goal\n\nstory-gamma has its spec written from a prompt.\n\n## Acceptance criteria\n\n- It is written.\n"
)

// What the stories' people and reviews say; a rule of the script waits for each.
const (
	finding  = "The answer is not written down twice."
	failWish = "Fail now, please."
	question = "Which database?"

	specQuestion = "Where does it go?"
	thirdWish    = "Write it a third time."
	betterBrief  = "Make it in another way."
	change       = "Please say it louder."
)

// stories hold back what the model says until a row has looked.
type stories struct {
	spec  chan struct{} // gamma's spec
	first chan struct{} // alpha's first agent
	again chan struct{} // its second, when it is resumed
}

func newStories() stories {
	return stories{spec: make(chan struct{}), first: make(chan struct{}), again: make(chan struct{})}
}

// step matches a step's prompt in a story.
func step(name, story string, more ...string) func(Request) bool {
	all := []func(Request) bool{Contains("# Step: " + name), Contains(story)}
	for _, m := range more {
		all = append(all, Contains(m))
	}
	return All(all...)
}

// plan is the reply that splits a story into agents, each of which waits for the one before it.
func plan(names ...string) Reply {
	var agents []map[string]any
	for i, name := range names {
		after := []string{}
		if i > 0 {
			after = []string{fmt.Sprintf("a%d", i)}
		}
		agents = append(agents, map[string]any{"key": fmt.Sprintf("a%d", i+1), "name": name, "brief": "Do what " + name + " says.", "dependsOn": after})
	}
	return Structured(map[string]any{"agents": agents})
}

// writes are the replies of an agent that commits one file and hands it over.
func writes(file string) []Reply {
	return []Reply{
		Use("Write", map[string]any{"file_path": "{{cwd}}/" + file, "content": file + "\n"}),
		Use("Bash", map[string]any{"command": "git add " + file + " && git commit -m 'Add " + file + "'", "description": "Commit the file"}),
		Structured(map[string]any{"changed": "Added " + file, "decisions": []string{}, "openPoints": []string{}, "files": []string{file}}),
	}
}

func verdict(words string, failed ...map[string]any) Reply {
	if failed == nil {
		failed = []map[string]any{}
	}
	return Structured(map[string]any{
		"verdict": words, "criteria": []map[string]any{{"criterion": "The answer is written down.", "met": words == "pass", "evidence": "answer.txt:1"}},
		"failedAgents": failed, "summary": "# Summary\n\nIt is done.", "learnings": "# Learnings\n\nNothing yet.",
	})
}

// driving are the arguments with which an agent tries each write tool.
func (w *world) driving() map[string]args {
	const id = "00000000-0000-4000-8000-000000000000"
	return map[string]args{
		"create_piece":         {"prompt": "Forbidden", "cwd": w.repo.Path},
		"create_draft":         {"spec": "# Forbidden\n", "cwd": w.repo.Path},
		"update_draft":         {"draftId": id, "title": "Forbidden"},
		"cancel_draft":         {"draftId": id},
		"release_draft":        {"draftId": id},
		"register_project":     {"path": w.repo.Path},
		"open_piece_workspace": {"pieceId": id},
		"piece_action":         {"pieceId": id, "action": "archive"},
		"snooze_cue":           {"target": args{"kind": "piece", "id": id}, "fingerprint": "x"},
		"reveal":               {"pieceId": id},
	}
}

// tries is a reply that calls every write tool of a server at once, in a fixed order.
func (w *world) tries(server string) Reply {
	var blocks []Block
	for _, tool := range writeTools {
		blocks = append(blocks, ToolUse("mcp__"+server+"__"+tool, w.driving()[tool]))
	}
	return Reply{Blocks: blocks}
}

// curls is a reply that calls a write tool without any client of Claude Code's.
func (w *world) curls() Reply {
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{"name": "create_draft", "arguments": w.driving()["create_draft"]}})
	if err != nil {
		panic(err) // strings and maps of them always marshal
	}
	endpoint := "http://127.0.0.1:$(sed -n 's/.*127.0.0.1:\\([^\"]*\\)\".*/\\1/p' ~/.claude.json | head -n 1)"
	return Use("Bash", map[string]any{"description": "Try it", "command": fmt.Sprintf(
		`curl -s -H 'Content-Type: application/json' -H 'Accept: application/json' -d '%s' "%s"`, body, endpoint)})
}

// script is what the model says in all stories.
func (w *world) script() Script {
	tries := w.tries("fermata")
	tries.Hold = w.stories.first
	asks := Use("AskUserQuestion", map[string]any{"questions": []any{map[string]any{
		"question": question, "header": "Database", "multiSelect": false,
		"options": []any{map[string]string{"label": "SQLite", "description": "One file"}, map[string]string{"label": "Postgres", "description": "A server"}},
	}}})
	read := Reply{Blocks: []Block{ToolUse("mcp__fermata__list_projects", args{}), ToolUse("mcp__helper__list_projects", args{})}}
	wrote := Structured(map[string]any{"spec": gammaSpec, "analysis": map[string]any{"size": "small", "risk": "low", "files": []string{"a.go"}, "acceptanceCriteria": []string{"It is written."}}})
	asksFirst := Structured(map[string]any{"questions": []any{map[string]any{"question": specQuestion, "why": "It decides where the code goes."}}})
	asksFirst.Hold = w.stories.spec
	again := writes("answer-again.txt")
	again[0].Hold = w.stories.again
	script := Script{
		{Name: "fails", Match: Contains(failWish), Replies: []Reply{Fail(400, "the model refuses")}, Repeat: true},
		{Name: "third", Match: Contains(thirdWish), Replies: writes("answer-third.txt"), Repeat: true},
		{Name: "again", Match: Contains(finding), Replies: again, Repeat: true},
		{Name: "passes", Match: step("work review", "story-alpha", "answer-third.txt"), Replies: []Reply{verdict("pass")}, Repeat: true},
		{Name: "changes", Match: Contains("# Step: requested changes"), Replies: append(writes("louder.txt")[:2:2], Say("It is louder now.")), Repeat: true},
		{Name: "spec", Match: Contains("# Step: spec"), Replies: []Reply{asksFirst}, Repeat: true},
		{Name: "writes", Match: Contains("# Step: interview"), Replies: []Reply{wrote}, Repeat: true},
		{Name: "plans behind the fence", Match: step("strategy", "story-alpha"), Replies: []Reply{w.tries("fermata"), Structured(map[string]any{"strategy": "# Strategy\n\nAsk, then write."})}, Repeat: true},
		{Name: "alpha plan", Match: step("plan", "story-alpha"), Replies: []Reply{plan("Fence", "Question")}, Repeat: true},
		{Name: "fence", Match: step("agent 1", "story-alpha"), Replies: append([]Reply{tries, w.tries("helper"), w.curls(), read}, writes("fence.txt")...), Repeat: true},
		{Name: "question", Match: step("agent 2", "story-alpha"), Replies: append([]Reply{asks}, writes("answer.txt")...), Repeat: true},
		{Name: "fails the answer", Match: step("work review", "story-alpha"), Replies: []Reply{verdict("fail", map[string]any{"agent": 2, "finding": finding})}, Repeat: true},
		ProposesSplits("story-delta", []StorySplit{SplitOff("Delta first", "prerequisite"), SplitOff("Delta later", "followUp")}),
		{Name: "blocked", Match: step("strategy", "story-blocked"), Replies: []Reply{Fail(400, "the model refuses")}, Repeat: true},
		{Name: "beta plan", Match: step("plan", "story-beta"), Replies: []Reply{plan("Maker")}, Repeat: true},
		{Name: "maker", Match: step("agent 1", "story-beta"), Replies: append([]Reply{Use("Bash", map[string]any{"command": "mkdir -p build", "description": "Make a folder"})}, writes("made.txt")...), Repeat: true},
	}
	return append(script, Story([]StoryAgent{{Key: "only", Name: "Only agent", File: "only.txt"}})...)
}

// person is what a Claude Code in the person's own terminal does.
func (w *world) person() Rule {
	return Rule{Name: "person", Match: Tag("person"), Replies: []Reply{
		Use("mcp__fermata__create_draft", args{"spec": "# From a terminal\n\nx", "cwd": w.repo.Path}), Say("it read: {{last_result}}"),
	}}
}

// read is what the model read after the reply of a rule: the results of all tools that it used.
func (w *world) read(p *probe, rule string, reply int) []string {
	p.Helper()
	got := w.asked(p, rule, reply+1)
	var last []string
	for _, m := range got.Messages {
		if len(m.Results) > 0 {
			last = m.Results
		}
	}
	return last
}

// asked waits until the model is asked for a reply of a rule.
func (w *world) asked(p *probe, rule string, reply int) Request {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	defer cancel()
	r, err := w.model.Wait(ctx, func(r Request) bool { return r.Rule == rule && r.Index == reply })
	if err != nil {
		p.Fatalf("wait until the model is asked for reply %d of %s: %v", reply, rule, err)
	}
	return r
}

// refusals counts the results that are the fence's sentence.
func refusals(results []string) int {
	n := 0
	for _, r := range results {
		if strings.Contains(r, fenceSentence) {
			n++
		}
	}
	return n
}
