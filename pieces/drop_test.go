package pieces

import (
	"fmt"
	"testing"
)

func TestADropMeansTheActionThatLeadsThere(t *testing.T) {
	t.Parallel()
	in := func(p Phase, a Activity, change ...func(*Snapshot)) Snapshot {
		s := Snapshot{Piece: Piece{ID: "p", Phase: p, Activity: a, Branch: "fermata/x", Worktree: "/w", Config: Config{Lane: LaneManual}}, Flags: Flags{Dependencies: true}}
		for _, c := range change {
			c(&s)
		}
		return s
	}
	agent := func(state TaskState, approved bool) func(*Snapshot) {
		return func(s *Snapshot) {
			s.Tasks = append(s.Tasks, Task{ID: "t", Kind: TaskAgent, State: state, Approved: approved})
		}
	}
	asks := func(s *Snapshot) {
		s.Piece.Interview = Interview{}.Ask([]Question{{Text: "Which?"}}, s.Piece.CreatedAt)
	}
	auto := func(s *Snapshot) { s.Piece.Config.Lane = LaneAuto }
	archived := func(s *Snapshot) { s.Piece.Archived = true }
	gone := func(s *Snapshot) { s.Piece.WorktreeMissing = true }
	for name, c := range map[string]struct {
		s    Snapshot
		to   Phase
		want Drop
	}{
		"its own column":           {in(PhaseSpec, Idle), PhaseSpec, Drop{}},
		"approve the spec":         {in(PhaseSpec, Idle), PhaseStrategy, Drop{Action: ApproveSpec, Lane: LaneManual, Label: "Approve spec"}},
		"keep the lane Auto":       {in(PhaseSpec, Idle, auto), PhaseStrategy, Drop{Action: ApproveSpec, Lane: LaneAuto, Label: "Approve spec and run Auto"}},
		"open questions":           {in(PhaseSpec, Idle, asks), PhaseStrategy, Drop{Reason: Say("Its questions are not answered yet.")}},
		"over a column":            {in(PhaseSpec, Idle), PhaseAgents, Drop{Reason: Say("Strategy comes first.")}},
		"busy":                     {in(PhaseSpec, Interviewing), PhaseStrategy, Drop{Reason: Say("It is busy: Writing the spec.")}},
		"a spec that failed":       {in(PhaseSpec, Failed), PhaseStrategy, Drop{Reason: Say("Its last step failed. Try that again first.")}},
		"waiting":                  {in(PhaseSpec, Waiting), PhaseStrategy, Drop{Reason: Say("It waits on another piece.")}},
		"approve the strategy":     {in(PhaseStrategy, Idle), PhaseAgents, Drop{Action: ApproveStrategy, Label: "Approve strategy"}},
		"back":                     {in(PhaseStrategy, Idle), PhaseSpec, Drop{Reason: Say("Work does not go back to an earlier step.")}},
		"to the Backlog":           {in(PhaseStrategy, Idle), PhaseBacklog, Drop{Reason: Say("A piece does not become a draft again.")}},
		"a plan":                   {in(PhaseAgents, Idle, agent(TaskPending, false)), PhaseReview, Drop{Reason: Say("Its agents have not started.")}},
		"running agents":           {in(PhaseAgents, Running, agent(TaskRunning, false)), PhaseReview, Drop{Reason: Say("It is busy: Agents are running.")}},
		"on with failed agents":    {in(PhaseAgents, Finished, agent(TaskFailed, false)), PhaseReview, Drop{Action: ContinueToReview, Label: "Continue to review"}},
		"done with failed agents":  {in(PhaseAgents, Finished, agent(TaskFailed, false)), PhaseComplete, Drop{Action: MarkDone, Label: "Mark done", Confirm: true}},
		"done before approval":     {in(PhaseReview, Idle, agent(TaskCompleted, false)), PhaseComplete, Drop{Action: MarkDone, Label: "Mark done", Confirm: true}},
		"done with a pull request": {in(PhaseReview, Idle, agent(TaskCompleted, true)), PhaseComplete, Drop{Action: CreatePR, Label: "Open pull request", Confirm: true}},
		"back from review":         {in(PhaseReview, Idle, agent(TaskCompleted, false)), PhaseAgents, Drop{Reason: Say("Work does not go back. Request changes instead.")}},
		"archived":                 {in(PhaseSpec, Idle, archived), PhaseStrategy, Drop{Reason: Say("It is archived. Bring it back first.")}},
		"without its worktree":     {in(PhaseSpec, Idle, gone), PhaseStrategy, Drop{Reason: Say("Its worktree is missing.")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, want := fmt.Sprintf("%+v", DropPiece(c.s, c.to)), fmt.Sprintf("%+v", c.want); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestADropNeverMeansWhatIsNotLegal(t *testing.T) {
	t.Parallel()
	for _, st := range Stations() {
		for _, to := range append([]Phase{PhaseBacklog}, Phases()...) {
			s := Snapshot{Piece: Piece{ID: "p", Phase: st.Phase, Activity: st.Activity, Branch: "b", Worktree: "/w"}, Flags: Flags{Dependencies: true}}
			d := DropPiece(s, to)
			if d.Action != "" && !s.Legal(d.Action) {
				t.Errorf("%v to %s means %s, which is not legal", st.State, to, d.Action)
			}
			if to == st.Phase && (d.Accepts() || !d.Reason.Empty()) || to != st.Phase && d.Accepts() != d.Reason.Empty() {
				t.Errorf("%v to %s is %+v", st.State, to, d)
			}
		}
	}
}

func TestADraftIsDroppedOnSpecAlone(t *testing.T) {
	t.Parallel()
	for _, to := range Phases() {
		if got := DropDraft(Draft{}, to); got.Release != (to == PhaseSpec) || got.Accepts() != got.Reason.Empty() {
			t.Errorf("%s: %+v", to, got)
		}
	}
	if got := DropDraft(Draft{ReleasedBy: ByPerson}, PhaseSpec); got.Accepts() || got.Reason.Empty() {
		t.Errorf("a held draft: %+v", got)
	}
}
