package pieces

import "time"

// BriefRefusal says in one sentence why a task's brief can't be rewritten; empty when it can: of an agent that failed or has
// not started.
func BriefRefusal(t Task) Sentence {
	if t.Kind != TaskAgent {
		return Say("The review step has no brief that can be changed.")
	}
	switch t.State {
	case TaskRunning, TaskWaiting:
		return Say("The agent %q is running: its brief can be changed once it failed.", t.Name)
	case TaskCompleted:
		return Say("The agent %q is finished: its brief can't be changed any more.", t.Name)
	default:
		return Sentence{}
	}
}

// AtPlan says whether the piece stands at its plan, which has not started.
func (s Snapshot) AtPlan() bool { return s.State() == State{PhaseAgents, Idle} }

// MessageRefusal says in one sentence why an agent's own session takes no message now; empty when it does, while it is idle
// or failed. The snapshot has to carry the sessions.
func MessageRefusal(s Snapshot, t Task) Sentence {
	if t.Kind != TaskAgent {
		return Say("The review step takes no messages.")
	}
	switch t.State {
	case TaskWaiting:
		return Say("The agent %q is waiting on you: answer what it asks first.", t.Name)
	case TaskRunning:
		if o, ok := s.session(t.SessionID); ok && o.State != SessionStarting {
			return Say("The agent %q is working: send the message once its turn ended.", t.Name)
		}
		return Say("The session of the agent %q is still setting up.", t.Name)
	default:
	}
	if t.SessionID == "" {
		return Say("The agent %q has no session yet, so there is none to send a message to.", t.Name)
	}
	return Sentence{}
}

func (s Snapshot) session(id string) (Session, bool) {
	for _, o := range s.Sessions {
		if o.ID == id {
			return o, true
		}
	}
	return Session{}, false
}

// ResumeRefusal says in one sentence why resumeTask is refused in spite of a failed work review; empty when it is not.
func ResumeRefusal(s Snapshot) Sentence {
	if s.Piece.ResumedTask == "" || s.Piece.Phase != PhaseAgents {
		return Sentence{}
	}
	t, _ := s.Task(s.Piece.ResumedTask)
	words := Say("The agent %q is being resumed already, and one resume runs per piece at a time.", t.Name)
	if s.Piece.Activity == Paused {
		words = words.Then(Say("It is paused: call resumeAgents to let it go on."))
	}
	return words
}

// ResumesAt says when a run that a usage limit parked, or a step that it cut short, goes on by itself; false when it waits for
// the person.
func (s Snapshot) ResumesAt() (at time.Time, resumes bool) {
	p := s.Piece
	resumes = s.AfterLimit() != "" && p.Pause == PauseLimitReached && p.Config.ResumeAfterLimit && !p.LimitResumed && !p.LimitEnds.IsZero()
	return p.LimitEnds, resumes
}

// AfterLimit is the action that lets a piece go on once the usage limit ended at which it stopped; empty where it runs or none
// helps.
func (s Snapshot) AfterLimit() Action {
	switch s.State() {
	case State{PhaseAgents, Paused}:
		return ResumeAgents
	case State{PhaseSpec, Failed}:
		return InterviewMessage
	case State{PhaseStrategy, Failed}:
		return GenerateStrategy
	case State{PhaseAgents, Failed}:
		return Decompose
	default:
		return ""
	}
}
