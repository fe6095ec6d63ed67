package stage

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"fyne.io/fyne/v2"
)

// watched is the app in memory with the check that Fyne's own driver makes and the one in memory does not: that widgets are
// touched on the main goroutine alone.
type watched struct {
	fyne.App
	driver *watchedDriver
}

// watch keeps the calling goroutine, which is the test's, on its thread until the test has ended.
func watch(tb testing.TB, app fyne.App) watched {
	tb.Helper()
	runtime.LockOSThread()
	tb.Cleanup(runtime.UnlockOSThread)
	return watched{app, &watchedDriver{Driver: app.Driver(), thread: thread(), stacks: map[uintptr]string{}}}
}

// Driver is the one that checks.
func (a watched) Driver() fyne.Driver { return a.driver }

type watchedDriver struct {
	fyne.Driver
	// thread is that of the test's goroutine, which no other one runs on; 0 where the system's threads are not known.
	thread int

	mu     sync.Mutex
	stacks map[uintptr]string      // of calls off the test's goroutine, by where the goroutine began
	asked  func(fyne.CanvasObject) // told of every object that changes; nil: nobody looks
}

// CanvasForObject is asked whenever a widget changes, since its canvas has to draw it anew.
func (d *watchedDriver) CanvasForObject(o fyne.CanvasObject) fyne.Canvas {
	if from, ours := d.from(); !ours {
		d.mu.Lock()
		if d.stacks[from] == "" {
			d.stacks[from] = string(debug.Stack())
		}
		d.mu.Unlock()
	} else if d.asked != nil {
		d.asked(o)
	}
	return d.Driver.CanvasForObject(o)
}

// astray are the stacks of the calls that came from elsewhere, one for each function that a goroutine began with.
func (d *watchedDriver) astray() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for _, s := range d.stacks {
		all = append(all, s)
	}
	return all
}

// Touched lists the objects that are drawn anew for what do does, each as often as it is: moved, resized or refreshed.
func (s *Stage) Touched(do func()) []fyne.CanvasObject {
	s.tb.Helper()
	var all []fyne.CanvasObject
	d := s.App.(watched).driver
	d.asked = func(o fyne.CanvasObject) { all = append(all, o) }
	do()
	d.asked = nil
	return all
}

// from is root, but for the goroutine of the test itself, where to ask would cost a third of all its time.
func (d *watchedDriver) from() (began uintptr, ours bool) {
	if t := thread(); t != 0 && t == d.thread {
		return 0, true
	}
	return root()
}

// root is where the calling goroutine began, and whether that is in a test, a part of one or a benchmark: whoever runs
// parts waits for them. Its number would say less, and cost more to ask for than all the rest of a test.
func root() (from uintptr, ours bool) {
	const deep, end = 256, 2 // the last one is the end of every goroutine
	calls := make([]uintptr, deep)
	n := runtime.Callers(0, calls)
	for n == len(calls) {
		calls = make([]uintptr, 2*n)
		n = runtime.Callers(0, calls)
	}
	if n < end {
		return 0, false
	}
	began := runtime.FuncForPC(calls[n-end] - 1)
	return began.Entry(), strings.HasPrefix(began.Name(), "testing.")
}
