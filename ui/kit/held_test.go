package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
)

// slip is a press that moves a little before it is let go, at a place within the widget: within something that scrolls the
// driver takes it for a drag.
func slip(d fyne.Draggable, at fyne.Position) {
	d.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: at}, Dragged: fyne.NewDelta(3, 1)})
	d.DragEnd()
}

func TestAPressThatMovesALittleIsAClick(t *testing.T) {
	n := 0
	count := func() { n++ }
	check := NewCheck("check", "On", func(bool) { count() })
	draggable := NewPress("draggable", Body("row"), count)
	ended := 0
	draggable.OnDrag, draggable.OnDragEnd = func(*fyne.DragEvent) {}, func() { ended++ }
	all := []fyne.CanvasObject{
		NewButton("button", "Do", Normal, count), NewPress("press", Body("row"), count), check, draggable,
	}
	show(t, container.NewVScroll(container.NewVBox(all...)), 300, 200)
	for i, o := range all {
		d := o.(fyne.Draggable)
		slip(d, fyne.NewPos(4, o.Size().Height/2))
		if n != i+1 {
			t.Errorf("%s counts %d clicks", o.(Named).Name(), n-i)
			n = i + 1
		}
		slip(d, fyne.NewPos(-20, 4)) // let go beside it: the person thought better of it
		if o != draggable && n != i+1 {
			t.Errorf("%s was let go elsewhere and does it", o.(Named).Name())
			n = i + 1
		}
	}
	n = 0
	draggable.Dragged(&fyne.DragEvent{Dragged: fyne.NewDelta(20, 0)})
	draggable.DragEnd()
	if n != 0 || ended != 1 {
		t.Errorf("a card that was dragged counts %d clicks and %d drags", n, ended)
	}
}

func TestTheFocusIsBroughtIntoView(t *testing.T) {
	column := container.NewVBox()
	var names []string
	for i := range 30 {
		b := NewButton(string(rune('a'+i)), "Do", Normal, nil)
		names = append(names, b.Name())
		column.Add(b)
	}
	scroll := container.NewVScroll(column)
	w := show(t, scroll, 300, 200)
	inView := func(o fyne.CanvasObject) bool {
		_, y, _, high := Rect(o)
		_, top, _, view := Rect(scroll)
		return y >= top && y+high <= top+view
	}
	for _, name := range []string{names[29], names[0], names[15]} {
		o, _ := Find(w.Content(), name)
		w.Canvas().Focus(o.(fyne.Focusable))
		if !inView(o) {
			t.Errorf("%s has the focus and is out of view", name)
		}
	}
	// The window loses the focus and has it back: the page stays where it was scrolled to meanwhile.
	o, _ := Find(w.Content(), names[15])
	scroll.ScrollToTop()
	o.(fyne.Focusable).FocusGained()
	if scroll.Offset.Y != 0 {
		t.Error("a window that is activated again scrolls by itself")
	}
}

func TestEscOnWhatHasNoUseForItIsTheWindows(t *testing.T) {
	button, entry := NewButton("button", "Do", Normal, nil), NewEntry("entry")
	w := show(t, container.NewVBox(button, entry), 300, 200)
	back := 0
	w.Canvas().SetOnTypedKey(func(ev *fyne.KeyEvent) {
		if ev.Name == fyne.KeyEscape {
			back++
		}
	})
	w.Canvas().Focus(button)
	press(w, fyne.KeyEscape)
	if back != 1 || w.Canvas().Focused() != nil {
		t.Errorf("Esc went back %d times and left the focus on %v", back, w.Canvas().Focused())
	}
	w.Canvas().Focus(entry)
	press(w, fyne.KeyEscape)
	if back != 1 || w.Canvas().Focused() != nil {
		t.Errorf("Esc in an entry went back %d times more; want it to leave the entry", back-1)
	}
}

func TestAnEntryLeavesTheTabKeyAndTheWindowsKeysToTheWindow(t *testing.T) {
	entry := NewMultiEntry("entry", 3)
	w := show(t, entry, 300, 200)
	if entry.AcceptsTab() {
		t.Error("Tab cannot leave an entry of several lines")
	}
	w.Canvas().Focus(entry)
	n := 0
	key := &desktop.CustomShortcut{KeyName: fyne.KeyN, Modifier: fyne.KeyModifierShortcutDefault}
	w.Canvas().AddShortcut(key, func(fyne.Shortcut) { n++ })
	entry.TypedShortcut(key)
	if n != 1 {
		t.Errorf("the window's key came %d times", n)
	}
}
