package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/inspector"
	"fermata/ui/kit"
	"fermata/ui/phrase"
	"fermata/ui/popover"
	"fermata/ui/project"
)

// Pointer tells when a button of the pointer is pressed in a window that was shown for the first time, before anything in the window learns of
// it, and when it was let go, after everything has.
type Pointer interface {
	Follow(w fyne.Window, pressed func(down bool))
}

// Placer puts the popover's window where the desktop's tray is, as far as the platform lets it.
type Placer interface {
	// Place moves a window that was just shown, and has focus called on the main goroutine whenever it gains or loses the focus.
	Place(w fyne.Window, focus func(has bool))
}

const (
	// away is how long the popover stays without the focus: desktops take it for a moment while they arrange windows.
	away = 100 * time.Millisecond
	// sameClick is how long after the popover lost the focus a click on the tray is the one that took it.
	sameClick = 400 * time.Millisecond
)

// cuesWindow is the popover with its window, which is hidden rather than closed: it opens at once, and what the person typed
// into it stays.
type cuesWindow struct {
	win      fyne.Window
	view     *popover.Popover
	asks     *inspector.Asks
	shown    bool
	followed bool      // its pointer is
	front    bool      // it has the focus
	lost     time.Time // when it last lost the focus, since it was shown
}

// toggleCues shows the popover, or hides it.
func (s *Shell) toggleCues() {
	switch {
	case s.ctx == nil || s.ctx.Err() != nil || s.quitting:
	case s.pop != nil && s.pop.shown:
		s.hideCues()
	case s.pop != nil && time.Since(s.pop.lost) < sameClick:
	default:
		s.showCues()
	}
}

func (s *Shell) showCues() {
	if s.pop == nil {
		s.pop = s.newCues()
	}
	p := s.pop
	p.shown, p.front, p.lost = true, false, time.Time{}
	if s.read {
		p.view.Show(s.last.popover(s.Desk.Pending(), time.Now()))
	}
	p.win.Resize(fyne.NewSize(popover.Width, p.view.Height()))
	p.win.Show()
	if !p.followed {
		p.followed = true
		s.followPointer(p.win)
	}
	s.placeCues()
	p.win.RequestFocus()
	p.view.Focus()
}

func (s *Shell) placeCues() {
	if s.Placer != nil && s.pop.shown {
		s.Placer.Place(s.pop.win, s.focusCues)
	}
}

// focusCues hides the popover once it has lost the focus that it had.
func (s *Shell) focusCues(has bool) {
	p := s.pop
	had := p.front
	p.front = has
	if has || !had || !p.shown {
		return
	}
	lost := time.Now()
	p.lost = lost
	s.Pump.Go(s.ctx, func(ctx context.Context) error {
		select {
		case <-time.After(away):
		case <-ctx.Done():
		}
		return nil
	}, func(error) {
		if !p.front && p.lost.Equal(lost) {
			s.hideCues()
		}
	})
}

func (s *Shell) hideCues() {
	if s.pop != nil && s.pop.shown {
		s.pop.shown = false
		s.pop.win.Hide()
		s.doze()
	}
}

func (s *Shell) newCues() *cuesWindow {
	p := &cuesWindow{win: s.bareWindow()}
	p.win.SetTitle(phrase.Of(popover.Title))
	p.win.SetPadded(false)
	p.asks = inspector.NewAsks(s.ctx, inspector.AsksOptions{
		Engine: s.Engine, Pump: s.Pump,
		Ended: func(what string, err error) { p.view.Refuse(what, err) },
		Grown: func() { p.view.Fit() },
	})
	p.view = popover.New(s.ctx, popover.Options{
		Engine: s.Engine, Desk: s.Desk, Asks: cueAsks{s, p.asks}, Pump: s.Pump, Now: time.Now,
		Actions: popover.Actions{
			Open:         func(c popover.Cue) { s.openTarget(c.Target, c.ProjectID) },
			OpenQuestion: func(q popover.Question) { s.openQuestion(q.ProjectID) },
			OpenPiece:    func(projectID, pieceID string) { s.hideCues(); s.openPiece(projectID, pieceID) },
			Home:         func() { s.hideCues(); s.openHome() },
			Close:        s.hideCues,
			Grown: func() {
				if high := p.view.Height(); high > p.win.Canvas().Size().Height {
					p.win.Resize(fyne.NewSize(popover.Width, high))
					s.placeCues()
				}
			},
		},
	})
	p.win.SetContent(kit.NewTips(p.view.Content()))
	p.win.SetCloseIntercept(s.hideCues)
	p.win.Canvas().SetOnTypedKey(p.view.TypedKey)
	p.win.Canvas().SetOnTypedRune(p.view.TypedRune)
	return p
}

// bareWindow is a window without a frame, where the platform has such windows.
func (s *Shell) bareWindow() fyne.Window {
	if d, ok := s.App.Driver().(desktop.Driver); ok {
		return d.CreateSplashWindow()
	}
	return s.App.NewWindow(popover.Title)
}

// cueAsks is the form of what a cue asks, filled from the last reading.
type cueAsks struct {
	s    *Shell
	form *inspector.Asks
}

// Content is the form.
func (a cueAsks) Content() fyne.CanvasObject { return a.form.Content() }

// Show draws what a target asks now.
func (a cueAsks) Show(t engine.Target) bool { return a.form.Show(a.s.last.piece(t), time.Now()) }

// openTarget opens what a cue is about.
func (s *Shell) openTarget(t engine.Target, projectID string) {
	s.hideCues()
	if t.Kind == engine.TargetSession {
		s.OpenSession(t.ID)
		return
	}
	s.openPiece(projectID, t.ID)
}

// OpenSession opens a session with its piece, or in the window of the project's own sessions.
func (s *Shell) OpenSession(id string) {
	var found pieces.Session
	var owner pieces.Project
	s.Pump.Go(s.ctx, func(ctx context.Context) (err error) {
		if found, err = s.Engine.Session(ctx, id); err != nil || found.ProjectID == "" {
			return err
		}
		owner, err = s.Engine.Project(ctx, found.ProjectID)
		return err
	}, func(err error) {
		switch {
		case err != nil:
			s.Log.Error("open session", "id", id, "err", err)
		case found.ProjectID == "":
			s.openHome()
		case found.Kind == pieces.SessionCanvas:
			s.openSessions(owner).Open(id)
		case found.PieceID == "":
			s.OpenProject(found.ProjectID)
		default:
			s.withProject(found.ProjectID, func(p *project.Project) { p.ShowSession(found.PieceID, id) })
		}
	})
}

// openQuestion opens the window in which a client's question shows its card.
func (s *Shell) openQuestion(projectID string) {
	s.hideCues()
	if projectID == "" {
		s.openHome()
		return
	}
	s.OpenProject(projectID)
}

// playLoop lets a project's Loop play, or pauses it; the tray shows it with the wake that follows.
func (s *Shell) playLoop(projectID string, play bool) {
	s.Pump.Go(s.ctx, func(ctx context.Context) error {
		set := s.Engine.PauseLoop
		if play {
			set = s.Engine.PlayLoop
		}
		_, err := set(ctx, projectID, pieces.ByPerson)
		return err
	}, func(err error) {
		if err != nil {
			s.Log.Error("set the Loop", "project", projectID, "play", play, "err", err)
			s.OpenProject(projectID)
		}
	})
}
