package ui

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"

	"fermata/pieces"
	"fermata/ui/board"
	"fermata/ui/card"
	"fermata/ui/home"
	"fermata/ui/inspector"
	"fermata/ui/phrase"
	"fermata/ui/project"
	"fermata/ui/settings"
	"fermata/ui/welcome"
)

// noTray is said once.
const (
	noTray     = "This desktop has no tray, so Fermata keeps a window open: closing the last one quits."
	noTraySaid = "noTray.said"
)

func (s *Shell) openHome() {
	s.open(room{
		key: homeKey, title: phrase.Of(home.Title), size: fyne.NewSize(860, 620), scope: &card.Scope{Home: true},
		fill: func(ctx context.Context, w fyne.Window) fyne.CanvasObject {
			s.home = home.New(ctx, home.Options{Engine: s.Engine, Pump: s.Pump, Actions: home.Actions{
				OpenProject: s.OpenProject, OpenPiece: s.openPiece, OpenSession: s.OpenSession, Settings: s.openSettings,
				Browse: func(chosen func(string)) { s.browse(w, chosen) },
			}})
			if words := s.sayNoTray(); words != "" {
				s.home.Say(words)
			}
			w.SetOnDropped(func(_ fyne.Position, dropped []fyne.URI) {
				if w.Canvas().Overlays().Top() == nil {
					s.home.Drop(pathsOf(dropped))
				}
			})
			return s.home.Content()
		},
		closed: func() { s.home = nil },
	})
	s.draw()
	s.Pump.Go(s.ctx, s.examine, func(error) {})
}

// examine looks the projects over that nobody looked over yet, one by one: what is found shows with the wake that follows.
func (s *Shell) examine(ctx context.Context) error {
	list, err := s.Engine.Projects(ctx)
	if err != nil {
		return err
	}
	for _, p := range list {
		if _, known := s.Engine.Findings(p.ID); known {
			continue
		}
		if _, err := s.Engine.Examine(ctx, p.ID); err != nil {
			s.Log.Warn("look a project over", "project", p.ID, "err", err)
		}
	}
	return nil
}

// pathsOf are the files and folders among what was dropped on a window.
func pathsOf(dropped []fyne.URI) []string {
	var paths []string
	for _, u := range dropped {
		if u.Scheme() == "file" {
			paths = append(paths, u.Path())
		}
	}
	return paths
}

// sayNoTray returns the sentence about the missing tray the first time that it applies.
func (s *Shell) sayNoTray() string {
	if s.hasTray() || s.App.Preferences().Bool(noTraySaid) {
		return ""
	}
	s.App.Preferences().SetBool(noTraySaid, true)
	return phrase.Of(noTray)
}

func (s *Shell) browse(w fyne.Window, chosen func(string)) {
	dialog.ShowFolderOpen(func(folder fyne.ListableURI, err error) {
		switch {
		case err != nil:
			s.Log.Error("choose a folder", "err", err)
		case folder != nil:
			chosen(folder.Path())
		}
	}, w)
}

func (s *Shell) browseFile(w fyne.Window, chosen func(string)) {
	dialog.ShowFileOpen(func(file fyne.URIReadCloser, err error) {
		switch {
		case err != nil:
			s.Log.Error("choose a file", "err", err)
		case file != nil:
			path := file.URI().Path()
			if err := file.Close(); err != nil {
				s.Log.Warn("close a chosen file", "err", err)
			}
			chosen(path)
		}
	}, w)
}

func (s *Shell) openSettings() {
	s.open(room{
		key: settingsKey, title: phrase.Of(settings.Title), size: fyne.NewSize(800, 640),
		fill: func(ctx context.Context, w fyne.Window) fyne.CanvasObject {
			s.leaveByEsc(settingsKey, w)
			return settings.New(ctx, settings.Options{
				Engine: s.Engine, Plane: s.Plane, Calls: s.Calls, Pump: s.Pump, Now: time.Now, Copy: s.App.Clipboard().SetContent,
				Version: s.Version, DataFolder: s.DataFolder, OpenFolder: s.openFolder, OpenProject: s.OpenProject,
			}).Content()
		},
	})
}

// leaveByEsc lets Esc close a window that another one leads to, once nothing in it has a use for the key.
func (s *Shell) leaveByEsc(key string, w fyne.Window) {
	w.Canvas().SetOnTypedKey(func(ev *fyne.KeyEvent) {
		if open := s.find(key); open != nil && ev.Name == fyne.KeyEscape && w.Canvas().Overlays().Top() == nil {
			s.leave(open)
		}
	})
}

// OpenProject shows a project's window.
func (s *Shell) OpenProject(id string) { s.withProject(id, func(*project.Project) {}) }

// OpenPiece opens a piece in its project's window, or the window alone when pieceID is empty.
func (s *Shell) OpenPiece(projectID, pieceID string) {
	if pieceID == "" {
		s.OpenProject(projectID)
		return
	}
	s.openPiece(projectID, pieceID)
}

func (s *Shell) openPiece(projectID, pieceID string) {
	s.withProject(projectID, func(p *project.Project) { p.ShowPiece(pieceID) })
}

func (s *Shell) newDraft(projectID string) {
	s.withProject(projectID, (*project.Project).NewDraft)
}

