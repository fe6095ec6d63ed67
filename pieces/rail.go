package pieces

import "slices"

// State is where a piece stands on the rail.
type State struct {
	Phase    Phase
	Activity Activity
}

// Gate is the decision that waits for the person; empty while the machine works.
type Gate string

// The gates. Their keys are the contract's `gate` values and the cues' `reason`.
const (
	GateNone              Gate = ""
	GateAnswerInterview   Gate = "answerInterview"
	GateSpecReady         Gate = "specReady"
	GateSpecFailed        Gate = "specFailed"
	GateStrategyReady     Gate = "strategyReady"
	GateStrategyFailed    Gate = "strategyFailed"
	GateReviewSplit       Gate = "reviewSplit"
	GatePlanReady         Gate = "planReady"
	GatePlanFailed        Gate = "planFailed"
	GateAgentWaiting      Gate = "agentWaiting"
	GatePaused            Gate = "paused"
	GateInterrupted       Gate = "interrupted"
	GateLimitReached      Gate = "limitReached"
	GateBudgetReached     Gate = "budgetReached"
	GateReviewStepFailed  Gate = "reviewStepFailed"
	GateStopFailed        Gate = "stopFailed"
	GateAgentsFailed      Gate = "agentsFailed"
	GateWorkReviewFailed  Gate = "workReviewFailed"
	GateReviewWork        Gate = "reviewWork"
	GateOpenPullRequest   Gate = "openPullRequest"
	GateMergePullRequest  Gate = "mergePullRequest"
	GateConfirmDone       Gate = "confirmDone"
	GateDependencyBlocked Gate = "dependencyBlocked"
	GateWorktreeMissing   Gate = "worktreeMissing"
)

// Facts are what the rail's guards may look at besides phase and activity.
type Facts struct {
	OpenQuestions    bool // of the spec interview
	SplitProposals   bool
	SplitHold        bool
	AgentWaiting     bool // an agent waits for an answer or an approval
	AgentsRunning    int
	AgentsFailed     int // failed, interrupted or cancelled agents that a retry would touch
	Unapproved       int // agents that the review checklist still lists
	Pause            PauseReason
	WorkReview       WorkReviewState
	Feedback         bool // a feedback session works on while the pull request is created
	HasPR            bool // there is a pull request that is not closed
	PROpen           bool
	HasBranch        bool
	HasWorktree      bool
	WorktreeMissing  bool
	Confirmed        bool
	Archived         bool
	CodeReviewOn     bool
	CodeReviewing    bool // a code review runs beside what the piece does
	DependenciesOn   bool
	Held             bool // its dependencies hold it
	DependencyFailed bool // one of them went wrong
}

// Trigger is what moves a piece: one of the actions (by its own name) or something that Fermata found.
type Trigger string

// The triggers that are not actions.
const (
	OnReleased        Trigger = "released"
	OnSpecAsked       Trigger = "specAsked" // the draft carries no usable spec, so the spec step runs
	OnQuestionsAsked  Trigger = "questionsAsked"
	OnSpecChecked     Trigger = "specChecked" // the supplied spec has no gaps and stands as it is
	OnSpecWritten     Trigger = "specWritten"
	OnSpecFailed      Trigger = "specFailed"
	OnStrategyWritten Trigger = "strategyWritten"
	OnStrategyFailed  Trigger = "strategyFailed"
	OnPlanBuilt       Trigger = "planBuilt"
	OnPlanFailed      Trigger = "planFailed"
	OnTaskChanged     Trigger = "taskChanged"
	OnReviewStarted   Trigger = "reviewStarted"
	OnReviewPassed    Trigger = "reviewPassed"
	OnReviewFailed    Trigger = "reviewFailed"
	OnReviewBroke     Trigger = "reviewBroke"
	OnAgentsFailed    Trigger = "agentsFailed"
	OnDrained         Trigger = "drained"
	OnStopped         Trigger = "stopped"
	OnStopFailed      Trigger = "stopFailed"
	OnInterrupted     Trigger = "interrupted"
	OnLimitReached    Trigger = "limitReached"
	OnBudgetReached   Trigger = "budgetReached"
	OnPROpened        Trigger = "pullRequestOpened"
	OnPRFailed        Trigger = "pullRequestFailed"
	OnPRRead          Trigger = "pullRequestRead"
	OnChangesDone     Trigger = "changesDone"
	OnChangesPushed   Trigger = "changesPushed"
	OnWorktree        Trigger = "worktreeRead"
	OnTextEdited      Trigger = "textEdited" // the person rewrote the spec or the strategy
)

// Guard is a named pure test over the facts; its name is what the diagram shows.
type Guard struct {
	Name string
	Test func(Facts) bool
}

// Move is one row of the rail: from where, on what, under which guard, to where. An empty To.Phase keeps the state; an
// empty To.Activity with a phase means "what it was before" (Piece.Before).
type Move struct {
	From  State
	On    Trigger
	Guard Guard
	To    State
}

