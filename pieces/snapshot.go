package pieces

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Flags are the settings that the rail's guards look at.
type Flags struct {
	CodeReview   bool
	Dependencies bool
	AutoSplit    bool
}

// Snapshot is a piece with all that is read together with it: what a row, a card or a window shows.
type Snapshot struct {
	Piece    Piece
	Tasks    []Task // by ordinal
	Edges    []Edge
	Sessions []Session // newest first
	Prompts  []Prompt  // what its live sessions wait for, oldest first
	// Has lists which documents exist; handoffs are listed by task.
	Has      []ArtifactKind
	Handoffs []string
	// HistoryID is the id of the newest history row; it makes a cue that comes back a new cue.
	HistoryID int64
	HistoryAt time.Time // when that row was written
	Flags     Flags
	// Queued are what of the piece waits for a place among Claude Code's processes: agents by their task, and the piece's own
	// id for one of its steps or its next agent.
	Queued []string
	// Dependencies are what the piece waits on, in the order in which they were added; kept while Flags.Dependencies hides them.
	Dependencies []Dependency
}

// State returns where the piece stands.
func (s Snapshot) State() State { return State{s.Piece.Phase, s.Piece.Activity} }

// Facts returns what the rail's guards look at.
func (s Snapshot) Facts() Facts {
	p := s.Piece
	f := Facts{
		OpenQuestions: p.Interview.Open(), Pause: p.Pause, WorkReview: p.WorkReview, HasBranch: p.Branch != "",
		HasWorktree: p.Worktree != "", WorktreeMissing: p.WorktreeMissing,
		Confirmed: p.Confirmed, Archived: p.Archived,
		CodeReviewOn: s.Flags.CodeReview, DependenciesOn: s.Flags.Dependencies,
	}
	f.CodeReviewing = p.CodeReview.State == CodeReviewRunning
	f.Feedback = p.Activity == CreatingPR && p.Before == Changing
	if p.PR != nil {
		f.HasPR = p.PR.State != PullRequestClosed
		f.PROpen = p.PR.State == PullRequestOpen
	}
	for _, t := range s.Tasks {
		switch t.State {
		case TaskRunning, TaskWaiting:
			f.AgentsRunning++
		case TaskFailed, TaskInterrupted, TaskCancelled:
			if t.Kind == TaskAgent {
				f.AgentsFailed++
			}
		default:
		}
		if t.Kind == TaskAgent && !t.Approved {
			f.Unapproved++
		}
	}
	f.AgentWaiting = len(s.Prompts) > 0
	f.Held, f.DependencyFailed = s.held()
	f.SplitProposals, f.SplitHold = len(p.Splits.Proposals) > 0, len(s.SplitBlockers()) > 0
	return f
}

// WaitsForTurn says whether the piece is at work and nothing of it runs, since other pieces have all places.
func (s Snapshot) WaitsForTurn() bool {
	if len(s.Queued) == 0 || !LiveState(s.State()) {
		return false
	}
	for _, t := range s.Tasks {
		if (t.State == TaskRunning || t.State == TaskWaiting) && !slices.Contains(s.Queued, t.ID) {
			return false
		}
	}
	return true
}

// Working says in a few words what Fermata does by itself on the piece; "" where it does nothing.
func (s Snapshot) Working() string {
	if s.WaitsForTurn() {
		return "Waiting for its turn"
	}
	return s.Piece.Activity.Working()
}

// StateOf is a task's state as it is shown: one that waits for its turn does not run.
func (s Snapshot) StateOf(t Task) TaskState {
	if t.State == TaskRunning && slices.Contains(s.Queued, t.ID) {
		return TaskPending
	}
	return t.State
}

// TaskQueued says whether an agent that could start waits for its turn.
func (s Snapshot) TaskQueued(t Task) bool {
	if s.StateOf(t) != TaskPending {
		return false
	}
	if slices.Contains(s.Queued, t.ID) {
		return true
	}
	next := func(o Task) bool { return o.ID == t.ID }
	return s.Piece.Activity == Running && slices.Contains(s.Queued, s.Piece.ID) && slices.ContainsFunc(Ready(s.Tasks, s.Edges), next)
}

// Gate returns the decision that waits for the person.
func (s Snapshot) Gate() Gate { return GateAt(s.State(), s.Facts()) }

// LegalActions lists what piece_action accepts now.
func (s Snapshot) LegalActions() []Action {
	return LegalActions(s.State(), s.Piece.Before, s.Facts())
}

// Legal says whether one action is accepted now.
func (s Snapshot) Legal(a Action) bool { return Legal(a, s.State(), s.Piece.Before, s.Facts()) }

// AgentCount returns how many agents the graph has and how many completed; the work review is not counted.
func (s Snapshot) AgentCount() (completed, total int) {
	for _, t := range s.Tasks {
		if t.Kind != TaskAgent {
			continue
		}
		total++
		if t.State == TaskCompleted {
			completed++
		}
	}
	return completed, total
}

// Trouble says why the piece's last step failed, and what its open pull request lacks; empty where nothing is wrong.
func (s Snapshot) Trouble() string {
	words := s.Piece.Failure
	if s.Facts().PROpen && s.Piece.PR.PushNote != "" {
		words = strings.TrimSpace(words + " " + s.Piece.PR.PushNote)
	}
	return words
}

// Progress runs from 0 to 1: the share of completed agents, and 1 once the piece is done.
func (s Snapshot) Progress() float64 {
	if s.Piece.Phase == PhaseComplete {
		return 1
	}
	completed, total := s.AgentCount()
	if total == 0 {
		return 0
	}
	return float64(completed) / float64(total)
}

// Display is the phase as the board shows it, such as "Agents 2/4".
func (s Snapshot) Display() string {
	completed, total := s.AgentCount()
	return DisplayOf(s.Piece.Phase, completed, total)
}

// DisplayOf returns a phase's words on the board.
func DisplayOf(p Phase, completed, total int) string {
	switch p {
	case PhaseBacklog:
		return "Backlog"
	case PhaseSpec:
		return "Spec"
	case PhaseStrategy:
		return "Strategy"
	case PhaseAgents:
		if total > 0 {
			return fmt.Sprintf("Agents %d/%d", completed, total)
		}
		return "Agents"
	case PhaseReview:
		return "Review"
	case PhaseComplete:
		return "Done"
	}
	return string(p)
}

// Task returns the task of an id.
func (s Snapshot) Task(id string) (Task, bool) {
	for _, t := range s.Tasks {
		if t.ID == id {
			return t, true
		}
	}
	return Task{}, false
}
