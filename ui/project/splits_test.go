package project_test

import (
	"slices"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

// splitting is an Auto piece whose strategy proposes two parts, one of them revised.
func splitting() pieces.Snapshot {
	s := piece("splitting", "Sync over several devices", pieces.PhaseStrategy, pieces.Idle)
	s.Piece.Config.Lane, s.Piece.Play = pieces.LaneAuto, true
	s.Piece.Splits.Proposals = []pieces.SplitProposal{
		{
			ID: "a", Title: "Version every note", First: "Schema change", Direction: pieces.SplitPrerequisite, Source: pieces.SplitByAgent, At: noon.Add(-time.Hour),
			Why: "Sync compares versions, and the migration is worth a review by itself.", Spec: "# Version every note\n\n## Goal\n\nA note has a version.\n",
		},
		{
			ID: "b", Title: "Show conflicts side by side", First: "Show conflicts side by side", Direction: pieces.SplitFollowUp, Source: pieces.SplitByPerson, At: noon.Add(-time.Hour),
			Spec: "# Show conflicts side by side\n",
		},
	}
	return s
}

// heldBySplit is a piece that its split holds.
func heldBySplit() pieces.Snapshot {
	s := piece("heldBySplit", "Sync, the rest", pieces.PhaseStrategy, pieces.Waiting)
	s.Flags.Dependencies = true
	s.Piece.Splits = pieces.Splits{Kin: []string{"k"}, Mode: pieces.SplitWaits, WaitsForYou: true, Events: []pieces.SplitEvent{
		{Kind: pieces.SplitApplied, Summary: "Split off “Version every note”. It lands before this piece."},
	}}
	s.Dependencies = []pieces.Dependency{{ID: "k", Name: "Version every note", State: "Agents 1/2", Origin: pieces.OriginSplit}}
	return s
}

func TestThePersonDecidesAboutEachPart(t *testing.T) {
	e := usual()
	e.list = append(e.list, splitting())
	w := opened(t, e, "splitting")
	w.sees("split:apply")
	for _, words := range []string{
		"Proposed by the strategy. First shown as “Schema change”.", "Proposed by you.", "Sync compares versions, and the migration is worth a review by itself.",
	} {
		if !shows(w, words) {
			t.Errorf("%q is not shown", words)
		}
	}
	if stage.Has(w.Window, "action:approveStrategy") {
		t.Error("the strategy can be approved while proposals wait")
	}
	label := func() string {
		o, _ := stage.Find(w.Window, "split:apply")
		return o.(*kit.Button).Label()
	}
	if label() != "Split off 2 pieces" {
		t.Errorf("the button says %q", label())
	}
	w.click("split:spec:0")
	w.Until("the spec is shown", func() bool { return shows(w, "A note has a version.") })
	w.click("split:take:1")
	w.Until("one is taken", func() bool { return label() == "Split off 1 piece" })
	w.filled("split:title:0", "Versions")
	e.refuse = &engine.Refusal{Sentence: pieces.Say("Nothing was split.")}
	w.click("split:apply")
	w.Until("the refusal is told", func() bool { return shows(w, "Nothing was split.") })
	e.refuse = nil
	w.click("split:apply")
	w.Until("the engine is asked again", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return len(e.splits) == 2
	})
	r := e.splits[1]
	want := []pieces.SplitAnswer{{ProposalID: "a", Accept: true, Title: "Versions"}, {ProposalID: "b", Title: "Show conflicts side by side"}}
	if r.PieceID != "splitting" || r.By != pieces.ByPerson || !slices.Equal(r.Answers, want) {
		t.Errorf("the engine was asked for %+v", r)
	}
	e.change(func() { e.list[len(e.list)-1].Piece.Splits.Proposals = nil })
	w.Until("the gate is the strategy's", func() bool {
		return !stage.Has(w.Window, "split:apply") && stage.Has(w.Window, "action:approveStrategy")
	})
}

func TestAPartOfOnesOwnIsProposed(t *testing.T) {
	e := usual()
	e.list = append(e.list, splitting())
	w := opened(t, e, "splitting")
	w.click("action:proposeSplit")
	w.click("proposal:add")
	w.Until("an empty title is refused", func() bool { return shows(w, "It needs a title.") })
	w.filled("proposal:title", "Docs")
	w.click("proposal:add")
	w.Until("an empty spec is refused", func() bool { return shows(w, "It needs a spec.") })
	w.filled("proposal:spec", "Write them.")
	w.click("proposal:add")
	w.Until("the engine is asked", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return len(e.proposed) == 1
	})
	if p := e.proposed[0]; p.Title != "Docs" || p.Spec != "Write them." || p.Direction != pieces.SplitFollowUp {
		t.Errorf("proposed %+v", p)
	}
}

func TestAHeldPieceIsStartedAnyway(t *testing.T) {
	e := usual()
	e.list = append(e.list, heldBySplit())
	w := opened(t, e, "heldBySplit")
	w.sees("action:startAnyway")
	if !shows(w, "It waits on “Version every note” (Agents 1/2) of the same split; only Start anyway in Fermata overrides that.") {
		t.Error("nothing says why it waits")
	}
	w.click("action:startAnyway")
	w.Until("the engine is asked", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return slices.Equal(e.anyway, []string{"heldBySplit"})
	})
	e.change(func() {
		e.list[len(e.list)-1].Dependencies[0].Ignored, e.list[len(e.list)-1].Piece.Activity = true, pieces.Idle
	})
	w.Until("it says that it waits for the person alone", func() bool {
		return !stage.Has(w.Window, "action:startAnyway") && shows(w, "“Start split pieces automatically” was off when the piece was split, so it waits until you move it on. Read the strategy, then approve it or have it written again.")
	})
}
