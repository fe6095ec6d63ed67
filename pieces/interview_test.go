package pieces

import (
	"testing"
	"time"
)

func TestAnInterviewEndsAfterTheRoundsOfItsDepth(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for depth, rounds := range map[string]int{DepthQuick: 1, DepthBalanced: 3, DepthThorough: 6, "": 3} {
		var v Interview
		for n := range rounds {
			if left := v.Left(depth); left != rounds-n {
				t.Errorf("%q: %d rounds are left after %d, want %d", depth, left, n, rounds-n)
			}
			v = v.Ask([]Question{{Text: "Which?"}}, at).Say("This one", at)
			v = v.Say("And mind the tests", at) // a wish is no round
			v.Taken = len(v.Turns)
		}
		if left := v.Left(depth); left != 0 {
			t.Errorf("%q: %d rounds are left at the end", depth, left)
		}
	}
}

func TestWhatThePersonSaidWaitsUntilItIsTakenUp(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	asked := Interview{SessionID: "s"}.Ask([]Question{{Text: "Which?"}}, at)
	if !asked.Open() || asked.Asked() != 1 {
		t.Errorf("asked: %+v", asked)
	}
	moved := asked.Say(" ", at)
	if moved.Open() || len(moved.Pending()) != 1 || !moved.Pending()[0].MovesOn() || moved.Left(DepthThorough) != 0 {
		t.Errorf("moved on: %+v", moved)
	}
	if !asked.Open() || len(asked.Turns) != 0 {
		t.Errorf("saying something changed what was read before: %+v", asked)
	}
	if again := moved.Say("", at); len(again.Turns) != 1 {
		t.Errorf("trying again without words added %+v", again.Turns)
	}
	moved.Taken = 1
	if len(moved.Pending()) != 0 || moved.Left(DepthThorough) != 5 {
		t.Errorf("taken up: %+v", moved)
	}
}

func TestOpenQuestionsMakeTheGate(t *testing.T) {
	t.Parallel()
	s := Snapshot{Piece: Piece{Phase: PhaseSpec, Activity: Idle, Worktree: "/w", Interview: Interview{Questions: []Question{{Text: "Which?"}}}}}
	cue, ok := s.Cue()
	if !ok || cue.Label != "Answer the interview" || cue.Primary != "" || s.Legal(ApproveSpec) || s.Legal(GenerateStrategy) || !s.Legal(InterviewMessage) {
		t.Errorf("cue %+v, legal %v", cue, s.LegalActions())
	}
}

func TestOnlyRefineNoneLeavesASpecUnread(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec          string
		refine        Refine
		steps, checks bool
	}{
		{"# A\n", RefineNone, false, false},
		{"# A\n", RefineIfGaps, true, true},
		{"# A\n", RefineAlways, true, false},
		{" \n", RefineNone, true, false},
		{"", RefineIfGaps, true, false},
	} {
		d := Draft{Spec: c.spec, Refine: c.refine}
		if d.NeedsSpecStep() != c.steps || d.ChecksSpec() != c.checks {
			t.Errorf("%q with %s: step %v, check %v", c.spec, c.refine, d.NeedsSpecStep(), d.ChecksSpec())
		}
	}
}
