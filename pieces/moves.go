package pieces

// moves is the second half of the one table: every way from one state to another. Legality, the engine's transitions and
// the state diagram are read from it.
var moves = buildMoves()

// movesOn finds the moves, in their order, by where and on what they start: every row of every list asks for each action.
var movesOn = indexMoves(moves)

// start is where a move starts, and on what.
type start struct {
	from State
	on   Trigger
}

func indexMoves(list []Move) map[start][]Move {
	index := map[start][]Move{}
	for _, m := range list {
		key := start{m.From, m.On}
		index[key] = append(index[key], m)
	}
	return index
}

// Moves lists every row of the rail.
func Moves() []Move { return moves }

var stay = State{}

func at(p Phase, a Activity) State { return State{p, a} }

// Guards of the moves. An action that needs the files is not offered while the worktree is missing.
var (
	unguarded   = Guard{}
	specReady   = Guard{"no question is open", func(f Facts) bool { return !f.OpenQuestions && !f.SplitHold && !f.holds() && !f.WorktreeMissing }}
	canRewrite  = Guard{"no split holds it", func(f Facts) bool { return !f.OpenQuestions && !f.SplitHold && !f.WorktreeMissing }}
	proposals   = Guard{"a split is proposed", func(f Facts) bool { return f.SplitProposals }}
	splitHolds  = Guard{"a split holds it", func(f Facts) bool { return f.SplitHold }}
	noProposals = Guard{"no split waits", func(f Facts) bool { return !f.SplitProposals && !f.holds() && !f.WorktreeMissing }}
	hasFailed   = Guard{"an agent failed", func(f Facts) bool { return f.AgentsFailed > 0 && !f.WorktreeMissing }}
	noneRuns    = Guard{"no agent runs", func(f Facts) bool { return f.AgentsRunning == 0 }}
	filesThere  = Guard{"the worktree is there", func(f Facts) bool { return f.HasWorktree && !f.WorktreeMissing }}
	reviewBad   = Guard{"the work review failed agents", func(f Facts) bool { return f.WorkReview == WorkReviewFailed && !f.WorktreeMissing }}
	prPossible  = Guard{"a branch and no pull request", func(f Facts) bool { return f.HasBranch && !f.HasPR }}
	changeable  = Guard{"the branch or worktree is there", func(f Facts) bool { return f.HasBranch || f.HasWorktree }}
	unapproved  = Guard{"an agent is not approved", func(f Facts) bool { return f.Unapproved > 0 }}
	unconfirmed = Guard{"not confirmed", func(f Facts) bool { return !f.Confirmed }}
	agentWaits  = Guard{"an agent waits", func(f Facts) bool { return f.AgentWaiting }}
	codeReview  = Guard{"code review is on and none runs", func(f Facts) bool { return f.CodeReviewOn && !f.CodeReviewing && f.HasWorktree && !f.WorktreeMissing }}
	atRest      = Guard{"nothing runs", func(f Facts) bool { return f.AgentsRunning == 0 && !f.CodeReviewing }}
	feedback    = Guard{"a feedback session works", func(f Facts) bool { return f.Feedback }}
	depsOn      = Guard{"dependencies are on", func(f Facts) bool { return f.DependenciesOn }}
	depsUnmet   = Guard{"a dependency is unmet", func(f Facts) bool { return f.holds() && !f.asks() && !f.DependencyFailed }}
	depsFailed  = Guard{"a dependency failed", func(f Facts) bool { return f.holds() && !f.asks() && f.DependencyFailed }}
	depsMet     = Guard{"no dependency holds it", func(f Facts) bool { return !f.Held }}
)

// holds says whether its dependencies hold the piece: while they are turned off nothing new is held, and what waits stays.
func (f Facts) holds() bool { return f.DependenciesOn && f.Held }

// asks says whether the gate is about something else, which comes first.
func (f Facts) asks() bool { return f.OpenQuestions || f.SplitProposals }

