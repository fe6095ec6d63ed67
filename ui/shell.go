// Package ui opens the windows, knows which are open and decides where a question is shown.
package ui

import (
	"context"
	"log/slog"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
	"fermata/ui/card"
	"fermata/ui/home"
	"fermata/ui/inspector"
	"fermata/ui/popover"
	"fermata/ui/project"
	"fermata/ui/pump"
	"fermata/ui/settings"
	"fermata/ui/tray"
)

// Engine is what the windows ask of the engine. *engine.Engine is one.
type Engine interface {
	project.Engine
	inspector.Engine
	inspector.CanvasEngine
	settings.Engine
	home.Engine
	popover.Engine
	Cues(ctx context.Context, projectID string) (engine.Cues, error)
	Prompts(pieceID string) []pieces.Prompt
	Session(ctx context.Context, id string) (pieces.Session, error)
	PlayLoop(ctx context.Context, projectID string, by pieces.Actor) (pieces.Project, error)
	PauseLoop(ctx context.Context, projectID string, by pieces.Actor) (pieces.Project, error)
	Projects(context.Context) ([]pieces.Project, error)
	Findings(projectID string) ([]pieces.Finding, bool)
}

// Options is what a Shell is made of. All fields but Tray, Placer, Pointer, Notifier and OpenIn are needed.
type Options struct {
	App        fyne.App
	Engine     Engine
	Desk       *consent.Desk
	Plane      settings.ControlPlane
	Calls      settings.CallBook
	Pump       *pump.Pump
	Log        *slog.Logger
	Version    string
	Tray       tray.Host // nil: the desktop can have no tray
	Placer     Placer    // nil: the popover stands where the desktop puts it
	Pointer    Pointer   // nil: what is read is drawn under a pressed pointer too
	Notifier   Notifier  // nil: through Fyne's notifications, which cannot be clicked
	DataFolder string
	Wear       func(Look) // draws every window in this way from now on
	Look       Look       // how Wear drew them last
	Hidden     bool       // start without a window, where there is a tray to open one from
	// OpenIn opens a folder in a program of the desktop's.
	OpenIn func(ctx context.Context, place inspector.Place, folder string) error
}

// Shell is all the windows of the app. Its methods are called on the main goroutine, but for Close.
type Shell struct {
	Options
	ctx    context.Context // the app's life, from Start on; nil before
	cancel context.CancelFunc

	cards    *card.Cards
	tray     *tray.Tray                   // nil where there is none
	windows  []*window                    // in the order of their opening
	home     *home.Home                   // nil while its window is closed
	projects map[string]*project.Project  // those with an open window, by id
	sessions map[string]*inspector.Canvas // of the projects whose sessions have an open window
	last     overview
	look     Look            // how the windows are drawn now
	read     bool            // last was read
	notices  pieces.Notices  // of cues
	notified map[string]bool // questions of clients that were notified, by the notification's key
	behind   bool            // no window of the app has the focus
	pop      *cuesWindow     // nil before it was first shown
	quitting bool
	dozing   bool // the main goroutine sleeps between looks for input
}

// New returns a shell that shows nothing but the tray until Start. It is called on the main goroutine before the app
// runs: Fyne starts the tray only as the app starts, so a tray that is set later is never seen.
func New(o Options) *Shell {
	s := &Shell{Options: o, look: o.Look, projects: map[string]*project.Project{}, sessions: map[string]*inspector.Canvas{}, notified: map[string]bool{}}
	s.speak()
	if s.Tray != nil {
		s.tray = tray.New(tray.Options{Host: s.Tray, OnMain: s.Pump.Do, Actions: tray.Actions{
			Show: s.Show, Cues: s.toggleCues, OpenCue: s.openTarget, OpenProject: s.OpenProject, NewDraft: s.newDraft, PlayLoop: s.playLoop,
			Settings: s.openSettings, Quit: s.askQuit,
		}})
		s.tray.Show(tray.Model{Dark: s.dark()})
	}
	return s
}

// Start shows the first window, once the app runs: the welcome window until it was answered, then the home window.
func (s *Shell) Start(ctx context.Context) {
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.cards = card.New(s.ctx, card.Options{Desk: s.Desk, Pump: s.Pump, Notify: s.notifyQuestion, Away: func() bool { return s.behind }, Changed: s.draw})
	s.cards.Follow()
	s.App.Settings().AddListener(func(fyne.Settings) { s.draw() }) // the desktop's panel may have turned dark
	wake, stop := s.Engine.Watch()
	context.AfterFunc(s.ctx, stop)
	pump.Follow(s.ctx, s.Pump, pump.EachMinute(s.ctx, s.Pump, wake), s.readOverview, s.show, s.fail)
	welcomed := ""
	s.Pump.Go(s.ctx, func(ctx context.Context) error {
		all, err := s.Engine.Settings(ctx)
		welcomed = all[pieces.KeyWelcomeDone]
		return err
	}, func(err error) {
		if err != nil {
			s.Log.Error("read whether the welcome window was answered", "err", err)
		}
		if err == nil && welcomed != "true" {
			s.openWelcome()
			return
		}
		if s.Hidden && s.Tray != nil {
			s.waitForTray()
			return
		}
		s.openHome()
	})
}

// Show brings the main window up.
func (s *Shell) Show() {
	// Before Start has run, the first window is about to come by itself.
	if s.ctx != nil && s.ctx.Err() == nil {
		s.openHome()
	}
}

// Close ends everything that follows the engine.
func (s *Shell) Close() {
	if s.cancel != nil {
		s.cancel()
	}
}

func (s *Shell) quit() {
	s.quitting = true
	s.Pump.Stop()
	s.App.Quit()
}

func (s *Shell) dark() bool {
	return s.App.Settings().ThemeVariant() == theme.VariantDark
}

// show keeps what was read and draws it where it is shown.
func (s *Shell) show(o overview) {
	s.last, s.read = o, true
	s.wear(o.look)
	s.notifyCues(o)
	s.draw()
}

func (s *Shell) draw() {
	if s.home != nil && s.read {
		s.home.Show(s.last.home(time.Now()))
	}
	s.forgetQuestions()
	if s.pop != nil && s.pop.shown && s.read {
		s.pop.view.Show(s.last.popover(s.Desk.Pending(), time.Now()))
	}
	if s.tray != nil && s.read && !s.quitting {
		s.tray.Show(s.last.tray(len(s.Desk.Pending()), s.dark()))
	}
}

func (s *Shell) fail(err error) {
	s.Log.Error("read the pieces", "err", err)
	if s.home != nil {
		s.home.Fail(err)
	}
	if s.pop != nil && s.pop.shown {
		s.pop.view.Fail(err)
	}
}
