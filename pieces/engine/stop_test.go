package engine_test

import (
	"strings"
	"testing"

	"fermata/pieces"
)

func TestAStopThatLeavesAProcessNamesItAndIsTriedAgain(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, _ := a.toRun()
	a.agents.left = []pieces.LeftProcess{{PID: 4711, Command: "stuck-server"}}
	s := a.act(id, pieces.StopAgents).Piece
	if s.Gate() != pieces.GateStopFailed || !strings.Contains(s.Piece.Failure, "stuck-server (process 4711)") {
		t.Fatalf("after the stop: %s, %q", s.Gate(), s.Piece.Failure)
	}
	if cue, ok := s.Cue(); !ok || cue.Primary != pieces.StopAgents {
		t.Errorf("the cue is %+v", cue)
	}
	a.refusesAction(id, pieces.ResumeAgents, "not legal now")
	s = a.act(id, pieces.StopAgents).Piece
	if s.Gate() != pieces.GateStopFailed {
		t.Errorf("tried again: %s", s.Gate())
	}
	a.agents.left = nil
	s = a.act(id, pieces.StopAgents).Piece
	if s.Gate() != pieces.GatePaused || s.Piece.Failure != "" || s.Tasks[0].State != pieces.TaskCancelled {
		t.Errorf("once it is gone: %s, %q, %s", s.Gate(), s.Piece.Failure, s.Tasks[0].State)
	}
	a.act(id, pieces.ResumeAgents)
	a.next()
}

func TestAFeedbackSessionThatLeavesAProcessNamesIt(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	s := a.toMerge()
	a.changes(s, "half.txt")
	a.agents.left = []pieces.LeftProcess{{PID: 4711, Command: "stuck-server"}}
	s, err := a.engine.StopChanges(t.Context(), s.Piece.ID, pieces.ByPerson)
	if err == nil || !strings.Contains(err.Error(), "stuck-server (process 4711)") {
		t.Errorf("stop: %v", err)
	}
	if s.Piece.Activity != pieces.Idle || !strings.Contains(s.Trouble(), "stuck-server (process 4711)") || !strings.Contains(s.Trouble(), "it was stopped") {
		t.Errorf("the piece is %s and says %q", s.Piece.Activity, s.Trouble())
	}
}
