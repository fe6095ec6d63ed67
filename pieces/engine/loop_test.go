package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// looping is a piece of one agent, whose file has another place in every worktree: what several pieces write can be merged
// one after the other.
func looping() piecestest.Script {
	script := one(nil)
	for i := range script {
		if script[i].Name == "only" {
			script[i].Replies[0] = piecestest.Use("Write", map[string]any{"file_path": "{{cwd}}/of{{cwd}}/only.txt", "content": "Only agent\n"})
			script[i].Replies[1] = piecestest.Use("Bash", map[string]any{"command": "git add of", "description": "Stage the file"})
		}
	}
	return script
}

// loopDraft files a draft on the Loop's lane.
func (w *world) loopDraft(n int, on ...string) string {
	w.t.Helper()
	filed, err := w.engine.FileDraft(w.t.Context(), engine.NewDraft{
		ProjectID: w.id, Lane: pieces.LaneLoop, Refine: pieces.RefineNone, DependsOn: on,
		Spec: strings.Replace(piecestest.StorySpec, "Upload retry", fmt.Sprintf("Upload retry %d", n), 1),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return filed.Draft.ID
}

func (w *world) limit(atOnce, openPRs int) {
	w.t.Helper()
	if _, err := w.engine.EditProject(w.t.Context(), w.id, engine.ProjectEdit{LoopAtOnce: &atOnce, LoopOpenPRs: &openPRs}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) playLoop() {
	w.t.Helper()
	if p, err := w.engine.PlayLoop(w.t.Context(), w.id, pieces.ByPerson); err != nil || !p.LoopPlaying {
		w.t.Fatalf("play: %+v, %v", p, err)
	}
}

// untilPiece waits until a draft is a piece.
func (w *world) untilPiece(id string) {
	w.t.Helper()
	w.untilTrue("the release of "+id, func() bool {
		_, err := w.engine.Piece(w.t.Context(), id)
		return err == nil
	})
}

// untilTrue waits for something that the engine's watchers are woken for.
func (w *world) untilTrue(what string, ok func() bool) {
	w.t.Helper()
	wake, done := w.engine.Watch()
	defer done()
	ctx, cancel := contextWithPatience(w.t)
	defer cancel()
	for !ok() {
		select {
		case <-wake:
		case <-ctx.Done():
			w.t.Fatalf("waited for %s", what)
		}
	}
}

func (w *world) isDraft(id string) bool {
	w.t.Helper()
	_, err := w.engine.Draft(w.t.Context(), id)
	return err == nil
}

func TestTheLoopRunsItsDraftsThroughToOpenPullRequestsOneAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, looping())
	w.limit(1, 2)
	first, second, third := w.loopDraft(1), w.loopDraft(2), w.loopDraft(3)
	manual := w.release().Piece.ID
	var most int
	watched, stop := w.engine.Watch()
	defer stop()
	ended := make(chan struct{})
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		for {
			list, err := w.engine.Pieces(t.Context(), pieces.PieceFilter{})
			if err != nil {
				return
			}
			n := 0
			for _, s := range list {
				if pieces.LiveState(s.State()) {
					n++
				}
			}
			most = max(most, n)
			select {
			case <-watched:
			case <-ended:
				return
			}
		}
	}()
	if !w.isDraft(first) {
		t.Fatal("a paused Loop took a draft")
	}
	w.playLoop()
	w.untilPiece(first)
	w.untilGate(first, pieces.GateMergePullRequest)
	w.untilPiece(second)
	s := w.untilGate(second, pieces.GateMergePullRequest)
	if s.Piece.Config.Lane != pieces.LaneLoop || s.Piece.PR == nil {
		t.Errorf("the second piece ended as %+v", s.Piece)
	}
	close(ended)
	<-counted
	if most != 1 {
		t.Errorf("%d pieces ran at once, want 1", most)
	}
	pulls := w.github.Pulls()
	if len(pulls) != 2 || pulls[0].Title != "Try failed uploads again" || pulls[0].Merged || pulls[1].Merged {
		t.Fatalf("pull requests %+v", pulls)
	}
	// The limit holds the third back, whatever else changes.
	if standing := w.standing(); standing.OpenPRs != 2 || standing.Waiting != 1 || standing.AtWork != 0 || !w.isDraft(third) {
		t.Errorf("at the limit the Loop stands at %+v", standing)
	}
	if m, err := w.engine.Piece(t.Context(), manual); err != nil || m.Gate() != pieces.GateSpecReady {
		t.Errorf("the Loop moved a manual piece to %s, %v", m.Gate(), err)
	}
	if err := w.github.Merge(pulls[0].Number); err != nil {
		t.Fatal(err)
	}
	w.untilPiece(third)
	w.untilGate(third, pieces.GateMergePullRequest)
	rows, err := w.engine.History(t.Context(), third)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row.By != pieces.ByFermata {
			t.Errorf("%s was %s's doing", row.Trigger, row.By)
		}
	}
}

