package inspector

import (
	"fmt"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// gateSentences say what a gate waits for, below its label.
var gateSentences = map[pieces.Gate]string{
	pieces.GateAnswerInterview:   "What is asked stands above. The spec is written once you have answered or moved on.",
	pieces.GateAgentWaiting:      "What is asked stands above. Other agents work on meanwhile.",
	pieces.GateReviewSplit:       "The parts stand above. The strategy covers the whole piece, whatever you decide.",
	pieces.GateSpecReady:         "Read the spec, then approve it or say what should change.",
	pieces.GateSpecFailed:        "There is no new spec. You can have it written again.",
	pieces.GateStrategyFailed:    "There is no new strategy. You can have it written again.",
	pieces.GatePlanFailed:        "There is no usable plan. You can have the work split again.",
	pieces.GateStrategyReady:     "Read the strategy, then approve it or have it written again.",
	pieces.GatePlanReady:         "The plan is ready. Nothing runs until you start it.",
	pieces.GatePaused:            "No agent is started while the run is paused.",
	pieces.GateInterrupted:       "The agents were cut off. They go on in the same sessions.",
	pieces.GateLimitReached:      "A usage limit stopped the run.",
	pieces.GateBudgetReached:     "The piece has used up its budget.",
	pieces.GateReviewStepFailed:  "The review itself broke. The agents' work is untouched.",
	pieces.GateStopFailed:        "Something that an agent started is still alive.",
	pieces.GateAgentsFailed:      "No further agent can start.",
	pieces.GateWorkReviewFailed:  "The findings stand at the agents and in the review.",
	pieces.GateReviewWork:        "Read what the agents did and approve each of them.",
	pieces.GateOpenPullRequest:   "All agents are approved.",
	pieces.GateMergePullRequest:  "Fermata never merges. Merge it where the pull request lives.",
	pieces.GateConfirmDone:       "The piece is complete. Confirming takes it off your list.",
	pieces.GateDependencyBlocked: "Something that this one waits on failed, stopped or is gone. Bring it on again, or remove the dependency in the overview.",
	pieces.GateWorktreeMissing:   "The recorded worktree is not on disk. The branch is untouched.",
}

// working says what Fermata does on its own in an activity without a gate.
var working = map[pieces.Activity]string{
	pieces.Interviewing:  "Claude Code writes the spec",
	pieces.Planning:      "Claude Code writes the strategy",
	pieces.Decomposing:   "Claude Code splits the work into agents",
	pieces.Pausing:       "Pausing: running agents finish their turn",
	pieces.Stopping:      "Stopping the agents",
	pieces.WorkReviewing: "Claude Code reviews the work",
	pieces.CreatingPR:    "Opening the pull request",
	pieces.Changing:      "A session works on your changes",
	pieces.Waiting:       "Waiting for another piece",
}

// headline says where the piece stands: the gate's label, or what is done without the person.
func headline(s pieces.Snapshot) (kit.State, string) {
	gate := s.Gate()
	if cue, ok := pieces.CueOf(gate); ok {
		if failedGate(gate) {
			return kit.StateFailed, cue.Label
		}
		return kit.StateWaiting, cue.Label
	}
	if gate == pieces.GatePaused {
		return kit.StatePaused, phrase.Of("Paused")
	}
	switch {
	case s.Piece.Archived:
		return kit.StateIdle, phrase.Of("Archived")
	case s.WaitsForTurn():
		return kit.StateIdle, s.Working()
	case s.Piece.Activity == pieces.Running:
		n := s.Facts().AgentsRunning
		if n == 0 {
			return kit.StateRunning, phrase.Of("Starting agents")
		}
		return kit.StateRunning, phrase.N(n, "1 agent is running", "%d agents are running")
	case s.Piece.Phase == pieces.PhaseComplete && s.Piece.Activity == pieces.Idle:
		return kit.StateDone, s.Display()
	}
	if words, ok := working[s.Piece.Activity]; ok {
		return kit.StateRunning, words
	}
	return kit.StateIdle, s.Display()
}

func failedGate(g pieces.Gate) bool {
	switch g {
	case pieces.GateSpecFailed, pieces.GateStrategyFailed, pieces.GatePlanFailed, pieces.GateAgentsFailed,
		pieces.GateWorkReviewFailed, pieces.GateReviewStepFailed, pieces.GateStopFailed, pieces.GateWorktreeMissing:
		return true
	default:
		return false
	}
}

// label names the effect of an action on this piece.
func label(s pieces.Snapshot, a pieces.Action) string {
	rule, _ := pieces.RuleOf(a)
	completed, total := s.AgentCount()
	switch a {
	case pieces.StartExecution:
		return phrase.F("Start %s", count(total-completed, "agent"))
	case pieces.ResumeAgents:
		if s.Gate() == pieces.GateReviewStepFailed {
			return phrase.Of("Run the work review again")
		}
		if total > completed {
			return phrase.F("Resume %s", count(total-completed, "agent"))
		}
	case pieces.RetryFailedAgents:
		return phrase.F("Recover %s", count(s.Facts().AgentsFailed, "failed agent"))
	case pieces.StopAgents:
		if n := s.Facts().AgentsRunning; n > 0 {
			return phrase.F("Stop %s", count(n, "agent"))
		}
	case pieces.ApproveTask:
		if t, ok := lastUnapproved(s); ok {
			return phrase.F("Approve %s", t.Name)
		}
	default:
	}
	return phrase.Of(rule.Label)
}

// lastUnapproved is the one agent that the review checklist still lists; ok is false when there are more, or none.
func lastUnapproved(s pieces.Snapshot) (task pieces.Task, ok bool) {
	if s.Facts().Unapproved != 1 {
		return task, false
	}
	for _, t := range s.Tasks {
		if t.Kind == pieces.TaskAgent && !t.Approved {
			return t, true
		}
	}
	return task, false
}

// primaryOf is the one action that answers what is waited for. The cue's own comes first; a failed spec and a pause of
// the person's have theirs here because the popover can only open them.
func primaryOf(s pieces.Snapshot) pieces.Action {
	if cue, ok := s.Cue(); ok && cue.Primary != "" {
		return cue.Primary
	}
	also := map[pieces.Gate]pieces.Action{
		pieces.GateSpecFailed: pieces.InterviewMessage,
		pieces.GatePaused:     pieces.ResumeAgents,
	}
	if a := also[s.Gate()]; a != "" && s.Legal(a) {
		return a
	}
	return ""
}

func count(n int, what string) string {
	return phrase.N(n, "1 "+what, "%d "+what+"s")
}

func laneWord(l pieces.Lane) string {
	switch l {
	case pieces.LaneAuto:
		return phrase.Of("Auto")
	case pieces.LaneLoop:
		return phrase.Of("Loop")
	default:
		return phrase.Of("Manual")
	}
}

func numbered(pr pieces.PullRequest) string { return fmt.Sprintf("#%d", pr.Number) }

func openPRLabel(pr pieces.PullRequest) string {
	if pr.Host == "" {
		return phrase.F("View %s in the browser", numbered(pr))
	}
	return phrase.F("View %s on %s", numbered(pr), pr.Host)
}
