package pieces

// Action is a value of piece_action's `action` argument.
type Action string

// The 27 actions of the contract, in its order.
const (
	InterviewMessage   Action = "interviewMessage"
	ApproveSpec        Action = "approveSpec"
	GenerateStrategy   Action = "generateStrategy"
	ApproveStrategy    Action = "approveStrategy"
	Decompose          Action = "decompose"
	StartExecution     Action = "startExecution"
	PauseAgents        Action = "pauseAgents"
	ResumeAgents       Action = "resumeAgents"
	StopAgents         Action = "stopAgents"
	RetryFailedAgents  Action = "retryFailedAgents"
	EditTaskBrief      Action = "editTaskBrief"
	MessageTask        Action = "messageTask"
	AnswerTaskQuestion Action = "answerTaskQuestion"
	ContinueToReview   Action = "continueToReview"
	ApproveTask        Action = "approveTask"
	RunCodeReview      Action = "runCodeReview"
	CreatePR           Action = "createPR"
	MarkDone           Action = "markDone"
	ConfirmDone        Action = "confirmDone"
	SetLane            Action = "setLane"
	RequestChanges     Action = "requestChanges"
	SendBackToAgents   Action = "sendBackToAgents"
	ResumeTask         Action = "resumeTask"
	Archive            Action = "archive"
	Unarchive          Action = "unarchive"
	AddDependency      Action = "addDependency"
	RemoveDependency   Action = "removeDependency"
)

// Tier says whether an action waits for a card. The zero value is the strictest.
type Tier int

// The consent tiers.
const (
	TierCard    Tier = iota // always waits for a card
	TierSetting             // waits for a card while "Ask before runs and pull requests" is on
	TierCall                // runs on the call
)

// Rule is one row of the action table.
type Rule struct {
	Action Action
	// LegalIn is the contract's "Legal in" wording.
	LegalIn string
	Tier    Tier
	// AutoOnly narrows TierSetting to the auto lane; on another lane the action runs on the call.
	AutoOnly bool
	// Verb is what the card's title and body say the client wants to do; empty where no card ever shows.
	Verb string
	// Available is false for an action whose machinery is not built; it is legal nowhere and refused with a sentence.
	Available bool
	// Label is the words of the app's button.
	Label string
}

// VerbReleaseAuto is the card's verb for releasing an Auto draft, which is no action of a piece.
const VerbReleaseAuto = "release the draft and run it on Auto"

