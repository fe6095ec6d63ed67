package inspector

import (
	"fmt"
	"slices"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// choice is one thing that the person can do with the piece now.
type choice struct {
	name  string // of its button: "action:" and the action, with a suffix for a variant
	label string
	kind  kit.Kind
	way   way
	req   engine.Request
	// before is what the words say that the sheet starts with.
	before string
	// menuOnly leaves the choice out of the buttons: a way to do what another button does.
	menuOnly bool
}

// way is how a choice goes from the tap to the engine.
type way int

const (
	atOnce          way = iota
	confirmed           // shows the effect first
	guided              // asks for words that may be left out
	told                // asks for words that are needed
	planned             // asks for the brief of an agent that has not started
	laned               // asks for the lane
	limited             // asks for the budget
	toggling            // switches whether the run goes on by itself
	pullRequest         // asks for title, text and kind
	reviewing           // opens the page where the agents are approved
	startingAnyway      // lifts the hold of a split
	splitting           // asks for a part to split off
	viewing             // opens the pull request in the browser
	remaking            // makes the worktree again from the branch
	stoppingChanges     // ends the feedback session, after it was confirmed
	pushing             // pushes what a feedback session committed
)

// choices lists what is legal, with the one that answers the gate first. What is done with a single agent stands at the
// agents, and answers at the questions.
func choices(s pieces.Snapshot) []choice {
	primary := primaryOf(s)
	var list []choice
	if primary == "" && s.Gate() == pieces.GateReviewWork {
		list = append(list, choice{name: "action:review", label: phrase.F("Review %s", count(s.Facts().Unapproved, "agent")), kind: kit.Primary, way: reviewing})
	}
	if pr := s.Piece.PR; s.Gate() == pieces.GateMergePullRequest && webAddress(pr.URL) {
		view := choice{name: "action:viewPullRequest", label: openPRLabel(*pr), kind: kit.Primary, way: viewing}
		if pr.PushNote != "" {
			view.kind = kit.Normal
		}
		list = append(list, view)
	}
	list = append(list, changesChoices(s)...)
	if s.Piece.Branch != "" && !s.Piece.Archived && (s.Piece.WorktreeMissing || s.Piece.Worktree == "") && !pieces.LiveState(s.State()) {
		again := choice{name: remakeName, label: "Make the worktree again", kind: kit.Quiet, way: remaking}
		if s.Gate() == pieces.GateWorktreeMissing {
			again.kind = kit.Primary
		}
		list = append(list, again)
	}
	for _, a := range s.LegalActions() {
		switch a {
		case pieces.AnswerTaskQuestion, pieces.EditTaskBrief, pieces.MessageTask, pieces.ResumeTask,
			pieces.AddDependency, pieces.RemoveDependency: // where what they are about stands
			continue
		case pieces.InterviewMessage:
			// The questions that wait are answered where they stand.
			if s.Gate() == pieces.GateAnswerInterview {
				continue
			}
		case pieces.GenerateStrategy:
			// There is nothing to write again before the spec is approved, which writes the first one.
			if s.Piece.Phase == pieces.PhaseSpec {
				continue
			}
		case pieces.ApproveTask:
			if a != primary {
				continue
			}
		default:
		}
		list = append(list, variants(s, a, a == primary)...)
	}
	list = append(list, limits(s)...)
	list = append(list, splitChoices(s)...)
	slices.SortStableFunc(list, func(a, b choice) int { return rank(a) - rank(b) })
	return list
}

// rank puts the primary first and what tears down last.
func rank(c choice) int {
	switch c.kind {
	case kit.Primary:
		return 0
	case kit.Quiet:
		return 2
	case kit.Destructive:
		return 3
	default:
		return 1
	}
}

// variants lists an action and the ways to do it with more than a tap.
func variants(s pieces.Snapshot, a pieces.Action, primary bool) []choice {
	main := choice{
		name: "action:" + string(a), label: label(s, a),
		req: engine.Request{PieceID: s.Piece.ID, Action: a, By: pieces.ByPerson},
	}
	if primary {
		main.kind = kit.Primary
	}
	with := func(suffix, label string, w way) choice {
		c := main
		c.name, c.label, c.kind, c.way, c.menuOnly = main.name+":"+suffix, label, kit.Normal, w, !primary
		return c
	}
	switch a {
	case pieces.InterviewMessage:
		main.way = told
		if s.Gate() == pieces.GateSpecFailed {
			main.way = guided
		}
	case pieces.ApproveSpec:
		main.req.Lane = pieces.LaneManual
		auto := with("auto", "Approve spec and run Auto", atOnce)
		auto.req.Lane = pieces.LaneAuto
		return []choice{main, auto}
	case pieces.RetryFailedAgents, pieces.SendBackToAgents:
		return []choice{main, with("guided", phrase.F("%s with guidance", phrase.Of(main.label)), guided)}
	case pieces.GenerateStrategy:
		main.way = guided
	case pieces.RequestChanges:
		main.way = told
	case pieces.SetLane:
		main.kind, main.way = kit.Quiet, laned
	case pieces.ApproveTask:
		t, _ := lastUnapproved(s)
		main.req.TaskID = t.ID
	case pieces.CreatePR:
		return []choice{main, with("edit", "Write the pull request's text", pullRequest)}
	case pieces.MarkDone, pieces.StopAgents:
		main.way = confirmed
		if !primary {
			main.kind = kit.Destructive
		}
	case pieces.RunCodeReview:
		high := with("high", "Run code review at high effort", atOnce)
		high.req.Level = pieces.CodeReviewLevels()[0]
		return []choice{main, high}
	case pieces.Archive:
		main.kind = kit.Quiet
	default:
	}
	return []choice{main}
}

// key tells whether two lists of choices look and act the same.
func key(list []choice) string { return fmt.Sprintf("%+v", list) }
