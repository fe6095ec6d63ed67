package pieces

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func allActivities() []Activity {
	return []Activity{
		Idle, Interviewing, Planning, Decomposing, Failed, Running, Pausing, Paused, Stopping, StopFailed, Finished,
		WorkReviewing, CreatingPR, Changing, Waiting, DependencyBlocked,
	}
}

// permissive are facts under which every guard that only looks for something's presence holds.
var permissive = Facts{
	AgentsFailed: 1, Unapproved: 1, WorkReview: WorkReviewFailed, HasBranch: true, HasWorktree: true,
	AgentWaiting: true, CodeReviewOn: true, DependenciesOn: true,
}

const beforeBuilding = "spec/interviewing spec/idle spec/failed spec/waiting spec/dependencyBlocked " +
	"strategy/planning strategy/idle strategy/failed strategy/waiting strategy/dependencyBlocked"

// legalIn is the contract's "Legal in" column written out by state, for the actions whose machinery is there.
var legalIn = map[Action]string{
	InterviewMessage:   "spec/idle spec/failed spec/waiting spec/dependencyBlocked",
	ApproveSpec:        "spec/idle",
	GenerateStrategy:   "spec/idle strategy/idle strategy/failed strategy/waiting strategy/dependencyBlocked",
	ApproveStrategy:    "strategy/idle",
	Decompose:          "agents/idle agents/failed",
	StartExecution:     "agents/idle",
	PauseAgents:        "agents/running",
	ResumeAgents:       "agents/paused",
	StopAgents:         "agents/running agents/pausing agents/paused agents/stopping agents/stopFailed agents/workReviewing",
	RetryFailedAgents:  "agents/paused agents/finished",
	EditTaskBrief:      "agents/paused agents/finished",
	MessageTask:        "agents/running agents/pausing agents/paused agents/finished",
	AnswerTaskQuestion: "agents/running agents/pausing agents/paused agents/stopFailed agents/workReviewing",
	ContinueToReview:   "agents/paused agents/finished",
	ApproveTask:        "review/idle review/changing",
	RunCodeReview:      "agents/finished review/idle",
	CreatePR:           "agents/finished review/idle review/changing complete/idle complete/changing",
	MarkDone:           "agents/finished review/idle review/changing",
	ConfirmDone:        "complete/idle complete/changing",
	SetLane: "spec/idle spec/failed spec/waiting spec/dependencyBlocked strategy/idle strategy/failed strategy/waiting " +
		"strategy/dependencyBlocked agents/idle agents/failed",
	RequestChanges:   "review/idle complete/idle",
	SendBackToAgents: "agents/finished",
	ResumeTask:       "agents/finished",
	Archive: "spec/idle spec/failed spec/waiting spec/dependencyBlocked strategy/idle strategy/failed strategy/waiting " +
		"strategy/dependencyBlocked agents/failed agents/idle agents/paused agents/finished review/idle complete/idle",
	AddDependency: "backlog/idle " + beforeBuilding,
	RemoveDependency: "backlog/idle " + beforeBuilding + " agents/decomposing agents/failed agents/idle agents/running agents/pausing agents/paused " +
		"agents/stopping agents/stopFailed agents/workReviewing agents/finished agents/creatingPR review/idle review/creatingPR review/changing " +
		"complete/idle complete/creatingPR complete/changing",
}

func TestEveryActionIsLegalExactlyWhereTheContractSays(t *testing.T) {
	t.Parallel()
	for _, phase := range append(Phases(), PhaseBacklog) {
		for _, activity := range allActivities() {
			for _, r := range Rules() {
				state := State{phase, activity}
				want := slices.Contains(strings.Fields(legalIn[r.Action]), fmt.Sprintf("%s/%s", phase, activity))
				if got := Legal(r.Action, state, Idle, permissive); got != want {
					t.Errorf("%s at %s/%s: legal %v, want %v", r.Action, phase, activity, got, want)
				}
				if got := slices.Contains(LegalActions(state, Idle, permissive), r.Action); got != want {
					t.Errorf("LegalActions at %s/%s lists %s: %v, want %v", phase, activity, r.Action, got, want)
				}
			}
		}
	}
}

