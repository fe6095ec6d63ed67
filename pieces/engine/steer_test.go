package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// with returns a script whose named rule is another.
func with(script piecestest.Script, name string, replies ...piecestest.Reply) piecestest.Script {
	script = slices.Clone(script)
	for i := range script {
		if script[i].Name == name {
			script[i].Replies = replies
		}
	}
	return script
}

func handoff(words string) piecestest.Reply {
	return piecestest.Structured(map[string]any{"changed": words, "decisions": []string{}, "openPoints": []string{}, "files": []string{}})
}

// failedReview is the answer of a work review that fails the agents of the given numbers.
func failedReview(finding string, agents ...int) piecestest.Reply {
	var list []map[string]any
	for _, n := range agents {
		list = append(list, map[string]any{"agent": n, "finding": finding})
	}
	return piecestest.Structured(map[string]any{"verdict": "fail", "criteria": []any{}, "failedAgents": list, "summary": "s", "learnings": "l"})
}

// refused tries an action that has to be refused with the words, and that changes nothing.
func (w *world) refused(id string, r engine.Request, words string) {
	w.t.Helper()
	before, err := w.engine.Piece(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	r.PieceID, r.By = id, pieces.ByClient
	_, err = w.engine.Act(w.t.Context(), r)
	if refusal := (*engine.Refusal)(nil); !errors.As(err, &refusal) || !strings.Contains(err.Error(), words) {
		w.t.Errorf("%s: %v, want a refusal that says %q", r.Action, err, words)
	}
	after, err := w.engine.Piece(w.t.Context(), id)
	if err != nil || after.HistoryID != before.HistoryID || after.State() != before.State() {
		w.t.Errorf("%s was refused and moved the piece from %v to %v (%v)", r.Action, before.State(), after.State(), err)
	}
}

func task(id string) func(*engine.Request) { return func(r *engine.Request) { r.TaskID = id } }

func TestAnAgentWhoseBriefChangedStartsFresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t, with(one(nil), "only", piecestest.Fail(400, "broken on purpose")))
	s := w.toPlan()
	id := s.Piece.ID
	w.act(id, pieces.StartExecution)
	s = w.untilGate(id, pieces.GateAgentsFailed)
	agent, review := s.Tasks[0], s.Tasks[1]
	w.refused(id, engine.Request{Action: pieces.EditTaskBrief, TaskID: review.ID, Prompt: "x"}, "review step")
	w.refused(id, engine.Request{Action: pieces.EditTaskBrief, TaskID: "ghost", Prompt: "x"}, "Unknown taskId")

	effect, err := w.engine.Effect(t.Context(), engine.Request{PieceID: id, Action: pieces.EditTaskBrief, TaskID: agent.ID, Prompt: " Write another file. "})
	if want := (pieces.Writing{Name: "Brief", Before: agent.Brief, After: "Write another file."}); err != nil || effect.Writing == nil || *effect.Writing != want {
		t.Errorf("the effect's writing is %+v (%v), want %+v", effect.Writing, err, want)
	}
	res := w.act(id, pieces.EditTaskBrief, task(agent.ID), func(r *engine.Request) { r.Prompt = "Write another file." })
	got := res.Piece.Tasks[0]
	if res.Next != "retryFailedAgents" || res.Message == "" || res.Piece.State() != s.State() {
		t.Errorf("next %q, message %q, at %v", res.Next, res.Message, res.Piece.State())
	}
	if got.Brief != "Write another file." || !got.BriefChanged || got.BriefBy != pieces.ByClient || got.State != pieces.TaskFailed || got.Attempts != 1 {
		t.Errorf("the agent is %+v", got)
	}
	w.model.SetScript(one(nil))
	w.act(id, pieces.RetryFailedAgents, func(r *engine.Request) { r.Guidance = "Mind the tests." })
	s = w.untilGate(id, pieces.GateReviewWork)
	if got = s.Tasks[0]; got.SessionID == agent.SessionID || got.BriefChanged || got.BriefBy != "" || got.Attempts != 2 {
		t.Errorf("after the retry it is %+v", got)
	}
	for _, r := range w.model.Requests() {
		if r.SessionID == got.SessionID {
			if words := r.LastWords(); !strings.Contains(words, "Write another file.") || !strings.Contains(words, "Mind the tests.") {
				t.Errorf("the fresh session was told %q", words)
			}
			return
		}
	}
	t.Error("no fresh session asked the model")
}

