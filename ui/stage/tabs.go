package stage

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"fermata/ui/kit"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// Tabs walks a window, or what lies over it, with the Tab key and back. It fails the test when a widget that takes keys is
// not reached exactly once a round, in the order of reading, or when the focus is where it cannot be seen. It returns the names
// of what was reached, in order.
func Tabs(tb testing.TB, w fyne.Window) []string {
	tb.Helper()
	Settle(w)
	c := w.Canvas()
	c.Unfocus()
	stops := stopsOf(w)
	if len(stops) == 0 {
		tb.Error("nothing in the window takes keys")
		return nil
	}
	var names []string
	for _, f := range stops {
		names = append(names, wordFor(f))
	}
	var before fyne.CanvasObject
	var reached []fyne.Focusable
	for range stops {
		test.FocusNext(c)
		f := c.Focused()
		if f == nil {
			tb.Fatalf("Tab leaves everything after %s", names[max(0, len(reached)-1)])
		}
		if slices.Contains(reached, f) {
			tb.Errorf("Tab is back at %s after %d of %d: it never reaches %q", wordFor(f), len(reached), len(stops), missing(stops, reached))
			break
		}
		reached = append(reached, f)
		o := f.(fyne.CanvasObject)
		if !wholly(w, o) {
			tb.Errorf("%s has the focus and cannot be seen", wordFor(f))
		}
		if before != nil && backwards(before, o) {
			tb.Errorf("Tab goes back from %s at %v to %s at %v", wordFor(before), placeOf(before), wordFor(f), placeOf(o))
		}
		before = o
	}
	if test.FocusNext(c); c.Focused() != reached[0] && len(reached) == len(stops) {
		tb.Errorf("the round of the Tab key ends at %s and not at %s", wordFor(c.Focused()), wordFor(reached[0]))
	}
	var back []fyne.Focusable
	for range stops {
		test.FocusPrevious(c)
		if f := c.Focused(); f != nil && !slices.Contains(back, f) {
			back = append(back, f)
		}
	}
	if lost := missing(stops, back); len(lost) > 0 {
		tb.Errorf("Shift+Tab never reaches %q", lost)
	}
	c.Unfocus()
	return names
}

// stopsOf are the widgets that take keys now, in the order of drawing.
func stopsOf(w fyne.Window) (stops []fyne.Focusable) {
	root := w.Content()
	if top := w.Canvas().Overlays().Top(); top != nil {
		root = top
	}
	seen(root, fyne.Position{}, everywhere, func(o fyne.CanvasObject, _ box) {
		if d, ok := o.(fyne.Disableable); ok && d.Disabled() {
			return
		}
		if f, ok := o.(fyne.Focusable); ok {
			stops = append(stops, f)
		}
	})
	return stops
}

func missing(all, some []fyne.Focusable) (names []string) {
	for _, f := range all {
		if !slices.Contains(some, f) {
			names = append(names, wordFor(f))
		}
	}
	return names
}

func wordFor(o any) string {
	if n, ok := o.(kit.Named); ok && n.Name() != "" {
		return n.Name()
	}
	return fmt.Sprint(reflect.TypeOf(o))
}

func placeOf(o fyne.CanvasObject) box {
	x, y, wide, high := kit.Rect(o)
	return box{x, y, x + wide, y + high}
}

// wholly says whether all of an object is seen, or as much of a large one as there is room for.
func wholly(w fyne.Window, of fyne.CanvasObject) bool {
	root := w.Content()
	if top := w.Canvas().Overlays().Top(); top != nil {
		root = top
	}
	size := w.Canvas().Size()
	found := false
	seen(root, fyne.Position{}, box{right: size.Width, bottom: size.Height}, func(o fyne.CanvasObject, place box) {
		if o != of {
			return
		}
		const half = 0.5
		whole := of.Size()
		wide, high := place.right-place.left, place.bottom-place.top
		found = wide >= min(whole.Width, size.Width*half)-1 && high >= min(whole.Height, size.Height/8)-1 && wide > 0 && high > 0
	})
	return found
}

// backwards says whether b stands before a for a reader: left of it in its line, or above it without being to its right.
func backwards(a, b fyne.CanvasObject) bool {
	p, q := placeOf(a), placeOf(b)
	const off = 4
	inLine := q.top < p.bottom-off && p.top < q.bottom-off
	if inLine {
		return q.right <= p.left+off
	}
	return q.bottom <= p.top+off && q.left < p.right-off
}
