package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// splitsInto is a story whose strategy proposes these parts.
func splitsInto(parts ...piecestest.StorySplit) piecestest.Script {
	return append(piecestest.Script{piecestest.ProposesSplits("# Upload retry", parts)},
		piecestest.Story([]piecestest.StoryAgent{{Key: "one", Name: "One", File: "one.txt"}})...)
}

// twoParts proposes one part to land before the piece and one to follow it.
func twoParts() piecestest.Script {
	return splitsInto(piecestest.SplitOff("Schema first", "prerequisite"), piecestest.SplitOff("Metrics later", "followUp"))
}

// toProposals brings a Manual piece to the gate at which its split proposals wait.
func (w *world) toProposals() pieces.Snapshot {
	w.t.Helper()
	s := w.release()
	w.act(s.Piece.ID, pieces.ApproveSpec)
	return w.untilGate(s.Piece.ID, pieces.GateReviewSplit)
}

func (w *world) split(id string, answers ...pieces.SplitAnswer) pieces.Snapshot {
	w.t.Helper()
	s, err := w.engine.ReviewSplit(w.t.Context(), engine.SplitReview{PieceID: id, Answers: answers, By: pieces.ByPerson})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// part is the piece that was split off under a title.
func (w *world) part(title string) pieces.Snapshot {
	w.t.Helper()
	list, err := w.engine.Pieces(w.t.Context(), pieces.PieceFilter{})
	if err != nil {
		w.t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(s pieces.Snapshot) bool { return s.Piece.Name == title })
	if i < 0 {
		w.t.Fatalf("there is no piece %q", title)
	}
	return w.piece(list[i].Piece.ID)
}

func (w *world) piece(id string) pieces.Snapshot {
	w.t.Helper()
	s, err := w.engine.Piece(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// mustRefuse is the sentence of a call that has to be refused.
func (w *world) mustRefuse(what string, err error, words string) {
	w.t.Helper()
	var refusal *engine.Refusal
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Error(), words) {
		w.t.Errorf("%s: %v, want a refusal that says %q", what, err, words)
	}
}

func (w *world) refusesAction(id string, a pieces.Action, words string) {
	w.t.Helper()
	_, err := w.engine.Act(w.t.Context(), engine.Request{PieceID: id, Action: a, By: pieces.ByClient})
	w.mustRefuse(string(a), err, words)
	if w.piece(id).Legal(a) {
		w.t.Errorf("%s is refused, and listed as legal", a)
	}
}

func kinds(s pieces.Snapshot) string {
	var list []string
	for _, e := range s.Piece.Splits.Events {
		list = append(list, string(e.Kind))
	}
	return strings.Join(list, " ")
}

func TestAManualPieceIsSplitAsThePersonDecides(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoParts())
	s := w.toProposals()
	id, proposals := s.Piece.ID, s.Piece.Splits.Proposals
	if len(proposals) != 2 || !strings.Contains(s.SplitPending().String(), "“Schema first”, “Metrics later”") || strings.Contains(s.SplitPending().String(), "Auto-split") {
		t.Fatalf("proposals %+v, pending %q", proposals, s.SplitPending().String())
	}
	w.refusesAction(id, pieces.ApproveStrategy, s.SplitPending().String())
	if cue, ok := s.Cue(); !ok || cue.Label != "Review split" || cue.Primary != "" {
		t.Errorf("the cue is %+v", cue)
	}
	s = w.split(id, pieces.SplitAnswer{ProposalID: proposals[0].ID, Accept: true, Title: "Schema, renamed"}, pieces.SplitAnswer{ProposalID: proposals[1].ID, Accept: true})

	first, later := w.part("Schema, renamed"), w.part("Metrics later")
	reason, blockers := s.SplitHold()
	if s.Piece.Activity != pieces.Waiting || !slices.Equal(blockers, []string{first.Piece.ID}) || !strings.Contains(reason.String(), "“Schema, renamed” (Spec)") {
		t.Errorf("the original is %s, held by %v: %q", s.Piece.Activity, blockers, reason)
	}
	w.refusesAction(id, pieces.GenerateStrategy, reason.String())
	w.refusesAction(id, pieces.ApproveSpec, reason.String())
	if first.Gate() != pieces.GateSpecReady || first.Piece.Config.Lane != pieces.LaneManual || first.Piece.Splits.Mode != pieces.SplitManual || first.Piece.Splits.WaitsForYou {
		t.Errorf("the prerequisite: %s, %+v", first.Gate(), first.Piece.Splits)
	}
	if held, _ := later.SplitHold(); later.Piece.Activity != pieces.Waiting || held.Empty() {
		t.Errorf("the follow-up is %s, held because %q", later.Piece.Activity, held)
	}
	w.refusesAction(later.Piece.ID, pieces.ApproveSpec, "“Upload retry” (Strategy)")
	want := pieces.SplitLink{OriginalID: id, SplitOffID: first.Piece.ID, Direction: pieces.SplitPrerequisite, ProposalID: proposals[0].ID}
	if s.Piece.Splits.Links[0] != want || first.Piece.Splits.Links[0] != want || len(first.Piece.Splits.Links) != 1 {
		t.Errorf("links %+v and %+v, want %+v", s.Piece.Splits.Links, first.Piece.Splits.Links, want)
	}
	if spec := w.document(first.Piece.ID, pieces.ArtifactSpec); !strings.HasPrefix(spec, "# Schema, renamed\n") {
		t.Errorf("the part's spec is %q", spec)
	}
	if spec := w.document(id, pieces.ArtifactSpec); !strings.Contains(spec, "## Split off") || !strings.Contains(spec, "- Metrics later (follows this piece)") {
		t.Errorf("the original's spec is %q", spec)
	}

	w.write(first.Piece.ID, toDone)
	s = w.untilGate(id, pieces.GateStrategyReady)
	if reason, _ := s.SplitHold(); !reason.Empty() || !s.Legal(pieces.GenerateStrategy) {
		t.Errorf("still held: %q", reason)
	}
	w.act(id, pieces.ApproveStrategy)
	w.untilGate(id, pieces.GatePlanReady)
}

func TestProposalsAreTurnedDownAndThePieceStaysWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoParts())
	s := w.toProposals()
	id, list := s.Piece.ID, s.Piece.Splits.Proposals
	spec := w.document(id, pieces.ArtifactSpec)
	if s = w.split(id, pieces.SplitAnswer{ProposalID: list[0].ID}); s.Gate() != pieces.GateReviewSplit {
		t.Errorf("one proposal is left, and the gate is %s", s.Gate())
	}
	s = w.split(id, pieces.SplitAnswer{ProposalID: list[1].ID})
	if s.Gate() != pieces.GateStrategyReady || w.document(id, pieces.ArtifactSpec) != spec || len(s.Piece.Splits.Links) != 0 {
		t.Errorf("gate %s, links %v", s.Gate(), s.Piece.Splits.Links)
	}
	_, err := w.engine.ReviewSplit(t.Context(), engine.SplitReview{PieceID: id, Answers: []pieces.SplitAnswer{{ProposalID: list[0].ID, Accept: true}}})
	w.mustRefuse("a second answer", err, "No split proposal waits")
	// The strategy proposes the same again, and is told not to.
	w.act(id, pieces.GenerateStrategy)
	s = w.untilGate(id, pieces.GateStrategyReady)
	if got := kinds(s); got != "proposed proposed rejected rejected" {
		t.Errorf("events %s", got)
	}
	w.act(id, pieces.ApproveStrategy)
}

