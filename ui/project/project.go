// Package project fills a project's window: its board, and the item that is open beside it.
package project

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/kit/sheet"
	"fermata/ui/phrase"
	"fermata/ui/pump"
)

// Board shows the items. *board.Board is one.
type Board interface {
	Content() fyne.CanvasObject
	Show(now time.Time, drafts []pieces.Draft, list []pieces.Snapshot, on map[string][]pieces.Dependency)
	Found(text string, ids []string)
	Select(id string)
	FocusSearch()
	Arrow(key fyne.KeyName) bool
	Taps
}

// Taps are what the person does on a board.
type Taps interface {
	OnOpen(func(id string))
	OnNewDraft(func())
	OnSearch(func(text string))
	OnArchived(func(shown bool))
	OnDrop(func(id string, d pieces.Drop))
	OnDelete(func(id string))
}

// Inspector shows one item. *inspector.Inspector is one.
type Inspector interface {
	Content() fyne.CanvasObject
	Open(id string)
	OpenSession(id string)
	OnClose(func())
	OnWhole(func(whole bool))
	Back() bool
	Tick()
	Press(fyne.Shortcut) bool
}

// Options is what a Project is made of. OpenSettings, Browse, BrowseFile and Close may be nil.
type Options struct {
	ProjectID    string
	Engine       Engine
	Board        Board
	Inspector    Inspector
	Pump         *pump.Pump
	Now          func() time.Time
	OpenSettings func()
	// OpenSessions shows the person's own sessions in the project; nil leaves the button out.
	OpenSessions func()
	// Browse lets the person choose a folder; chosen is not called when none was. Nil leaves typing a path.
	Browse func(chosen func(path string))
	// BrowseFile lets the person choose a file. Nil leaves dropping files on the window.
	BrowseFile func(chosen func(path string))
	// Close closes the window, which a project that was removed has no more use for. Nil leaves it open.
	Close func()
}

// Project is a project window's content. It is touched on Fyne's main goroutine only.
type Project struct {
	o          Options
	background func(work func(context.Context) error, done func(error))
	close      func()

	again    chan struct{} // asks for one more reading
	archived atomic.Bool   // whether archived pieces are read
	looking  search
	opened   string
	title    *kit.Text
	branch   *kit.Text
	path     *kit.Copyable
	problem  *kit.ErrorBar // of the last reading
	undone   *kit.ErrorBar // of the last thing that was done here
	sheets   *sheet.Layer
	panes    *panes
	newDraft *kit.Button
	loop     *loopBar
	bar      *fyne.Container
	place    string // the project's path
	project  pieces.Project
	model    model
	form     *draftForm // of the last new draft
	content  fyne.CanvasObject
}

// model is one reading of the project.
type model struct {
	project pieces.Project
	drafts  []pieces.Draft
	list    []pieces.Snapshot
	on      map[string][]pieces.Dependency // what drafts and pieces wait on
	loop    pieces.LoopStanding
}

// New makes the content and follows the engine until ctx ends or Close is called.
func New(ctx context.Context, o Options) *Project {
	ctx, cancel := context.WithCancel(ctx)
	p := &Project{o: o, sheets: sheet.NewLayer(), again: make(chan struct{}, 1)}
	p.background = func(work func(context.Context) error, done func(error)) { o.Pump.Go(ctx, work, done) }
	p.build()
	wake, unwatch := o.Engine.Watch()
	p.close = func() { cancel(); unwatch() }
	pump.Follow(ctx, o.Pump, pump.EachMinute(ctx, o.Pump, p.either(wake)), p.read, p.show, p.showProblem)
	return p
}