func buildMoves() []Move {
	var t []Move
	add := func(on Trigger, g Guard, to State, from ...State) {
		for _, s := range from {
			t = append(t, Move{From: s, On: on, Guard: g, To: to})
		}
	}
	var (
		specIdle, specBusy, specFailed = at(PhaseSpec, Idle), at(PhaseSpec, Interviewing), at(PhaseSpec, Failed)
		stratIdle, stratBusy           = at(PhaseStrategy, Idle), at(PhaseStrategy, Planning)
		stratFailed                    = at(PhaseStrategy, Failed)
		splitting, planFailed, plan    = at(PhaseAgents, Decomposing), at(PhaseAgents, Failed), at(PhaseAgents, Idle)
		running, pausing, paused       = at(PhaseAgents, Running), at(PhaseAgents, Pausing), at(PhaseAgents, Paused)
		stopping, stopFailed           = at(PhaseAgents, Stopping), at(PhaseAgents, StopFailed)
		reviewing, finished            = at(PhaseAgents, WorkReviewing), at(PhaseAgents, Finished)
		review, done                   = at(PhaseReview, Idle), at(PhaseComplete, Idle)
		reviewChanging, doneChanging   = at(PhaseReview, Changing), at(PhaseComplete, Changing)
		before                         = []State{at(PhaseSpec, Waiting), at(PhaseSpec, DependencyBlocked), at(PhaseStrategy, Waiting), at(PhaseStrategy, DependencyBlocked)}
	)
	add(OnReleased, unguarded, specIdle, at(PhaseBacklog, Idle))
	add(OnSpecAsked, unguarded, specBusy, at(PhaseBacklog, Idle))
	add(Trigger(InterviewMessage), filesThere, specBusy, specIdle, specFailed)
	add(OnQuestionsAsked, unguarded, specIdle, specBusy)
	add(OnSpecChecked, unguarded, specIdle, specBusy)
	add(OnSpecWritten, unguarded, specIdle, specBusy)
	add(OnSpecFailed, unguarded, specFailed, specBusy)
	add(OnInterrupted, unguarded, specFailed, specBusy)
	add(Trigger(ApproveSpec), specReady, stratBusy, specIdle)
	add(Trigger(GenerateStrategy), specReady, stratBusy, specIdle)
	add(Trigger(GenerateStrategy), canRewrite, stratBusy, stratIdle, stratFailed)

	add(OnTextEdited, unguarded, stay, specIdle, stratIdle)
	add(OnStrategyWritten, unguarded, stratIdle, stratBusy)
	add(OnStrategyFailed, unguarded, stratFailed, stratBusy)
	add(OnInterrupted, unguarded, stratFailed, stratBusy)
	add(Trigger(ApproveStrategy), noProposals, splitting, stratIdle)

	add(OnPlanBuilt, unguarded, plan, splitting)
	add(OnPlanFailed, unguarded, planFailed, splitting)
	add(OnInterrupted, unguarded, planFailed, splitting)
	add(Trigger(Decompose), filesThere, splitting, plan, planFailed)
	add(Trigger(StartExecution), filesThere, running, plan)

	add(Trigger(PauseAgents), unguarded, pausing, running)
	add(OnDrained, unguarded, paused, pausing)
	add(OnLimitReached, unguarded, pausing, running, pausing)
	add(OnLimitReached, unguarded, paused, reviewing)
	add(OnBudgetReached, unguarded, pausing, running, pausing)
	add(OnBudgetReached, unguarded, paused, reviewing)
	add(OnInterrupted, unguarded, paused, running, pausing, stopping, reviewing)
	add(Trigger(ResumeAgents), filesThere, running, paused)
	add(Trigger(StopAgents), unguarded, stopping, running, pausing, paused, stopping, stopFailed, reviewing)
	add(OnStopped, unguarded, paused, stopping)
	add(OnStopFailed, unguarded, stopFailed, stopping)
	add(OnTaskChanged, unguarded, stay, plan, running, pausing, paused, stopping, stopFailed, finished, reviewing)
	add(OnReviewStarted, unguarded, reviewing, running)
	add(OnAgentsFailed, unguarded, finished, running, pausing)
	add(OnReviewPassed, unguarded, review, reviewing)
	add(OnReviewFailed, unguarded, finished, reviewing)
	add(OnReviewBroke, unguarded, paused, reviewing)

	add(Trigger(RetryFailedAgents), hasFailed, running, paused, finished)
	add(Trigger(EditTaskBrief), unguarded, stay, paused, finished)
	// A message starts one agent's turn. A paused run stays so: it is paused again once the turn ended.
	add(Trigger(MessageTask), filesThere, stay, running, pausing)
	add(Trigger(MessageTask), filesThere, pausing, paused)
	add(Trigger(MessageTask), filesThere, running, finished)
	add(Trigger(AnswerTaskQuestion), agentWaits, stay, running, pausing, paused, stopFailed, reviewing)
	add(Trigger(ContinueToReview), noneRuns, review, paused, finished)
	add(Trigger(SendBackToAgents), reviewBad, paused, finished)
	add(Trigger(ResumeTask), reviewBad, running, finished)
	add(Trigger(RunCodeReview), codeReview, stay, finished, review)

	add(Trigger(ApproveTask), unapproved, stay, review, reviewChanging)
	add(Trigger(CreatePR), prPossible, at(PhaseAgents, CreatingPR), finished)
	add(Trigger(CreatePR), prPossible, at(PhaseReview, CreatingPR), review, reviewChanging)
	add(Trigger(CreatePR), prPossible, at(PhaseComplete, CreatingPR), done, doneChanging)
	for _, p := range []Phase{PhaseAgents, PhaseReview, PhaseComplete} {
		add(OnPROpened, feedback, doneChanging, at(p, CreatingPR))
		add(OnPROpened, unguarded, done, at(p, CreatingPR))
		add(OnChangesDone, feedback, stay, at(p, CreatingPR))
		add(OnPRFailed, unguarded, State{Phase: p}, at(p, CreatingPR))
	}
	add(OnPRRead, unguarded, stay, done, doneChanging, review, reviewChanging, finished)
	add(Trigger(RequestChanges), changeable, reviewChanging, review)
	add(Trigger(RequestChanges), changeable, doneChanging, done)
	add(OnChangesDone, unguarded, review, reviewChanging)
	add(OnChangesDone, unguarded, done, doneChanging)
	add(OnChangesPushed, unguarded, stay, done)
	add(OnInterrupted, unguarded, review, reviewChanging)
	add(OnInterrupted, unguarded, done, doneChanging)
	add(Trigger(MarkDone), unguarded, done, finished, review, reviewChanging)
	add(Trigger(ConfirmDone), unconfirmed, stay, done, doneChanging)

	add(Trigger(SetLane), unguarded, stay, specIdle, specFailed, stratIdle, stratFailed, plan, planFailed)
	for _, s := range stations {
		add(OnWorktree, unguarded, stay, s.State)
		add(OnCodeReviewEnded, unguarded, stay, s.State)
		add(Trigger(RemoveDependency), depsOn, stay, s.State)
		if !LiveState(s.State) && s.Activity != StopFailed {
			add(Trigger(Archive), atRest, stay, s.State)
		}
		add(Trigger(Unarchive), unguarded, stay, s.State)
	}
	add(Trigger(AddDependency), depsOn, stay, append(before, specIdle, specBusy, specFailed, stratIdle, stratBusy, stratFailed)...)
	add(Trigger(SetLane), unguarded, stay, before...)
	add(Trigger(AddDependency), depsOn, stay, at(PhaseBacklog, Idle))
	add(Trigger(RemoveDependency), depsOn, stay, at(PhaseBacklog, Idle))
	for _, p := range []Phase{PhaseSpec, PhaseStrategy} {
		idle, waiting, blocked := at(p, Idle), at(p, Waiting), at(p, DependencyBlocked)
		add(OnDependencyUnmet, depsUnmet, waiting, idle, blocked)
		add(OnDependencyFailed, depsFailed, blocked, idle, waiting)
		add(OnDependenciesMet, depsMet, idle, waiting, blocked)
	}
	add(OnSplitProposed, unguarded, stay, stratIdle)
	add(OnSplitReviewed, proposals, stay, stratIdle)
	add(OnSplitStarted, splitHolds, stay, append(before, specIdle, stratIdle)...)
	// What holds the piece does not keep the person from having its texts written again.
	add(Trigger(InterviewMessage), filesThere, specBusy, at(PhaseSpec, Waiting), at(PhaseSpec, DependencyBlocked))
	add(Trigger(GenerateStrategy), canRewrite, stratBusy, at(PhaseStrategy, Waiting), at(PhaseStrategy, DependencyBlocked))
	return t
}
