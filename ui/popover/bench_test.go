//go:build bench

package popover_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fermata/ui/kit"
	. "fermata/ui/popover"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// TestBenchPopover measures how long the popover takes to be drawn with 500 cues, against Fyne's own list of 500 lines of text
// in the same window; taken in turn, so that whatever else the machine did fell on both.
func TestBenchPopover(t *testing.T) {
	const cues, rounds, limit = 500, 15, 4
	s := stage.New(t)
	var ours, bare []time.Duration
	for range rounds {
		m := crowded(cues)
		begun := time.Now()
		w := open(t, s)
		w.show(m)
		w.w.Canvas().Capture()
		ours = append(ours, time.Since(begun))

		begun = time.Now()
		list := widget.NewList(func() int { return cues }, func() fyne.CanvasObject { return kit.Body("") }, func(i int, o fyne.CanvasObject) {
			o.(*kit.Text).Set(fmt.Sprint("Piece ", i))
		})
		s.Open(list, Width, MostHigh).Canvas().Capture()
		bare = append(bare, time.Since(begun))
	}
	slices.Sort(ours)
	slices.Sort(bare)
	a, b := ours[rounds/2], bare[rounds/2]
	fmt.Printf("bench popover_500_cues ratio %.2f limit %d (%v / %v)\n", float64(a)/float64(b), limit, a, b)
}
