package inspector

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

func standing(p pieces.Phase, a pieces.Activity) pieces.Snapshot {
	return pieces.Snapshot{Piece: pieces.Piece{
		ID: "x", Name: "x", Phase: p, Activity: a, Branch: "fermata/x", Worktree: "/w",
		PR: &pieces.PullRequest{Number: 7, URL: "https://example.com/7", State: pieces.PullRequestMerged},
	}, Tasks: []pieces.Task{{ID: "t1", Kind: pieces.TaskAgent, Name: "One", State: pieces.TaskCompleted}}}
}

func TestHeadlineOfEveryStateIsTrue(t *testing.T) {
	for _, st := range pieces.Stations() {
		s := standing(st.Phase, st.Activity)
		state, words := headline(s)
		if words == "" {
			t.Errorf("%v has no words", st.State)
		}
		cue, ok := pieces.CueOf(s.Gate())
		if ok && words != cue.Label {
			t.Errorf("%v says %q, and its cue says %q", st.State, words, cue.Label)
		}
		if s.Gate() == pieces.GateNone && pieces.LiveState(st.State) && state != kit.StateRunning {
			t.Errorf("%v works, and is drawn as %v", st.State, state)
		}
		if s.Gate() != pieces.GateNone && gateSentences[s.Gate()] == "" {
			t.Errorf("the gate %s has no sentence", s.Gate())
		}
	}
}

func TestEveryLegalActionCanBeReached(t *testing.T) {
	elsewhere := []pieces.Action{
		pieces.ApproveTask, pieces.AnswerTaskQuestion, pieces.AddDependency, pieces.RemoveDependency,
		pieces.EditTaskBrief, pieces.MessageTask, pieces.ResumeTask,
	}
	for _, st := range pieces.Stations() {
		s := standing(st.Phase, st.Activity)
		s.Flags.Dependencies = true
		list := choices(s)
		for _, a := range s.LegalActions() {
			if slices.Contains(elsewhere, a) || (a == pieces.GenerateStrategy && st.Phase == pieces.PhaseSpec) {
				continue
			}
			if !slices.ContainsFunc(list, func(c choice) bool { return c.name == "action:"+string(a) && !c.menuOnly }) {
				t.Errorf("%v offers no button for %s", st.State, a)
			}
		}
		primaries := 0
		for _, c := range list {
			if c.kind == kit.Primary {
				primaries++
			}
			if c.label == "" {
				t.Errorf("%v: %s has no label", st.State, c.name)
			}
			if c.req.Action != "" && !s.Legal(c.req.Action) {
				t.Errorf("%v offers %s, which is not legal", st.State, c.name)
			}
			tears := c.req.Action == pieces.MarkDone || c.req.Action == pieces.StopAgents
			if tears && c.way != confirmed {
				t.Errorf("%v: %s tears down work without a confirmation", st.State, c.name)
			}
		}
		if primaries > 1 {
			t.Errorf("%v has %d primary buttons", st.State, primaries)
		}
	}
}

func TestLabelNamesTheEffect(t *testing.T) {
	four := pieces.Snapshot{Piece: pieces.Piece{Phase: pieces.PhaseAgents, Activity: pieces.Idle}}
	for i := range 4 {
		four.Tasks = append(four.Tasks, pieces.Task{ID: fmt.Sprint(i), Kind: pieces.TaskAgent, State: pieces.TaskPending})
	}
	four.Tasks = append(four.Tasks, pieces.Task{ID: "r", Kind: pieces.TaskReview, State: pieces.TaskPending})
	paused := four
	paused.Piece.Activity = pieces.Paused
	paused.Tasks = slices.Clone(four.Tasks)
	paused.Tasks[0].State, paused.Tasks[1].State, paused.Tasks[2].State = pieces.TaskCompleted, pieces.TaskCompleted, pieces.TaskFailed
	broke := paused
	broke.Piece.Pause = pieces.PauseReviewStepFailed
	for want, got := range map[string]string{
		"Start 4 agents":            label(four, pieces.StartExecution),
		"Resume 2 agents":           label(paused, pieces.ResumeAgents),
		"Recover 1 failed agent":    label(paused, pieces.RetryFailedAgents),
		"Run the work review again": label(broke, pieces.ResumeAgents),
		"Approve spec":              label(four, pieces.ApproveSpec),
	} {
		if got != want {
			t.Errorf("the button says %q, want %q", got, want)
		}
	}
}

func TestInputIsShownWholeAndInOrder(t *testing.T) {
	fields, ok := fieldsOf(json.RawMessage(`{"file_path":"a.go","content":"x\ny","limit":3,"deep":{"a":[1]}}`))
	want := "[{file_path a.go} {content x\ny} {limit 3} {deep {\n  \"a\": [\n    1\n  ]\n}}]"
	if got := fmt.Sprint(fields); !ok || got != want {
		t.Errorf("the fields are %s, want %s", got, want)
	}
	for _, odd := range []string{``, `null`, `[1]`, `{`, `"x"`, `{"a":`} {
		if _, ok := fieldsOf(json.RawMessage(odd)); ok {
			t.Errorf("%q was read as an object", odd)
		}
	}
}

func TestLongInputLeavesNothingOut(t *testing.T) {
	stage.New(t)
	var lines []string
	for i := range 950 {
		lines = append(lines, fmt.Sprint("line ", i))
	}
	var shown []string
	for _, o := range whole(strings.Join(lines, "\n")) {
		shown = append(shown, o.(*kit.Code).Text())
	}
	if strings.Join(shown, "\n") != strings.Join(lines, "\n") {
		t.Error("lines of the input are missing")
	}
	if blocks := whole(strings.Repeat("x", mostBytes+5)); len(blocks) != 2 || blocks[1].(*kit.Paragraph).Text() != "5 more bytes are not shown." {
		t.Error("what is cut is not told")
	}
}

func TestOnlyTheWebIsOpened(t *testing.T) {
	var opened []string
	open := openWeb(func(a string) { opened = append(opened, a) })
	for _, a := range []string{"https://example.com/x", "file:///etc/passwd", "javascript:alert(1)", "vscode://x", "http:", "ssh://host/x"} {
		open(a)
	}
	if fmt.Sprint(opened) != "[https://example.com/x]" {
		t.Errorf("opened %v", opened)
	}
}

func TestKeysAreWrittenAsWords(t *testing.T) {
	for key, want := range map[string]string{"workReviewing": "Work reviewing", "idle": "Idle", "pullRequestOpened": "Pull request opened", "creatingPR": "Creating PR"} {
		if got := spaced(key); got != want {
			t.Errorf("%q became %q, want %q", key, got, want)
		}
	}
}

func TestReleaseSaysWhatItDoes(t *testing.T) {
	for want, d := range map[string]pieces.Draft{
		"Makes a branch and a worktree, and Claude Code looks whether the spec has gaps. Then it belongs to the project's Loop.":                           {Spec: "# X\n\ny", Lane: pieces.LaneLoop, Refine: pieces.RefineIfGaps},
		"Makes a branch and a worktree, and Claude Code writes the spec. Then it waits for you at each gate.":                                              {Seed: "x", Lane: pieces.LaneManual},
		"Makes a branch and a worktree, and takes the spec as it is. Then it runs by itself up to Review; it stops for questions, approvals and failures.": {Spec: "# X\n\ny", Lane: pieces.LaneAuto, Refine: pieces.RefineNone},
	} {
		if got := releaseWords(d); got != want {
			t.Errorf("releasing says %q, want %q", got, want)
		}
	}
}
