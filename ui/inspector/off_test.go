package inspector

import (
	"slices"
	"testing"

	"fermata/pieces"
)

func TestWhatIsOffSaysWhatItNeeds(t *testing.T) {
	s := standing(pieces.PhaseReview, pieces.Idle)
	s.Tasks[0].Approved = true
	list := offNow(s)
	rule, _ := pieces.RuleOf(pieces.CreatePR)
	if !slices.Contains(list, off{rule.Label, "there is a branch and no pull request yet"}) {
		t.Errorf("a piece with a pull request has these off: %+v", list)
	}
	failed := standing(pieces.PhaseAgents, pieces.Finished)
	failed.Tasks[0].State, failed.Piece.WorktreeMissing = pieces.TaskFailed, true
	rule, _ = pieces.RuleOf(pieces.RetryFailedAgents)
	if list = offNow(failed); !slices.Contains(list, off{rule.Label, "the worktree is there"}) {
		t.Errorf("a piece without its worktree has these off: %+v", list)
	}
	for _, st := range pieces.Stations() {
		s := standing(st.Phase, st.Activity)
		for _, o := range offNow(s) {
			if o.label == "" || o.needs == "" {
				t.Errorf("%v: %+v", st.State, o)
			}
			for _, a := range s.LegalActions() {
				if rule, _ := pieces.RuleOf(a); rule.Label == o.label {
					t.Errorf("%v: %s is legal, and is said to be off", st.State, o.label)
				}
			}
		}
	}
}
