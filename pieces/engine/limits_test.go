package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

func TestARunGoesOnByItselfOnceItsUsageLimitEnds(t *testing.T) {
	t.Parallel()
	ends := time.Now().Add(5 * time.Hour).Truncate(time.Second)
	limit := piecestest.Fail(400, fmt.Sprintf("Claude AI usage limit reached|%d", ends.Unix()))
	w := newWorld(t, with(one(nil), "only", limit))
	s := w.toPlan()
	id := s.Piece.ID
	w.act(id, pieces.StartExecution)
	s = w.untilGate(id, pieces.GateLimitReached)
	agent := s.Tasks[0]
	if at, resumes := s.ResumesAt(); !resumes || !at.Equal(ends) || agent.State != pieces.TaskInterrupted || !strings.Contains(s.Piece.Failure, "usage limit") {
		t.Errorf("resumes %v at %v, the agent is %s, failure %q", resumes, at, agent.State, s.Piece.Failure)
	}
	w.ahead.Store(int64(5*time.Hour + time.Second))
	// It hits the same limit: that is not tried again.
	s = w.until(id, "the second limit", func(s pieces.Snapshot) bool { return s.Gate() == pieces.GateLimitReached && s.Tasks[0].Attempts == 2 })
	if _, resumes := s.ResumesAt(); resumes {
		t.Error("it would resume for the same limit again and again")
	}
	w.model.SetScript(one(nil))
	w.act(id, pieces.ResumeAgents)
	s = w.untilGate(id, pieces.GateReviewWork)
	if s.Tasks[0].SessionID != agent.SessionID {
		t.Error("it went on in another session")
	}
}

// toLimit brings a new piece to a limit that ends in five hours.
func (a *arena) toLimit() (string, time.Time) {
	a.t.Helper()
	id, run := a.toRun()
	ends := time.Now().Add(5 * time.Hour).UTC()
	run.emit(pieces.SessionEvent{Turn: &pieces.TurnEnd{Failure: pieces.FailureUsageLimit, Error: "limit", LimitEnds: &ends}})
	a.untilGate(id, pieces.GateLimitReached)
	return id, ends
}

func TestALimitThatEndedWhileFermataWasOffIsNoticedAndAPieceMayForbidIt(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	forbids, _ := a.toLimit()
	allows, ends := a.toLimit()
	off := false
	s, err := a.engine.EditPiece(t.Context(), forbids, engine.PieceEdit{ResumeAfterLimit: &off})
	if _, resumes := s.ResumesAt(); err != nil || resumes {
		t.Fatalf("resumes %v, %v", resumes, err)
	}
	a.engine.Close()
	a.ahead.Store(int64(time.Until(ends) + time.Second))
	if err := a.engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if turn := a.next(); !turn.launch.Resume {
		t.Errorf("launched %+v", turn.launch)
	}
	s, err = a.engine.Piece(t.Context(), allows)
	if err != nil || s.Piece.Activity != pieces.Running {
		t.Errorf("the piece is %s (%v)", s.Piece.Activity, err)
	}
	if s, err = a.engine.Piece(t.Context(), forbids); err != nil || s.Gate() != pieces.GateLimitReached {
		t.Errorf("the other went on: gate %s (%v)", s.Gate(), err)
	}
}

func TestALimitOfTheWorkReviewParksTheRunToo(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, run := a.toRun()
	run.says(`{"changed":"x"}`)
	ends := time.Now().Add(time.Hour).UTC()
	a.next().emit(pieces.SessionEvent{Turn: &pieces.TurnEnd{Failure: pieces.FailureUsageLimit, Error: "limit", LimitEnds: &ends, CostUSD: 3}})
	s := a.untilGate(id, pieces.GateLimitReached)
	if at, resumes := s.ResumesAt(); !resumes || !at.Equal(ends) || s.Tasks[1].State != pieces.TaskPending || s.Piece.CostUSD != 3 {
		t.Errorf("resumes %v at %v, tasks %+v, cost %v", resumes, at, s.Tasks, s.Piece.CostUSD)
	}
	a.act(id, pieces.ResumeAgents)
	a.next().says(`{"verdict":"pass","criteria":[],"failedAgents":[],"summary":"s","learnings":"l"}`)
	a.untilGate(id, pieces.GateReviewWork)
}

