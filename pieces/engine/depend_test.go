package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// draft files a draft whose spec is taken as it is, so that its piece stands at its spec without Claude Code.
func (w *world) draft(title string, lane pieces.Lane, on ...string) pieces.Draft {
	w.t.Helper()
	filed, err := w.engine.FileDraft(w.t.Context(), engine.NewDraft{
		ProjectID: w.id, Spec: "# " + title + "\n\nText", Lane: lane, Refine: pieces.RefineNone, DependsOn: on,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return filed.Draft
}

func (w *world) start(id string) pieces.Snapshot {
	w.t.Helper()
	s, err := w.engine.ReleaseDraft(w.t.Context(), id, "", pieces.ByPerson)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// held releases a draft that its dependencies must hold.
func (w *world) held(id string) *engine.HeldError {
	w.t.Helper()
	_, err := w.engine.ReleaseDraft(w.t.Context(), id, "", pieces.ByClient)
	var held *engine.HeldError
	if !errors.As(err, &held) {
		w.t.Fatalf("releasing %s: %v, want it held", id, err)
	}
	return held
}

// put writes a piece as if it had come there by itself.
func (w *world) write(id string, change func(p *pieces.Piece)) {
	w.t.Helper()
	s, err := w.store.Piece(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	c := pieces.Change{Piece: s.Piece, From: s.State(), Trigger: "test", By: pieces.ByFermata}
	change(&c.Piece)
	if _, err := w.store.Apply(w.t.Context(), c); err != nil {
		w.t.Fatal(err)
	}
}

func toDone(p *pieces.Piece) { p.Phase, p.Activity = pieces.PhaseComplete, pieces.Idle }

// started waits until a draft has become a piece.
func (w *world) started(id string) pieces.Snapshot {
	w.t.Helper()
	wake, stop := w.engine.Watch()
	defer stop()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	for {
		s, err := w.engine.Piece(w.t.Context(), id)
		if err == nil {
			return s
		}
		select {
		case <-wake:
		case <-ctx.Done():
			w.t.Fatalf("%s does not start: %v", id, err)
		}
	}
}

// settled returns once all that was written so far has been followed: a draft that is freed now starts after it.
func (w *world) settled() {
	w.t.Helper()
	b := w.start(w.draft("canary's blocker", pieces.LaneManual).ID)
	c := w.draft("canary", pieces.LaneLoop, b.Piece.ID)
	w.held(c.ID)
	w.write(b.Piece.ID, toDone)
	w.started(c.ID)
}

func (w *world) on(id string) []pieces.Dependency {
	w.t.Helper()
	all, err := w.engine.Dependencies(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return all[id]
}

func (w *world) still(id string) {
	w.t.Helper()
	w.settled()
	if _, err := w.engine.Draft(w.t.Context(), id); err != nil {
		w.t.Errorf("%s is no draft any more: %v", id, err)
	}
}

func blocking(id string) func(*engine.Request) {
	return func(r *engine.Request) { r.Blocker = id }
}

func TestAHeldDraftStartsByItselfOnceItsBlockerLanded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	blocker := w.draft("Blocker", pieces.LaneManual)
	waiter := w.draft("Waiter", pieces.LaneLoop, strings.ToUpper(blocker.ID), blocker.ID)
	h := w.held(waiter.ID)
	if len(h.Dependencies) != 1 || h.Dependencies[0].State != "Backlog" || !strings.Contains(h.Error(), "“Blocker” (Backlog)") {
		t.Errorf("held by %+v: %v", h.Dependencies, h)
	}
	w.start(blocker.ID)
	w.write(blocker.ID, func(p *pieces.Piece) {
		toDone(p)
		p.PR = &pieces.PullRequest{URL: "https://example.com/1", State: pieces.PullRequestOpen}
	})
	w.close()
	w.open()
	w.still(waiter.ID)
	d, err := w.engine.Draft(t.Context(), waiter.ID)
	if err != nil || d.ReleasedBy != pieces.ByClient || !d.Waits(w.on(waiter.ID)) {
		t.Errorf("draft %+v, %v", d, err)
	}
	w.write(blocker.ID, func(p *pieces.Piece) { p.PR.State = pieces.PullRequestMerged })
	s := w.started(waiter.ID)
	rows, err := w.engine.History(t.Context(), waiter.ID)
	if err != nil || rows[0].By != pieces.ByClient || s.Dependencies[0].Standing != pieces.Met {
		t.Errorf("history %+v, dependencies %+v, %v", rows, s.Dependencies, err)
	}
}

func TestAHeldAutoDraftRunsUpToReviewOnceItIsFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, one(nil))
	blocker := w.start(w.draft("Blocker", pieces.LaneManual).ID).Piece.ID
	filed, err := w.engine.FileDraft(t.Context(), engine.NewDraft{
		ProjectID: w.id, Spec: piecestest.StorySpec, Lane: pieces.LaneAuto, Refine: pieces.RefineNone, DependsOn: []string{blocker},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.held(filed.Draft.ID)
	w.write(blocker, toDone)
	w.started(filed.Draft.ID)
	w.untilGate(filed.Draft.ID, pieces.GateReviewWork)
}

func TestABlockerThatIsGoneNeverLetsADraftStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	deleted, archived, failed := w.draft("Deleted", pieces.LaneManual), w.draft("Archived", pieces.LaneManual), w.draft("Failed", pieces.LaneManual)
	waiter := w.draft("Waiter", pieces.LaneAuto, deleted.ID, archived.ID, failed.ID)
	w.held(waiter.ID)
	if err := w.engine.CancelDraft(t.Context(), deleted.ID); err != nil {
		t.Fatal(err)
	}
	w.start(archived.ID)
	w.act(archived.ID, pieces.Archive)
	w.start(failed.ID)
	w.write(failed.ID, func(p *pieces.Piece) { p.Activity = pieces.Failed })
	w.still(waiter.ID)
	for i, want := range []string{"deleted", "Spec", "Spec"} {
		if d := w.on(waiter.ID)[i]; d.State != want || d.Standing != pieces.Wrong || d.Name == "" {
			t.Errorf("dependency %+v, want %s", d, want)
		}
	}
	res := w.act(waiter.ID, pieces.RemoveDependency, blocking(deleted.ID))
	if !res.Waiting || len(res.Piece.Dependencies) != 2 || res.Piece.Piece.Phase != pieces.PhaseBacklog {
		t.Errorf("after the first removal: %+v", res)
	}
	w.act(waiter.ID, pieces.RemoveDependency, blocking(archived.ID))
	if res = w.act(waiter.ID, pieces.RemoveDependency, blocking(failed.ID)); res.Waiting {
		t.Error("it waits on nothing")
	}
	w.started(waiter.ID)
}

func TestNothingStartsThatNobodyReleased(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	blocker := w.start(w.draft("Blocker", pieces.LaneManual).ID)
	waiter, byHand := w.draft("Waiter", pieces.LaneAuto, blocker.Piece.ID), w.draft("By hand", pieces.LaneManual, blocker.Piece.ID)
	if s := w.start(byHand.ID); s.State() != (pieces.State{Phase: pieces.PhaseSpec, Activity: pieces.Idle}) || s.Waits() || !s.Legal(pieces.ApproveSpec) {
		t.Errorf("a piece on the manual lane is at %+v", s.State())
	}
	w.act(waiter.ID, pieces.RemoveDependency, blocking(blocker.Piece.ID))
	w.still(waiter.ID)
}

func TestAPieceThatRunsByItselfWaitsWhereItStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	blocker := w.start(w.draft("Blocker", pieces.LaneManual).ID).Piece.ID
	id := w.start(w.draft("Waiter", pieces.LaneLoop).ID).Piece.ID
	w.write(id, func(p *pieces.Piece) { p.Activity = pieces.Failed }) // keeps it where it stands until it is linked
	res := w.act(id, pieces.AddDependency, blocking(blocker))
	if res.Waiting || res.Piece.Gate() != pieces.GateSpecFailed {
		t.Errorf("a failed spec waits for the person first: %+v", res.Piece.Piece)
	}
	w.write(id, func(p *pieces.Piece) { p.Activity, p.Config.Lane, p.Play = pieces.Idle, pieces.LaneAuto, true })
	s := w.until(id, "waiting", pieces.Snapshot.Waits)
	if s.Piece.Activity != pieces.Waiting || s.Gate() != pieces.GateNone || s.Legal(pieces.ApproveSpec) {
		t.Errorf("it stands at %s with the gate %q", s.Piece.Activity, s.Gate())
	}
	w.act(blocker, pieces.Archive)
	w.untilGate(id, pieces.GateDependencyBlocked)
	w.act(blocker, pieces.Unarchive)
	w.until(id, "waiting", func(s pieces.Snapshot) bool { return s.Piece.Activity == pieces.Waiting })
	if res := w.act(id, pieces.AddDependency, blocking(blocker)); len(res.Piece.Dependencies) != 1 || !res.Waiting {
		t.Errorf("linked twice: %+v", res)
	}
	if res := w.act(id, pieces.RemoveDependency, blocking(blocker)); res.Waiting {
		t.Errorf("after the removal: %+v", res.Piece.Piece)
	}
	w.until(id, "the strategy", func(s pieces.Snapshot) bool { return s.Piece.Phase == pieces.PhaseStrategy })
	rows, err := w.engine.History(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var triggers []string
	for _, r := range rows {
		triggers = append(triggers, string(r.Trigger))
	}
	want := "released test addDependency test dependencyUnmet dependencyFailed dependencyUnmet removeDependency dependenciesMet approveSpec"
	if got := strings.Join(triggers, " "); !strings.HasPrefix(got, want) {
		t.Errorf("history %s, want %s", got, want)
	}
}

func TestALinkThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	other, _, err := w.engine.RegisterProject(t.Context(), piecestest.NewRepo(t).Path)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := w.engine.FileDraft(t.Context(), engine.NewDraft{ProjectID: other.ID, Spec: "# Foreign"})
	if err != nil {
		t.Fatal(err)
	}
	a := w.draft("A", pieces.LaneManual)
	b := w.draft("B", pieces.LaneManual, a.ID)
	c := w.draft("C", pieces.LaneManual, b.ID)
	building := w.start(w.draft("Building", pieces.LaneManual).ID).Piece.ID
	w.write(building, func(p *pieces.Piece) { p.Phase = pieces.PhaseAgents })
	for _, r := range []struct {
		item, blocker, want string
		action              pieces.Action
	}{
		{a.ID, c.ID, "That link would create a loop.", pieces.AddDependency},
		{a.ID, a.ID, "That link would create a loop.", pieces.AddDependency},
		{a.ID, foreign.Draft.ID, "another project", pieces.AddDependency},
		{a.ID, "SUP-12", "Unknown blocker SUP-12", pieces.AddDependency},
		{building, a.ID, "addDependency is not legal now", pieces.AddDependency},
		{uuid.NewString(), a.ID, "Unknown pieceId", pieces.AddDependency},
		{a.ID, b.ID, "does not wait on", pieces.RemoveDependency},
		{building, a.ID, "does not wait on", pieces.RemoveDependency},
	} {
		req := engine.Request{PieceID: r.item, Action: r.action, Blocker: r.blocker, By: pieces.ByClient}
		if _, err := w.engine.Act(t.Context(), req); err == nil || !strings.Contains(err.Error(), r.want) {
			t.Errorf("%s: %v, want %q", r.action, err, r.want)
		}
		if _, _, err := w.engine.Check(t.Context(), req); err == nil || !strings.Contains(err.Error(), r.want) {
			t.Errorf("%s, checked: %v, want %q", r.action, err, r.want)
		}
	}
	for _, names := range [][]string{{a.ID, "nothing"}, {a.ID, foreign.Draft.ID}} {
		id := uuid.NewString()
		if _, err := w.engine.FileDraft(t.Context(), engine.NewDraft{ID: id, ProjectID: w.id, Spec: "# X", DependsOn: names}); err == nil {
			t.Errorf("filed on %q", names)
		}
		if _, err := w.engine.Draft(t.Context(), id); err == nil {
			t.Error("a draft was filed whose blockers are not there")
		}
	}
}

func TestFilingSkipsALinkThatClosesALoop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	again, free := w.draft("Again", pieces.LaneManual), w.draft("Free", pieces.LaneManual)
	waiter := w.draft("Waiter", pieces.LaneManual, again.ID)
	if err := w.engine.CancelDraft(t.Context(), again.ID); err != nil {
		t.Fatal(err)
	}
	filed, err := w.engine.FileDraft(t.Context(), engine.NewDraft{ID: again.ID, ProjectID: w.id, Spec: "# Again", DependsOn: []string{waiter.ID, free.ID}})
	if err != nil || len(filed.Skipped) != 1 || filed.Skipped[0] != (engine.SkippedLink{Blocker: waiter.ID, Reason: "That link would create a loop."}) {
		t.Errorf("filed %+v, %v", filed, err)
	}
	if on := w.on(again.ID); len(on) != 1 || on[0].ID != free.ID {
		t.Errorf("it waits on %+v", on)
	}
}

func TestTurnedOffDependenciesAreKeptAndHoldNothingNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	blocker := w.draft("Blocker", pieces.LaneManual)
	waits, later := w.draft("Waits", pieces.LaneLoop, blocker.ID), w.draft("Later", pieces.LaneLoop, blocker.ID)
	w.held(waits.ID)
	if err := w.engine.SetSetting(t.Context(), pieces.KeyDependencies, "false"); err != nil {
		t.Fatal(err)
	}
	if on := w.on(waits.ID); on != nil {
		t.Errorf("it shows %+v", on)
	}
	w.start(later.ID)
	for _, a := range []pieces.Action{pieces.AddDependency, pieces.RemoveDependency} {
		_, err := w.engine.Act(t.Context(), engine.Request{PieceID: waits.ID, Action: a, Blocker: blocker.ID})
		if err == nil || !strings.Contains(err.Error(), "piece dependencies are turned off") {
			t.Errorf("%s: %v", a, err)
		}
	}
	if err := w.engine.CheckBlockers(t.Context(), w.id, []string{blocker.ID}); err == nil {
		t.Error("a new draft may wait on something")
	}
	if err := w.engine.SetSetting(t.Context(), pieces.KeyDependencies, "true"); err != nil {
		t.Fatal(err)
	}
	w.still(waits.ID)
	if on := w.on(waits.ID); len(on) != 1 {
		t.Errorf("its link is gone: %+v", on)
	}
}