func (w *world) standing() pieces.LoopStanding {
	w.t.Helper()
	s, err := w.engine.LoopStanding(w.t.Context(), w.id)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func TestAPausedLoopLetsWhatRunsGoOnToItsNextGateAndNoFurther(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	script := looping()
	for i := range script {
		if script[i].Name == "strategy" {
			script[i].Replies[0].Hold = hold
		}
	}
	w := newWorld(t, script)
	w.playLoop()
	// Filed while it plays, it starts by itself.
	first, second := w.loopDraft(1), w.loopDraft(2)
	w.untilPiece(first)
	if _, err := w.model.Wait(t.Context(), piecestest.AnsweredBy("strategy")); err != nil {
		t.Fatal(err)
	}
	if p, err := w.engine.PauseLoop(t.Context(), w.id, pieces.ByPerson); err != nil || p.LoopPlaying {
		t.Fatalf("pause: %+v, %v", p, err)
	}
	close(hold)
	w.untilGate(first, pieces.GateStrategyReady)
	if !w.isDraft(second) {
		t.Error("a paused Loop took a draft")
	}
	w.close()
	w.open()
	if s := w.untilGate(first, pieces.GateStrategyReady); s.Piece.Config.Lane != pieces.LaneLoop {
		t.Errorf("on the lane %s", s.Piece.Config.Lane)
	}
	w.playLoop()
	w.untilGate(first, pieces.GateMergePullRequest)
	w.untilPiece(second)
	w.untilGate(second, pieces.GateMergePullRequest)
}

func TestAPlayingLoopGoesOnAfterARestartWhereItWasCutOff(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	script := looping()
	for i := range script {
		if script[i].Name == "only" {
			script[i].Replies[1].Hold = hold
		}
	}
	w := newWorld(t, script)
	w.playLoop()
	first, second := w.loopDraft(1), w.loopDraft(2)
	if _, err := w.model.Wait(t.Context(), func(r piecestest.Request) bool { return r.Rule == "only" && r.Index == 1 }); err != nil {
		t.Fatal(err)
	}
	w.close()
	close(hold)
	w.open()
	if s := w.untilGate(first, pieces.GateMergePullRequest); s.Tasks[0].Attempts != 2 {
		t.Errorf("the agent's attempts: %d, want 2", s.Tasks[0].Attempts)
	}
	w.untilPiece(second)
	w.untilGate(second, pieces.GateMergePullRequest)
}

func TestAPullRequestThatCannotBeOpenedWaitsForThePersonAndDoesNotBlockTheLoop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, looping())
	w.playLoop()
	w.github.Refuse(422, "The head branch is protected")
	first := w.loopDraft(1)
	w.untilPiece(first)
	s := w.until(first, "the refusal", func(s pieces.Snapshot) bool { return s.Piece.Failure != "" })
	if s.Gate() != pieces.GateOpenPullRequest || !strings.Contains(s.Piece.Failure, "protected") {
		t.Fatalf("at %s: %q", s.Gate(), s.Piece.Failure)
	}
	second := w.loopDraft(2)
	w.untilPiece(second)
	w.untilGate(second, pieces.GateMergePullRequest)
	tries := 0
	rows, err := w.engine.History(t.Context(), first)
	for _, row := range rows {
		if row.Trigger == pieces.Trigger(pieces.CreatePR) {
			tries++
		}
	}
	if tries != 1 || err != nil {
		t.Errorf("the Loop tried %d times by itself, %v", tries, err)
	}
	w.playLoop()
	w.untilGate(first, pieces.GateMergePullRequest)
}

func TestTheLoopTakesADraftOnceWhatItWaitsOnIsMerged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, looping())
	first := w.loopDraft(1)
	second := w.loopDraft(2, first)
	waits := func() bool {
		t.Helper()
		d, err := w.engine.Draft(t.Context(), second)
		if err != nil {
			t.Fatal(err)
		}
		list, err := w.engine.Drafts(t.Context(), w.id)
		if at := slices.IndexFunc(list, func(d pieces.Draft) bool { return d.ID == second }); err != nil || at < 0 || list[at].Waits(w.on(second)) != d.Waits(w.on(second)) {
			t.Errorf("the Backlog tells otherwise than the draft itself: %+v, %v", list, err)
		}
		return d.Waits(w.on(second))
	}
	if waits() {
		t.Error("a draft waits on its dependencies while nobody plays the Loop")
	}
	w.playLoop()
	w.untilPiece(first)
	w.untilGate(first, pieces.GateMergePullRequest)
	if !waits() {
		t.Error("a draft that a playing Loop would start does not wait")
	}
	if !w.isDraft(second) {
		t.Fatal("a draft started before what it waits on was merged")
	}
	if err := w.github.Merge(w.github.Pulls()[0].Number); err != nil {
		t.Fatal(err)
	}
	w.untilPiece(second)
	w.untilGate(second, pieces.GateMergePullRequest)
}

func TestMovingToTheLaneOfAPlayingLoopStarts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, looping())
	w.limit(2, 3)
	w.playLoop()
	s := w.release()
	w.act(s.Piece.ID, pieces.SetLane, func(r *engine.Request) { r.Lane = pieces.LaneLoop })
	w.untilGate(s.Piece.ID, pieces.GateMergePullRequest)
	filed, err := w.engine.FileDraft(t.Context(), engine.NewDraft{ProjectID: w.id, Spec: piecestest.StorySpec, Refine: pieces.RefineNone})
	if err != nil {
		t.Fatal(err)
	}
	lane := pieces.LaneLoop
	if _, err := w.engine.UpdateDraft(t.Context(), filed.Draft.ID, engine.DraftEdit{Lane: &lane}); err != nil {
		t.Fatal(err)
	}
	if w.isDraft(filed.Draft.ID) {
		t.Error("the draft is still one when the call returns")
	}
	w.untilGate(filed.Draft.ID, pieces.GateMergePullRequest)
}
