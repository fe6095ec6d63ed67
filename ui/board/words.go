package board

import (
	"fmt"

	"fermata/pieces"
	"fermata/ui/kit"
)

// waitingWords say that an item is held by another.
const waitingWords = "Waiting for a dependency"

// stateOf says what a piece waits for or does, as the dot of its card.
func stateOf(s pieces.Snapshot) (kit.State, string) {
	gate := s.Gate()
	if cue, ok := pieces.CueOf(gate); ok {
		return gateState(gate), cue.Label
	}
	switch {
	case gate == pieces.GatePaused:
		return kit.StatePaused, "Paused"
	case s.Piece.Activity == pieces.Running && s.Facts().AgentsRunning == 0:
		return kit.StateRunning, "Starting agents"
	}
	if s.Piece.Activity == pieces.Waiting {
		return kit.StateIdle, waitingWords
	}
	if words := s.Piece.Activity.Working(); words != "" {
		return kit.StateRunning, words
	}
	if s.Piece.Phase == pieces.PhaseComplete {
		return kit.StateDone, s.Display()
	}
	return kit.StateIdle, s.Display()
}

func gateState(g pieces.Gate) kit.State {
	switch g {
	case pieces.GateSpecFailed, pieces.GateStrategyFailed, pieces.GatePlanFailed, pieces.GateAgentsFailed,
		pieces.GateWorkReviewFailed, pieces.GateReviewStepFailed, pieces.GateStopFailed, pieces.GateWorktreeMissing:
		return kit.StateFailed
	default:
		return kit.StateWaiting
	}
}

func laneWord(l pieces.Lane) string {
	switch l {
	case pieces.LaneAuto:
		return "Auto"
	case pieces.LaneLoop:
		return "Loop"
	default:
		return "Manual"
	}
}

// pullRequest says how the pull request stands; empty without one.
func pullRequest(pr *pieces.PullRequest) string {
	if pr == nil {
		return ""
	}
	return fmt.Sprintf("#%d %s", pr.Number, pr.State)
}
