// Package inspector shows one draft or piece and carries out what the person decides about it.
package inspector

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/kit/sheet"
	"fermata/ui/phrase"
	"fermata/ui/pump"
)

// Options is what an Inspector is made of; all but OpenIn, OpenSession and BrowseFile are needed.
type Options struct {
	Engine Engine
	Pump   *pump.Pump
	Now    func() time.Time
	// OpenURL opens an address of the web in the person's browser.
	OpenURL func(address string)
	// OpenIn opens a folder in a program of the desktop's, off the main goroutine; nil where there is none to open it in.
	OpenIn func(ctx context.Context, place Place, folder string) error
	// OpenSession asks for a session of the person's own in a piece's worktree; nil where there is no window for it.
	OpenSession func(pieceID string)
	// BrowseFile lets the person choose a file for a draft to take along; nil where there is no such dialog.
	BrowseFile func(chosen func(path string))
}

// page is one of the tabs' contents.
type page interface {
	content() fyne.CanvasObject
	show(m model, now time.Time)
}

// Inspector is touched on Fyne's main goroutine only. It reads the engine by itself, as long as something is open.
type Inspector struct {
	o          Options
	background func(work func(context.Context) error, done func(error))
	follow     func(query) (stop func())

	query  query
	last   model
	unread bool // the last reading failed, and the problem that is shown says so
	stop   func()
	close  func()
	whole  bool             // the diff has the whole window
	widen  func(whole bool) // gives the item the board's room too

	gate    *gateBar
	prompts *promptBox
	chat    *interviewBox
	splits  *splitBox
	tabs    *tabBar
	pages   map[tab]page
	page    *pageFrame
	problem *kit.ErrorBar
	sheets  *sheet.Layer
	title   *kit.Text
	phase   *kit.Pill
	piece   *fyne.Container
	parts   *fyne.Container
	draft   *draftEditor
	gone    *kit.Empty
	content *fyne.Container
}

// New makes an inspector that shows nothing. Its reading and its actions end with ctx.
func New(ctx context.Context, o Options) *Inspector {
	i := &Inspector{o: o, stop: func() {}, close: func() {}, widen: func(bool) {}, sheets: sheet.NewLayer()}
	i.background = func(work func(context.Context) error, done func(error)) { o.Pump.Go(ctx, work, done) }
	i.follow = func(q query) func() {
		ctx, cancel := context.WithCancel(ctx)
		wake, unwatch := o.Engine.Watch()
		r := &reader{engine: o.Engine, now: o.Now, query: q}
		pump.Follow(ctx, o.Pump, wake, r.read, i.show, i.showUnread)
		return func() { cancel(); unwatch() }
	}
	i.build()
	return i
}

func (i *Inspector) build() {
	i.problem = kit.NewErrorBar("problem", kit.Problem{})
	i.problem.Hide()
	i.gate = newGateBar(i.choose, func() { i.fit() })
	i.prompts = newPromptBox(i.answer, func() { i.fit() })
	i.chat = newInterviewBox(i.say, func() { i.fit() })
	i.splits = newSplitBox(i.decideSplit, func() { i.fit() })
	i.tabs = newTabBar(i.openTab)
	i.pages = map[tab]page{
		tabOverview: newOverview(i, newDependencyPart(i, i.link)),
		tabSpec:     newDocument(i),
		tabStrategy: newDocument(i),
		tabAgents:   newAgents(i.OpenSession, i.approveTask, i.steerAgent),
		tabSessions: newSessionsPage(i),
		tabReview:   newReview(i),
		tabHistory:  newHistory(),
	}
	i.title, i.phase = kit.Title("").CutEnd(), kit.NewPill(kit.ColorMuted, nil, "")
	i.page = newPageFrame()
	shut := kit.NewButton("closeItem", "", kit.Quiet, func() { i.close() }).WithIcon(theme.CancelIcon())
	head := container.NewBorder(nil, nil, nil, kit.Line(kit.Together, i.phase, shut), i.title)
	top := container.NewVScroll(sided(kit.Column(kit.Together, i.problem, i.prompts.body, i.chat.body, i.splits.body, i.gate.body)))
	i.parts = container.New(stacked{top, i.gate, func() bool { return i.whole }, func() bool { return i.prompts.shown != "" || i.chat.shown != "" || i.splits.shown != "" }}, top, i.tabs.body, i.page)
	i.piece = kit.Border(kit.Pad(kit.Groups-kit.Step, head), nil, nil, nil, i.parts)
	i.draft = newDraftEditor(i)
	i.gone = kit.NewEmpty("This item is no longer there.", nil)
	i.content = container.NewStack(i.piece, i.draft.body, i.gone, i.sheets)
	i.showPart(nil)
}

