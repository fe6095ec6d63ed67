package pieces

import "time"

// Phase is where on the rail an item stands. The keys are the contract's `phase.key`.
type Phase string

// The phases in the order of the rail. PhaseBacklog belongs to drafts only.
const (
	PhaseBacklog  Phase = "backlog"
	PhaseSpec     Phase = "spec"
	PhaseStrategy Phase = "strategy"
	PhaseAgents   Phase = "agents"
	PhaseReview   Phase = "review"
	PhaseComplete Phase = "complete"
)

// Phases lists the phases of a piece in the order of the rail.
func Phases() []Phase {
	return []Phase{PhaseSpec, PhaseStrategy, PhaseAgents, PhaseReview, PhaseComplete}
}

// Activity is the live run state of a piece within its phase.
type Activity string

// The activities. Which of them can stand in which phase is said by the rail.
const (
	Idle              Activity = "idle"
	Interviewing      Activity = "interviewing"
	Planning          Activity = "planning"
	Decomposing       Activity = "decomposing"
	Failed            Activity = "failed"
	Running           Activity = "running"
	Pausing           Activity = "pausing"
	Paused            Activity = "paused"
	Stopping          Activity = "stopping"
	StopFailed        Activity = "stopFailed"
	Finished          Activity = "finished"
	WorkReviewing     Activity = "workReviewing"
	CreatingPR        Activity = "creatingPR"
	Changing          Activity = "changing"
	Waiting           Activity = "waiting"
	DependencyBlocked Activity = "dependencyBlocked"
)

// Lane says who moves a piece through its gates.
type Lane string

// The lanes: manual stops at each gate, auto runs to Review by itself, loop belongs to the project's Loop.
const (
	LaneManual Lane = "manual"
	LaneAuto   Lane = "auto"
	LaneLoop   Lane = "loop"
)

// Lanes lists the lanes in the order in which they are offered.
func Lanes() []Lane { return []Lane{LaneManual, LaneAuto, LaneLoop} }

// Refine says whether a supplied spec is used as it is or completed at release.
type Refine string

// The refine modes.
const (
	RefineNone   Refine = "none"
	RefineIfGaps Refine = "if_gaps"
	RefineAlways Refine = "always"
)

// Refines lists the refine modes in the order in which they are offered.
func Refines() []Refine { return []Refine{RefineNone, RefineIfGaps, RefineAlways} }

// The depths of a spec step: how much it reads, asks and settles before it writes.
const (
	DepthQuick    = "quick"
	DepthBalanced = "balanced"
	DepthThorough = "thorough"
)

// Depths lists the depths from the shortest to the longest.
func Depths() []string { return []string{DepthQuick, DepthBalanced, DepthThorough} }

// Profile is a permission profile: what an agent may do without asking the person.
type Profile string

// The permission profiles of product §5.
const (
	ProfileSafe     Profile = "safe"
	ProfileStandard Profile = "standard"
	ProfileTrusted  Profile = "trusted"
)

// Profiles lists the permission profiles from the strictest to the loosest.
func Profiles() []Profile { return []Profile{ProfileSafe, ProfileStandard, ProfileTrusted} }

// PauseReason says why a piece's run is paused; only reasons that are not the person's own make a gate with a cue.
type PauseReason string

// The reasons of a pause.
const (
	PauseNone             PauseReason = ""
	PauseByPerson         PauseReason = "person"
	PauseStopped          PauseReason = "stopped" // by stopAgents
	PauseSentBack         PauseReason = "sentBack"
	PauseInterrupted      PauseReason = "interrupted"
	PauseLimitReached     PauseReason = "limitReached"
	PauseBudgetReached    PauseReason = "budgetReached"
	PauseReviewStepFailed PauseReason = "reviewStepFailed"
)

// Project is a registered git repository.
type Project struct {
	ID   string // UUID
	Name string
	Path string // absolute path of the repository's main checkout
	// Branch is the base branch that pieces start from.
	Branch    string
	CreatedAt time.Time
	// AllowedCommands are what agents on the standard profile run without asking: Bash commands by their prefix, and rules
	// as a prompt names them, such as "Bash(make)".
	AllowedCommands []string
	// SetupScript makes a new worktree ready for work; empty when the project needs none.
	SetupScript string
	// SetupAllowed is the hash of the script's text that the person allowed; see SetupHash. Another text does not run.
	SetupAllowed string
	// LoopPlaying says whether the project's Loop plays.
	LoopPlaying bool
	// LoopAtOnce is how many pieces the Loop works on side by side, LoopOpenPRs how many open pull requests it may leave;
	// 0 for the defaults. LoopLimits returns what counts.
	LoopAtOnce  int
	LoopOpenPRs int
}