func TestAMessageRunsAFailedAgentInItsOwnSession(t *testing.T) {
	t.Parallel()
	story := piecestest.Story([]piecestest.StoryAgent{
		{Key: "first", Name: "First", File: "first.txt"}, {Key: "second", Name: "Second", File: "second.txt", After: []string{"first"}},
	})
	w := newWorld(t, with(story, "first", piecestest.Fail(400, "broken on purpose")))
	s := w.toPlan()
	id := s.Piece.ID
	w.act(id, pieces.StartExecution)
	s = w.untilGate(id, pieces.GateAgentsFailed)
	first, second := s.Tasks[0], s.Tasks[1]
	if second.State != pieces.TaskBlocked {
		t.Errorf("the second agent is %s", second.State)
	}
	w.refused(id, engine.Request{Action: pieces.MessageTask, TaskID: second.ID, Text: "x"}, "no session yet")

	hold := make(chan struct{})
	answer := handoff("Done differently")
	answer.Hold = hold
	w.model.SetScript(append(piecestest.Script{{Name: "told", Match: piecestest.Contains("Leave it out then."), Replies: []piecestest.Reply{answer}}}, story...))
	say := func(r *engine.Request) { r.Text = "Leave it out then." }
	res := w.act(id, pieces.MessageTask, task(first.ID), say)
	if got := res.Piece.Tasks[0]; got.State != pieces.TaskRunning || got.Attempts != 2 || got.Failure != "" || res.Message == "" || res.Piece.Piece.Activity != pieces.Running {
		t.Errorf("the agent is %+v, the piece %s, message %q", got, res.Piece.Piece.Activity, res.Message)
	}
	if _, err := w.model.Wait(t.Context(), piecestest.AnsweredBy("told")); err != nil {
		t.Fatal(err)
	}
	w.refused(id, engine.Request{Action: pieces.MessageTask, TaskID: first.ID, Text: "x"}, "is working")
	close(hold)
	s = w.untilGate(id, pieces.GateReviewWork)
	if got := s.Tasks[0]; got.SessionID != first.SessionID || got.State != pieces.TaskCompleted || s.Tasks[1].State != pieces.TaskCompleted {
		t.Errorf("in the end: %+v", s.Tasks)
	}
}

func TestResumeTaskMovesOneAgentAndHasTheWorkReviewedAgain(t *testing.T) {
	t.Parallel()
	story := piecestest.Story([]piecestest.StoryAgent{{Key: "one", Name: "One", File: "one.txt"}, {Key: "two", Name: "Two", File: "two.txt"}})
	w := newWorld(t, with(story, "review", failedReview("The pause does not grow.", 1, 2)))
	s := w.toPlan()
	id := s.Piece.ID
	w.refused(id, engine.Request{Action: pieces.ResumeTask, TaskID: s.Tasks[0].ID}, "not legal now")
	w.act(id, pieces.StartExecution)
	s = w.untilGate(id, pieces.GateWorkReviewFailed)
	first, second := s.Tasks[0], s.Tasks[1]

	hold := make(chan struct{})
	answer := handoff("It grows now")
	answer.Hold = hold
	w.model.SetScript(append(piecestest.Script{{Name: "again", Match: piecestest.Contains("The pause does not grow."), Replies: []piecestest.Reply{answer}}}, story...))
	res := w.act(id, pieces.ResumeTask, task(first.ID), func(r *engine.Request) { r.Guidance = "Double it each time." })
	if !res.Started || res.Message == "" || res.Piece.Tasks[1].State != pieces.TaskFailed {
		t.Errorf("started %v, message %q, the other agent %s", res.Started, res.Message, res.Piece.Tasks[1].State)
	}
	request, err := w.model.Wait(t.Context(), piecestest.AnsweredBy("again"))
	if err != nil {
		t.Fatal(err)
	}
	if words := request.LastWords(); request.SessionID != first.SessionID || !strings.Contains(words, "Double it each time.") {
		t.Errorf("the session %s was told %q", request.SessionID, words)
	}
	w.refused(id, engine.Request{Action: pieces.ResumeTask, TaskID: second.ID}, "one resume runs per piece at a time")
	close(hold)
	s = w.untilGate(id, pieces.GateReviewWork)
	if s.Tasks[1].Attempts != 1 || s.Tasks[1].State != pieces.TaskCompleted || s.Tasks[0].Attempts != 2 || s.Piece.ResumedTask != "" {
		t.Errorf("in the end: %+v", s.Tasks)
	}
}

