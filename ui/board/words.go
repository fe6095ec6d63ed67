package board

import (
	"fmt"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// waitsOn says what holds an item: the first that is not done, by its name.
func waitsOn(on []pieces.Dependency) string {
	open := 0
	first := ""
	for _, d := range on {
		if d.Standing == pieces.Met {
			continue
		}
		if open == 0 {
			first = d.Name
		}
		open++
	}
	switch open {
	case 0:
		return phrase.Of("Waiting for a dependency")
	case 1:
		return phrase.F("Waits on %s", first)
	}
	return phrase.F("Waits on %s and %d more", first, open-1)
}

// stateOf says what a piece waits for or does, as the dot of its card.
func stateOf(s pieces.Snapshot) (kit.State, string) {
	gate := s.Gate()
	if cue, ok := pieces.CueOf(gate); ok {
		return gateState(gate), cue.Label
	}
	switch {
	case s.Piece.Archived:
		return kit.StateIdle, phrase.Of("Archived")
	case gate == pieces.GatePaused:
		return kit.StatePaused, phrase.Of("Paused")
	case s.WaitsForTurn():
		return kit.StateIdle, s.Working()
	case s.Piece.Activity == pieces.Running && s.Facts().AgentsRunning == 0:
		return kit.StateRunning, phrase.Of("Starting agents")
	}
	if s.Piece.Activity == pieces.Waiting {
		return kit.StateIdle, waitsOn(s.Dependencies)
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
		return phrase.Of("Auto")
	case pieces.LaneLoop:
		return phrase.Of("Loop")
	default:
		return phrase.Of("Manual")
	}
}

// pullRequest says how the pull request and its checks stand; empty without one.
func pullRequest(pr *pieces.PullRequest) string {
	if pr == nil {
		return ""
	}
	state := string(pr.State)
	if pr.State == pieces.PullRequestOpen && pr.Draft {
		state = "draft"
	}
	words := fmt.Sprintf("#%d %s", pr.Number, phrase.Of(state))
	if pr.State == pieces.PullRequestOpen && pr.Checks != "" {
		words += ", " + phrase.Of(pr.Checks)
	}
	return words
}

// codeReview says what there is to know of a code review beside what the piece does; empty once it came to its end.
func codeReview(run pieces.CodeReviewRun) string {
	switch run.State {
	case pieces.CodeReviewRunning:
		return "Code review runs"
	case pieces.CodeReviewFailed:
		return "Code review failed"
	default:
		return ""
	}
}
