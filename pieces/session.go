package pieces

import (
	"encoding/json"
	"time"
)

// SessionKind says what a session works at.
type SessionKind string

// The kinds of session. Interviews and code reviews are hidden from list_sessions unless asked for.
const (
	SessionInterview  SessionKind = "interview"
	SessionStrategy   SessionKind = "strategy"
	SessionPlan       SessionKind = "plan"
	SessionTask       SessionKind = "task"
	SessionWorkReview SessionKind = "workReview"
	SessionCodeReview SessionKind = "codeReview"
	SessionPRText     SessionKind = "prText"
	SessionFeedback   SessionKind = "feedback"
	SessionCanvas     SessionKind = "canvas"
)

// Hidden says whether list_sessions leaves the kind out unless includeHidden is set.
func (k SessionKind) Hidden() bool { return k == SessionInterview || k == SessionCodeReview }

// SessionState is the state of one Claude Code conversation, as product §5 names it.
type SessionState string

// The session states.
const (
	SessionStarting         SessionState = "starting"
	SessionWorking          SessionState = "working"
	SessionAwaitingInput    SessionState = "awaitingInput"
	SessionAwaitingApproval SessionState = "awaitingApproval"
	SessionIdle             SessionState = "idle"
	SessionCompleted        SessionState = "completed"
	SessionFailed           SessionState = "failed"
	SessionCancelled        SessionState = "cancelled"
)

// Live says whether a process must stand behind the state.
func (s SessionState) Live() bool {
	switch s {
	case SessionStarting, SessionWorking, SessionAwaitingInput, SessionAwaitingApproval, SessionIdle:
		return true
	default:
		return false
	}
}

// Session is one Claude Code conversation.
type Session struct {
	ID        string // the UUID that Fermata minted and gave to Claude Code
	ProjectID string
	PieceID   string // empty for a canvas session outside a piece
	TaskID    string
	Kind      SessionKind
	Name      string
	State     SessionState
	Model     string
	Effort    string
	Branch    string
	Worktree  string
	CostUSD   float64
	Error     string // why a failed session failed; empty for any other
	// Resumed counts how often the conversation was continued in a new process.
	Resumed   int
	Host      HostProcess
	CreatedAt time.Time
	UpdatedAt time.Time
	EndedAt   *time.Time
	// Hidden says that the person put a session of their own out of sight.
	Hidden bool
	// ReplacedBy is the fresh session that took the place of one of the person's own that could not be resumed; empty for any
	// other.
	ReplacedBy string
}

// OutOfSight says whether list_sessions leaves the session out unless includeHidden is set.
func (s Session) OutOfSight() bool { return s.Hidden || s.Kind.Hidden() }

// HostProcess identifies the agent host that runs a session, so that it is recognised after a restart and never
// mistaken for another process with the same pid.
type HostProcess struct {
	PID int
	// Started is the process's start time in the platform's own unit (clock ticks since boot on Linux).
	Started uint64
	// Boot identifies the machine's boot the start time belongs to; empty where the platform has none.
	Boot string
}

// MessageRole says whose words a transcript message is.
type MessageRole string

// The roles of a transcript message.
const (
	RolePerson     MessageRole = "user"
	RoleAssistant  MessageRole = "assistant"
	RoleToolUse    MessageRole = "toolUse"
	RoleToolResult MessageRole = "toolResult"
	RoleNotice     MessageRole = "notice" // said by Fermata about the session
)

// Message is one entry of a transcript.
type Message struct {
	Seq    int64 // rises within a session
	Role   MessageRole
	Text   string          // the words, or the result's text
	Tool   string          // the tool's name, for toolUse and toolResult
	ToolID string          // joins a toolResult to its toolUse
	Input  json.RawMessage // a toolUse's input
	Error  bool            // a toolResult that is an error
	At     time.Time
}

// PromptKind tells a tool approval from a question and a plan approval.
type PromptKind string

// The kinds of prompt.
const (
	PromptApproval PromptKind = "approval"
	PromptQuestion PromptKind = "question"
	PromptPlan     PromptKind = "plan"
)

