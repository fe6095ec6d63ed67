// Package home shows all projects, what waits for the person and what runs.
package home

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
	"fermata/ui/pump"
)

// Title is the title of the home window.
const Title = "Fermata"

// Engine registers projects and looks them over.
type Engine interface {
	RegisterProject(ctx context.Context, path string) (p pieces.Project, already bool, err error)
	Examine(ctx context.Context, projectID string) ([]pieces.Finding, error)
}

// Actions is what a press in the window leads to.
type Actions struct {
	OpenProject func(id string)
	OpenPiece   func(projectID, pieceID string)
	OpenSession func(id string)
	Settings    func()
	// Browse lets the person choose a folder; chosen is not called when none was.
	Browse func(chosen func(path string))
}

// Options is what a Home is made of. All fields are needed.
type Options struct {
	Engine  Engine
	Pump    *pump.Pump
	Actions Actions
}

// Home is the content of the main window. It is touched on the main goroutine only.
type Home struct {
	Options
	ctx context.Context // the window's life

	shown   *Model
	path    *kit.Entry
	add     *kit.Button
	said    *kit.Paragraph
	problem *kit.ErrorBar // of the last thing that was done here
	unread  *kit.ErrorBar // of the last reading
	notice  *fyne.Container
	queue   []string // folders that were dropped and wait to be registered
	words   *kit.Paragraph
	rooms   *fyne.Container
	cues    *cueList
	work    *workList
	folded  map[string]bool // whether the findings about a project are shown, where the person said so
	page    *fyne.Container
	content *container.Scroll
}

// New makes a home that shows nothing until Show.
func New(ctx context.Context, o Options) *Home {
	h := &Home{Options: o, ctx: ctx, said: kit.NewNote(""), rooms: kit.Column(kit.Pane), folded: map[string]bool{}}
	h.said.Hide()
	h.problem, h.unread = hiddenBar("home:problem"), hiddenBar("home:unread")
	h.path = kit.NewEntry("home:path")
	h.path.SetPlaceHolder("/path/to/a/git/repository")
	h.path.OnSubmitted = func(string) { h.register(h.path.Text) }
	h.add = kit.NewButton("home:add", "Add project…", kit.Normal, h.addTapped)
	h.words = kit.NewParagraph("")
	hide := kit.NewButton("home:hideNotice", "Got it", kit.Normal, func() { h.Say("") })
	h.notice = container.NewStack(kit.NewSurface(container.New(answered{}, h.words, hide)).In(kit.ColorRaised, kit.ColorBorder))
	h.notice.Hide()
	settings := kit.NewButton("home:settings", "Settings…", kit.Quiet, o.Actions.Settings)
	head := container.NewHBox(kit.Heading(phrase.Of("Fermata")), layout.NewSpacer(), settings)
	h.page = kit.Column(kit.Groups, head, h.notice, h.unread, h.rooms)
	h.cues, h.work = newCueList(h), newWorkList(h)
	h.content = container.NewVScroll(kit.NewMoved(kit.Pad(kit.Pane, h.page), func() {
		h.cues.roll.Bring()
		h.work.roll.Bring()
	}))
	return h
}

func hiddenBar(name string) *kit.ErrorBar {
	bar := kit.NewErrorBar(name, kit.Problem{})
	bar.Hide()
	return bar
}

// answered puts a button behind words, in the middle of their height.
type answered struct{}

// MinSize measures the words at the width they have now.
func (answered) MinSize(o []fyne.CanvasObject) fyne.Size {
	words, button := o[0].MinSize(), o[1].MinSize()
	return fyne.NewSize(words.Width+kit.Together+button.Width, max(words.Height, button.Height))
}

// Layout gives the words what the button leaves.
func (answered) Layout(o []fyne.CanvasObject, size fyne.Size) {
	button := o[1].MinSize()
	o[1].Move(fyne.NewPos(size.Width-button.Width, (size.Height-button.Height)/2))
	o[1].Resize(button)
	width := max(0, size.Width-button.Width-kit.Together)
	o[0].Resize(fyne.NewSize(width, o[0].MinSize().Height))
	high := o[0].MinSize().Height
	o[0].Move(fyne.NewPos(0, (size.Height-high)/2))
	o[0].Resize(fyne.NewSize(width, high))
}

// Content is what the window shows.
func (h *Home) Content() fyne.CanvasObject { return h.content }

