package pieces

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func minting(prefix string) func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf("%s%d", prefix, n) }
}

func proposed(titles ...string) Splits {
	var s Splits
	for i, t := range titles {
		s = s.Propose(ProposedSplit{Title: t, Direction: SplitPrerequisite, Spec: "# " + t}, SplitByAgent, time.Time{}, fmt.Sprintf("p%d", i+1))
	}
	return s
}

func titles(s Splits) string {
	var list []string
	for _, p := range s.Proposals {
		list = append(list, p.ID+" "+p.Title)
	}
	return strings.Join(list, ", ")
}

func TestUnusableSplitsAreSaid(t *testing.T) {
	t.Parallel()
	good := ProposedSplit{Title: "A", Direction: SplitFollowUp, Spec: "x"}
	for want, list := range map[string][]ProposedSplit{
		"":                       {good},
		"has no title":           {{Title: " \n", Direction: SplitFollowUp, Spec: "x"}},
		"neither a prerequisite": {{Title: "A", Direction: "later", Spec: "x"}},
		"has no spec":            {{Title: "A", Direction: SplitFollowUp, Spec: " "}},
		"at most 8 are allowed":  slices.Repeat([]ProposedSplit{good}, MaxSplits+1),
	} {
		err := CheckSplits(list)
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestALaterPassRevisesWithdrawsAndAdds(t *testing.T) {
	t.Parallel()
	s := proposed("A", "B", "C")
	s.Proposals[2].Source, s.Rejected = SplitByPerson, []string{"No thanks"}
	again := func(id, title string) ProposedSplit {
		return ProposedSplit{ID: id, Title: title, Direction: SplitPrerequisite, Spec: "x"}
	}
	before := titles(s)
	next := s.Proposed([]ProposedSplit{again("p1", "A2"), again("", "no  THANKS"), again("gone", "D")}, time.Time{}, minting("n"))
	if got := titles(next); got != "p1 A2, p3 C, n1 D" || titles(s) != before {
		t.Errorf("got %s; the old is %s", got, titles(s))
	}
	if p := next.Proposals[0]; p.RevisedFrom() != "A" {
		t.Errorf("revised from %q", p.RevisedFrom())
	}
	last := next.Proposed([]ProposedSplit{again("p1", "A3")}, time.Time{}, minting("m"))
	if p := last.Proposals[0]; p.RevisedFrom() != "A" || last.Proposals[1].RevisedFrom() != "" {
		t.Errorf("revised twice, it was first shown as %q", p.RevisedFrom())
	}
	if back := last.Proposed([]ProposedSplit{again("p1", "A")}, time.Time{}, nil); back.Proposals[0].RevisedFrom() != "" {
		t.Errorf("back to its first title it is revised from %q", back.Proposals[0].RevisedFrom())
	}
	if full := proposed("1", "2", "3", "4", "5", "6", "7", "8").Proposed([]ProposedSplit{again("p1", "1")}, time.Time{}, nil); len(full.Proposals) != 1 {
		t.Errorf("%d wait", len(full.Proposals))
	}
}

func TestTheModeOfASplitIsReadWhenItIsApplied(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lane     Lane
		start    bool
		mode     SplitMode
		part     Lane
		partPlay bool
	}{
		{LaneManual, true, SplitManual, LaneManual, false},
		{LaneManual, false, SplitManual, LaneManual, false},
		{LaneAuto, true, SplitAutomatic, LaneAuto, true},
		{LaneAuto, false, SplitWaits, LaneManual, false},
		{LaneLoop, true, SplitAutomatic, LaneLoop, true},
		{LaneLoop, false, SplitWaits, LaneManual, false},
	} {
		p := Piece{ID: "o", Name: "Original", Config: Config{Lane: c.lane}, Play: true, Splits: proposed("A", "B")}
		plan, err := DecideSplits(p, p.Splits.AcceptAll(), c.start, time.Time{}, minting("n"))
		if err != nil || len(plan.Parts) != 2 || plan.Original.Splits.Mode != c.mode || plan.Original.Splits.WaitsForYou != (c.mode == SplitWaits) {
			t.Fatalf("%+v: %+v, %v", c, plan.Original.Splits, err)
		}
		for _, o := range plan.Parts {
			if o.Lane != c.part || o.Play != c.partPlay || o.Splits.Mode != c.mode || o.Splits.WaitsForYou != (c.mode == SplitWaits) || o.Splits.Events[0].StartMode != c.mode {
				t.Errorf("%+v: the part is %+v", c, o)
			}
		}
		if kin := plan.Parts[0].Splits.Kin; !slices.Equal(kin, []string{"o", "n2"}) || !slices.Equal(plan.Original.Splits.Kin, []string{"n1", "n2"}) {
			t.Errorf("kin %v and %v", kin, plan.Original.Splits.Kin)
		}
	}
}

func TestAnAnswerToAProposalThatIsGoneChangesNothing(t *testing.T) {
	t.Parallel()
	p := Piece{ID: "o", Splits: proposed("A")}
	twice := []SplitAnswer{{ProposalID: "p1", Accept: true}, {ProposalID: "p1"}}
	if _, err := DecideSplits(p, twice, false, time.Time{}, minting("n")); !errors.Is(err, ErrNotFound) {
		t.Errorf("answered twice: %v", err)
	}
	if len(p.Splits.Proposals) != 1 || len(p.Splits.Events) != 1 {
		t.Errorf("the piece was changed: %+v", p.Splits)
	}
}

func TestSpecsSayWhatWasSplitOff(t *testing.T) {
	t.Parallel()
	part := SplitOff{Title: "A", Proposal: SplitProposal{Direction: SplitFollowUp}}
	once := WithoutParts("# X\n\n## Goal\n\nx", []SplitOff{part})
	twice := WithoutParts(once, []SplitOff{{Title: "B", Proposal: SplitProposal{Direction: SplitPrerequisite}}})
	if strings.Count(twice, splitOffHeading) != 1 || !strings.HasSuffix(twice, "\n- A (follows this piece)\n- B (lands before this piece)\n") || !strings.HasPrefix(twice, "# X\n\n## Goal") {
		t.Errorf("got %q", twice)
	}
	for spec, want := range map[string]string{
		"# Old\n\nText":     "# New\n\nText\n",
		"Text":              "# New\n\nText\n",
		"Before\n\n# Old\n": "# New\n\nBefore\n\n# Old\n",
	} {
		if got := WithTitle(spec, "New"); got != want || SpecTitle(got) != "New" {
			t.Errorf("%q became %q", spec, got)
		}
	}
}

func TestASplitHoldsInEveryLaneBeforeBuildingAlone(t *testing.T) {
	t.Parallel()
	on := func(p Phase, a Activity, change func(*Snapshot)) Snapshot {
		s := Snapshot{
			Piece:        Piece{ID: "o", Phase: p, Activity: a, Config: Config{Lane: LaneManual}, Splits: Splits{Kin: []string{"k"}}},
			Dependencies: []Dependency{{ID: "k", Name: "Kin", State: "Spec", Origin: OriginManual}}, Flags: Flags{Dependencies: true},
		}
		if change != nil {
			change(&s)
		}
		return s
	}
	for name, c := range map[string]struct {
		s    Snapshot
		hold bool
	}{
		"at its spec":             {on(PhaseSpec, Idle, nil), true},
		"waiting":                 {on(PhaseStrategy, Waiting, nil), true},
		"once it builds":          {on(PhaseAgents, Idle, nil), false},
		"archived":                {on(PhaseSpec, Idle, func(s *Snapshot) { s.Piece.Archived = true }), false},
		"met":                     {on(PhaseSpec, Idle, func(s *Snapshot) { s.Dependencies[0].Standing = Met }), false},
		"started anyway":          {on(PhaseSpec, Idle, func(s *Snapshot) { s.Dependencies[0].Ignored = true }), false},
		"a link to another":       {on(PhaseSpec, Idle, func(s *Snapshot) { s.Dependencies[0].ID = "x"; s.Dependencies[0].Origin = OriginSplit }), false},
		"dependencies turned off": {on(PhaseSpec, Idle, func(s *Snapshot) { s.Flags.Dependencies = false }), false},
	} {
		reason, blockers := c.s.SplitHold()
		if reason.Empty() == c.hold || (len(blockers) == 1) != c.hold {
			t.Errorf("%s: held by %v because %q", name, blockers, reason)
		}
		if c.hold && (c.s.Legal(ApproveSpec) || c.s.Legal(GenerateStrategy)) {
			t.Errorf("%s: an action that the hold refuses is legal", name)
		}
	}
	if s := on(PhaseSpec, Idle, nil); s.DependencyMove() != OnDependencyUnmet {
		t.Errorf("it does not wait: %q", s.DependencyMove())
	}
	if s := on(PhaseSpec, Idle, func(s *Snapshot) { s.Piece.Config.Lane, s.Piece.Play, s.Dependencies[0].Ignored = LaneAuto, true, true }); s.DependencyMove() != "" {
		t.Errorf("started anyway on Auto, it still moves on %q", s.DependencyMove())
	}
}
