package home_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	. "fermata/ui/home"
	"fermata/ui/kit"
	"fermata/ui/phrase"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
)

type world struct {
	*testing.T
	*stage.Stage
	home *Home
	w    fyne.Window

	paths    chan string
	examined chan string
	err      error
	known    bool
	done     []string
}

func (w *world) RegisterProject(_ context.Context, path string) (pieces.Project, bool, error) {
	w.paths <- path
	return pieces.Project{ID: "m", Name: filepath.Base(path)}, w.known, w.err
}

func (w *world) Examine(_ context.Context, id string) ([]pieces.Finding, error) {
	w.examined <- id
	return nil, w.err
}

func open(t *testing.T, s *stage.Stage, width, height float32) *world {
	t.Helper()
	w := &world{T: t, Stage: s, paths: make(chan string, 1), examined: make(chan string, 1)}
	note := func(what string) { w.done = append(w.done, what) }
	w.home = New(t.Context(), Options{Engine: w, Pump: s.Pump, Actions: Actions{
		OpenProject: func(id string) { note("project " + id) },
		OpenPiece:   func(project, piece string) { note("piece " + project + " " + piece) },
		Settings:    func() { note("settings") },
		Browse:      func(chosen func(string)) { chosen("/chosen") },
	}})
	w.w = s.Open(w.home.Content(), width, height)
	return w
}

var model = Model{
	Projects: []Project{
		{ID: "m", Name: "muse", Path: "/home/ada/src/muse", Words: "2 waiting, 1 running", Waiting: true},
		{ID: "c", Name: "clio", Path: "/home/ada/src/a/very/long/path/that/does/not/fit/into/any/row/of/the/window/at/all/really/clio"},
	},
	Cues: []Cue{
		{PieceID: "p1", ProjectID: "m", Group: pieces.RequiresApproval, Label: "Spec ready", Title: "Retry uploads", Project: "muse", Age: "3 min"},
		{PieceID: "p2", ProjectID: "m", Group: pieces.RequiresApproval, Label: "Agents failed", Title: "Faster start", Project: "muse", Failed: true, Age: "2 h"},
		{PieceID: "p3", ProjectID: "c", Group: pieces.ReadyToMerge, Label: "Ready to merge", Title: "Dark mode", Project: "clio", Age: "5 d"},
	},
	Work: []Work{{PieceID: "p4", ProjectID: "m", Words: "Agents are running", Title: "Login form", Project: "muse", Age: "now"}},
}

func TestEveryRowOpensWhatItShows(t *testing.T) {
	w := open(t, stage.New(t), 860, 900)
	w.home.Show(model)
	for _, name := range []string{"cue:p1", "cue:p3", "work:p4", "project:m", "project:c", "home:settings"} {
		w.Tap(w.w, name)
	}
	want := []string{"piece m p1", "piece c p3", "piece m p4", "project m", "project c", "settings"}
	if !slices.Equal(w.done, want) {
		t.Errorf("opened %q, want %q", w.done, want)
	}
}

func (w *world) add(path string) string {
	w.Helper()
	w.Type(w.w, "home:path", path)
	w.Tap(w.w, "home:add")
	asked := <-w.paths
	w.Until("the button is back", func() bool {
		o, _ := stage.Find(w.w, "home:add")
		return !o.(*kit.Button).Disabled()
	})
	return asked
}

func TestTypedPathIsRegistered(t *testing.T) {
	w := open(t, stage.New(t), 860, 600)
	w.home.Show(Model{})
	folder, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	for typed, want := range map[string]string{"/src/muse": "/src/muse", " ~/muse ": filepath.Join(folder, "muse"), "~other/muse": "~other/muse"} {
		if got := w.add(typed); got != want {
			t.Errorf("%q registers %q, want %q", typed, got, want)
		}
	}
	if o, _ := stage.Find(w.w, "home:path"); o.(*kit.Entry).Text != "" {
		t.Error("the path stays after it was added")
	}
}

func TestEmptyPathLetsChooseAFolder(t *testing.T) {
	w := open(t, stage.New(t), 860, 600)
	w.home.Show(Model{})
	w.Tap(w.w, "home:add")
	if got := <-w.paths; got != "/chosen" {
		t.Errorf("%q was registered", got)
	}
}

func TestRefusalIsShownAndThePathStays(t *testing.T) {
	w := open(t, stage.New(t), 860, 600)
	w.home.Show(Model{})
	w.err = &engine.Refusal{Sentence: pieces.Say("/x is not a git repository with at least one commit.")}
	w.add("/x")
	w.Keep(w.w, "home-refused")
	if o, _ := stage.Find(w.w, "home:path"); o.(*kit.Entry).Text != "/x" {
		t.Error("the path is gone after the refusal")
	}
	w.err = nil
	w.known = true
	w.add("/x")
}

// texts are all that is drawn below an object.
func texts(o fyne.CanvasObject) (list []string) {
	if !o.Visible() {
		return nil
	}
	var below []fyne.CanvasObject
	switch o := o.(type) {
	case *canvas.Text:
		return []string{o.Text}
	case interface{ Text() string }:
		if o.Text() != "" {
			return []string{o.Text()}
		}
	case *fyne.Container:
		below = o.Objects
	case *container.Scroll:
		below = []fyne.CanvasObject{o.Content}
	}
	if w, ok := o.(fyne.Widget); ok && below == nil {
		below = test.WidgetRenderer(w).Objects()
	}
	for _, b := range below {
		list = append(list, texts(b)...)
	}
	return list
}