func TestAnArchivedPieceTakesUnarchiveAlone(t *testing.T) {
	t.Parallel()
	f := permissive
	f.Archived = true
	for _, s := range Stations() {
		if got := LegalActions(s.State, Idle, f); !slices.Equal(got, []Action{Unarchive}) {
			t.Errorf("archived at %s/%s: %v", s.Phase, s.Activity, got)
		}
		if g := GateAt(s.State, f); g != GateNone {
			t.Errorf("archived at %s/%s asks for %s", s.Phase, s.Activity, g)
		}
	}
}

func TestGuardsWithdrawWhatTheFactsForbid(t *testing.T) {
	t.Parallel()
	with := func(change func(*Facts)) Facts {
		f := permissive
		change(&f)
		return f
	}
	cases := []struct {
		why    string
		state  State
		action Action
		facts  Facts
	}{
		{"questions are open", at(PhaseSpec, Idle), ApproveSpec, with(func(f *Facts) { f.OpenQuestions = true })},
		{"a split holds the piece", at(PhaseSpec, Idle), GenerateStrategy, with(func(f *Facts) { f.SplitHold = true })},
		{"a dependency holds the spec", at(PhaseSpec, Idle), ApproveSpec, with(func(f *Facts) { f.Held = true })},
		{"a dependency holds the spec", at(PhaseSpec, Idle), GenerateStrategy, with(func(f *Facts) { f.Held = true })},
		{"a dependency holds the strategy", at(PhaseStrategy, Idle), ApproveStrategy, with(func(f *Facts) { f.Held = true })},
		{"dependencies are off", at(PhaseSpec, Idle), AddDependency, with(func(f *Facts) { f.DependenciesOn = false })},
		{"dependencies are off", at(PhaseReview, Idle), RemoveDependency, with(func(f *Facts) { f.DependenciesOn = false })},
		{"split proposals wait", at(PhaseStrategy, Idle), ApproveStrategy, with(func(f *Facts) { f.SplitProposals = true })},
		{"the worktree is missing", at(PhaseAgents, Idle), StartExecution, with(func(f *Facts) { f.WorktreeMissing = true })},
		{"no agent failed", at(PhaseAgents, Finished), RetryFailedAgents, with(func(f *Facts) { f.AgentsFailed = 0 })},
		{"an agent still runs", at(PhaseAgents, Paused), ContinueToReview, with(func(f *Facts) { f.AgentsRunning = 1 })},
		{"an agent waits with its process", at(PhaseAgents, Paused), Archive, with(func(f *Facts) { f.AgentsRunning = 1 })},
		{"the worktree is missing", at(PhaseAgents, Finished), MessageTask, with(func(f *Facts) { f.WorktreeMissing = true })},
		{"the branch and the worktree are gone", at(PhaseComplete, Idle), RequestChanges, with(func(f *Facts) { f.HasBranch, f.HasWorktree = false, false })},
		{"the review failed nobody", at(PhaseAgents, Finished), ResumeTask, with(func(f *Facts) { f.WorkReview = WorkReviewNone })},
		{"the review failed nobody", at(PhaseAgents, Finished), SendBackToAgents, with(func(f *Facts) { f.WorkReview = WorkReviewNone })},
		{"a pull request is open", at(PhaseComplete, Idle), CreatePR, with(func(f *Facts) { f.HasPR = true })},
		{"the branch is gone", at(PhaseReview, Idle), CreatePR, with(func(f *Facts) { f.HasBranch = false })},
		{"all agents are approved", at(PhaseReview, Idle), ApproveTask, with(func(f *Facts) { f.Unapproved = 0 })},
		{"it is confirmed", at(PhaseComplete, Idle), ConfirmDone, with(func(f *Facts) { f.Confirmed = true })},
		{"no agent waits", at(PhaseAgents, Running), AnswerTaskQuestion, with(func(f *Facts) { f.AgentWaiting = false })},
	}
	for _, c := range cases {
		if !Legal(c.action, c.state, Idle, permissive) {
			t.Errorf("%s: not legal even before", c.action)
		}
		if Legal(c.action, c.state, Idle, c.facts) {
			t.Errorf("%s is legal although %s", c.action, c.why)
		}
	}
}