func TestSetLaneStartsNothingAndLeavingAutoClearsPlay(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id := a.release().Piece.ID
	lane := func(l pieces.Lane) func(*engine.Request) { return func(r *engine.Request) { r.Lane = l } }
	a.refused(id, engine.Request{Action: pieces.SetLane}, "manual, auto or loop")
	for _, l := range []pieces.Lane{pieces.LaneAuto, pieces.LaneLoop, pieces.LaneManual, pieces.LaneAuto} {
		if s := a.act(id, pieces.SetLane, lane(l)).Piece; s.Piece.Config.Lane != l || s.Piece.Play || s.Gate() != pieces.GateSpecReady {
			t.Errorf("on %s: Play %v, gate %s", s.Piece.Config.Lane, s.Piece.Play, s.Gate())
		}
	}
	a.act(id, pieces.ApproveSpec, lane(pieces.LaneAuto))
	pass := a.next()
	a.refused(id, engine.Request{Action: pieces.SetLane, Lane: pieces.LaneManual}, "not legal now")
	pass.emit(pieces.SessionEvent{Turn: &pieces.TurnEnd{Failure: pieces.FailureOther, Error: "no"}})
	if s := a.untilGate(id, pieces.GateStrategyFailed); !s.Piece.Play {
		t.Error("Play is not pressed")
	}
	if s := a.act(id, pieces.SetLane, lane(pieces.LaneLoop)).Piece; s.Piece.Play {
		t.Error("Play stays pressed on the Loop's lane")
	}
	a.act(id, pieces.GenerateStrategy)
	a.next().says(`{"strategy":"Do it."}`)
	a.untilGate(id, pieces.GateStrategyReady)
}

// A message in a paused run must not wake the rest of it.
func TestAMessageLeavesAPausedRunPaused(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, run := a.toRun()
	a.act(id, pieces.PauseAgents)
	run.emit(pieces.SessionEvent{Turn: &pieces.TurnEnd{Failure: pieces.FailureOther, Error: "no"}})
	s := a.untilGate(id, pieces.GatePaused)
	agent := s.Tasks[0]
	res := a.act(id, pieces.MessageTask, task(agent.ID), func(r *engine.Request) { r.Text = "Try again." })
	if res.Next != "resumeAgents" || res.Piece.Piece.Activity != pieces.Pausing {
		t.Errorf("next %q, activity %s", res.Next, res.Piece.Piece.Activity)
	}
	turn := a.next()
	if !turn.launch.Resume || turn.launch.SessionID != agent.SessionID {
		t.Errorf("launched %+v", turn.launch)
	}
	turn.says(`{"changed":"x"}`)
	s = a.untilGate(id, pieces.GatePaused)
	if s.Tasks[0].State != pieces.TaskCompleted || s.Tasks[1].State != pieces.TaskPending || s.Piece.Pause != pieces.PauseByPerson {
		t.Errorf("tasks %+v, pause %s", s.Tasks, s.Piece.Pause)
	}
	a.refused(id, engine.Request{Action: pieces.EditTaskBrief, TaskID: agent.ID, Prompt: "x"}, "is finished")
}

// inLine is a plan of two agents that work one after the other in the piece's worktree.
const inLine = `{"agents":[{"key":"a","name":"A","brief":"Do it.","dependsOn":[]},{"key":"b","name":"B","brief":"Go on.","dependsOn":["a"]}]}`

