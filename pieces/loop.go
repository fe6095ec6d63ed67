package pieces

import "fmt"

// The Loop's numbers where a project names none, and the most that it may name.
const (
	LoopAtOnceDefault  = 1
	LoopOpenPRsDefault = 3
	LoopAtOnceMost     = 16
	LoopOpenPRsMost    = 100
)

// LoopFailuresMost is how many failed pieces a Loop leaves before it takes nothing new from the Backlog: what fails one after
// the other mostly fails for one reason, and nobody watches.
const LoopFailuresMost = 3

// LoopLimits returns how many pieces the project's Loop works on side by side, and how many open pull requests it may leave.
func (p Project) LoopLimits() (atOnce, openPRs int) {
	atOnce, openPRs = p.LoopAtOnce, p.LoopOpenPRs
	if atOnce <= 0 {
		atOnce = LoopAtOnceDefault
	}
	if openPRs <= 0 {
		openPRs = LoopOpenPRsDefault
	}
	return atOnce, openPRs
}

// Loop is what a project's Loop looks at when it decides what to do next.
type Loop struct {
	Project Project
	Drafts  []Draft    // of the project, oldest first
	Pieces  []Snapshot // of the project, oldest first; the archived ones are left out unless their pull request is open
	// Blocked are the drafts whose dependencies are not met.
	Blocked map[string]bool
	// Taken are the drafts and pieces that the Loop is starting right now.
	Taken map[string]bool
	// Resting are those whose start went wrong a moment ago.
	Resting map[string]bool
	// CutOff are the pieces that Fermata's own end cut off and that the Loop takes up again.
	CutOff map[string]bool
}

// LoopMove is one thing that a Loop does: an action on a piece, or the release of a draft when Action is empty.
type LoopMove struct {
	ID     string
	Action Action
}

// LoopStanding is how a Loop stands.
type LoopStanding struct {
	Playing         bool
	AtWork, AtOnce  int
	OpenPRs, MayPRs int // MayPRs is how many it may leave
	Failed          int // of its pieces, which wait for the person
	Waiting         int // drafts of its lane in the Backlog
}

// Standing counts what the Loop works on and what it has left.
func (l Loop) Standing() LoopStanding {
	s := LoopStanding{Playing: l.Project.LoopPlaying}
	s.AtOnce, s.MayPRs = l.Project.LoopLimits()
	for _, p := range l.Pieces {
		if p.Piece.Config.Lane != LaneLoop {
			continue
		}
		if p.Facts().PROpen {
			s.OpenPRs++
		}
		if p.Piece.Archived {
			continue
		}
		switch {
		case l.Taken[p.Piece.ID] || loopWorks(p):
			s.AtWork++
		case loopFailed(p):
			s.Failed++
		}
	}
	for _, d := range l.Drafts {
		switch {
		case l.Taken[d.ID]: // whatever lane it is on by now
			s.AtWork++
		case d.Lane == LaneLoop:
			s.Waiting++
		}
	}
	return s
}

// free is how many more pieces may be worked on: each of them ends with one more open pull request.
func (s LoopStanding) free() int { return min(s.AtOnce, s.MayPRs-s.OpenPRs) - s.AtWork }

// Next lists what a playing Loop does now: pieces that it began come before drafts, and older ones before younger ones. To
// approve work needs no room, since nothing runs for it; but room for its pull request is kept.
func (l Loop) Next() []LoopMove {
	if !l.Project.LoopPlaying {
		return nil
	}
	now := l.Standing()
	free := now.free()
	var moves []LoopMove
	for _, s := range l.Pieces {
		id := s.Piece.ID
		next := s.LoopAction(l.CutOff[id])
		if next == "" || l.Taken[id] || l.Resting[id] {
			continue
		}
		if free <= 0 && next != ApproveTask {
			continue
		}
		free--
		moves = append(moves, LoopMove{id, next})
	}
	if now.Failed >= LoopFailuresMost {
		return moves
	}
	for _, d := range l.Drafts {
		if free <= 0 {
			break
		}
		if d.Lane != LaneLoop || l.Taken[d.ID] || l.Resting[d.ID] || l.Blocked[d.ID] {
			continue
		}
		free--
		moves = append(moves, LoopMove{ID: d.ID})
	}
	return moves
}