// Prompt is something a session waits for: a tool approval, a question, or a plan's approval.
type Prompt struct {
	ID        string
	SessionID string
	PieceID   string
	TaskID    string
	Kind      PromptKind
	Tool      string
	Input     json.RawMessage // the exact arguments that are asked about
	Reason    string          // Claude Code's own description, if any
	Rule      string          // what an approval for the session or the project stands for, such as "Bash(make)"
	Questions []Question      // for PromptQuestion
	At        time.Time
}

// Question is one question of an AskUserQuestion prompt, or of the spec interview.
type Question struct {
	Text    string           `json:"question"`
	Header  string           `json:"header"`
	Options []QuestionOption `json:"options"`
	Multi   bool             `json:"multiSelect"`
	// Why says what hangs on the answer; questions of the spec interview have it.
	Why string `json:"why,omitempty"`
}

// QuestionOption is one offered answer.
type QuestionOption struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// Scope says how far an approval reaches.
type Scope string

// The scopes of an approval.
const (
	ScopeOnce    Scope = "once"
	ScopeSession Scope = "session"
	ScopeProject Scope = "project"
)

// PromptAnswer answers a prompt. The zero value denies.
type PromptAnswer struct {
	Allow   bool
	Scope   Scope
	Message string            // why it is denied; may be empty
	Answers map[string]string // question text → answer, for PromptQuestion
}

// Launch is what it takes to start or resume one Claude Code session.
type Launch struct {
	SessionID string // minted by Fermata; with Resume, the id to continue
	Resume    bool
	Dir       string   // the worktree; checked to be one before every start
	Folders   []string // further folders that it reads without asking
	Prompt    string   // the first user message
	System    string   // appended to Claude Code's system prompt
	Model     string   // empty: Claude Code's default
	Effort    string   // empty: Claude Code's default
	Profile   Profile
	// ReadOnly removes the tools that change files or run commands: planning passes read, they do not touch.
	ReadOnly bool
	// Schema, when set, is the JSON schema of the answer; the turn's end then carries Structured.
	Schema json.RawMessage
	// AllowedCommands are Bash commands (prefixes) that the standard profile allows in this project.
	AllowedCommands []string
	BudgetUSD       float64 // 0: no limit
}

// SessionEvent is something a running session told us. Exactly one of the pointers is set.
type SessionEvent struct {
	Started *SessionStarted
	Message *Message
	Prompt  *Prompt
	// PromptGone is the id of a prompt that Claude Code withdrew or that was answered.
	PromptGone string
	Turn       *TurnEnd
	Ended      *SessionEnd
}

// SessionStarted is sent once the host and Claude Code run.
type SessionStarted struct{ Host HostProcess }

// FailureKind sorts the ways in which a session fails that a person must act on.
type FailureKind string

// The kinds of failure. FailureOther carries its reason in words alone.
const (
	FailureNone          FailureKind = ""
	FailureOther         FailureKind = "other"
	FailureNotInstalled  FailureKind = "notInstalled"
	FailureNotLoggedIn   FailureKind = "notLoggedIn"
	FailureUsageLimit    FailureKind = "usageLimit"
	FailureBudget        FailureKind = "budget"
	FailureCannotResume  FailureKind = "cannotResume"
	FailureModelNotFound FailureKind = "modelNotFound"
	FailureInterrupted   FailureKind = "interrupted"
)

// TurnEnd is the end of one turn: Claude Code's `result`.
type TurnEnd struct {
	Failure    FailureKind
	Error      string          // one sentence; with FailureNotInstalled and FailureNotLoggedIn it names the command that mends it
	Text       string          // the result's text
	Structured json.RawMessage // the answer by the launch's schema; nil when there was none
	CostUSD    float64         // of the process so far
	Turns      int
	Denials    int
	// LimitEnds is when a usage limit ends, where Claude Code said so.
	LimitEnds *time.Time
}

// SessionEnd is the last event of a run: the process is gone.
type SessionEnd struct {
	ExitCode int
	Failure  FailureKind
	Error    string
	// Left lists descendants that could not be ended; empty when all are verified gone.
	Left []LeftProcess
}

// LeftProcess is a descendant of a session that outlived its stop.
type LeftProcess struct {
	PID     int
	Command string
}
