//go:build bench

package board

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"fermata/pieces"
	"fermata/ui/stage"
)

// benchRounds is how often each is opened, in turn.
const benchRounds = 15

// TestBenchBoard opens a board of 2,000 pieces beside a bare list of 2,000 rows: from nothing to its first picture. The
// screen in memory draws with the processor, which the app leaves to the graphics card; so the drawing weighs more here.
func TestBenchBoard(t *testing.T) {
	s := stage.New(t)
	var list []pieces.Snapshot
	for i := range 2000 {
		p := at(fmt.Sprint("piece ", i), pieces.Phases()[i%5], pieces.Idle)
		p.Tasks = []pieces.Task{{Kind: pieces.TaskAgent, State: pieces.TaskCompleted}, {Kind: pieces.TaskAgent}}
		list = append(list, p)
	}
	opened := func(o fyne.CanvasObject, fill func()) time.Duration {
		begun := time.Now()
		w := s.App.NewWindow("Bench")
		w.SetContent(o)
		w.Resize(fyne.NewSize(1280, 800))
		fill()
		w.Canvas().Capture()
		took := time.Since(begun)
		w.Close()
		return took
	}
	var ours, bare []time.Duration
	for range benchRounds {
		b := New()
		ours = append(ours, opened(b.Content(), func() { b.Show(noon, nil, list, nil) }))
		rows := widget.NewList(func() int { return len(list) }, func() fyne.CanvasObject { return widget.NewLabel("") },
			func(i int, o fyne.CanvasObject) { o.(*widget.Label).SetText(list[i].Piece.Name) })
		bare = append(bare, opened(container.NewStack(rows), func() {}))
	}
	a, b := median(ours), median(bare)
	if a <= 0 || b <= 0 {
		t.Fatalf("nothing was measured: %v and %v", ours, bare)
	}
	fmt.Printf("bench board ratio %.2f limit 3 (%v / %v)\n", float64(a)/float64(b), a, b)
}

func median(samples []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(samples))[len(samples)/2]
}
