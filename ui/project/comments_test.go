package project_test

import (
	"errors"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

// onLine clicks the row of the diff that shows some text.
func (w *window) onLine(text string) {
	w.Helper()
	w.Until("the diff shows "+text, func() bool {
		o, ok := stage.Find(w.Window, "diff")
		return ok && strings.Contains(o.(*kit.Diff).Text(), text)
	})
	stage.Settle(w.Window)
	o, _ := stage.Find(w.Window, "diff")
	d := o.(*kit.Diff)
	for row, line := range strings.Split(d.Text(), "\n") {
		if strings.Contains(line, text) {
			d.Tapped(&fyne.PointEvent{Position: d.PositionForCursorLocation(row, 1).AddXY(1, 1)})
			return
		}
	}
}

func (w *window) comments(on, words string) {
	w.Helper()
	w.onLine(on)
	w.filled("comment:text", words)
	w.click("comment:keep")
}

func TestCommentsOnLinesGoToTheAgentAsOneMessage(t *testing.T) {
	w := opened(t, usual(), "review")
	w.comments("out := csv.NewWriter", "Use semicolons.")
	w.click("file:web/list.html")
	w.comments("<h1>Notes</h1> <a", "Say what the file is.")
	w.comments("-  <h1>Notes</h1>", "Why was this alone?")
	w.click("file:internal/export/csv.go")
	if o, _ := stage.Find(w.Window, "diff"); !strings.Contains(o.(*kit.Diff).Text(), "●") {
		t.Error("a line that was commented on is not marked")
	}
	if got := w.label("sendComments"); got != "Send 3 comments" {
		t.Errorf("the button says %q", got)
	}

	w.engine.change(func() {
		w.engine.refuse = &engine.Refusal{Sentence: pieces.Say("The worktree is gone."), Cause: errors.New("x")}
	})
	w.click("sendComments")
	text := `Comments on the diff:

internal/export/csv.go:5
> 	out := csv.NewWriter(w)
Use semicolons.

web/list.html:11
>   <h1>Notes</h1> <a href="/export.csv">Export</a>
Say what the file is.

web/list.html:11 (before the change)
>   <h1>Notes</h1>
Why was this alone?`
	if got := w.text("send:text"); got != text {
		t.Errorf("the message is\n%s", got)
	}
	w.filled("send:text", text+"\n\nThanks.")
	w.click("send:ok")
	w.acted()
	w.Until("the refusal is shown", func() bool { return shows(w, "The worktree is gone.") })
	if got := w.label("sendComments"); got != "Send 3 comments" {
		t.Errorf("after a refusal the button says %q", got)
	}

	w.engine.change(func() { w.engine.refuse = nil })
	w.click("sendComments")
	if got := w.text("send:text"); got != text+"\n\nThanks." {
		t.Errorf("what was rewritten is lost: %q", got)
	}
	w.click("send:ok")
	want := engine.Request{PieceID: "review", Action: pieces.RequestChanges, By: pieces.ByPerson, Text: text + "\n\nThanks."}
	if r := w.acted(); !same(r, want) {
		t.Errorf("the engine was asked for %+v", r)
	}
	w.Until("they are gone", func() bool { return !stage.Has(w.Window, "sendComments") })
}

func TestACommentIsChangedAndRemoved(t *testing.T) {
	w := opened(t, usual(), "review")
	w.comments("out := csv.NewWriter", "Use semicolons.")
	w.click("comments")
	w.click("comment:0")
	if got := w.text("comment:text"); got != "Use semicolons." {
		t.Errorf("it starts as %q", got)
	}
	w.click("comment:remove")
	w.Until("it is gone", func() bool { return !stage.Has(w.Window, "sendComments") })
}

func TestTheDiffIsReadWithTheKeyboardAndInTwoColumns(t *testing.T) {
	w := opened(t, usual(), "review")
	w.click("file:web/list.html")
	w.click("diffMode")
	o, _ := stage.Find(w.Window, "diff")
	d := o.(*kit.Diff)
	if got := w.label("diffMode"); got != "Unified" || !strings.Contains(d.Text(), "│") {
		t.Errorf("the button says %q over\n%s", got, d.Text())
	}
	w.Canvas().Focus(d)
	stage.Press(w.Window, fyne.KeyEnd, fyne.KeyUp, fyne.KeyReturn)
	w.sees("comment:text")
	w.Until("the added line is asked about", func() bool { return shows(w, "web/list.html:11") })
}