func TestALaterStrategyRevisesItsProposalsAndKeepsThePersons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, splitsInto(piecestest.SplitOff("Schema", "prerequisite"), piecestest.SplitOff("Metrics", "followUp")))
	s := w.toProposals()
	id := s.Piece.ID
	s, err := w.engine.ProposeSplit(t.Context(), id, pieces.ProposedSplit{Title: "Docs", Direction: pieces.SplitFollowUp, Spec: "Write them."}, pieces.ByPerson)
	if err != nil || len(s.Piece.Splits.Proposals) != 3 || s.Piece.Splits.Proposals[2].Source != pieces.SplitByPerson {
		t.Fatalf("proposed by the person: %+v, %v", s.Piece.Splits.Proposals, err)
	}
	_, err = w.engine.ProposeSplit(t.Context(), id, pieces.ProposedSplit{Title: " ", Direction: pieces.SplitFollowUp, Spec: "x"}, pieces.ByPerson)
	w.mustRefuse("a proposal without a title", err, "has no title")
	revised := piecestest.SplitOff("Schema and its migration", "prerequisite")
	revised.ID = s.Piece.Splits.Proposals[0].ID
	w.model.SetScript(splitsInto(revised))
	asked := len(w.model.Requests())
	w.act(id, pieces.GenerateStrategy)
	s = w.untilGate(id, pieces.GateReviewSplit)
	list := s.Piece.Splits.Proposals
	if len(list) != 2 || list[0].Title != "Schema and its migration" || list[0].RevisedFrom() != "Schema" || list[0].ID != revised.ID || list[1].Title != "Docs" {
		t.Errorf("after the later pass: %+v", list)
	}
	if got := kinds(s); got != "proposed proposed proposed revised withdrawn" {
		t.Errorf("events %s", got)
	}
	if !slices.ContainsFunc(w.model.Requests()[asked:], piecestest.Contains("`"+revised.ID+"` (prerequisite, proposed by you): Schema")) {
		t.Error("the later pass was not told what waits")
	}
}