// seen is which part of an object can be seen, from its top; it stands in a column that is one of the rooms.
func (h *Home) seen(column *fyne.Container, o fyne.CanvasObject) (from, to float32) {
	if h.content == nil || column == nil {
		return 0, 0
	}
	top := h.content.Content.Position().Y + h.page.Position().Y + h.rooms.Position().Y + column.Position().Y + o.Position().Y
	return -top, h.content.Size().Height - top
}

// Say shows a notice at the top; an empty one takes it away.
func (h *Home) Say(words string) {
	h.words.Set(words)
	h.notice.Hidden = words == ""
	h.content.Refresh()
}

// Show draws what was read, unless it is shown already.
func (h *Home) Show(m Model) {
	h.unread.Hide()
	if h.shown != nil && reflect.DeepEqual(*h.shown, m) {
		return
	}
	h.shown = &m
	focused := h.focused()
	h.rooms.Objects = h.draw(m)
	h.rooms.Refresh()
	h.content.Refresh()
	h.focus(focused)
}

// Fail says that the reading went wrong; what was read before stays.
func (h *Home) Fail(err error) {
	h.unread.Set(kit.Problem{What: "The pieces could not be read.", Safe: "What is shown is the last that was read.", Details: err.Error()})
	h.unread.Show()
	h.content.Refresh()
}

// focused is the name of the focused widget here, since drawing anew replaces the rows.
func (h *Home) focused() string {
	c := fyne.CurrentApp().Driver().CanvasForObject(h.content)
	if c == nil {
		return ""
	}
	named, ok := c.Focused().(kit.Named)
	if !ok {
		return ""
	}
	return named.Name()
}

func (h *Home) focus(name string) {
	c := fyne.CurrentApp().Driver().CanvasForObject(h.content)
	if c == nil || name == "" {
		return
	}
	o, found := kit.Find(h.rooms, name)
	if f, ok := o.(fyne.Focusable); found && ok && c.Focused() != f {
		c.Focus(f)
	}
}

func (h *Home) addTapped() {
	if strings.TrimSpace(h.path.Text) != "" {
		h.register(h.path.Text)
		return
	}
	h.Actions.Browse(func(path string) {
		h.path.SetText(path)
		h.register(path)
	})
}

// Drop registers the folders that were dropped on the window, one after the other.
func (h *Home) Drop(paths []string) {
	h.queue = append(h.queue, paths...)
	h.registerNext()
}

func (h *Home) registerNext() {
	if len(h.queue) == 0 || h.add.Disabled() {
		return
	}
	path := h.queue[0]
	h.queue = h.queue[1:]
	h.register(path)
}

func (h *Home) register(path string) {
	path = whole(path)
	if path == "" || h.add.Disabled() {
		return
	}
	var found pieces.Project
	var already bool
	h.add.DisableFor("looking at the folder")
	h.Pump.Go(h.ctx, func(ctx context.Context) (err error) {
		found, already, err = h.Engine.RegisterProject(ctx, path)
		return err
	}, func(err error) {
		h.add.Enable()
		h.registered(found, already, err)
		h.registerNext()
	})
}

func (h *Home) registered(p pieces.Project, already bool, err error) {
	h.problem.Hidden = err == nil
	h.said.Hidden = err != nil
	switch {
	case err != nil:
		h.problem.Set(problemOf(err))
	case already:
		h.said.Set(phrase.F("%s is registered already.", kit.Plain(p.Name)))
	default:
		h.folded[p.ID] = false
		h.said.Set(phrase.F("%s was added.", kit.Plain(p.Name)))
		h.path.SetText("")
	}
	h.content.Refresh()
}

func problemOf(err error) kit.Problem {
	if refusal := (*engine.Refusal)(nil); errors.As(err, &refusal) {
		return kit.Problem{What: phrase.Err(err), Safe: "Nothing was added and nothing on disk was touched."}
	}
	return kit.Problem{What: "The project could not be added.", Safe: "Nothing on disk was touched.", Details: err.Error()}
}

// whole is the path as the engine wants it: what the person typed may begin with the home folder's sign.
func whole(path string) string {
	path = strings.TrimSpace(path)
	rest, tilde := strings.CutPrefix(path, "~")
	if !tilde || rest != "" && !strings.HasPrefix(rest, "/") {
		return path
	}
	folder, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(folder, rest)
}
