package project_test

import (
	"slices"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

// filled puts words into a field as if they were typed over what stands there.
func (w *window) filled(name, words string) {
	w.Helper()
	w.sees(name)
	o, _ := stage.Find(w.Window, name)
	e, ok := o.(*kit.Entry)
	if !ok {
		w.Fatalf("%q is no entry", name)
	}
	e.SetText(words)
	w.Drain()
}

func (w *window) text(name string) string {
	w.Helper()
	w.sees(name)
	o, _ := stage.Find(w.Window, name)
	return o.(*kit.Entry).Text
}

func TestOneAgentIsSteeredFromItsRow(t *testing.T) {
	e := usual()
	at := slot(e, "failed")
	e.list[at].Piece.WorkReview = pieces.WorkReviewFailed
	e.list[at].Tasks[1].BriefChanged, e.list[at].Tasks[1].BriefBy = true, pieces.ByClient
	w := opened(t, e, "failed")
	w.click("tab:agents")
	w.Until("the changed brief is told", func() bool { return shows(w, "Brief changed over MCP. The agent starts fresh on it.") })
	for _, name := range []string{"editTaskBrief:t1", "resumeTask:t1", "resumeTask:t3"} {
		if stage.Has(w.Window, name) {
			t.Errorf("%s is offered", name)
		}
	}

	w.click("editTaskBrief:t2")
	if got, want := w.text("say:text"), e.list[at].Tasks[1].Brief; got != want {
		t.Errorf("the brief starts as %q", got)
	}
	w.filled("say:text", " ")
	w.click("say:send")
	w.Until("the empty brief is refused", func() bool { return shows(w, "A brief can't be empty.") })
	w.filled("say:text", "Store them beside the note.")
	w.click("say:send")
	want := engine.Request{PieceID: "failed", Action: pieces.EditTaskBrief, By: pieces.ByPerson, TaskID: "t2", Prompt: "Store them beside the note."}
	if r := w.acted(); !same(r, want) {
		t.Errorf("the engine was asked for %+v", r)
	}

	w.click("messageTask:t2")
	w.filled("say:text", "Try again.")
	w.click("say:send")
	want = engine.Request{PieceID: "failed", Action: pieces.MessageTask, By: pieces.ByPerson, TaskID: "t2", Text: "Try again."}
	if r := w.acted(); !same(r, want) {
		t.Errorf("the engine was asked for %+v", r)
	}

	w.click("resumeTask:t2")
	w.filled("say:text", "")
	w.click("say:send")
	want = engine.Request{PieceID: "failed", Action: pieces.ResumeTask, By: pieces.ByPerson, TaskID: "t2"}
	if r := w.acted(); !same(r, want) {
		t.Errorf("the engine was asked for %+v", r)
	}
}

func same(a, b engine.Request) bool {
	return a.PieceID == b.PieceID && a.Action == b.Action && a.By == b.By && a.TaskID == b.TaskID &&
		a.Prompt == b.Prompt && a.Text == b.Text && a.Guidance == b.Guidance && a.Lane == b.Lane
}

// slot is where the piece of an id stands in the fake's list.
func slot(e *fakeEngine, id string) int {
	for i, s := range e.list {
		if s.Piece.ID == id {
			return i
		}
	}
	panic("no piece " + id)
}

func TestChangesAreRequestedInWords(t *testing.T) {
	w := opened(t, usual(), "review")
	w.click("action:requestChanges")
	w.click("say:send")
	w.Until("silence is refused", func() bool { return shows(w, "Say what should change.") })
	w.filled("say:text", "Use semicolons.")
	w.click("say:send")
	want := engine.Request{PieceID: "review", Action: pieces.RequestChanges, By: pieces.ByPerson, Text: "Use semicolons."}
	if r := w.acted(); !same(r, want) {
		t.Errorf("the engine was asked for %+v", r)
	}
}

func TestTheLaneIsChosenWithWhatItDoes(t *testing.T) {
	w := opened(t, usual(), "spec")
	w.click("action:setLane")
	w.sees("lane:choice")
	o, _ := stage.Find(w.Window, "lane:choice")
	choose := o.(*kit.Select)
	if choose.Selected != "Manual" {
		t.Errorf("%q is chosen first", choose.Selected)
	}
	choose.SetSelected("Loop")
	w.Until("the effect is told", func() bool { return shows(w, "The project's Loop runs the piece while it is playing.") })
	w.click("lane:set")
	want := engine.Request{PieceID: "spec", Action: pieces.SetLane, By: pieces.ByPerson, Lane: pieces.LaneLoop}
	if r := w.acted(); !same(r, want) {
		t.Errorf("the engine was asked for %+v", r)
	}
}

func TestARunThatALimitParkedSaysWhenItGoesOnAndCanBeKeptFromIt(t *testing.T) {
	e := usual()
	p := &e.list[slot(e, "failed")].Piece
	p.Activity, p.Pause, p.Config.ResumeAfterLimit, p.LimitEnds = pieces.Paused, pieces.PauseLimitReached, true, noon.Add(3*time.Hour)
	w := opened(t, e, "failed")
	w.Until("the time is told", func() bool {
		return shows(w, "A usage limit stopped the run. It goes on by itself at "+kit.Exact(noon.Add(3*time.Hour))+".")
	})
	w.click("action:resumeAfterLimit")
	w.Until("the switch is off", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return !p.Config.ResumeAfterLimit
	})
	w.Until("it can be switched on again", func() bool {
		return stage.Has(w.Window, "action:resumeAfterLimit") && w.label("action:resumeAfterLimit") == "Go on by itself then"
	})
}

