package ui_test

import (
	"runtime"
	"testing"

	"fyne.io/fyne/v2"
)

// openings is how often each window is opened and closed: few here, many in the soak.
const openings = 20

func TestWindowsThatCloseLeaveNothing(t *testing.T) { opensAndCloses(t, openings) }

// opensAndCloses opens and closes the windows again and again: all that they started must end. What they hold in memory is
// measured on the real screen, since the one in memory forgets nothing; see TestSoakWindowsLeaveTheMemoryFlat in app.
func opensAndCloses(t *testing.T, times int) {
	t.Helper()
	w := start(t, true, nil)
	w.waitFor("Fermata", "project:m").Close()
	round := func() {
		w.shell.Show()
		home := w.waitFor("Fermata", "project:m")
		w.Tap(home, "home:settings")
		settings := w.waitFor("Fermata Settings", "pane:Pieces")
		w.Tap(settings, "pane:Pieces")
		for _, o := range []fyne.Window{settings, home} {
			o.Close()
		}
		w.Until("the windows are closed", func() bool { return w.window("Fermata") == nil && w.window("Fermata Settings") == nil })
	}
	round() // what is made once is made now
	before := runtime.NumGoroutine()
	for range times {
		round()
	}
	// One round may still be on its way out, as it may have been before.
	w.Until("no goroutine is left of a closed window", func() bool { return runtime.NumGoroutine() < before+times })
}
