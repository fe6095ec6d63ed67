package kit

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// Reveal scrolls all that an object lies in until it can be seen, as far as there is room for it. In a root that does not
// hold it nothing happens.
func Reveal(root, o fyne.CanvasObject) {
	for _, scroll := range slices.Backward(scrollsTo(root, o)) {
		x, y, wide, high := Rect(o)
		left, top, width, height := Rect(scroll)
		scroll.ScrollToOffset(fyne.NewPos(scroll.Offset.X+shift(x-left, wide, width), scroll.Offset.Y+shift(y-top, high, height)))
	}
}

// shift is how far to scroll for what begins at a place and is as long as said, in a view of a length, with some room for its
// ring.
func shift(at, long, view float32) float32 {
	room := min(Step, max(0, (view-long)/2))
	begin, end := at-room, at+long+room
	switch {
	case begin < 0 || long > view:
		return begin
	case end > view:
		return end - view
	}
	return 0
}

// RevealFocused scrolls to what has just got the focus: the Tab key goes to what is scrolled away too. Where the focus has been
// all along, such as when its window is activated again, the page stays where the person scrolled it to.
func RevealFocused(o fyne.CanvasObject) {
	c := fyne.CurrentApp().Driver().CanvasForObject(o)
	if c == nil {
		return
	}
	if t, ok := c.Content().(*Tips); ok {
		if t.focused == o {
			return
		}
		t.focused = o
	}
	for _, root := range append([]fyne.CanvasObject{c.Content()}, c.Overlays().List()...) {
		if !slices.ContainsFunc(scrollsTo(root, o), func(s *container.Scroll) bool { return fills(o, s) }) {
			Reveal(root, o)
		}
	}
}

// fills says whether an object is too large for what it scrolls in, and a part of it is seen: it may have been clicked there.
func fills(o fyne.CanvasObject, scroll *container.Scroll) bool {
	_, y, _, high := Rect(o)
	_, top, _, height := Rect(scroll)
	return high > height && y < top+height && y+high > top
}

// scrollsTo are the scrolls between a root and an object, from the outside in.
func scrollsTo(root, o fyne.CanvasObject) (scrolls []*container.Scroll) {
	var on func(at fyne.CanvasObject) bool
	on = func(at fyne.CanvasObject) bool {
		if at == nil || !at.Visible() {
			return false
		}
		if at == o {
			return true
		}
		scroll, isScroll := at.(*container.Scroll)
		if isScroll {
			scrolls = append(scrolls, scroll)
		}
		if slices.ContainsFunc(childrenOf(at), on) {
			return true
		}
		if isScroll {
			scrolls = scrolls[:len(scrolls)-1]
		}
		return false
	}
	if !on(root) {
		return nil
	}
	return scrolls
}
