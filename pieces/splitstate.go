package pieces

import (
	"fmt"
	"slices"
	"strings"
)

// SplitBlockers lists the links to pieces of the same split that hold the piece, in any lane: unmet, not overridden, and
// before building starts.
func (s Snapshot) SplitBlockers() []Dependency {
	if !s.Flags.Dependencies || (s.Piece.Phase != PhaseSpec && s.Piece.Phase != PhaseStrategy) || len(s.Piece.Splits.Kin) == 0 {
		return nil
	}
	var list []Dependency
	for _, d := range s.Dependencies {
		if d.Standing != Met && !d.Ignored && slices.Contains(s.Piece.Splits.Kin, d.ID) {
			list = append(list, d)
		}
	}
	return list
}

// SplitHold says why a split holds the piece and which pieces it waits on; the reason is empty while none does.
func (s Snapshot) SplitHold() (reason Sentence, blockers []string) {
	if s.Piece.Archived {
		return Sentence{}, nil
	}
	var names []string
	for _, d := range s.SplitBlockers() {
		blockers = append(blockers, d.ID)
		names = append(names, fmt.Sprintf("“%s” (%s)", d.Name, d.State))
	}
	if len(names) == 0 {
		return Sentence{}, nil
	}
	return Say("It waits on %s of the same split; only Start anyway in Fermata overrides that.", strings.Join(names, ", ")), blockers
}

// SplitPending says why the proposals of the piece wait for the person; empty unless they do at the gate.
func (s Snapshot) SplitPending() Sentence {
	if s.Gate() != GateReviewSplit {
		return Sentence{}
	}
	var names []string
	for _, p := range s.Piece.Splits.Proposals {
		names = append(names, "“"+p.Title+"”")
	}
	words := Say("%s for you at Review split: %s.", Count(len(names), "%d split proposal waits", "%d split proposals wait"), strings.Join(names, ", "))
	if lane := s.Piece.Config.Lane; lane != LaneManual && !s.Flags.AutoSplit {
		word := map[Lane]string{LaneAuto: "Auto", LaneLoop: "Loop"}[lane]
		words = Say("Auto-split is off, so this %s piece stopped. %s", word, words)
	}
	return words
}

// SplitWaits says why the piece waits for the person since its split, when no link of the split holds it; else empty.
func (s Snapshot) SplitWaits() Sentence {
	if !s.Piece.Splits.WaitsForYou || len(s.SplitBlockers()) > 0 {
		return Sentence{}
	}
	return Say("“Start split pieces automatically” was off when the piece was split, so it waits until you move it on.")
}

// AppliesSplits says whether Auto-split answers the gate: on Manual the person always does.
func (s Snapshot) AppliesSplits() bool {
	if s.Gate() != GateReviewSplit || !s.Flags.AutoSplit {
		return false
	}
	return Holds(s.Piece.Config.Lane, s.Piece.Play)
}