func TestFindingsAreShownBelowTheirProjectAndCheckedAgain(t *testing.T) {
	w := open(t, stage.New(t), 860, 1200)
	m := model
	m.Projects = slices.Clone(model.Projects)
	m.Projects[0].Findings = []pieces.Finding{{Key: pieces.FindingDetached, What: pieces.Say("HEAD is detached."), Fix: pieces.Say("`git switch main`.")}}
	for range 3 {
		m.Projects[1].Findings = append(m.Projects[1].Findings, pieces.Finding{Key: pieces.FindingHooks, What: pieces.Say("Hooks run."), Fix: pieces.Say("Let them be.")})
	}
	w.home.Show(m)
	said := func() string { return strings.Join(texts(w.w.Content()), "\n") }
	if words := said(); !strings.Contains(words, "HEAD is detached.") || !strings.Contains(words, "Fix: `git switch main`.") || strings.Contains(words, "Hooks run.") {
		t.Errorf("it says %q", words)
	}
	w.Keep(w.w, "home-findings")
	w.Tap(w.w, "findings:c")
	if words := said(); !strings.Contains(words, "Hooks run.") || !strings.Contains(words, "3 things can hurt work here") {
		t.Errorf("unfolded it says %q", words)
	}
	w.Tap(w.w, "examine:m")
	if id := <-w.examined; id != "m" {
		t.Errorf("%q was looked over", id)
	}
}

func TestDrawingAnewKeepsTheFocusAndWhatIsTyped(t *testing.T) {
	w := open(t, stage.New(t), 860, 900)
	w.home.Show(model)
	w.Type(w.w, "home:path", "/half")
	cue, _ := stage.Find(w.w, "cue:p1")
	w.w.Canvas().Focus(cue.(fyne.Focusable))
	next := model
	next.Work = nil
	w.home.Show(next)
	if f, ok := w.w.Canvas().Focused().(kit.Named); !ok || f.Name() != "cue:p1" {
		t.Errorf("focus on %v, want it on the same cue", w.w.Canvas().Focused())
	}
	if o, _ := stage.Find(w.w, "home:path"); o.(*kit.Entry).Text != "/half" {
		t.Error("what was typed is gone")
	}
}

func TestHomeSpeaksGerman(t *testing.T) {
	stage.Speak(t, pieces.LanguageGerman)
	w := open(t, stage.New(t), 860, 620)
	w.home.Show(Model{})
	stage.Translated(t, w.w, nil, "Projekte", "Projekt hinzufügen…", "Einstellungen…")
	w.home.Show(model)
	// The model comes with its ages in words.
	stage.Translated(t, w.w, []string{"now"}, "Braucht dich", "Braucht Freigabe", "Läuft", "Spec bereit")
	w.Keep(w.w, "home-german")
}

func TestHomePictures(t *testing.T) { stage.Both(t, pictures) }

func TestHomeSaysNothingThatNoCatalogueHas(t *testing.T) {
	stage.Marked(t, pictures, model, "/path/to/a/git/repository",
		"A piece with quite a long name that goes on and on and does not end before the row does, number 0")
}

func pictures(t *testing.T, word string, s *stage.Stage) {
	t.Helper()
	w := open(t, s, 860, 620)
	w.home.Show(Model{})
	w.home.Say(phrase.Of("This desktop has no tray, so Fermata keeps a window open: closing the last one quits."))
	w.Keep(w.w, "home-empty-"+word)
	w.home.Say("")
	w.home.Show(model)
	w.Keep(w.w, "home-usual-"+word)
	crowded := model
	for i := range 30 {
		c := model.Cues[i%2]
		c.PieceID, c.Title = fmt.Sprint("x", i), "A piece with quite a long name that goes on and on and does not end before the row does, number "+fmt.Sprint(i)
		crowded.Cues = append([]Cue{c}, crowded.Cues...)
	}
	w.home.Show(crowded)
	w.home.Fail(errors.New("read pieces: database is locked"))
	w.Keep(w.w, "home-crowded-"+word)
	w.w.Resize(fyne.NewSize(720, 480))
	w.Keep(w.w, "home-small-"+word)
}

func TestDroppedFoldersAreRegisteredOneAfterTheOther(t *testing.T) {
	w := open(t, stage.New(t), 860, 600)
	w.home.Show(Model{})
	w.home.Drop([]string{"/src/muse", "/src/clio"})
	for _, want := range []string{"/src/muse", "/src/clio"} {
		var got string
		w.Until("the next folder is looked at", func() bool {
			select {
			case got = <-w.paths:
			default:
			}
			return got != ""
		})
		if got != want {
			t.Errorf("registered %q, want %q", got, want)
		}
	}
	w.Until("all are done", func() bool {
		o, _ := stage.Find(w.w, "home:add")
		return !o.(*kit.Button).Disabled()
	})
}