var rules = []Rule{
	{Action: InterviewMessage, LegalIn: "Spec", Tier: TierCall, Available: true, Label: "Write the spec again"},
	{Action: ApproveSpec, LegalIn: "Spec", Tier: TierSetting, AutoOnly: true, Verb: "approve the spec and run Auto", Available: true, Label: "Approve spec"},
	{Action: GenerateStrategy, LegalIn: "Spec once the spec is ready, and Strategy", Tier: TierCall, Available: true, Label: "Write the strategy again"},
	{Action: ApproveStrategy, LegalIn: "Strategy", Tier: TierCall, Available: true, Label: "Approve strategy"},
	{Action: Decompose, LegalIn: "Agents, at the plan", Tier: TierCall, Available: true, Label: "Split into agents again"},
	{Action: StartExecution, LegalIn: "Agents, at the plan", Tier: TierSetting, Verb: "start agents", Available: true, Label: "Start agents"},
	{Action: PauseAgents, LegalIn: "Agents, running", Tier: TierCall, Available: true, Label: "Pause"},
	{Action: ResumeAgents, LegalIn: "Agents, paused", Tier: TierSetting, Verb: "resume agents", Available: true, Label: "Resume agents"},
	{Action: StopAgents, LegalIn: "Agents, running or paused", Tier: TierCard, Verb: "stop agents", Available: true, Label: "Stop agents"},
	{Action: RetryFailedAgents, LegalIn: "Agents, paused or finished, with at least one failed agent", Tier: TierSetting, Verb: "recover the failed agents", Available: true, Label: "Recover the failed agents"},
	{Action: EditTaskBrief, LegalIn: "Agents, paused or finished", Tier: TierSetting, Verb: "change a task's brief", Available: true, Label: "Change the brief"},
	{Action: MessageTask, LegalIn: "Agents, running, paused or finished", Tier: TierSetting, Verb: "message a task's agent", Available: true, Label: "Message the agent"},
	{Action: AnswerTaskQuestion, LegalIn: "Agents, running or paused", Tier: TierSetting, Verb: "answer a task's question", Available: true, Label: "Answer the question"},
	{Action: ContinueToReview, LegalIn: "Agents, paused or finished", Tier: TierCall, Available: true, Label: "Continue to review"},
	{Action: ApproveTask, LegalIn: "Review", Tier: TierCall, Available: true, Label: "Approve"},
	{Action: RunCodeReview, LegalIn: "Agents, finished, and Review, while the worktree exists", Tier: TierCall, Available: true, Label: "Run code review"},
	{Action: CreatePR, LegalIn: "Agents, finished, Review, and Done while the branch exists; never while the piece has a pull request that is not closed", Tier: TierSetting, Verb: "create a pull request", Available: true, Label: "Open pull request"},
	{Action: MarkDone, LegalIn: "Agents, finished, and Review", Tier: TierCard, Verb: "mark the piece done", Available: true, Label: "Mark done"},
	{Action: ConfirmDone, LegalIn: "Done", Tier: TierCall, Available: true, Label: "Confirm done"},
	{Action: SetLane, LegalIn: "Spec, Strategy, and Agents at the plan, while no interview turn or plan build is running", Tier: TierCall, Available: true, Label: "Change lane"},
	{Action: RequestChanges, LegalIn: "Review (not while the pull request is being created) and Done, while the branch or worktree exists", Tier: TierCall, Available: true, Label: "Request changes"},
	{Action: SendBackToAgents, LegalIn: "After a work review that failed agents", Tier: TierCall, Available: true, Label: "Send back to agents"},
	{Action: ResumeTask, LegalIn: "After a work review that failed agents", Tier: TierSetting, Verb: "resume a task", Available: true, Label: "Resume the agent"},
	{Action: Archive, LegalIn: "A done piece, or any piece with nothing running; not on an archived piece", Tier: TierCall, Available: true, Label: "Archive"},
	{Action: Unarchive, LegalIn: "An archived piece", Tier: TierCall, Available: true, Label: "Bring back"},
	{Action: AddDependency, LegalIn: "Drafts, and pieces before the strategy is approved, while piece dependencies are on", Tier: TierCall, Available: true, Label: "Add dependency"},
	{Action: RemoveDependency, LegalIn: "Any phase, while piece dependencies are on", Tier: TierCall, Available: true, Label: "Remove dependency"},
}

// Rules lists the action table in the contract's order.
func Rules() []Rule { return rules }

// RuleOf returns the row of an action; ok is false for a name that is no action.
func RuleOf(a Action) (Rule, bool) {
	for _, r := range rules {
		if r.Action == a {
			return r, true
		}
	}
	return Rule{}, false
}

// Legal says whether an action may run at a state. It reads the rail: an action is legal where a move of its name starts.
func Legal(a Action, s State, before Activity, f Facts) bool {
	r, ok := RuleOf(a)
	return ok && r.legal(s, before, f)
}

func (r Rule) legal(s State, before Activity, f Facts) bool {
	if !r.Available || f.Archived != (r.Action == Unarchive) {
		return false
	}
	_, ok := Next(s, before, Trigger(r.Action), f)
	return ok
}

// LegalActions lists what piece_action accepts at a state, in the contract's order; never nil.
func LegalActions(s State, before Activity, f Facts) []Action {
	legal := []Action{}
	for _, r := range rules {
		if r.legal(s, before, f) {
			legal = append(legal, r.Action)
		}
	}
	return legal
}

// TierOf says how an action is consented to on a lane: approveSpec asks only when it presses Auto's Play.
func TierOf(r Rule, lane Lane) Tier {
	if r.Tier == TierSetting && r.AutoOnly && lane != LaneAuto {
		return TierCall
	}
	return r.Tier
}

// NeedsCard says whether a call must wait for a card under the setting "Ask before runs and pull requests".
func (t Tier) NeedsCard(askBefore bool) bool {
	return t == TierCard || (t == TierSetting && askBefore)
}
