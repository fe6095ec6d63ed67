package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
)

func TestButtonIsPressedByClickEnterAndSpace(t *testing.T) {
	presses := 0
	b := NewButton("start", "Start 4 agents", Primary, func() { presses++ })
	w := show(t, b, 300, 80)
	test.Tap(b)
	if presses != 1 {
		t.Fatalf("%d presses after a click, want 1", presses)
	}
	w.Canvas().Focus(b)
	press(w, fyne.KeyReturn, fyne.KeyEnter, fyne.KeySpace, fyne.KeyA)
	if presses != 4 {
		t.Errorf("%d presses after Return, Enter, Space and A, want 4", presses)
	}
}

func TestDisabledButtonSaysWhyAndTakesNoPress(t *testing.T) {
	presses := 0
	b := NewButton("pr", "Open pull request", Primary, func() { presses++ })
	w := show(t, b, 500, 80)
	before := b.MinSize().Width
	b.DisableFor("no remote is set")
	test.Tap(b)
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	test.FocusNext(w.Canvas())
	if presses != 0 || w.Canvas().Focused() != nil {
		t.Errorf("%d presses, focused %v, want none", presses, w.Canvas().Focused())
	}
	if b.Reason() != "no remote is set" || b.MinSize().Width <= before {
		t.Errorf("reason %q at width %v, want it to be shown", b.Reason(), b.MinSize().Width)
	}
	b.Enable()
	test.Tap(b)
	if presses != 1 || b.Reason() != "" || b.MinSize().Width != before {
		t.Errorf("%d presses, reason %q after Enable, want 1 and none", presses, b.Reason())
	}
}

func TestFocusRingIsShownOnTheFocusedButtonAlone(t *testing.T) {
	one, two := NewButton("one", "One", Normal, nil), NewButton("two", "Two", Normal, nil)
	w := show(t, Line(Together, one, two), 300, 80)
	test.FocusNext(w.Canvas())
	if one.ring.Hidden || !two.ring.Hidden {
		t.Error("want the ring on the first button alone")
	}
	test.FocusNext(w.Canvas())
	if !one.ring.Hidden || two.ring.Hidden {
		t.Error("want the ring on the second button alone")
	}
}

func TestButtonPicture(t *testing.T) {
	capture(t, "button", 640, 230, func() fyne.CanvasObject {
		focused, focusedToo := NewButton("b", "Open pull request", Primary, nil), NewButton("c", "Focused", Normal, nil)
		focused.FocusGained()
		focusedToo.FocusGained()
		hovered := NewButton("h", "Pointed at", Normal, nil)
		hovered.MouseIn(nil)
		off := NewButton("d", "Start 4 agents", Primary, nil)
		off.DisableFor("the strategy is not approved yet")
		quiet := NewButton("q", "Show details", Quiet, nil)
		quietOver := NewButton("q", "Hide details", Quiet, nil)
		quietOver.MouseIn(nil)
		return Column(Groups,
			Line(Together, NewButton("a", "Start 4 agents", Primary, nil), NewButton("n", "Edit strategy", Normal, nil), NewButton("x", "Discard piece", Destructive, nil)),
			Line(Groups, focused, focusedToo, hovered),
			off,
			Line(Together, quiet, quietOver, NewButton("i", "Settings", Normal, nil).WithIcon(theme.SettingsIcon()), NewButton("j", "", Normal, nil).WithIcon(theme.SearchIcon())),
		)
	}, shows(ColorAccent, ColorFailed))
}