func TestAUsedUpBudgetParksTheRunUntilItIsRaised(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	if err := a.engine.SetSetting(t.Context(), pieces.KeyBudgetUSD, "2.5"); err != nil {
		t.Fatal(err)
	}
	id, run := a.toRun()
	if run.launch.BudgetUSD != 2.5 {
		t.Errorf("the agent may cost %v", run.launch.BudgetUSD)
	}
	run.emit(pieces.SessionEvent{Turn: &pieces.TurnEnd{Structured: []byte(`{"changed":"x"}`), CostUSD: 2.5}})
	s := a.untilGate(id, pieces.GateBudgetReached)
	if !strings.Contains(s.Piece.Failure, "$2.50") || s.Tasks[0].State != pieces.TaskCompleted {
		t.Errorf("failure %q, tasks %+v", s.Piece.Failure, s.Tasks)
	}
	more, wrong := 5.0, -1.0
	if _, err := a.engine.EditPiece(t.Context(), id, engine.PieceEdit{BudgetUSD: &wrong}); err == nil {
		t.Error("a budget below zero was taken")
	}
	if _, err := a.engine.EditPiece(t.Context(), id, engine.PieceEdit{BudgetUSD: &more}); err != nil {
		t.Fatal(err)
	}
	a.act(id, pieces.ResumeAgents)
	a.next().says(`{"verdict":"pass","criteria":[],"failedAgents":[],"summary":"s","learnings":"l"}`)
	a.untilGate(id, pieces.GateReviewWork)
}

func TestAStepThatAUsageLimitCutShortGoesOnOnceItEnds(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id := a.release().Piece.ID
	a.act(id, pieces.ApproveSpec)
	ends := time.Now().Add(time.Hour).UTC()
	limit := pieces.SessionEvent{Turn: &pieces.TurnEnd{Failure: pieces.FailureUsageLimit, Error: "limit", LimitEnds: &ends}}
	a.next().emit(limit)
	s := a.untilGate(id, pieces.GateStrategyFailed)
	if at, resumes := s.ResumesAt(); !resumes || !at.Equal(ends) || s.Piece.Failure != "limit" {
		t.Errorf("resumes %v at %v, failure %q", resumes, at, s.Piece.Failure)
	}
	a.engine.Close()
	a.ahead.Store(int64(time.Hour + time.Second))
	if err := a.engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.next().emit(limit)
	s = a.until(id, "the second limit", func(s pieces.Snapshot) bool { return s.Gate() == pieces.GateStrategyFailed && s.Piece.LimitResumed })
	if _, resumes := s.ResumesAt(); resumes {
		t.Error("it would be tried for the same limit again and again")
	}
	a.act(id, pieces.GenerateStrategy)
	a.next().says(`{"strategy":"# S"}`)
	if s = a.untilGate(id, pieces.GateStrategyReady); s.Piece.Pause != pieces.PauseNone {
		t.Errorf("it is still parked: %s", s.Piece.Pause)
	}
}

func TestAgentsSideBySideShareTheBudgetAndOneGoesOnWithWhatTheOthersLeft(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	if err := a.engine.SetSetting(t.Context(), pieces.KeyBudgetUSD, "4"); err != nil {
		t.Fatal(err)
	}
	id, first := a.toRunOf(`{"agents":[{"key":"a","name":"A","brief":"Do it.","dependsOn":[]},{"key":"b","name":"B","brief":"Do it.","dependsOn":[]}]}`)
	second := a.next()
	if first.launch.BudgetUSD != 2 || second.launch.BudgetUSD != 2 {
		t.Errorf("the agents may cost %v and %v of 4", first.launch.BudgetUSD, second.launch.BudgetUSD)
	}
	over := func(cost float64) pieces.SessionEvent {
		return pieces.SessionEvent{Turn: &pieces.TurnEnd{Failure: pieces.FailureBudget, Error: "budget", CostUSD: cost}}
	}
	first.emit(over(2))
	again := a.next()
	if !again.launch.Resume || again.launch.SessionID != first.launch.SessionID || again.launch.BudgetUSD != 1 {
		t.Errorf("it goes on with %+v", again.launch)
	}
	again.emit(over(3.7)) // of the whole session
	s := a.until(id, "the end of the share", func(s pieces.Snapshot) bool { return s.Piece.Activity == pieces.Pausing })
	for _, task := range s.Tasks {
		if task.SessionID == first.launch.SessionID && task.State != pieces.TaskInterrupted {
			t.Errorf("the agent is %s", task.State)
		}
	}
	if s.Piece.Pause != pieces.PauseBudgetReached {
		t.Errorf("paused for %q", s.Piece.Pause)
	}
}

func TestABudgetThatIsOverBeforeItBeginsStartsNoAgentOverAndOver(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	if err := a.engine.SetSetting(t.Context(), pieces.KeyBudgetUSD, "4"); err != nil {
		t.Fatal(err)
	}
	id, run := a.toRun()
	run.emit(pieces.SessionEvent{Turn: &pieces.TurnEnd{Failure: pieces.FailureBudget, Error: "budget"}})
	s := a.untilGate(id, pieces.GateBudgetReached)
	if s.Tasks[0].Attempts != 1 || s.Tasks[0].State != pieces.TaskInterrupted {
		t.Errorf("the agent is %+v", s.Tasks[0])
	}
}
