package kit

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

const longPath = "/home/someone/projects/fermata/pieces/engine/recovery_test.go"

func TestCopyableCopiesTheWholeTextByClickAndEnter(t *testing.T) {
	c := NewCopyable("path", longPath)
	w := show(t, Column(0, c), 260, 80)
	if !strings.Contains(c.Shown(), ellipsis) || !strings.HasSuffix(c.Shown(), "_test.go") {
		t.Errorf("shown %q, want it cut in the middle", c.Shown())
	}
	test.Tap(c)
	if got := fyne.CurrentApp().Clipboard().Content(); got != longPath || !c.Copied() {
		t.Errorf("clipboard %q, marked %v, want the whole path", got, c.Copied())
	}
	c.MouseOut()
	fyne.CurrentApp().Clipboard().SetContent("")
	w.Canvas().Focus(c)
	press(w, fyne.KeyReturn)
	if got := fyne.CurrentApp().Clipboard().Content(); got != longPath {
		t.Errorf("clipboard %q after Enter, want the whole path", got)
	}
	test.FocusNext(w.Canvas())
	w.Canvas().Unfocus()
	if c.Copied() {
		t.Error("the mark stayed after the focus left")
	}
}

func TestTipShowsWhatWasCutAndGoes(t *testing.T) {
	c := NewCopyable("path", longPath)
	w := show(t, Column(0, c), 320, 120)
	tips := w.Content().(*Tips)
	x, y, _, h := Rect(c)
	test.MoveMouse(w.Canvas(), fyne.NewPos(x+5, y+h/2))
	if tips.Text() != longPath {
		t.Errorf("tip %q, want the whole path", tips.Text())
	}
	if right := tips.bubble.Position().X + tips.bubble.Size().Width; right > tips.Size().Width {
		t.Errorf("the tip ends at %v, outside of the window", right)
	}
	test.MoveMouse(w.Canvas(), fyne.NewPos(1, 119))
	if tips.Text() != "" {
		t.Errorf("tip %q after the pointer left, want none", tips.Text())
	}
}

func TestHintShowsItsNoteUnderThePointer(t *testing.T) {
	h := NewHint(Caption("3 min"), "1 May 2026, 12:00:00")
	w := show(t, Line(0, h), 320, 120)
	x, y, wide, high := Rect(h)
	test.MoveMouse(w.Canvas(), fyne.NewPos(x+wide/2, y+high/2))
	if got := w.Content().(*Tips).Text(); got != "1 May 2026, 12:00:00" {
		t.Errorf("tip %q, want the exact time", got)
	}
	test.MoveMouse(w.Canvas(), fyne.NewPos(300, 100))
	if got := w.Content().(*Tips).Text(); got != "" {
		t.Errorf("tip %q after the pointer left, want none", got)
	}
}

func TestTipTakesNoTaps(t *testing.T) {
	pressed := false
	c := NewCopyable("path", longPath)
	below := NewButton("below", "Below the tip", Normal, func() { pressed = true })
	w := show(t, Column(Step, c, below), 320, 120)
	c.MouseIn(nil)
	x, y, wide, h := Rect(below)
	test.TapCanvas(w.Canvas(), fyne.NewPos(x+wide/2, y+h/2))
	if !pressed {
		t.Error("the tip took the tap")
	}
}

func TestCopyablePicture(t *testing.T) {
	capture(t, "copyable", 420, 150, func() fyne.CanvasObject {
		copied, focused := NewCopyable("b", "piece/7-login-form"), NewCopyable("c", longPath)
		copied.Tapped(nil)
		focused.FocusGained()
		return Column(Groups, NewCopyable("a", longPath), copied, focused)
	}, shows(ColorText, ColorAccent))
}

func TestTipPicture(t *testing.T) {
	for word, variant := range map[string]fyne.ThemeVariant{"light": 1, "dark": 0} {
		newScreen(t, variant)
		c := NewCopyable("a", longPath)
		w := open(t, Column(Groups, c, Body("What lies below")), 300, 120)
		c.MouseIn(nil)
		keep(t, "tip-"+word, w.Canvas().Capture())
	}
}
