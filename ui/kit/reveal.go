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

// shift is how far to scroll for what begins at a place and is as long as said, in a view of a length.
func shift(at, long, view float32) float32 {
	switch {
	case at < 0 || long > view:
		return at
	case at+long > view:
		return at + long - view
	}
	return 0
}

// revealFocused scrolls to what the Tab key brought the focus to. What can be seen in part stays where it is: it may have
// been clicked, and would slip away under the pointer before the click is over.
func revealFocused(o fyne.CanvasObject) {
	c := fyne.CurrentApp().Driver().CanvasForObject(o)
	if c == nil {
		return
	}
	for _, root := range append([]fyne.CanvasObject{c.Content()}, c.Overlays().List()...) {
		if slices.ContainsFunc(scrollsTo(root, o), func(s *container.Scroll) bool { return beyond(o, s) }) {
			Reveal(root, o)
		}
	}
}

// beyond says whether not a bit of an object is inside of what it scrolls in.
func beyond(o fyne.CanvasObject, scroll *container.Scroll) bool {
	x, y, wide, high := Rect(o)
	left, top, width, height := Rect(scroll)
	return x+wide <= left || x >= left+width || y+high <= top || y >= top+height
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