// LoopAction returns what a playing Loop does with the piece at its gate; empty where it does nothing or the person decides.
// cutOff says that Fermata's own end cut the piece off, and that it is the Loop's to take up again.
func (s Snapshot) LoopAction(cutOff bool) Action {
	p := s.Piece
	if p.Config.Lane != LaneLoop || p.Archived || p.Splits.WaitsForYou || s.DependencyMove() != "" {
		return ""
	}
	a := s.loopGate()
	if a == "" && cutOff {
		a = s.afterCutOff()
	}
	if a != "" && !s.Legal(a) {
		return ""
	}
	return a
}

func (s Snapshot) loopGate() Action {
	switch s.Gate() {
	case GateSpecReady:
		return ApproveSpec
	case GateStrategyReady:
		return ApproveStrategy
	case GatePlanReady:
		return StartExecution
	case GateReviewWork:
		if s.Piece.WorkReview == WorkReviewPassed && len(s.Approvable()) > 0 {
			return ApproveTask
		}
	case GateOpenPullRequest:
		// One that could not be opened waits for the person, or for Play to be pressed again.
		if s.Piece.Failure == "" {
			return CreatePR
		}
	default:
	}
	return ""
}

func (s Snapshot) afterCutOff() Action {
	switch s.Gate() {
	case GateSpecFailed:
		return InterviewMessage
	case GateStrategyFailed:
		return GenerateStrategy
	case GatePlanFailed:
		return Decompose
	case GateInterrupted:
		return ResumeAgents
	case GateOpenPullRequest:
		return CreatePR
	default:
		return ""
	}
}

// Approvable lists the agents that passed the work review and are not approved; nil when one of those left did not complete,
// which only the person accepts.
func (s Snapshot) Approvable() []Task {
	var list []Task
	for _, t := range s.Tasks {
		if t.Kind != TaskAgent || t.Approved {
			continue
		}
		if t.State != TaskCompleted {
			return nil
		}
		list = append(list, t)
	}
	return list
}

// loopWorks says whether a piece takes one of the Loop's places. One that waits for the person gives its place back, and
// takes it again once it was helped, even when another has it by then.
func loopWorks(s Snapshot) bool {
	p := s.Piece
	switch {
	case p.Phase == PhaseComplete || p.Activity == Changing:
		return false // the person's own doing
	case p.Activity == Running && s.Gate() == GateAgentWaiting:
		for _, t := range s.Tasks {
			if t.State == TaskRunning {
				return true
			}
		}
		return false
	}
	_, resumes := s.ResumesAt()
	return resumes || LiveState(s.State())
}

// loopFailed says whether the piece stopped because something went wrong.
func loopFailed(s Snapshot) bool {
	switch s.Gate() {
	case GateSpecFailed, GateStrategyFailed, GatePlanFailed, GateAgentsFailed, GateWorkReviewFailed, GateReviewStepFailed,
		GateInterrupted, GateLimitReached, GateBudgetReached, GateStopFailed, GateWorktreeMissing:
		return true
	case GateOpenPullRequest:
		return s.Piece.Failure != ""
	default:
		return false
	}
}

// Words say in one line what the Loop does, or why it does nothing.
func (s LoopStanding) Words() string {
	format, facts := s.Sentence()
	return fmt.Sprintf(format, facts...)
}

// Sentence is the format of Words and the facts that stand in it, for who says it in another language.
func (s LoopStanding) Sentence() (format string, facts []any) {
	if !s.Playing {
		if s.AtWork > 0 {
			return "The Loop is paused; %d at work to the next gate", []any{s.AtWork}
		}
		return "The Loop is paused", nil
	}
	switch {
	case s.AtWork > 0:
		return "The Loop plays: %d of %d at work, %d of %d pull requests open", []any{s.AtWork, s.AtOnce, s.OpenPRs, s.MayPRs}
	case s.OpenPRs >= s.MayPRs:
		return "The Loop plays and starts nothing: %d of %d pull requests are open", []any{s.OpenPRs, s.MayPRs}
	case s.Failed >= LoopFailuresMost && s.Waiting > 0:
		return "The Loop plays and takes no new draft: %d of its pieces failed", []any{s.Failed}
	case s.Waiting == 1:
		return "The Loop plays; 1 draft waits", nil
	case s.Waiting > 1:
		return "The Loop plays; %d drafts wait", []any{s.Waiting}
	}
	return "The Loop plays; no draft of its lane waits", nil
}