func TestTwoAgentsNeverWorkInOneWorktree(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, first := a.toRunOf(inLine)
	first.says(`{"changed":"x"}`)
	second := a.next()
	s, err := a.engine.Piece(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	a.refused(id, engine.Request{Action: pieces.MessageTask, TaskID: s.Tasks[0].ID, Text: "x"}, `"B" works in the same worktree`)
	second.emit(pieces.SessionEvent{Turn: &pieces.TurnEnd{Failure: pieces.FailureOther, Error: "no"}})
	a.untilGate(id, pieces.GateAgentsFailed)
	a.act(id, pieces.MessageTask, task(s.Tasks[0].ID), func(r *engine.Request) { r.Text = "One more thing." })
	if turn := a.next(); !turn.launch.Resume || turn.launch.SessionID != s.Tasks[0].SessionID || !strings.Contains(turn.launch.Prompt, "One more thing.") {
		t.Errorf("launched %+v", turn.launch)
	}
}

func TestAResumedAgentIsTheOnlyOneThatMovesAfterARestartToo(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, run := a.toRunOf(inLine)
	run.says(`{"changed":"x"}`)
	a.next().says(`{"changed":"y"}`)
	a.next().says(`{"verdict":"fail","criteria":[],"failedAgents":[{"agent":1,"finding":"one"},{"agent":2,"finding":"two"}],"summary":"s","learnings":"l"}`)
	s := a.untilGate(id, pieces.GateWorkReviewFailed)
	a.act(id, pieces.ResumeTask, task(s.Tasks[1].ID))
	if turn := a.next(); !turn.launch.Resume || !strings.Contains(turn.launch.Prompt, "two") || strings.Contains(turn.launch.Prompt, "one") {
		t.Errorf("launched %+v", turn.launch)
	}
	a.engine.Close()
	if err := a.engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.untilGate(id, pieces.GateInterrupted)
	a.refused(id, engine.Request{Action: pieces.ResumeTask, TaskID: s.Tasks[0].ID}, "call resumeAgents")
	a.act(id, pieces.ResumeAgents)
	turn := a.next()
	if turn.launch.SessionID != s.Tasks[1].SessionID {
		t.Errorf("launched %+v", turn.launch)
	}
	turn.says(`{"changed":"z"}`)
	a.next().says(`{"verdict":"fail","criteria":[],"failedAgents":[{"agent":1,"finding":"still"}],"summary":"s","learnings":"l"}`)
	s = a.untilGate(id, pieces.GateWorkReviewFailed)
	if s.Tasks[0].State != pieces.TaskFailed || s.Tasks[0].Failure != "still" || s.Tasks[0].Attempts != 1 || s.Tasks[1].State != pieces.TaskCompleted || s.Piece.ResumedTask != "" {
		t.Errorf("in the end: %+v", s.Tasks)
	}
	a.refused(id, engine.Request{Action: pieces.ResumeTask, TaskID: s.Tasks[1].ID}, "did not fail")
}

func TestAnAgentThatFailsWhileItIsResumedCanBeResumedAgain(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, run := a.toRun()
	run.says(`{"changed":"x"}`)
	a.next().says(`{"verdict":"fail","criteria":[],"failedAgents":[{"agent":1,"finding":"one"}],"summary":"s","learnings":"l"}`)
	agent := a.untilGate(id, pieces.GateWorkReviewFailed).Tasks[0]
	a.act(id, pieces.ResumeTask, task(agent.ID))
	a.next().emit(pieces.SessionEvent{Turn: &pieces.TurnEnd{Failure: pieces.FailureOther, Error: "no luck"}})
	if s := a.untilGate(id, pieces.GateWorkReviewFailed); s.Tasks[0].Failure != "no luck" || s.Piece.ResumedTask != "" {
		t.Errorf("after the failure: %+v", s.Tasks[0])
	}
	a.act(id, pieces.ResumeTask, task(agent.ID))
	if turn := a.next(); !strings.Contains(turn.launch.Prompt, "one") {
		t.Errorf("launched %+v", turn.launch)
	}
}

func TestABriefOfThePlanIsThePersonsUntilItStarts(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id := a.release().Piece.ID
	a.act(id, pieces.ApproveSpec)
	a.next().says(`{"strategy":"Do it."}`)
	a.untilGate(id, pieces.GateStrategyReady)
	a.act(id, pieces.ApproveStrategy)
	a.next().says(inLine)
	agent := a.untilGate(id, pieces.GatePlanReady).Tasks[0]
	a.refused(id, engine.Request{Action: pieces.EditTaskBrief, TaskID: agent.ID, Prompt: "x"}, "not legal now")
	s, err := a.engine.EditPlanBrief(t.Context(), id, agent.ID, "Another brief.")
	if err != nil || s.Tasks[0].Brief != "Another brief." || s.Tasks[0].BriefChanged || s.Gate() != pieces.GatePlanReady {
		t.Errorf("%+v, %v", s.Tasks, err)
	}
	if _, err := a.engine.EditPlanBrief(t.Context(), id, agent.ID, " "); err == nil {
		t.Error("an empty brief was taken")
	}
	a.act(id, pieces.StartExecution)
	if turn := a.next(); !strings.Contains(turn.launch.Prompt, "Another brief.") {
		t.Errorf("launched with %q", turn.launch.Prompt)
	}
	if refusal := (*engine.Refusal)(nil); !errors.As(second(a.engine.EditPlanBrief(t.Context(), id, agent.ID, "Too late.")), &refusal) {
		t.Error("the brief of a running agent was taken")
	}
}

func second(_ pieces.Snapshot, err error) error { return err }