func TestEveryStateHasTheGateOfTheProductPage(t *testing.T) {
	t.Parallel()
	cases := []struct {
		state State
		facts Facts
		want  Gate
	}{
		{at(PhaseSpec, Interviewing), Facts{}, GateNone},
		{at(PhaseSpec, Idle), Facts{OpenQuestions: true}, GateAnswerInterview},
		{at(PhaseSpec, Idle), Facts{}, GateSpecReady},
		{at(PhaseSpec, Failed), Facts{}, GateSpecFailed},
		{at(PhaseStrategy, Planning), Facts{}, GateNone},
		{at(PhaseStrategy, Idle), Facts{}, GateStrategyReady},
		{at(PhaseStrategy, Idle), Facts{SplitProposals: true}, GateReviewSplit},
		{at(PhaseStrategy, Failed), Facts{}, GateStrategyFailed},
		{at(PhaseAgents, Decomposing), Facts{}, GateNone},
		{at(PhaseAgents, Failed), Facts{}, GatePlanFailed},
		{at(PhaseAgents, Idle), Facts{}, GatePlanReady},
		{at(PhaseAgents, Running), Facts{}, GateNone},
		{at(PhaseAgents, Running), Facts{AgentWaiting: true}, GateAgentWaiting},
		{at(PhaseAgents, Pausing), Facts{AgentWaiting: true}, GateNone},
		{at(PhaseAgents, Paused), Facts{Pause: PauseByPerson}, GatePaused},
		{at(PhaseAgents, Paused), Facts{Pause: PauseSentBack}, GatePaused},
		{at(PhaseAgents, Paused), Facts{Pause: PauseInterrupted}, GateInterrupted},
		{at(PhaseAgents, Paused), Facts{Pause: PauseLimitReached}, GateLimitReached},
		{at(PhaseAgents, Paused), Facts{Pause: PauseBudgetReached}, GateBudgetReached},
		{at(PhaseAgents, Paused), Facts{Pause: PauseReviewStepFailed}, GateReviewStepFailed},
		{at(PhaseAgents, Stopping), Facts{}, GateNone},
		{at(PhaseAgents, StopFailed), Facts{}, GateStopFailed},
		{at(PhaseAgents, Finished), Facts{}, GateAgentsFailed},
		{at(PhaseAgents, Finished), Facts{WorkReview: WorkReviewFailed}, GateWorkReviewFailed},
		{at(PhaseAgents, WorkReviewing), Facts{}, GateNone},
		{at(PhaseReview, Idle), Facts{Unapproved: 1}, GateReviewWork},
		{at(PhaseReview, Idle), Facts{}, GateOpenPullRequest},
		{at(PhaseReview, CreatingPR), Facts{}, GateNone},
		{at(PhaseReview, Changing), Facts{}, GateNone},
		{at(PhaseComplete, Idle), Facts{PROpen: true}, GateMergePullRequest},
		{at(PhaseComplete, Idle), Facts{}, GateConfirmDone},
		{at(PhaseComplete, Idle), Facts{Confirmed: true}, GateNone},
		{at(PhaseAgents, Idle), Facts{WorktreeMissing: true}, GateWorktreeMissing},
		{at(PhaseAgents, Running), Facts{WorktreeMissing: true}, GateNone},
		{at(PhaseComplete, Idle), Facts{WorktreeMissing: true}, GateConfirmDone},
	}
	for _, c := range cases {
		if got := GateAt(c.state, c.facts); got != c.want {
			t.Errorf("%s/%s %+v: gate %q, want %q", c.state.Phase, c.state.Activity, c.facts, got, c.want)
		}
	}
}

