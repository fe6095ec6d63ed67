package project_test

import (
	"testing"

	"fyne.io/fyne/v2"

	"fermata/ui/stage"
)

// high is how high a named widget is.
func (w *window) high(name string) float32 {
	w.Helper()
	o, found := stage.Find(w.Window, name)
	if !found {
		w.Fatalf("there is no %q", name)
	}
	return o.Size().Height
}

func TestTheDiffTakesTheWholeWindowUntilEsc(t *testing.T) {
	w := openWindow(t, stage.New(t), usual(), 1280, 800)
	w.sees("card:review")
	w.project.ShowPiece("review")
	w.click("file:web/list.html")
	before, _ := stage.Find(w.Window, "diff")
	room := before.Size()
	w.click("diffWhole")
	stage.Settle(w.Window)
	if now := before.Size(); now.Width < 1200 || now.Height < 600 || now.Height <= room.Height {
		t.Errorf("the diff had %v and has %v", room, now)
	}
	if stage.Has(w.Window, "card:review") || stage.Has(w.Window, "file:web/list.html") || stage.Has(w.Window, "action:review") {
		t.Error("something takes a part of the room")
	}
	w.click("diffBefore")
	if !shows(w, "package export") {
		t.Error("the file before is not shown")
	}
	w.click("diffNext")
	w.Canvas().Unfocus()
	w.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
	w.sees("card:review")
	w.sees("file:web/list.html")
	if shows(w, "package export") {
		t.Error("after leaving, another file is shown")
	}
	w.click("diffWhole")
	w.click("tab:history")
	w.sees("action:review")
}

func TestTheGateTakesOneLineOfALowWindowAndOpensWithAPress(t *testing.T) {
	w := openWindow(t, stage.New(t), usual(), 720, 480)
	w.sees("card:planned")
	w.project.ShowPiece("review")
	w.sees("action:review")
	stage.Settle(w.Window)
	if stage.Has(w.Window, "action:markDone") || shows(w, "Read what the agents did") {
		t.Error("the gate takes more than its line")
	}
	if high := w.high("diff"); high < 60 {
		t.Errorf("the diff is %v high", high)
	}
	w.click("gate:fold")
	stage.Settle(w.Window)
	w.sees("action:markDone")
	// A failure is read without asking for it.
	w.click("gate:fold")
	w.project.ShowPiece("failed")
	w.sees("action:retryFailedAgents")
}

func TestWhatTheGateHasNoRoomForIsInItsMenu(t *testing.T) {
	w := openWindow(t, stage.New(t), usual(), 720, 480)
	w.sees("card:planned")
	w.project.ShowPiece("review")
	w.sees("action:review")
	stage.Settle(w.Window)
	w.click("actions")
	if w.Canvas().Overlays().Top() == nil {
		t.Fatal("no menu opens")
	}
	stage.Press(w.Window, fyne.KeyUp, fyne.KeyReturn) // the last line
	w.sees("confirm:ok")
	if got := w.label("confirm:ok"); got != "Mark done" {
		t.Errorf("the last line asks %q", got)
	}
}
