package ui_test

import (
	"runtime"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"fermata/pieces"
)

// openings is how often each window is opened and closed: few here, many in the soak.
const openings = 20

func TestWindowsThatCloseLeaveNothing(t *testing.T) { opensAndCloses(t, openings) }

// opensAndCloses opens and closes every kind of window that opens more than once, again and again: all that they started must
// end. What they hold in memory is measured on the real screen, since the one in memory forgets nothing; see
// TestSoakWindowsLeaveTheMemoryFlat in app.
func opensAndCloses(t *testing.T, times int) {
	t.Helper()
	const titles = 4
	w := start(t, true, func(w *world) {
		w.knows = true
		w.list = []pieces.Snapshot{specReady("p", "m")}
		w.sessions = []pieces.Session{{ID: "own", ProjectID: "m", Kind: pieces.SessionCanvas, Name: "Tidy", State: pieces.SessionCancelled, CreatedAt: time.Now()}}
	})
	w.waitFor("Fermata", "project:m").Close()
	round := func() {
		pop := w.cues("1 decision waits for you")
		w.Tap(pop, "popover:home") // which hides the popover: it is never closed
		home := w.waitFor("Fermata", "project:m")
		w.Tap(home, "home:settings")
		settings := w.waitFor("Fermata Settings", "pane:Pieces")
		w.Tap(settings, "pane:Pieces")
		w.Tap(home, "project:m")
		muse := w.waitFor("Fermata: muse", "card:p")
		w.Tap(muse, "card:p")
		w.waitFor("Fermata: muse", "closeItem")
		w.shell.OpenSession("own")
		sessions := w.waitFor("Fermata: sessions of muse", "session:own")
		open := [titles]fyne.Window{settings, muse, sessions, home}
		for _, o := range open {
			title := o.Title()
			o.Close()
			w.Until(title+" is closed", func() bool { return w.window(title) == nil })
		}
	}
	round() // what is made once is made now
	before := runtime.NumGoroutine()
	for range times {
		round()
	}
	// One round may still be on its way out, as it may have been before.
	w.Until("no goroutine is left of a closed window", func() bool { return runtime.NumGoroutine() < before+times })
}

// TestTheWelcomeWindowLeavesNothing compares an app that welcomed the person and has no window any more with one that had
// none, since the welcome window comes once.
func TestTheWelcomeWindowLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	w := start(t, true, func(w *world) { w.hidden = true })
	w.Until("the tray is there", w.trayHas("muse"))
	alone := runtime.NumGoroutine() - before
	w.shell.Close()
	w.Pump.Wait()

	before = runtime.NumGoroutine()
	w = start(t, true, func(w *world) { w.values[pieces.KeyWelcomeDone] = "false" })
	welcome := w.waitFor("Welcome to Fermata", "welcome:register")
	w.Until("the tray is there", w.trayHas("muse"))
	welcome.Close()
	w.waitFor("Fermata", "project:m").Close()
	w.Until("no goroutine is left of the closed windows", func() bool { return runtime.NumGoroutine()-before <= alone })
}
