package project_test

import (
	"testing"

	"fermata/pieces"
	"fermata/ui/stage"
)

const codeReviewText = `{"summary":"It can be merged once quoting is right.","findings":[
	{"severity":"high","title":"A quote ends the field","file":"internal/csv/writer.go","line":41,"problem":"A note with a double quote is cut there.","suggestion":"Double it, as RFC 4180 says."},
	{"severity":"low","title":"No test of an empty note","file":"","line":0,"problem":"Nothing covers it.","suggestion":""}],
	"level":"max","costUSD":0.4,"sessionId":"r1","head":"4f1c","cut":false,"at":"2026-05-04T11:40:00Z"}`

// codeReviewed is a piece in review whose code was reviewed.
func codeReviewed() pieces.Snapshot {
	s := inReview()
	s.Piece.ID, s.Piece.Name = "codeReviewed", "Export to CSV, reviewed"
	s.Flags.CodeReview = true
	s.Piece.CodeReview = pieces.CodeReviewRun{State: pieces.CodeReviewDone, Level: "max", SessionID: "r1"}
	return s
}

func TestTheCodeReviewStandsAboveTheChanges(t *testing.T) {
	e := usual()
	e.list = append(e.list, codeReviewed())
	e.artifacts[pieces.ArtifactCodeReview] = codeReviewText
	w := opened(t, e, "codeReviewed")
	w.sees("finding:0")
	for _, words := range []string{"Code review · 2 findings", "A quote ends the field", "High · internal/csv/writer.go:41", "Double it, as RFC 4180 says.", "It can be merged once quoting is right."} {
		if !shows(w, words) {
			t.Errorf("%q is not shown", words)
		}
	}
	w.click("action:runCodeReview")
	if r := w.acted(); r.Action != pieces.RunCodeReview || r.By != pieces.ByPerson || r.Level != "" {
		t.Errorf("the engine was asked for %+v", r)
	}
	p := &e.list[len(e.list)-1].Piece
	e.change(func() { p.CodeReview.State = pieces.CodeReviewRunning })
	w.Until("it says that one runs", func() bool {
		return shows(w, "Code review is running, effort max") && shows(w, "Below is what the review before it found.") && !stage.Has(w.Window, "action:runCodeReview")
	})
	e.change(func() {
		p.CodeReview.State, p.CodeReview.Failure = pieces.CodeReviewFailed, "The usage limit is reached."
	})
	w.Until("it says why the last one failed", func() bool { return shows(w, "Code review failed") && shows(w, "The usage limit is reached.") })
	e.change(func() { e.list[len(e.list)-1].Flags.CodeReview = false })
	w.Until("it is not offered while it is off", func() bool { return !stage.Has(w.Window, "action:runCodeReview") })
}