// sided keeps the distance of a pane at the sides, and room for what ends a scroll above and below.
func sided(o fyne.CanvasObject) fyne.CanvasObject {
	const edge, side = 2, kit.Groups - kit.Step
	return container.New(layout.NewCustomPaddedLayout(edge, kit.Together, side, side), o)
}

// Content is what stands in the window.
func (i *Inspector) Content() fyne.CanvasObject { return i.content }

// Open shows the draft or piece of an id; "" shows nothing.
func (i *Inspector) Open(id string) {
	if id == i.query.id {
		return
	}
	i.sheets.Close()
	i.setWhole(false)
	show(i.problem, false)
	i.last = model{}
	i.showPart(nil)
	i.ask(query{id: id})
}

// OnClose sets what the button that closes the item does.
func (i *Inspector) OnClose(do func()) { i.close = do }

// OnWhole sets what gives the item the board's room, and takes it back.
func (i *Inspector) OnWhole(do func(whole bool)) { i.widen = do }

// Back leaves what covers the rest of the item; false when nothing does.
func (i *Inspector) Back() bool {
	was := i.whole
	i.setWhole(false)
	return was
}

// setWhole gives the diff all the room that there is.
func (i *Inspector) setWhole(on bool) {
	if on == i.whole {
		return
	}
	i.whole = on
	i.pages[tabReview].(*review).setWhole(on)
	i.widen(on)
	i.fit()
}

// Opened is the id of what is shown, or "".
func (i *Inspector) Opened() string { return i.query.id }

// Tick draws the last reading again, so that its ages are those of now.
func (i *Inspector) Tick() {
	if i.last.piece != nil || i.last.draft != nil {
		i.show(i.last)
	}
}

// Press carries out what a key stands for; false when it stands for nothing now.
func (i *Inspector) Press(s fyne.Shortcut) bool {
	return i.last.piece != nil && !i.sheets.Open() && i.gate.press(s)
}

// ask reads another query from now on.
func (i *Inspector) ask(q query) {
	i.stop()
	i.stop = func() {}
	i.query = q
	if q.id != "" {
		i.stop = i.follow(q)
	}
}

func (i *Inspector) openTab(t tab) {
	i.setWhole(false)
	q := i.query
	q.tab, q.earlier = t, 0
	i.ask(q)
}

// OpenSession shows a session of the piece that is open.
func (i *Inspector) OpenSession(id string) {
	i.setWhole(false)
	i.ask(query{id: i.query.id, tab: tabSessions, session: id})
}

func (i *Inspector) openEarlier() {
	q := i.query
	q.session = i.last.session
	q.earlier++
	i.ask(q)
}

// show draws a reading.
func (i *Inspector) show(m model) {
	if m.id != i.query.id {
		return
	}
	i.last = m
	if i.unread {
		i.unread = false
		show(i.problem, false)
	}
	switch {
	case m.draft != nil:
		i.draft.show(*m.draft)
		i.draft.waits.show(draftWaits(*m.draft, m.on))
		i.showPart(i.draft.body)
	case m.piece != nil:
		i.showPiece(m)
		i.showPart(i.piece)
	default:
		i.showPart(i.gone)
	}
	i.fit()
}

// showUnread says that what is shown may be old.
func (i *Inspector) showUnread(err error) {
	i.unread = true
	i.problem.Set(kit.Problem{
		What: "Fermata could not read this item.", Safe: "What is shown below may be old.",
		Next: "It is read again with the next change.", Details: err.Error(),
	})
	show(i.problem, true)
	if i.last.piece == nil && i.last.draft == nil {
		i.showPart(i.piece)
	}
	i.fit()
}

func (i *Inspector) showPart(part fyne.CanvasObject) {
	for _, o := range []fyne.CanvasObject{i.piece, i.draft.body, i.gone} {
		show(o, o == part)
	}
}

func (i *Inspector) showPiece(m model) {
	now := i.o.Now()
	s := *m.piece
	i.title.Set(s.Piece.Name)
	i.phase.Set(kit.PhaseColor(string(s.Piece.Phase)), nil, phrase.Counted(s.Display())+laneSuffix(s.Piece))
	i.prompts.show(s, now)
	i.chat.show(s, now)
	i.splits.show(s, m.since, now)
	i.gate.show(s, m.since, now)
	i.tabs.show(m.tab)
	p := i.pages[m.tab]
	// The page gets its place first: how far a transcript is scrolled depends on its size.
	i.page.show(m.tab, p.content())
	i.fit()
	p.show(m, now)
}

// fit gives what is asked and waited for the height that it has come to need.
func (i *Inspector) fit() { relayout(i.parts) }

func laneSuffix(p pieces.Piece) string {
	if p.Config.Lane == pieces.LaneManual {
		return ""
	}
	return " · " + laneWord(p.Config.Lane)
}
