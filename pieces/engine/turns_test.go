package engine_test

import (
	"testing"

	"fermata/pieces"
	"fermata/pieces/piecestest"
)

// four are agents that could all run side by side.
func four(hold <-chan struct{}) []piecestest.StoryAgent {
	return []piecestest.StoryAgent{
		{Key: "a", Name: "A", File: "a.txt", Hold: hold},
		{Key: "b", Name: "B", File: "b.txt", Hold: hold},
		{Key: "c", Name: "C", File: "c.txt", Hold: hold},
		{Key: "d", Name: "D", File: "d.txt", Hold: hold},
	}
}

func (w *world) set(key, value string) {
	w.t.Helper()
	if err := w.engine.SetSetting(w.t.Context(), key, value); err != nil {
		w.t.Fatal(err)
	}
}

func TestNoMoreProcessesLiveThanAllowedAndWhatWaitsSaysSo(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	w := newWorld(t, piecestest.Story(four(hold)))
	w.set(pieces.KeyAgentsAtOnce, "4")
	w.set(pieces.KeyClaudeAtOnce, "2")
	id := w.toPlan().Piece.ID
	other := w.toPlan().Piece.ID
	w.act(id, pieces.StartExecution)
	for _, rule := range []string{"a", "b"} {
		if _, err := w.model.Wait(t.Context(), piecestest.AnsweredBy(rule)); err != nil {
			t.Fatal(err)
		}
	}
	s := w.until(id, "two agents that wait", func(s pieces.Snapshot) bool {
		return s.Facts().AgentsRunning == 2 && s.TaskQueued(s.Tasks[2]) && s.TaskQueued(s.Tasks[3])
	})
	if s.WaitsForTurn() || s.Tasks[2].State != pieces.TaskPending {
		t.Errorf("the piece waits although two agents run; the third is %s", s.Tasks[2].State)
	}
	// A second piece waits whole, says so, and can be stopped and paused at once.
	w.act(other, pieces.StartExecution)
	w.until(other, "its turn", pieces.Snapshot.WaitsForTurn)
	cues, err := w.engine.Cues(t.Context(), "")
	if err != nil || len(cues.Running) != 1 || cues.Running[0].PieceID != id {
		t.Errorf("said to run: %+v, %v", cues.Running, err)
	}
	if stopped := w.act(other, pieces.StopAgents).Piece; stopped.Gate() != pieces.GatePaused || len(stopped.Queued) != 0 {
		t.Errorf("after the stop: %s, queued %v", stopped.Gate(), stopped.Queued)
	}
	w.act(other, pieces.ResumeAgents)
	w.until(other, "its turn again", pieces.Snapshot.WaitsForTurn)
	w.act(other, pieces.PauseAgents)
	if s := w.untilGate(other, pieces.GatePaused); len(s.Queued) != 0 {
		t.Errorf("a paused piece waits for a turn: %v", s.Queued)
	}
	// A step of a third waits as well, and what the person opened is next.
	spec := w.release().Piece.ID
	w.act(spec, pieces.ApproveSpec)
	if s := w.until(spec, "its turn", pieces.Snapshot.WaitsForTurn); s.Working() != "Waiting for its turn" {
		t.Errorf("it says %q", s.Working())
	}
	w.act(other, pieces.ResumeAgents)
	close(hold)
	w.untilGate(id, pieces.GateReviewWork)
	w.untilGate(other, pieces.GateReviewWork)
	w.untilGate(spec, pieces.GateStrategyReady)
	if most := w.live.atMost(); most != 2 {
		t.Errorf("%d processes lived at once, want 2", most)
	}
}

func TestWhatThePersonOpensGetsTheNextPlace(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	script := changing(nil)
	for i := range script {
		if script[i].Name == "strategy" {
			script[i].Replies[0].Hold = hold
		}
	}
	w := newWorld(t, changing(nil))
	id := w.toReview().Piece.ID
	w.model.SetScript(script)
	w.set(pieces.KeyClaudeAtOnce, "1")
	first, second := w.release().Piece.ID, w.release().Piece.ID
	w.act(first, pieces.ApproveSpec)
	if _, err := w.model.Wait(t.Context(), func(r piecestest.Request) bool { return r.Rule == "strategy" && w.sessionOf(r).PieceID == first }); err != nil {
		t.Fatal(err)
	}
	w.act(second, pieces.ApproveSpec)
	w.until(second, "its turn", pieces.Snapshot.WaitsForTurn)
	w.act(id, pieces.RequestChanges, wish)
	w.until(id, "its turn", pieces.Snapshot.WaitsForTurn)
	close(hold)
	w.until(id, "the end of the changes", func(s pieces.Snapshot) bool { return s.Piece.Activity == pieces.Idle })
	w.untilGate(second, pieces.GateStrategyReady)
	var order []string
	for _, r := range w.model.Requests() {
		if o := w.sessionOf(r); o.Kind == pieces.SessionFeedback || o.PieceID == second {
			order = append(order, string(o.Kind))
		}
	}
	if len(order) < 2 || order[0] != string(pieces.SessionFeedback) {
		t.Errorf("sessions asked in the order %v", order)
	}
	if most := w.live.atMost(); most != 1 {
		t.Errorf("%d processes lived at once, want 1", most)
	}
}

func (w *world) sessionOf(r piecestest.Request) pieces.Session {
	s, err := w.engine.Session(w.t.Context(), r.SessionID)
	if err != nil {
		return pieces.Session{}
	}
	return s
}
