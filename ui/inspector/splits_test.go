package inspector

import (
	"testing"
	"time"

	"fermata/pieces"
	"fermata/ui/stage"
)

func TestWhatIsTypedIntoAProposalStaysWhileItIsTheSame(t *testing.T) {
	stage.New(t)
	s := standing(pieces.PhaseStrategy, pieces.Idle)
	made := time.Now()
	s.Piece.Splits.Proposals = []pieces.SplitProposal{{ID: "p1", Title: "Retry", Direction: pieces.SplitFollowUp, At: made}}
	if s.Gate() != pieces.GateReviewSplit {
		t.Fatal("no split waits:", s.Gate())
	}
	b := newSplitBox(func([]pieces.SplitAnswer) {}, func() {})
	b.show(s, made, made)
	b.rows[0].title.SetText("Try again")
	s.Piece.Splits.Proposals[0].At = made.UTC().Round(0) // as the store gives it back
	b.show(s, made, made)
	if got := b.rows[0].title.Text; got != "Try again" {
		t.Errorf("the title went back to %q", got)
	}
	s.Piece.Splits.Proposals[0].Title = "Retry uploads"
	b.show(s, made, made)
	if got := b.rows[0].title.Text; got != "Retry uploads" {
		t.Errorf("a revised title is not shown: %q", got)
	}
}