func TestEveryMoveStartsAndEndsAtAKnownState(t *testing.T) {
	t.Parallel()
	for _, m := range Moves() {
		if m.From.Phase != PhaseBacklog && !Known(m.From) {
			t.Errorf("%s starts at the unknown state %+v", m.On, m.From)
		}
		if m.To.Phase != "" && m.To.Activity != "" && !Known(m.To) {
			t.Errorf("%s ends at the unknown state %+v", m.On, m.To)
		}
	}
}

func TestEveryLiveStateKnowsItsWayOutOfACrash(t *testing.T) {
	t.Parallel()
	for _, s := range Stations() {
		if !LiveState(s.State) {
			continue
		}
		on := OnInterrupted
		if s.Activity == CreatingPR {
			on = OnPRFailed
		}
		to, ok := Next(s.State, Idle, on, Facts{})
		if !ok || LiveState(to) {
			t.Errorf("%s/%s after a crash: %+v, %v", s.Phase, s.Activity, to, ok)
		}
	}
}

func TestAFailedPullRequestFallsBackToWhatItWas(t *testing.T) {
	t.Parallel()
	to, ok := Next(at(PhaseReview, CreatingPR), Changing, OnPRFailed, Facts{})
	if !ok || to != at(PhaseReview, Changing) {
		t.Errorf("got %+v, %v", to, ok)
	}
}

func TestAPullRequestOpenedMeanwhileLeavesTheFeedbackSessionAtWork(t *testing.T) {
	t.Parallel()
	for facts, want := range map[Facts]State{{Feedback: true}: at(PhaseComplete, Changing), {}: at(PhaseComplete, Idle)} {
		if to, ok := Next(at(PhaseReview, CreatingPR), Changing, OnPROpened, facts); !ok || to != want {
			t.Errorf("%+v: got %+v, %v", facts, to, ok)
		}
	}
}

func TestEveryCueLeadsToAnActionOfTheTable(t *testing.T) {
	t.Parallel()
	for g, c := range cues {
		if c.Label == "" || c.Group == "" {
			t.Errorf("%s has no label or group", g)
		}
		if c.Group == ReadyToMerge && c.Primary != "" {
			t.Errorf("%s offers to merge", g)
		}
		if _, ok := RuleOf(c.Primary); c.Primary != "" && !ok {
			t.Errorf("%s leads to the unknown action %s", g, c.Primary)
		}
	}
	if _, ok := CueOf(GatePaused); ok {
		t.Error("a pause of the person's own is a cue")
	}
}

func TestTiersAskExactlyWhereTheContractSays(t *testing.T) {
	t.Parallel()
	always := []Action{StopAgents, MarkDone}
	withSetting := []Action{StartExecution, ResumeAgents, RetryFailedAgents, ResumeTask, EditTaskBrief, MessageTask, AnswerTaskQuestion, CreatePR, ApproveSpec}
	if len(Rules()) != 27 {
		t.Errorf("%d actions, want 27", len(Rules()))
	}
	for _, r := range Rules() {
		auto, manual := TierOf(r, LaneAuto), TierOf(r, LaneManual)
		if got, want := auto.NeedsCard(false), slices.Contains(always, r.Action); got != want {
			t.Errorf("%s waits for a card without the setting: %v", r.Action, got)
		}
		want := slices.Contains(always, r.Action) || slices.Contains(withSetting, r.Action)
		if got := auto.NeedsCard(true); got != want {
			t.Errorf("%s waits for a card with the setting: %v, want %v", r.Action, got, want)
		}
		if r.Action == ApproveSpec && manual.NeedsCard(true) {
			t.Error("approveSpec on the manual lane waits for a card")
		}
		if want != (r.Verb != "") {
			t.Errorf("%s: verb %q", r.Action, r.Verb)
		}
	}
	if !Tier(0).NeedsCard(false) {
		t.Error("an action that declares nothing runs without a card")
	}
}

func TestTheStateDiagramIsTheRails(t *testing.T) {
	t.Parallel()
	const path = "testdata/rail.mmd"
	got := Diagram()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what the rail says; run go test ./pieces -update and read the difference", path)
	}
}
