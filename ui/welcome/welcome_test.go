package welcome_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"fermata/ui/kit"
	"fermata/ui/stage"
	. "fermata/ui/welcome"

	"fyne.io/fyne/v2"
)

type world struct {
	*testing.T
	*stage.Stage
	w fyne.Window

	mu     sync.Mutex
	asked  []string
	exists bool
	err    error
	closed bool
}

func (w *world) ask(what string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, what)
	return w.err
}

func open(t *testing.T, s *stage.Stage, health, noTray string) *world {
	t.Helper()
	w := &world{T: t, Stage: s}
	checked := make(chan struct{}, 1)
	o := Options{Pump: s.Pump, NoTray: noTray, Actions: Actions{
		TurnOn: func(context.Context) error { return w.ask("turn on") },
		Register: func(_ context.Context, replace bool) (bool, error) {
			if replace {
				return false, w.ask("replace")
			}
			return w.exists, w.ask("register")
		},
		Finish: func(context.Context) error { return w.ask("finish") },
		Health: func(context.Context) string { checked <- struct{}{}; return health },
		Done:   func() { w.closed = true },
	}}
	w.w = s.Open(New(t.Context(), o).Content(), 640, 640)
	<-checked
	s.Drain()
	return w
}

func (w *world) wants(want ...string) {
	w.Helper()
	w.Until("the window is closed", func() bool { return w.closed })
	if !slices.Equal(w.asked, want) {
		w.Errorf("asked for %q, want %q", w.asked, want)
	}
}

func TestEachButtonDoesWhatItSaysAndIsTheEnd(t *testing.T) {
	for button, want := range map[string][]string{
		"welcome:register": {"turn on", "register", "finish"},
		"welcome:turnOn":   {"turn on", "finish"},
		"welcome:later":    {"finish"},
	} {
		t.Run(button, func(t *testing.T) {
			w := open(t, stage.New(t), "", "")
			w.Tap(w.w, button)
			w.wants(want...)
		})
	}
}

func TestEntryThatIsThereIsReplacedOnlyWhenAsked(t *testing.T) {
	for button, want := range map[string][]string{
		"confirm:ok":     {"turn on", "register", "replace", "finish"},
		"confirm:cancel": {"turn on", "register", "finish"},
	} {
		t.Run(button, func(t *testing.T) {
			w := open(t, stage.New(t), "", "")
			w.exists = true
			w.Tap(w.w, "welcome:register")
			w.Until("it asks", func() bool { return stage.Has(w.w, button) })
			w.Tap(w.w, button)
			w.wants(want...)
		})
	}
}

func TestFailureKeepsTheWindowOpen(t *testing.T) {
	w := open(t, stage.New(t), "", "")
	w.err = errors.New("no port is free")
	w.Tap(w.w, "welcome:register")
	w.Until("it can be tried again", func() bool {
		o, _ := stage.Find(w.w, "welcome:register")
		return !o.(*kit.Button).Disabled()
	})
	if w.closed || !slices.Equal(w.asked, []string{"turn on"}) {
		t.Errorf("closed %v after %q", w.closed, w.asked)
	}
	w.Keep(w.w, "welcome-failed")
	w.mu.Lock()
	w.err = nil
	w.mu.Unlock()
	w.Tap(w.w, "welcome:later")
	w.Until("the window is closed", func() bool { return w.closed })
}

func TestWelcomePictures(t *testing.T) {
	stage.Both(t, func(t *testing.T, word string, s *stage.Stage) {
		t.Helper()
		w := open(t, s, "", "")
		w.Keep(w.w, "welcome-usual-"+word)
		w = open(t, s, "Claude Code is not logged in: run `claude /login`, then start again.",
			"This desktop has no tray, so Fermata keeps a window open: closing the last one quits.")
		w.Until("the health is shown", func() bool { w.Drain(); return true })
		w.Keep(w.w, "welcome-crowded-"+word)
		w.w.Resize(fyne.NewSize(720, 480))
		w.Keep(w.w, "welcome-small-"+word)
	})
}