func TestAHeldReleaseOutlivesOnlyEditsThatWereAllowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	blocker := w.draft("Blocker", pieces.LaneManual)
	manual, seed, title := pieces.LaneManual, "other", "Other"
	for _, c := range []struct {
		why   string
		ask   string
		edit  engine.DraftEdit
		stays bool
	}{
		{"a new seed", "false", engine.DraftEdit{Seed: &seed}, true},
		{"a new seed that no card showed", "true", engine.DraftEdit{Seed: &seed}, false},
		{"a new title", "true", engine.DraftEdit{Title: &title}, true},
		{"the manual lane", "false", engine.DraftEdit{Lane: &manual}, false},
	} {
		d := w.draft(c.why, pieces.LaneAuto, blocker.ID)
		w.held(d.ID)
		if err := w.engine.SetSetting(t.Context(), pieces.KeyMCPAskBefore, c.ask); err != nil {
			t.Fatal(err)
		}
		d, err := w.engine.UpdateDraft(t.Context(), d.ID, c.edit)
		if err != nil || (d.ReleasedBy != "") != c.stays {
			t.Errorf("%s: released by %q, %v", c.why, d.ReleasedBy, err)
		}
	}
}

func TestCandidatesAreWhatAnItemCanWaitOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	item := w.draft("Item", pieces.LaneManual)
	waiter := w.draft("Waiter", pieces.LaneManual, item.ID)
	w.draft("Its waiter", pieces.LaneManual, waiter.ID)
	linked, free := w.draft("Linked", pieces.LaneManual), w.draft("Free", pieces.LaneManual)
	finished, open := w.start(w.draft("Finished", pieces.LaneManual).ID), w.start(w.draft("Open", pieces.LaneManual).ID)
	w.write(finished.Piece.ID, toDone)
	w.act(item.ID, pieces.AddDependency, blocking(linked.ID))
	got, err := w.engine.Candidates(t.Context(), item.ID)
	want := []engine.Candidate{{ID: open.Piece.ID, Name: "Open", State: "Spec"}, {ID: free.ID, Name: "Free", State: "Backlog"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("candidates %+v, %v, want %+v", got, err, want)
	}
}
