package ui

import (
	"fmt"
	"math"
	"slices"

	"fyne.io/fyne/v2"

	"fermata/ui/kit"
)

// Place is where a widget is within its window.
type Place struct {
	Window     string // the window's title
	X, Y, W, H int    // pixels from the window's top left corner, at its scale
}

// Locate finds a visible widget that takes input now, by its stable name: on a card first, then in the windows, the
// newest first. What is scrolled away is scrolled back into its window.
func (s *Shell) Locate(name string) (Place, error) {
	off := ""
	for _, cardsOnly := range []bool{true, false} {
		for _, w := range s.reachable() {
			root := w.Canvas().Overlays().Top()
			if root == nil && !cardsOnly {
				root = w.Content()
			}
			if root == nil {
				continue
			}
			o, found := kit.Find(root, name)
			if !found {
				continue
			}
			if d, ok := o.(fyne.Disableable); ok && d.Disabled() {
				off = w.Title()
				continue
			}
			kit.Reveal(root, o)
			return placeOf(w, o), nil
		}
	}
	if off != "" {
		return Place{}, fmt.Errorf("find widget %q: it takes no input now, in the window %q", name, off)
	}
	return Place{}, fmt.Errorf("find widget %q: no shown window has it", name)
}

// reachable are the windows that are shown, the newest first and the popover before them.
func (s *Shell) reachable() []fyne.Window {
	var list []fyne.Window
	if s.pop != nil && s.pop.shown {
		list = append(list, s.pop.win)
	}
	for _, w := range slices.Backward(s.windows) {
		list = append(list, w.Window)
	}
	return list
}

func placeOf(w fyne.Window, o fyne.CanvasObject) Place {
	x, y, wide, high := kit.Rect(o)
	scale := float64(w.Canvas().Scale())
	pixel := func(v float32) int { return int(math.Round(float64(v) * scale)) }
	return Place{Window: w.Title(), X: pixel(x), Y: pixel(y), W: pixel(wide), H: pixel(high)}
}