func TestAUsedUpBudgetIsRaised(t *testing.T) {
	e := usual()
	p := &e.list[slot(e, "failed")].Piece
	p.Activity, p.Pause, p.Config.BudgetUSD = pieces.Paused, pieces.PauseBudgetReached, 1
	w := opened(t, e, "failed")
	w.click("action:budget")
	w.filled("budget:usd", "much")
	w.click("budget:set")
	w.Until("words are refused", func() bool { return shows(w, "That is no amount from 0 to 1000000.") })
	w.filled("budget:usd", "4.5")
	w.click("budget:set")
	w.Until("the budget is raised", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return p.Config.BudgetUSD == 4.5
	})
}

func TestABriefOfThePlanIsRewrittenBeforeItStarts(t *testing.T) {
	w := opened(t, usual(), "planned")
	w.click("tab:agents")
	w.sees("editTaskBrief:t1")
	if stage.Has(w.Window, "messageTask:t1") {
		t.Error("a message to an agent that has not started is offered")
	}
	w.click("editTaskBrief:t1")
	w.filled("say:text", "Three attempts will do.")
	w.click("say:send")
	w.logged("brief planned t1 Three attempts will do.")
}

func TestAnAgentIsTalkedToInItsOwnSession(t *testing.T) {
	e := usual()
	e.list[3].Prompts = nil
	w := opened(t, e, "running")
	w.click("tab:sessions")
	w.click("session:s3")
	w.sees("session:message")
	if !w.disabled("session:send") || !shows(w, "send the message once its turn ended") && !shows(w, "still setting up") {
		t.Error("an agent that works takes a message, or it is not said why it takes none")
	}
	w.click("session:s0")
	w.Until("an interview has no box", func() bool { return !stage.Has(w.Window, "session:message") })
	w.click("session:s3")
	w.sees("session:message")
	w.Type(w.Window, "session:message", "Keep the old address too.")
	e.change(func() {
		for i := range e.list {
			if s := &e.list[i]; s.Piece.ID == "running" {
				s.Tasks = slices.Clone(s.Tasks)
				for n := range s.Tasks {
					if s.Tasks[n].SessionID == "s3" {
						s.Tasks[n].State = pieces.TaskFailed
					}
				}
			}
		}
		e.refuse = &engine.Refusal{Sentence: pieces.Say("The piece moved meanwhile.")}
	})
	w.Until("it can be sent", func() bool { return !w.disabled("session:send") })
	w.Keep(w.Window, "session-message")
	w.click("session:send")
	w.Until("what was refused stays", func() bool {
		return shows(w, "The piece moved meanwhile.") && w.text("session:message") == "Keep the old address too."
	})
	e.change(func() { e.refuse = nil })
	w.click("session:send")
	w.Until("it was sent", func() bool { return w.text("session:message") == "" })
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.acts[len(e.acts)-1]; r.Action != pieces.MessageTask || r.Text != "Keep the old address too." || r.TaskID != "t3" || r.By != pieces.ByPerson {
		t.Errorf("asked was %+v", r)
	}
}

func TestTheStrategyIsWrittenAgainWithWhatToChange(t *testing.T) {
	e := usual()
	e.list = append(e.list, piece("planned-out", "Quiet hours", pieces.PhaseStrategy, pieces.Idle))
	w := opened(t, e, "planned-out")
	for _, words := range []string{"Touch fewer files.", ""} {
		w.click("action:generateStrategy")
		if !shows(w, "What should change?") {
			t.Fatal("the sheet does not ask what should change")
		}
		w.filled("say:text", words)
		w.click("say:send")
		want := engine.Request{PieceID: "planned-out", Action: pieces.GenerateStrategy, By: pieces.ByPerson, Prompt: words}
		if r := w.acted(); !same(r, want) {
			t.Errorf("the engine was asked for %+v", r)
		}
	}
}