// withProject shows a project's window, which needs the project's name for its title, and goes on with its content.
func (s *Shell) withProject(id string, then func(*project.Project)) {
	if p := s.projects[id]; p != nil {
		s.open(room{key: projectKey(id)})
		then(p)
		return
	}
	var found pieces.Project
	s.Pump.Go(s.ctx, func(ctx context.Context) (err error) {
		found, err = s.Engine.Project(ctx, id)
		return err
	}, func(err error) {
		if err != nil {
			s.Log.Error("open project", "id", id, "err", err)
			return
		}
		s.openProject(found)
		then(s.projects[id])
	})
}

func (s *Shell) openProject(p pieces.Project) {
	s.open(room{
		key: projectKey(p.ID), title: "Fermata: " + p.Name, size: fyne.NewSize(1180, 760), scope: &card.Scope{ProjectID: p.ID},
		fill: func(ctx context.Context, w fyne.Window) fyne.CanvasObject {
			content := project.New(ctx, project.Options{
				ProjectID: p.ID, Engine: s.Engine, Board: board.New(), Pump: s.Pump, Now: time.Now, OpenSettings: s.openSettings, Close: w.Close,
				Browse:       func(chosen func(string)) { s.browse(w, chosen) },
				BrowseFile:   func(chosen func(string)) { s.browseFile(w, chosen) },
				OpenSessions: func() { s.openSessions(p) },
				Inspector: inspector.New(ctx, inspector.Options{
					Engine: s.Engine, Pump: s.Pump, Now: time.Now, OpenURL: s.openURL, OpenIn: s.OpenIn,
					OpenSession: func(pieceID string) { s.openSessions(p).New(pieceID) },
					BrowseFile:  func(chosen func(string)) { s.browseFile(w, chosen) },
				}),
			})
			content.Keys(uncovered{w.Canvas()})
			w.SetOnDropped(func(_ fyne.Position, dropped []fyne.URI) { content.DropFiles(pathsOf(dropped)) })
			s.projects[p.ID] = content
			return content.Content()
		},
		closed: func() {
			s.projects[p.ID].Close()
			delete(s.projects, p.ID)
		},
	})
}

// openSessions shows the sessions that the person opened in a project.
func (s *Shell) openSessions(p pieces.Project) *inspector.Canvas {
	s.open(room{
		key: sessionsKey(p.ID), title: phrase.F("Fermata: sessions of %s", p.Name), size: fyne.NewSize(760, 760),
		fill: func(ctx context.Context, w fyne.Window) fyne.CanvasObject {
			s.leaveByEsc(sessionsKey(p.ID), w)
			c := inspector.NewCanvas(ctx, inspector.CanvasOptions{ProjectID: p.ID, Engine: s.Engine, Pump: s.Pump, Now: time.Now, OpenURL: s.openURL})
			s.sessions[p.ID] = c
			return c.Content()
		},
		closed: func() {
			s.sessions[p.ID].Close()
			delete(s.sessions, p.ID)
		},
	})
	return s.sessions[p.ID]
}

// openURL opens an address of the web in the person's browser, and nothing else: an agent wrote it.
func (s *Shell) openURL(address string) {
	u, err := url.Parse(address)
	if err == nil && (u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
		err = errors.New("it is no address of the web")
	}
	if err == nil {
		err = s.App.OpenURL(u)
	}
	if err != nil {
		s.Log.Warn("open address", "err", err)
	}
}

// openFolder shows a folder in the desktop's file manager.
func (s *Shell) openFolder(path string) {
	s.Pump.Go(s.ctx, func(context.Context) error {
		return s.App.OpenURL(&url.URL{Scheme: "file", Path: filepath.ToSlash(path)})
	}, func(err error) {
		if err != nil {
			s.Log.Warn("open folder", "err", err)
		}
	})
}

func (s *Shell) openWelcome() {
	s.open(room{
		key: welcomeKey, title: phrase.Of(welcome.Title), size: fyne.NewSize(640, 520),
		fill: func(ctx context.Context, w fyne.Window) fyne.CanvasObject {
			return welcome.New(ctx, welcome.Options{Pump: s.Pump, NoTray: s.sayNoTray(), Actions: welcome.Actions{
				TurnOn:   s.turnOn,
				Register: s.register,
				Finish:   func(ctx context.Context) error { return s.Engine.SetSetting(ctx, pieces.KeyWelcomeDone, "true") },
				Health: func(ctx context.Context) string {
					_, _, sentence := s.Engine.Health(ctx)
					return sentence
				},
				Done: w.Close,
			}}).Content()
		},
		closed: s.openHome,
	})
}

// turnOnPatience is how long the server may take to start; it is looked at again this often, besides its own wakes.
const (
	turnOnPatience = 20 * time.Second
	turnOnLook     = 200 * time.Millisecond
)

// turnOn switches the server on and waits until it answers, since only then it has an address to register.
func (s *Shell) turnOn(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, turnOnPatience, errors.New("the server has not started yet: look into Settings, MCP"))
	defer cancel()
	wake, stop := s.Plane.Watch()
	defer stop()
	if err := s.Engine.SetSetting(ctx, pieces.KeyMCPEnabled, "true"); err != nil {
		return err
	}
	look := time.NewTicker(turnOnLook)
	defer look.Stop()
	for {
		switch st := s.Plane.Status(); {
		case st.Running:
			return nil
		case st.Problem != "":
			return errors.New(strings.TrimSuffix(st.Problem, "."))
		}
		select {
		case <-wake:
		case <-look.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *Shell) register(ctx context.Context, replace bool) (exists bool, err error) {
	err = s.Plane.Register(ctx, replace)
	if errors.Is(err, settings.ErrRegistered) && !replace {
		return true, nil
	}
	return false, err
}