// Station is a state of the rail with the gate that stands there.
type Station struct {
	State
	gate func(Facts) Gate
}

func none(Facts) Gate { return GateNone }

func always(g Gate) func(Facts) Gate { return func(Facts) Gate { return g } }

// stations is the first half of the one table: every state a piece can be in, and its gate.
var stations = []Station{
	{State{PhaseSpec, Interviewing}, none},
	{State{PhaseSpec, Idle}, func(f Facts) Gate {
		if f.OpenQuestions {
			return GateAnswerInterview
		}
		return GateSpecReady
	}},
	{State{PhaseSpec, Failed}, always(GateSpecFailed)},
	{State{PhaseSpec, Waiting}, none},
	{State{PhaseSpec, DependencyBlocked}, always(GateDependencyBlocked)},
	{State{PhaseStrategy, Planning}, none},
	{State{PhaseStrategy, Idle}, func(f Facts) Gate {
		if f.SplitProposals {
			return GateReviewSplit
		}
		return GateStrategyReady
	}},
	{State{PhaseStrategy, Failed}, always(GateStrategyFailed)},
	{State{PhaseStrategy, Waiting}, none},
	{State{PhaseStrategy, DependencyBlocked}, always(GateDependencyBlocked)},
	{State{PhaseAgents, Decomposing}, none},
	{State{PhaseAgents, Failed}, always(GatePlanFailed)},
	{State{PhaseAgents, Idle}, always(GatePlanReady)},
	{State{PhaseAgents, Running}, waitingAgent},
	{State{PhaseAgents, Pausing}, none},
	{State{PhaseAgents, Paused}, pausedGate},
	{State{PhaseAgents, Stopping}, none},
	{State{PhaseAgents, StopFailed}, always(GateStopFailed)},
	{State{PhaseAgents, WorkReviewing}, waitingAgent},
	{State{PhaseAgents, Finished}, func(f Facts) Gate {
		if f.WorkReview == WorkReviewFailed {
			return GateWorkReviewFailed
		}
		return GateAgentsFailed
	}},
	{State{PhaseAgents, CreatingPR}, none},
	{State{PhaseReview, Idle}, func(f Facts) Gate {
		if f.Unapproved > 0 {
			return GateReviewWork
		}
		return GateOpenPullRequest
	}},
	{State{PhaseReview, CreatingPR}, none},
	{State{PhaseReview, Changing}, none},
	{State{PhaseComplete, Idle}, func(f Facts) Gate {
		switch {
		case f.PROpen:
			return GateMergePullRequest
		case f.Confirmed:
			return GateNone
		}
		return GateConfirmDone
	}},
	{State{PhaseComplete, CreatingPR}, none},
	{State{PhaseComplete, Changing}, none},
}

func waitingAgent(f Facts) Gate {
	if f.AgentWaiting {
		return GateAgentWaiting
	}
	return GateNone
}

func pausedGate(f Facts) Gate {
	switch f.Pause {
	case PauseInterrupted:
		return GateInterrupted
	case PauseLimitReached:
		return GateLimitReached
	case PauseBudgetReached:
		return GateBudgetReached
	case PauseReviewStepFailed:
		return GateReviewStepFailed
	default:
		return GatePaused
	}
}

// Stations lists every state of the rail.
func Stations() []Station { return stations }

// GateAt says which decision waits at a state. A missing worktree shows wherever the machine does not work and the
// piece is not over, since every way on from there needs the files; an archived piece asks for nothing.
func GateAt(s State, f Facts) Gate {
	if f.Archived {
		return GateNone
	}
	for _, st := range stations {
		if st.State != s {
			continue
		}
		g := st.gate(f)
		if f.WorktreeMissing && g != GateNone && s.Phase != PhaseComplete {
			return GateWorktreeMissing
		}
		return g
	}
	return GateNone
}

var liveActivities = []Activity{Interviewing, Planning, Decomposing, Running, Pausing, Stopping, WorkReviewing, CreatingPR, Changing}

// LiveActivities lists the activities behind which a process or a call of ours must stand, so that after a crash they cannot
// be true.
func LiveActivities() []Activity { return slices.Clone(liveActivities) }

// LiveState says whether the state's activity is one of LiveActivities.
func LiveState(s State) bool { return slices.Contains(liveActivities, s.Activity) }

// Known says whether the rail has the state.
func Known(s State) bool {
	for _, st := range stations {
		if st.State == s {
			return true
		}
	}
	return false
}

// Next returns where a trigger leads from a state under the facts. ok is false when the rail has no such move.
func Next(s State, before Activity, on Trigger, f Facts) (to State, ok bool) {
	for _, m := range movesOn[start{s, on}] {
		if m.Guard.Test != nil && !m.Guard.Test(f) {
			continue
		}
		switch {
		case m.To.Phase == "":
			return s, true
		case m.To.Activity == "":
			return State{m.To.Phase, before}, true
		}
		return m.To, true
	}
	return State{}, false
}