func TestAutoStopsAtProposalsUntilAutoSplitIsOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoParts())
	s := w.release()
	id := s.Piece.ID
	w.act(id, pieces.ApproveSpec, func(r *engine.Request) { r.Lane = pieces.LaneAuto })
	s = w.untilGate(id, pieces.GateReviewSplit)
	if !strings.HasPrefix(s.SplitPending().String(), "Auto-split is off, so this Auto piece stopped.") {
		t.Errorf("pending because %q", s.SplitPending().String())
	}
	if err := w.engine.SetSetting(t.Context(), pieces.KeyAutoSplit, "true"); err != nil {
		t.Fatal(err)
	}
	s = w.until(id, "the split", func(s pieces.Snapshot) bool { return len(s.Piece.Splits.Links) == 2 })
	first := w.part("Schema first")
	if s.Piece.Splits.Mode != pieces.SplitWaits || !s.Piece.Splits.WaitsForYou || !s.SplitWaits().Empty() {
		t.Errorf("the original: %+v, reason %q", s.Piece.Splits, s.SplitWaits())
	}
	if first.Piece.Config.Lane != pieces.LaneManual || first.Gate() != pieces.GateSpecReady || first.SplitWaits().Empty() {
		t.Errorf("the part: lane %s, gate %s, reason %q", first.Piece.Config.Lane, first.Gate(), first.SplitWaits())
	}
	// What it waits on is done: on Auto it would go on by itself, but it stops at its strategy review.
	w.write(first.Piece.ID, toDone)
	s = w.untilGate(id, pieces.GateStrategyReady)
	w.settled()
	if s = w.piece(id); s.Gate() != pieces.GateStrategyReady || s.SplitWaits().Empty() {
		t.Errorf("gate %s, reason %q", s.Gate(), s.SplitWaits())
	}
	w.act(id, pieces.ApproveStrategy)
	s = w.until(id, "the agents", func(s pieces.Snapshot) bool { return s.Piece.Phase == pieces.PhaseReview })
	if s.Piece.Splits.WaitsForYou {
		t.Error("it still says that it waits")
	}
}

func TestStartAnywayOverridesTheHoldAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoParts())
	s := w.toProposals()
	id := s.Piece.ID
	_, err := w.engine.StartAnyway(t.Context(), id, pieces.ByPerson)
	w.mustRefuse("start anyway without a hold", err, "No split holds")
	w.split(id, s.Piece.Splits.AcceptAll()...)
	first := w.part("Schema first")
	if s, err = w.engine.StartAnyway(t.Context(), id, pieces.ByPerson); err != nil {
		t.Fatal(err)
	}
	if s.Gate() != pieces.GateStrategyReady || !s.Dependencies[0].Ignored || len(pieces.BlockingKeys(s.Dependencies)) != 0 {
		t.Errorf("gate %s, waits on %+v", s.Gate(), s.Dependencies)
	}
	// A link that a person adds back between two pieces of the split holds again, whatever its origin.
	w.act(id, pieces.RemoveDependency, blocking(first.Piece.ID))
	w.act(id, pieces.AddDependency, blocking(first.Piece.ID))
	s = w.piece(id)
	if reason, _ := s.SplitHold(); reason.Empty() || s.Dependencies[0].Origin != pieces.OriginManual || s.Piece.Activity != pieces.Waiting {
		t.Errorf("added back: %s, %+v", s.Piece.Activity, s.Dependencies)
	}
}

func TestASplitOutlivesARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoParts())
	s := w.toProposals()
	id := s.Piece.ID
	w.close()
	w.open()
	s = w.untilGate(id, pieces.GateReviewSplit)
	if len(s.Piece.Splits.Proposals) != 2 {
		t.Fatalf("after a restart %+v wait", s.Piece.Splits.Proposals)
	}
	w.split(id, s.Piece.Splits.AcceptAll()...)
	before := fmt.Sprintf("%+v", w.piece(id).Piece.Splits)
	later := w.part("Metrics later").Piece.ID
	w.close()
	w.open()
	s = w.piece(id)
	if got := fmt.Sprintf("%+v", s.Piece.Splits); got != before {
		t.Errorf("after a restart the splits are\n%s, want\n%s", got, before)
	}
	if got := kinds(s); got != "proposed proposed applied applied" || kinds(w.piece(later)) != "applied" {
		t.Errorf("events %s and %s", got, kinds(w.piece(later)))
	}
	if reason, _ := w.piece(later).SplitHold(); reason.Empty() {
		t.Error("the follow-up is no longer held")
	}
}

func TestAnUnusableProposalFailsTheStrategyAndSaysWhy(t *testing.T) {
	t.Parallel()
	empty := piecestest.SplitOff("Schema", "prerequisite")
	empty.Spec = " "
	w := newWorld(t, splitsInto(empty))
	s := w.release()
	w.act(s.Piece.ID, pieces.ApproveSpec)
	if s = w.untilGate(s.Piece.ID, pieces.GateStrategyFailed); !strings.Contains(s.Piece.Failure, "“Schema” has no spec") {
		t.Errorf("it failed because %q", s.Piece.Failure)
	}
}

func TestTheLoopSplitsOnlyWhileItPlays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoParts())
	for _, key := range []string{pieces.KeyAutoSplit, pieces.KeyStartSplits} {
		if err := w.engine.SetSetting(t.Context(), key, "true"); err != nil {
			t.Fatal(err)
		}
	}
	s := w.toProposals()
	id := s.Piece.ID
	w.act(id, pieces.SetLane, func(r *engine.Request) { r.Lane = pieces.LaneLoop })
	w.settled()
	if s = w.piece(id); s.Gate() != pieces.GateReviewSplit {
		t.Fatalf("the paused Loop went through to %s", s.Gate())
	}
	if _, err := w.engine.PlayLoop(t.Context(), w.id, pieces.ByPerson); err != nil {
		t.Fatal(err)
	}
	s = w.until(id, "the split", func(s pieces.Snapshot) bool { return len(s.Piece.Splits.Links) == 2 })
	first := w.part("Schema first")
	if s.Piece.Splits.Mode != pieces.SplitAutomatic || first.Piece.Config.Lane != pieces.LaneLoop || first.Piece.Splits.WaitsForYou {
		t.Errorf("the mode is %s, the part %+v", s.Piece.Splits.Mode, first.Piece.Splits)
	}
	// The prerequisite runs by itself; the original waits for it.
	w.until(first.Piece.ID, "its agents", func(s pieces.Snapshot) bool { return s.Piece.Phase == pieces.PhaseComplete })
	if reason, _ := w.piece(id).SplitHold(); reason.Empty() {
		t.Error("the original is not held before the prerequisite's pull request is merged")
	}
}

func TestWhatWaitedStartsFromWhatLanded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoParts())
	s := w.toProposals()
	id := s.Piece.ID
	w.split(id, s.Piece.Splits.AcceptAll()...)
	landed := w.repo.CommitElsewhere("main", "schema.txt", "the prerequisite landed\n")
	w.write(w.part("Schema first").Piece.ID, toDone)
	s = w.untilGate(id, pieces.GateStrategyReady)
	if s.Piece.Base.Commit != landed || w.repo.Git("-C", s.Piece.Worktree, "rev-parse", "HEAD") != landed {
		t.Errorf("it starts from %s, want %s", s.Piece.Base.Commit, landed)
	}
	if diff, err := w.engine.Diff(t.Context(), id); err != nil || len(diff.Files) != 0 {
		t.Errorf("it says that it changed %+v, %v", diff.Files, err)
	}

	// One that has work of its own stays where it is, and goes on all the same.
	later := w.part("Metrics later")
	w.repo.Git("-C", later.Piece.Worktree, "commit", "--quiet", "--allow-empty", "-m", "Begun by hand")
	w.write(id, toDone)
	now := w.untilGate(later.Piece.ID, pieces.GateSpecReady)
	rows, err := w.engine.History(t.Context(), later.Piece.ID)
	if err != nil || now.Piece.Base.Commit != later.Piece.Base.Commit || !strings.Contains(rows[len(rows)-1].Note.String(), "there is work on its branch already") {
		t.Errorf("base %s, history %+v, %v", now.Piece.Base.Commit, rows, err)
	}
}
