package stage

import (
	"fermata/ui/kit"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
)

// Down presses the pointer's button in the middle of a named widget; up lets it go at the same place. Like the driver, it
// takes the two for a click only where both find the same widget.
func (s *Stage) Down(w fyne.Window, name string) (up func()) {
	s.tb.Helper()
	Settle(w)
	o, found := Find(w, name)
	if !found {
		s.tb.Fatalf("press %q: there are %q", name, kit.Names(w.Content()))
	}
	x, y, wide, high := kit.Rect(o)
	at := fyne.NewPos(x+wide/2, y+high/2)
	s.Pump.Hold()
	pressed, _ := tappableAt(w, at)
	return func() {
		Settle(w)
		if now, in := tappableAt(w, at); now != nil && now == pressed {
			now.Tapped(&fyne.PointEvent{Position: in, AbsolutePosition: at})
		}
		s.Pump.Release()
	}
}

// tappableAt is what takes a click at a place of a window, and where in it that is.
func tappableAt(w fyne.Window, at fyne.Position) (found fyne.Tappable, in fyne.Position) {
	root := w.Content()
	if top := w.Canvas().Overlays().Top(); top != nil {
		root = top
	}
	seen(root, fyne.Position{}, everywhere, func(o fyne.CanvasObject, place box) {
		if t, ok := o.(fyne.Tappable); ok && at.X >= place.left && at.X < place.right && at.Y >= place.top && at.Y < place.bottom {
			found, in = t, at.SubtractXY(place.left, place.top)
		}
	})
	return found, in
}

// seen visits the visible objects at or below o in the order of drawing, with what is seen of each.
func seen(o fyne.CanvasObject, at fyne.Position, outer box, visit func(o fyne.CanvasObject, seen box)) {
	if o == nil || !o.Visible() {
		return
	}
	at = at.Add(o.Position())
	place := box{at.X, at.Y, at.X + o.Size().Width, at.Y + o.Size().Height}.within(outer)
	visit(o, place)
	if _, ok := o.(*container.Scroll); ok {
		outer = place
	}
	for _, child := range objectsOf(o) {
		seen(child, at, outer, visit)
	}
}

func objectsOf(o fyne.CanvasObject) []fyne.CanvasObject {
	switch o := o.(type) {
	case *fyne.Container:
		return o.Objects
	case fyne.Widget:
		return test.WidgetRenderer(o).Objects()
	}
	return nil
}
