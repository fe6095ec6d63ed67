package engine_test

import (
	"errors"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
)

// whileFull does something while the store takes nothing, until a few writes were refused.
func (a *arena) whileFull(what func()) {
	a.t.Helper()
	a.store.full.Store(true)
	before := a.store.refused.Load()
	what()
	a.polled("writes that the full disk refuses", func() bool { return a.store.refused.Load() >= before+4 })
	a.store.full.Store(false)
}

func TestWhatEndsWhileTheDiskIsFullIsWrittenOnceThereIsRoom(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id := a.release().Piece.ID
	a.act(id, pieces.ApproveSpec)
	strategy := a.next()
	a.whileFull(func() { strategy.says(`{"strategy":"Do it."}`) })
	a.untilGate(id, pieces.GateStrategyReady)
	a.act(id, pieces.ApproveStrategy)
	plan := a.next()
	a.whileFull(func() { plan.says(sideBySide) })
	a.untilGate(id, pieces.GatePlanReady)

	a.store.full.Store(true)
	if _, err := a.engine.Act(t.Context(), engine.Request{PieceID: id, Action: pieces.StartExecution, By: pieces.ByClient}); err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("an action that cannot be written: %v", err)
	}
	a.store.full.Store(false)
	a.act(id, pieces.StartExecution)
	first, second := a.next(), a.next()
	task := a.taskOf(id, first)
	a.whileFull(func() {
		first.emit(pieces.SessionEvent{Message: &pieces.Message{Role: pieces.RoleAssistant, Text: "Said while there was no room."}})
		first.emit(pieces.SessionEvent{Turn: &pieces.TurnEnd{Structured: []byte(`{"changed":"x"}`), CostUSD: 2}})
		second.says(`{"changed":"y"}`)
	})
	review := a.next()
	a.whileFull(func() {
		review.says(`{"verdict":"pass","criteria":[],"failedAgents":[],"summary":"s","learnings":"l"}`)
	})
	s := a.untilGate(id, pieces.GateReviewWork)
	if got, _ := s.Task(task.ID); got.State != pieces.TaskCompleted || got.CostUSD != 2 || s.Piece.CostUSD != 2 {
		t.Errorf("the agent is %+v, the piece has cost %v", got, s.Piece.CostUSD)
	}
	if said := a.said(first.launch.SessionID); strings.Count(said, "Said while there was no room.") != 1 {
		t.Errorf("the transcript says %q", said)
	}
	list, err := a.store.Sessions(t.Context(), pieces.SessionFilter{LiveOnly: true, IncludeHidden: true})
	if err != nil || len(list) != 0 {
		t.Errorf("sessions that live by the book: %+v, %v", list, err)
	}
}

func TestQuittingWhileTheDiskIsFullLeavesWhatRanInterrupted(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, run := a.toRun()
	a.store.full.Store(true)
	run.says(`{"changed":"x"}`)
	a.polled("a write that the full disk refuses", func() bool { return a.store.refused.Load() > 0 })
	a.engine.Close()
	a.store.full.Store(false)
	if err := a.engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := a.untilGate(id, pieces.GateInterrupted)
	if s.Tasks[0].State != pieces.TaskInterrupted {
		t.Errorf("the agent is %s", s.Tasks[0].State)
	}
	a.act(id, pieces.ResumeAgents)
	if again := a.next(); !again.launch.Resume || again.launch.SessionID != run.launch.SessionID {
		t.Errorf("it goes on with %+v", again.launch)
	}
}

func TestTwoCallsThatMarkDoneAtOnceSaveOnceAndTheSecondIsRefused(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, run := a.toRun()
	run.says(`{"changed":"x"}`)
	a.passes(id)
	ends := make(chan error)
	for range 2 {
		go func() {
			_, err := a.engine.Act(t.Context(), engine.Request{PieceID: id, Action: pieces.MarkDone, By: pieces.ByClient})
			ends <- err
		}()
	}
	first, second := <-ends, <-ends
	if first != nil {
		first, second = second, first
	}
	var refusal *engine.Refusal
	if first != nil || !errors.As(second, &refusal) || len(refusal.Legal) == 0 {
		t.Errorf("they end with %v and %v", first, second)
	}
}
