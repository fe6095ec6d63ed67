package project_test

import (
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

// interviewing is a piece whose spec waits for answers, in the second round.
func interviewing() pieces.Snapshot {
	s := piece("asking", "Retry uploads", pieces.PhaseSpec, pieces.Idle)
	s.Piece.Config.Depth = pieces.DepthBalanced
	first := pieces.Question{Text: "Is the upload resumable on the server?"}
	s.Piece.Interview = pieces.Interview{SessionID: "s0"}.Ask([]pieces.Question{first}, noon.Add(-9*time.Minute)).
		Say("Yes, by ranges.", noon.Add(-8*time.Minute)).
		Ask([]pieces.Question{
			{
				Text: "Where do the tries belong?", Why: "The client knows the network, the server the load.",
				Options: []pieces.QuestionOption{{Label: "In the client", Description: "Where uploads start"}, {Label: "In the server"}},
			},
			{Text: "How often is an upload tried again?", Why: "It decides how long a person waits for the error."},
		}, noon.Add(-7*time.Minute))
	return s
}

func TestInterviewIsAnsweredByOptionAndWords(t *testing.T) {
	e := usual()
	e.list = append(e.list, interviewing())
	e.after = func(r engine.Request) {
		p := &e.list[len(e.list)-1].Piece
		p.Activity, p.Interview = pieces.Interviewing, p.Interview.Say(r.Prompt, noon)
	}
	w := opened(t, e, "asking")
	w.sees("interview:send")
	for _, words := range []string{"Round 2 of at most 3", "Is the upload resumable on the server?", "Yes, by ranges.", "The client knows the network, the server the load."} {
		if !shows(w, words) {
			t.Errorf("%q is not shown", words)
		}
	}
	if stage.Has(w.Window, "action:interviewMessage") || stage.Has(w.Window, "action:approveSpec") {
		t.Error("the gate offers what the questions are there for")
	}
	w.click("interview:send")
	w.Drain()
	if len(e.acts) != 0 || !shows(w, "Answer at least one question, or move on without answering.") {
		t.Errorf("an empty answer was sent: %+v", e.acts)
	}
	w.click("interview:option:0")
	w.click("interview:send")
	want := "Where do the tries belong?\nIn the client\n\nHow often is an upload tried again?\n(no answer: decide this yourself)"
	if r := w.acted(); r.Action != pieces.InterviewMessage || r.Prompt != want || r.By != pieces.ByPerson || r.PieceID != "asking" {
		t.Errorf("the engine was asked for %+v", r)
	}
	w.Until("the questions are gone and the talk stands below the spec", func() bool {
		return !stage.Has(w.Window, "interview:send") && shows(w, want)
	})
}

func TestInterviewIsLeftWithoutAnAnswer(t *testing.T) {
	e := usual()
	e.list = append(e.list, interviewing())
	w := opened(t, e, "asking")
	w.click("interview:moveOn")
	if r := w.acted(); r.Action != pieces.InterviewMessage || r.Prompt != "" {
		t.Errorf("the engine was asked for %+v", r)
	}
}

func TestTypedInterviewAnswerOutlivesAReadingAndARefusal(t *testing.T) {
	e := usual()
	e.list = append(e.list, interviewing())
	e.refuse = &engine.Refusal{Sentence: pieces.Say("Not now.")}
	w := opened(t, e, "asking")
	w.sees("interview:answer:1")
	w.Type(w.Window, "interview:answer:1", "Three times")
	e.change(func() { e.list[len(e.list)-1].Piece.Name = "Renamed" })
	w.Until("the new name is shown", func() bool { return shows(w, "Renamed") })
	w.click("interview:send")
	w.acted()
	w.Until("the refusal is shown", func() bool { return shows(w, "Not now.") })
	o, _ := stage.Find(w.Window, "interview:answer:1")
	if got := o.(*kit.Entry).Text; got != "Three times" {
		t.Errorf("the answer became %q", got)
	}
	w.click("interview:send")
	w.acted()
}