func (p *Project) build() {
	p.title, p.branch, p.path = kit.Title("").CutEnd(), kit.Caption("").CutMiddle(), kit.NewCopyable("projectPath", "")
	p.newDraft = kit.NewButton("newDraft", "New draft", kit.Normal, p.NewDraft)
	p.loop = newLoopBar(p)
	p.bar = newToolbar(p)
	p.problem = kit.NewErrorBar("projectProblem", kit.Problem{})
	p.problem.Hide()
	p.undone = kit.NewErrorBar("projectUndone", kit.Problem{}, kit.NewButton("projectUndone:hide", "Got it", kit.Normal, func() { show(p.undone, false) }))
	p.undone.Hide()
	p.o.Board.OnOpen(p.ShowPiece)
	p.o.Board.OnNewDraft(p.NewDraft)
	p.o.Board.OnSearch(p.search)
	p.o.Board.OnArchived(p.showArchived)
	p.o.Board.OnDrop(p.drop)
	p.o.Board.OnDelete(p.DeletePiece)
	p.o.Inspector.OnClose(func() { p.ShowPiece("") })
	p.o.Inspector.OnWhole(func(whole bool) { p.panes.setWhole(whole) })
	p.panes = newPanes(kit.Pad(kit.Groups-kit.Step, p.o.Board.Content()), p.o.Inspector.Content())
	head := kit.Column(0, p.bar, p.loop.line, kit.Divider(), p.problem, p.undone)
	p.content = container.NewStack(kit.Border(head, nil, nil, nil, p.panes), p.sheets)
}

// Content is what stands in the window.
func (p *Project) Content() fyne.CanvasObject { return p.content }

// Close ends the following; the content is not used after it.
func (p *Project) Close() {
	p.o.Inspector.Open("")
	p.close()
}

// ShowPiece opens the draft or piece of an id beside the board; "" closes what is open.
func (p *Project) ShowPiece(id string) {
	p.opened = id
	p.o.Inspector.Open(id)
	p.panes.setOpen(id != "")
	p.o.Board.Select(id)
}

// ShowSession opens a piece beside the board, at one of its sessions.
func (p *Project) ShowSession(id, session string) {
	p.ShowPiece(id)
	p.o.Inspector.OpenSession(session)
}

// Shown is the id of the open item, or "".
func (p *Project) Shown() string { return p.opened }

func (p *Project) read(ctx context.Context) (m model, err error) {
	if m.project, err = p.o.Engine.Project(ctx, p.o.ProjectID); err != nil {
		return m, err
	}
	if m.drafts, err = p.o.Engine.Drafts(ctx, p.o.ProjectID); err != nil {
		return m, err
	}
	if m.on, err = p.o.Engine.Dependencies(ctx); err != nil {
		return m, err
	}
	if m.loop, err = p.o.Engine.LoopStanding(ctx, p.o.ProjectID); err != nil {
		return m, err
	}
	m.list, err = p.o.Engine.Pieces(ctx, pieces.PieceFilter{ProjectID: p.o.ProjectID, IncludeArchived: p.archived.Load()})
	return m, err
}

func (p *Project) show(m model) {
	show(p.problem, false)
	p.project = m.project
	p.title.Set(m.project.Name)
	if p.place != m.project.Path {
		p.place = m.project.Path
		p.path.Set(p.place)
	}
	p.branch.Set(phrase.F("from %s", m.project.Branch))
	p.loop.show(m)
	p.bar.Layout.Layout(p.bar.Objects, p.bar.Size())
	p.model = m
	p.o.Board.Show(p.o.Now(), m.drafts, m.list, m.on)
	p.searchAgain()
	p.o.Inspector.Tick()
}

func (p *Project) showProblem(err error) {
	problem := kit.Problem{
		What: "Fermata could not read this project.", Safe: "What is shown below may be old.",
		Next: "It is read again with the next change.", Details: err.Error(),
	}
	if errors.Is(err, pieces.ErrNotFound) {
		problem = kit.Problem{What: "This project is no longer registered.", Safe: "Nothing on disk was touched."}
	}
	p.problem.Set(problem)
	show(p.problem, true)
}

func show(o fyne.CanvasObject, visible bool) {
	if visible == o.Visible() {
		return
	}
	if visible {
		o.Show()
		return
	}
	o.Hide()
}
