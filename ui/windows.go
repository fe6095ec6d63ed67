package ui

import (
	"context"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/ui/card"
	"fermata/ui/kit"
)

// The keys of the windows that there is one of.
const (
	homeKey     = "home"
	settingsKey = "settings"
	welcomeKey  = "welcome"
)

func projectKey(id string) string { return "project." + id }

func sessionsKey(projectID string) string { return "sessions." + projectID }

// window is an open window.
type window struct {
	fyne.Window
	key  string
	host *card.Host // nil: the window shows no questions
	end  context.CancelFunc
	// leaving says that it is hidden and will be closed, unless it is opened again first.
	leaving bool
}

// lastMovements is how long the pointer's movements over a hidden window may still arrive: a few turns of the driver's
// loop, which reads them 60 times a second.
const lastMovements = 100 * time.Millisecond

// room is what a window is opened with.
type room struct {
	key, title string
	size       fyne.Size
	scope      *card.Scope // nil: the window shows no questions
	// fill makes the content. Its context ends with the window.
	fill func(ctx context.Context, w fyne.Window) fyne.CanvasObject
	// closed is called after the window was closed; nil when nothing follows.
	closed func()
}

func (s *Shell) find(key string) *window {
	at := slices.IndexFunc(s.windows, func(w *window) bool { return w.key == key })
	if at < 0 {
		return nil
	}
	return s.windows[at]
}

// open shows a window, which is made if it is not open yet.
func (s *Shell) open(r room) {
	if w := s.find(r.key); w != nil {
		w.leaving = false
		w.Show()
		w.RequestFocus()
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	w := &window{Window: s.App.NewWindow(kit.Plain(r.title)), key: r.key, end: cancel}
	content := r.fill(ctx, w.Window)
	if r.scope != nil {
		w.host = s.cards.Open(w.Window, *r.scope)
		content = container.NewStack(content, w.host.Notice())
	}
	w.SetPadded(false)
	w.SetContent(kit.NewTips(content))
	w.Resize(s.remembered(r))
	w.SetCloseIntercept(func() { s.leave(w) })
	w.SetOnClosed(func() { s.closed(w, r) })
	s.windows = append(s.windows, w)
	w.Show()
	s.followPointer(w.Window)
	s.cards.Deal()
}

// followPointer keeps a window as it is while the pointer presses something in it: what was drawn anew or moved between the
// press and the letting go would be taken for no click.
func (s *Shell) followPointer(w fyne.Window) {
	if s.Pointer == nil {
		return
	}
	s.Pointer.Follow(w, func(down bool) {
		if down {
			s.Pump.Hold()
			return
		}
		s.Pump.Release()
	})
}

// leave closes a window in two steps: it is hidden at once and closed once the pointer's movements that were under way
// have arrived. Fyne's driver panics over a movement that comes between closing a window and destroying it.
func (s *Shell) leave(w *window) {
	w.leaving = true
	w.Hide()
	s.Pump.Go(s.ctx, func(ctx context.Context) error {
		select {
		case <-time.After(lastMovements):
		case <-ctx.Done():
		}
		return nil
	}, func(error) {
		if w.leaving {
			w.Close()
		}
	})
}

func (s *Shell) closed(w *window, r room) {
	s.remember(w)
	w.end()
	s.windows = slices.DeleteFunc(s.windows, func(o *window) bool { return o == w })
	if s.quitting || s.ctx.Err() != nil {
		return // the tray is gone by now, and nobody is left to deal cards to
	}
	if w.host != nil {
		s.cards.Close(w.host)
	}
	if r.closed != nil {
		r.closed()
	}
	// Fyne keeps the pictures of a closed window's texts, and by them the window and all that was in it, for good; with another
	// content it drops them.
	w.SetContent(container.NewWithoutLayout())
	s.lastClosed(w.key)
	s.doze()
}

// doze lets the main goroutine sleep while only the tray is left.
func (s *Shell) doze() {
	if s.dozing || !s.hidden() {
		return
	}
	s.dozing = true
	s.Pump.Doze(s.ctx, func() bool {
		s.dozing = s.hidden()
		return s.dozing
	})
}

func (s *Shell) hidden() bool {
	return len(s.windows) == 0 && (s.pop == nil || !s.pop.shown) && !s.quitting
}

// uncovered is a canvas whose keys do nothing while something lies over its content: a key that is meant for a question
// must not press what is below it.
type uncovered struct{ fyne.Canvas }

// AddShortcut adds a shortcut of the content.
func (u uncovered) AddShortcut(shortcut fyne.Shortcut, do func(fyne.Shortcut)) {
	u.Canvas.AddShortcut(shortcut, func(pressed fyne.Shortcut) {
		if u.Overlays().Top() == nil {
			do(pressed)
		}
	})
}

// SetOnTypedKey sets what a key does in the content while nothing has the focus.
func (u uncovered) SetOnTypedKey(do func(*fyne.KeyEvent)) {
	u.Canvas.SetOnTypedKey(func(ev *fyne.KeyEvent) {
		if u.Overlays().Top() == nil {
			do(ev)
		}
	})
}

// SetOnTypedRune sets what a letter does in the content while nothing has the focus.
func (u uncovered) SetOnTypedRune(do func(rune)) {
	u.Canvas.SetOnTypedRune(func(r rune) {
		if u.Overlays().Top() == nil {
			do(r)
		}
	})
}