// Draft is an item in the Backlog. Releasing it makes a piece with the same id.
type Draft struct {
	ID        string // UUID, possibly chosen by the client
	ProjectID string
	Title     string
	Seed      string
	Spec      string
	Lane      Lane
	Refine    Refine
	Model     string // exact model id for the spec step, or empty
	RunAt     string // "thisMac", or empty to follow the project
	// Attachments are the files that the draft takes along.
	Attachments []Attachment
	// ReleasedBy says who released the draft while its dependencies hold it; empty when nobody did.
	ReleasedBy Actor
	// Offered says that the draft is on the Loop's lane and the Loop plays, so that it needs no release. Whoever reads the draft
	// with its project fills it; it is not stored.
	Offered   bool
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Config is the configuration that a piece carries from its release on.
type Config struct {
	Lane              Lane    `json:"lane"`
	Depth             string  `json:"depth"`
	Refine            Refine  `json:"refine"`
	Model             string  `json:"model"`
	Effort            string  `json:"effort"`
	PermissionProfile Profile `json:"permissionProfile"`
	AgentsAtOnce      int     `json:"agentsAtOnce"`
	BudgetUSD         float64 `json:"budgetUSD"`
	ResumeAfterLimit  bool    `json:"resumeAfterLimit"`
}

// Base is the commit a piece starts from, and how fresh it was when it was read.
type Base struct {
	Branch      string    // the base branch's name, such as "main"
	Ref         string    // what was resolved: "refs/remotes/origin/main" or "refs/heads/main"
	Commit      string    // full object id
	CommittedAt time.Time // the commit's own time
	Fetched     bool      // false when the remote could not be asked just now
	Note        string    // why it was not fetched, in git's words; empty when it was
}

// Piece is one unit of work with a branch and a worktree of its own.
type Piece struct {
	ID        string
	ProjectID string
	Name      string
	Seed      string // the rough prompt that the draft carried
	Phase     Phase
	Activity  Activity
	// Before is the activity under creatingPR, which falls back to it when the pull request cannot be opened.
	Before Activity
	Pause  PauseReason
	// Failure says in one sentence why the last step failed; empty when it did not.
	Failure  string
	Branch   string // "fermata/<slug>"
	Worktree string // absolute path; empty once removed
	// WorktreeMissing is set when the recorded worktree is not on disk as git knows it.
	WorktreeMissing bool
	Base            Base
	Config          Config
	// Interview is what was asked and said about the spec.
	Interview Interview
	// Play is pressed when an auto piece may go through its gates by itself.
	Play bool
	PR   *PullRequest
	// Confirmed is set once the person acknowledged the completed piece.
	Confirmed bool
	Archived  bool
	// Run numbers the runs of the agents; a card that stops a run is bound to it.
	Run    int
	Splits Splits
	// CodeReview is the state of the last code review, an overlay over the activity.
	CodeReview CodeReviewRun
	// WorkReview is the last work review's verdict, copied here so that the rail needs no document.
	WorkReview WorkReviewState
	// ResumedTask is the one agent that resumeTask moves, until the work review judged its work; empty in any other run.
	ResumedTask string
	// LimitEnds is when the usage limit ends that last parked the run; zero when Claude Code did not say.
	LimitEnds time.Time
	// LimitResumed is set once Fermata itself went on with the run or step after that limit, which it does once.
	LimitResumed bool
	// SavedRef is the hidden ref that markDone wrote before it removed the worktree; empty when nothing was saved.
	SavedRef    string
	Source      *Source
	Attachments []Attachment // those of its draft
	RunAt       string
	CostUSD     float64
	Version     int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
	CompletedAt *time.Time
}

// WorkReviewState is what the rail needs to know of the last work review.
type WorkReviewState string

// The states of a work review.
const (
	WorkReviewNone   WorkReviewState = ""
	WorkReviewPassed WorkReviewState = "pass"
	WorkReviewFailed WorkReviewState = "fail"
)

// Source links an item to a tracker issue.
type Source struct {
	Key  string `json:"key"`
	URL  string `json:"url"`
	Kind string `json:"kind"` // "linear" or "github"
}

// TaskKind tells an agent from the review at the end of the graph.
type TaskKind string

// The kinds of task.
const (
	TaskAgent  TaskKind = "agent"
	TaskReview TaskKind = "review"
)

// TaskState is where one agent of the graph stands.
type TaskState string

// The states of a task. TaskBlocked is a task that cannot start because one it depends on failed.
const (
	TaskPending     TaskState = "pending"
	TaskRunning     TaskState = "running"
	TaskWaiting     TaskState = "waiting" // waits for the person: a question or an approval
	TaskCompleted   TaskState = "completed"
	TaskFailed      TaskState = "failed"
	TaskBlocked     TaskState = "blocked"
	TaskInterrupted TaskState = "interrupted"
	TaskCancelled   TaskState = "cancelled"
)

// LiveTaskStates lists the states of a task behind which a session must stand, so that after a crash they cannot be true.
func LiveTaskStates() []TaskState { return []TaskState{TaskRunning, TaskWaiting} }

// Task is one agent of a piece's graph.
type Task struct {
	ID           string
	PieceID      string
	Ordinal      int // from 1, in the plan's order; the review is the last
	Kind         TaskKind
	Name         string
	Brief        string
	State        TaskState
	Failure      string // why it failed; empty otherwise
	Attempts     int
	SessionID    string // the session of its last attempt
	Branch       string
	Worktree     string
	Approved     bool // approved on the review checklist
	ApprovalNote string
	BriefChanged bool  // rewritten since its session ran
	BriefBy      Actor // who rewrote it; empty while BriefChanged is not set
	Guidance     string
	CostUSD      float64
	StartedAt    *time.Time
	EndedAt      *time.Time
}

// Edge says that one task starts after another: To depends on From.
type Edge struct {
	From string
	To   string
}

// ArtifactKind names one of a piece's documents or records, as get_artifact does.
type ArtifactKind string

// The eight kinds: four markdown documents, then four JSON records.
const (
	ArtifactSpec       ArtifactKind = "spec"
	ArtifactStrategy   ArtifactKind = "strategy"
	ArtifactSummary    ArtifactKind = "summary"
	ArtifactLearnings  ArtifactKind = "learnings"
	ArtifactAnalysis   ArtifactKind = "analysis"
	ArtifactCodeReview ArtifactKind = "codeReview"
	ArtifactHandoff    ArtifactKind = "handoff"
	ArtifactWorkReview ArtifactKind = "workReview"
)

// ArtifactKinds lists the kinds in the contract's order.
func ArtifactKinds() []ArtifactKind {
	return []ArtifactKind{
		ArtifactSpec, ArtifactStrategy, ArtifactSummary, ArtifactLearnings,
		ArtifactAnalysis, ArtifactCodeReview, ArtifactHandoff, ArtifactWorkReview,
	}
}

// Markdown says whether the kind is a markdown document; the others are JSON.
func (k ArtifactKind) Markdown() bool {
	switch k {
	case ArtifactSpec, ArtifactStrategy, ArtifactSummary, ArtifactLearnings:
		return true
	default:
		return false
	}
}

// Artifact is one stored document or record of a piece.
type Artifact struct {
	PieceID   string
	Kind      ArtifactKind
	TaskID    string // the agent of a handoff; empty for the other kinds
	Content   string // markdown or JSON text
	UpdatedAt time.Time
}

// HistoryRow is one transition of a piece, kept for ever.
type HistoryRow struct {
	ID      int64
	PieceID string
	At      time.Time
	Trigger Trigger
	By      Actor
	From    State
	To      State
	// Note is what was said about the transition; rows from before notes kept their facts are quotes.
	Note     Sentence
	Artifact string
}

// Actor says who made a transition: the person in the app, an MCP client, or Fermata itself.
type Actor string

// The actors.
const (
	ByPerson  Actor = "person"
	ByClient  Actor = "client"
	ByFermata Actor = "fermata"
)
