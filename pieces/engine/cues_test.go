package engine_test

import (
	"errors"
	"slices"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

func (w *world) cues(projectID string) engine.Cues {
	w.t.Helper()
	c, err := w.engine.Cues(w.t.Context(), projectID)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func TestACueIsSnoozedUntilItChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Story(piecestest.StoryAgents()))
	s := w.release()
	id := s.Piece.ID
	list := w.cues("")
	if len(list.Items) != 1 || list.Snoozed != 0 || len(list.Running) != 0 {
		t.Fatalf("cues %+v", list)
	}
	c := list.Items[0]
	rows, err := w.engine.History(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if c.Target != (engine.Target{Kind: engine.TargetPiece, ID: id}) || c.Reason != "specReady" || c.Label != "Spec ready" || c.Title != "Upload retry" ||
		c.ProjectID != w.id || c.ProjectName == "" || !c.Since.Equal(rows[len(rows)-1].At) || c.Primary != pieces.ApproveSpec ||
		c.Confirmable || !slices.Equal(c.Legal, s.LegalActions()) {
		t.Errorf("cue %+v", c)
	}
	var refusal *engine.Refusal
	if _, err := w.engine.Snooze(t.Context(), c.Target, "old"); !errors.As(err, &refusal) || err.Error() != "This cue changed; refresh" {
		t.Errorf("snoozed by an old fingerprint: %v", err)
	}
	if _, err := w.engine.Snooze(t.Context(), engine.Target{Kind: engine.TargetPiece, ID: "nope"}, c.Fingerprint); err == nil || err.Error() != "Unknown pieceId" {
		t.Errorf("snoozed what is not there: %v", err)
	}
	if n, err := w.engine.Snooze(t.Context(), c.Target, c.Fingerprint); err != nil || n != 1 {
		t.Errorf("snoozed %d, %v", n, err)
	}
	if list = w.cues(w.id); len(list.Items) != 0 || list.Snoozed != 1 {
		t.Errorf("snoozed: %+v", list)
	}
	w.act(id, pieces.ApproveSpec)
	w.untilGate(id, pieces.GateStrategyReady)
	if list = w.cues(""); len(list.Items) != 1 || list.Snoozed != 0 || list.Items[0].Reason != "strategyReady" || list.Items[0].Fingerprint == c.Fingerprint {
		t.Errorf("after the change: %+v", list)
	}
	if _, err := w.engine.Snooze(t.Context(), list.Items[0].Target, list.Items[0].Fingerprint); err != nil {
		t.Fatal(err)
	}
	w.close()
	w.open()
	if list = w.cues(""); len(list.Items) != 1 || list.Snoozed != 0 {
		t.Errorf("a snooze outlived the quit: %+v", list)
	}
}

func TestAnAgentsQuestionIsACueOfItsOwnAge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, one(func(a *piecestest.StoryAgent) { a.Asks = "touch asked.txt" }))
	s := w.toPlan()
	w.act(s.Piece.ID, pieces.StartExecution)
	s = w.untilGate(s.Piece.ID, pieces.GateAgentWaiting)
	list := w.cues("")
	if len(list.Items) != 1 || list.Items[0].Reason != "agentWaiting" || !list.Items[0].Since.Equal(s.Prompts[0].At) || list.Items[0].Primary != "" {
		t.Fatalf("cues %+v", list)
	}
	if len(list.Running) != 1 || list.Running[0].PieceID != s.Piece.ID || !list.Running[0].Agents {
		t.Errorf("running %+v", list.Running)
	}
	if other := w.cues("another project"); len(other.Items)+len(other.Running) != 0 {
		t.Errorf("another project's cues: %+v", other)
	}
	if err := w.engine.AnswerPrompt(t.Context(), s.Prompts[0].ID, pieces.PromptAnswer{Allow: true}); err != nil {
		t.Fatal(err)
	}
	w.untilGate(s.Piece.ID, pieces.GateReviewWork)
	list = w.cues("")
	if len(list.Items) != 1 || list.Items[0].Group != pieces.ReadyForReview || !list.Items[0].Confirmable || list.Items[0].Primary != pieces.ApproveTask {
		t.Errorf("cues %+v", list)
	}
}

func TestRunningLineSaysWhereWorkGoesOn(t *testing.T) {
	t.Parallel()
	in := func(project string, agents bool) engine.Running {
		return engine.Running{ProjectName: project, Agents: agents}
	}
	for want, list := range map[string][]engine.Running{
		"":                                     nil,
		"2 running in muse":                    {in("muse", true), in("muse", true)},
		"1 advancing":                          {in("", false)},
		"1 running, 2 advancing in 3 projects": {in("a", true), in("b", false), in("c", false)},
		"2 running in a and b":                 {in("a", true), in("b", true)},
	} {
		if got := engine.RunningLine(list); got != want {
			t.Errorf("%+v: %q, want %q", list, got, want)
		}
	}
}
