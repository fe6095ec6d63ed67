package pieces

import "slices"

// Drop says what moving an item's card to another column of the board means: one action, or why there is none.
type Drop struct {
	// Action is what leads to the column; empty for a draft, which is released, and where the column accepts nothing.
	Action Action
	// Release is set where the drop releases a draft.
	Release bool
	// Lane is what approveSpec is asked with: the piece's own, so that a drop never changes it.
	Lane Lane
	// Label names the effect in the words of the button that does the same.
	Label string
	// Confirm is set where the effect is shown before anything is done: what tears down or leaves the machine must not
	// follow from a hand that slipped.
	Confirm bool
	// Reason says in one sentence why the column does not accept the item; empty where it does, and at its own column.
	Reason Sentence
}

// Accepts says whether the drop does anything.
func (d Drop) Accepts() bool { return d.Release || d.Action != "" }

// leading are the actions that bring a piece to another column, the one that is meant first: what is ready for its pull
// request goes to Done with it.
var leading = []Action{ApproveSpec, ApproveStrategy, ContinueToReview, CreatePR, MarkDone}

// DropDraft says what dropping a draft on a column means.
func DropDraft(d Draft, to Phase) Drop {
	switch {
	case to == PhaseBacklog:
		return Drop{}
	case to != PhaseSpec:
		return Drop{Reason: Say("A draft starts in Spec.")}
	case d.ReleasedBy != "":
		return Drop{Reason: Say("It waits on something else, and starts by itself.")}
	}
	return Drop{Release: true, Label: "Run the draft"}
}

// DropPiece says what dropping a piece on a column means.
func DropPiece(s Snapshot, to Phase) Drop {
	if to == s.Piece.Phase {
		return Drop{}
	}
	if s.Piece.Archived {
		return Drop{Reason: Say("It is archived. Bring it back first.")}
	}
	for _, a := range leading {
		if !s.Legal(a) || !leadsTo(s, a, to) {
			continue
		}
		r, _ := RuleOf(a)
		d := Drop{Action: a, Label: r.Label, Confirm: a == CreatePR || r.Tier == TierCard}
		if a == ApproveSpec {
			d.Lane = LaneManual
			if s.Piece.Config.Lane == LaneAuto {
				d.Lane, d.Label = LaneAuto, "Approve spec and run Auto"
			}
		}
		return d
	}
	return Drop{Reason: whyNot(s, to)}
}

// leadsTo says whether an action ends at a column. Opening the pull request does so in a second move; while agents are not
// approved it is not what Done means.
func leadsTo(s Snapshot, a Action, to Phase) bool {
	if a == CreatePR {
		return to == PhaseComplete && s.Gate() == GateOpenPullRequest
	}
	next, ok := Next(s.State(), s.Piece.Before, Trigger(a), s.Facts())
	return ok && next.Phase == to
}

func whyNot(s Snapshot, to Phase) Sentence {
	order := Phases()
	at, target := slices.Index(order, s.Piece.Phase), slices.Index(order, to)
	switch {
	case to == PhaseBacklog:
		return Say("A piece does not become a draft again.")
	case target < at && s.Legal(RequestChanges):
		return Say("Work does not go back. Request changes instead.")
	case target < at:
		return Say("Work does not go back to an earlier step.")
	case s.Gate() == GateWorktreeMissing:
		return Say("Its worktree is missing.")
	case LiveState(s.State()):
		return Say("It is busy: %s.", Term(s.Piece.Activity.Working()))
	case s.Waits():
		return Say("It waits on another piece.")
	case s.Facts().OpenQuestions:
		return Say("Its questions are not answered yet.")
	case s.Facts().SplitProposals:
		return Say("Its split is not decided yet.")
	case target > at+1 && s.Piece.Phase != PhaseAgents:
		return Say("%s comes first.", Term(DisplayOf(order[at+1], 0, 0)))
	case s.State() == State{PhaseAgents, Idle}:
		return Say("Its agents have not started.")
	case s.Piece.Activity == Failed:
		return Say("Its last step failed. Try that again first.")
	}
	return Say("That is not possible now.")
}
