//go:build bench

package app

import (
	"image"
	"strconv"
	"testing"
	"time"

	"fermata/app/apptest"
	"fermata/pieces/piecestest"
)

const (
	boardPieces = 2000
	boardRounds = 7
	// boardStill is how long the screen looks the same before a window counts as open.
	boardStill = 1200 * time.Millisecond
)

// TestBenchBoard opens the window of a project with 2,000 pieces beside a bare window with a list of 2,000 rows: from the
// click to the last change on the screen, with all that is read and drawn for it.
func TestBenchBoard(t *testing.T) {
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), fullDesktop())
	bin := buildBare(t)
	shop := r.addFilledProjects(1, boardPieces)[0]
	bare := apptest.Start(t, bin, []string{strconv.Itoa(boardPieces)}, r.env())
	r.desk.Window(t, "Bare")
	r.start()
	r.place("project:" + shop.ID)
	b := &boardBench{rig: r, screen: r.desk.Screen(t)}
	home, button := r.desk.Window(t, "Fermata"), r.desk.Window(t, "Bare")
	p := r.place("project:" + shop.ID)
	wide, high := button.Size()
	var ours, theirs []time.Duration
	for range boardRounds + 1 {
		// The board's bar comes with its pieces.
		ours = append(ours, b.opens(home, image.Pt(p.X+p.W/2, p.Y+p.H/2), "Fermata: "+shop.Name, func() bool { return r.shown("board:search") }))
		theirs = append(theirs, b.opens(button, image.Pt(wide/2, high/2), "Bare list", func() bool { return true }))
	}
	printRatio(t, "board", 3, ours[1:], theirs[1:]) // what is made once was made in the first round
	r.quit()
	endApp(t, bare)
}

type boardBench struct {
	*rig
	screen *apptest.Screen
}

// opens clicks at a point of a window, and returns how long the window took that comes, with its content. It closes that one
// again.
func (b *boardBench) opens(from *apptest.Window, at image.Point, title string, filled func() bool) time.Duration {
	b.t.Helper()
	from.Activate()
	x, y := from.Corner()
	b.screen.Point(at.Add(image.Pt(x, y)))
	b.lastChange()
	clicked := time.Now()
	b.screen.Click()
	last := b.lastChange()
	b.until("the window "+title, func() bool {
		if b.desk.Visible(title) && filled() {
			return true
		}
		last = b.lastChange()
		return false
	})
	b.closed(title)
	return last.Sub(clicked)
}

// lastChange waits until nothing changes any more on some lines across the screen, and returns when the last change was seen.
func (b *boardBench) lastChange() time.Time {
	b.t.Helper()
	var lines []image.Rectangle
	const wide, high, apart = 1280, 800, 80
	for y := apart / 2; y < high; y += apart {
		lines = append(lines, image.Rect(0, y, wide, y+1))
	}
	look, since := b.screen.Look(lines...), time.Now()
	for end := since.Add(patience); time.Since(since) < boardStill; time.Sleep(4 * blink) {
		if now := b.screen.Look(lines...); now != look {
			look, since = now, time.Now()
		}
		if time.Now().After(end) {
			b.t.Fatal("the screen never stands still")
		}
	}
	return since
}
