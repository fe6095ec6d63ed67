package inspector

import (
	"context"
	"path/filepath"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/kit/sheet"
	"fermata/ui/phrase"
	"fermata/ui/pump"
)

// CanvasEngine is what the window of the person's own sessions asks for. *engine.Engine is one.
type CanvasEngine interface {
	Watch() (<-chan struct{}, func())
	Project(ctx context.Context, id string) (pieces.Project, error)
	Sessions(ctx context.Context, f pieces.SessionFilter) ([]pieces.Session, error)
	Messages(ctx context.Context, sessionID string, n int) ([]pieces.Message, error)
	SessionPrompts(sessionID string) []pieces.Prompt
	AnswerPrompt(ctx context.Context, promptID string, a pieces.PromptAnswer) error
	OpenSession(ctx context.Context, n engine.NewSession) (pieces.Session, error)
	SayToSession(ctx context.Context, id, text string) error
	StopSession(ctx context.Context, id string) error
	RenameSession(ctx context.Context, id, name string) error
	HideSession(ctx context.Context, id string, hide bool) error
}

// CanvasOptions is what a Canvas is made of; all are needed.
type CanvasOptions struct {
	ProjectID string
	Engine    CanvasEngine
	Pump      *pump.Pump
	Now       func() time.Time
	OpenURL   func(address string)
}

// canvasModel is one reading.
type canvasModel struct {
	project  pieces.Project
	list     []pieces.Session
	hidden   bool           // the hidden ones are listed
	others   int            // how many hidden ones there are while the others are listed
	chosen   pieces.Session // the zero value while there is none
	messages []pieces.Message
	more     bool
	prompts  []pieces.Prompt
}

// canvasQuery says what is looked at.
type canvasQuery struct {
	session string
	earlier int
	hidden  bool // of those that the person hid; a session that is named is looked at among its own kind
}

// Canvas shows the sessions that the person opened in one project, and talks with them. It is touched on Fyne's main
// goroutine only, and reads by itself until its context ends.
type Canvas struct {
	o          CanvasOptions
	background func(work func(context.Context) error, done func(error))
	follow     func()
	unfollow   func()

	query canvasQuery
	last  canvasModel
	typed map[string]string // messages that were not sent yet, by session

	problem *kit.ErrorBar
	prompts *promptBox
	page    *sessions
	empty   *kit.Empty
	entry   *kit.Entry
	send    *kit.Button
	stop    *kit.Button
	rename  *kit.Button
	hide    *kit.Button
	again   *kit.Button // shows a hidden one again
	title   *kit.Text
	hidden  *kit.Button // lists the hidden ones
	back    *kit.Button // lists the others
	compose *fyne.Container
	sheets  *sheet.Layer
	content fyne.CanvasObject
	filling bool
}

// NewCanvas makes the content and follows the engine until ctx ends.
func NewCanvas(ctx context.Context, o CanvasOptions) *Canvas {
	c := &Canvas{o: o, typed: map[string]string{}, sheets: sheet.NewLayer(), unfollow: func() {}}
	c.background = func(work func(context.Context) error, done func(error)) { o.Pump.Go(ctx, work, done) }
	c.follow = func() {
		ctx, cancel := context.WithCancel(ctx)
		wake, unwatch := o.Engine.Watch()
		q := c.query
		c.unfollow = func() { cancel(); unwatch() }
		pump.Follow(ctx, o.Pump, pump.EachMinute(ctx, o.Pump, wake), func(ctx context.Context) (canvasModel, error) { return c.read(ctx, q) }, c.show, c.showUnread)
	}
	c.build()
	c.follow()
	return c
}

// Content is what stands in the window.
func (c *Canvas) Content() fyne.CanvasObject { return c.content }

// Close ends the reading.
func (c *Canvas) Close() { c.unfollow() }

// Open shows a session; "" shows the newest.
func (c *Canvas) Open(id string) { c.ask(canvasQuery{session: id}) }

func (c *Canvas) ask(q canvasQuery) {
	c.unfollow()
	c.query = q
	c.follow()
}

func (c *Canvas) build() {
	c.problem = kit.NewErrorBar("canvasProblem", kit.Problem{})
	c.problem.Hide()
	c.prompts = newPromptBox(c.answer, func() { c.content.Refresh() })
	c.page = newSessions(c.Open, func() { c.ask(canvasQuery{session: c.last.chosen.ID, earlier: c.query.earlier + 1}) }, c.o.OpenURL)
	c.empty = kit.NewEmpty("There is no session to show here.", kit.NewButton("canvas:first", "New session", kit.Primary, func() { c.New("") }))
	c.entry = kit.NewMultiEntry("canvas:message", 3)
	c.entry.SetPlaceHolder("Message to the session")
	c.entry.OnChanged = func(text string) {
		if !c.filling {
			c.typed[c.last.chosen.ID] = text
			c.enable()
		}
	}
	c.send = kit.NewButton("canvas:send", "Send", kit.Primary, c.say)
	c.stop = kit.NewButton("canvas:stop", "Stop session", kit.Destructive, func() {
		id := c.last.chosen.ID
		c.do("stop the session", func(ctx context.Context) error { return c.o.Engine.StopSession(ctx, id) }, func() {})
	})
	c.rename = kit.NewButton("canvas:rename", "Rename", kit.Quiet, c.askName)
	c.hide = kit.NewButton("canvas:hide", "Hide", kit.Quiet, c.putAway)
	c.again = kit.NewButton("canvas:show", "Show again", kit.Normal, func() {
		id := c.last.chosen.ID
		c.do("show the session again", func(ctx context.Context) error { return c.o.Engine.HideSession(ctx, id, false) }, func() { c.Open(id) })
	})
	c.compose = kit.Column(kit.Together, c.entry, kit.Wrap(c.send, c.stop, c.rename, c.hide, c.again))
	c.title = kit.Title(phrase.Of("Sessions"))
	c.hidden = kit.NewButton("canvas:hidden", "Hidden", kit.Quiet, func() { c.ask(canvasQuery{hidden: true}) })
	c.back = kit.NewButton("canvas:back", "Back to the others", kit.Quiet, func() { c.Open("") })
	fresh := kit.NewButton("canvas:new", "New session", kit.Normal, func() { c.New("") })
	head := container.NewBorder(nil, nil, nil, kit.Line(kit.Together, c.hidden, c.back, fresh), c.title)
	top := kit.Pad(kit.Groups-kit.Step, kit.Column(kit.Together, head, c.problem, c.prompts.body))
	body := kit.Border(top, kit.Pad(kit.Groups-kit.Step, c.compose), nil, nil, container.NewStack(c.page.body, c.empty))
	c.content = container.NewStack(body, c.sheets)
	show(c.compose, false)
}

// read makes a model of what is looked at.
func (c *Canvas) read(ctx context.Context, q canvasQuery) (m canvasModel, err error) {
	if m.project, err = c.o.Engine.Project(ctx, c.o.ProjectID); err != nil {
		return m, err
	}
	all, err := c.o.Engine.Sessions(ctx, pieces.SessionFilter{ProjectID: c.o.ProjectID, IncludeHidden: true})
	if err != nil {
		return m, err
	}
	m.hidden = q.hidden
	for _, s := range all {
		if s.ID == q.session {
			m.hidden = s.Hidden
		}
	}
	for _, s := range all {
		switch {
		case s.Kind != pieces.SessionCanvas:
			continue
		case s.Hidden != m.hidden:
			if s.Hidden {
				m.others++
			}
			continue
		}
		m.list = append(m.list, s)
		if s.ID == q.session || m.chosen.ID == "" && q.session == "" {
			m.chosen = s
		}
	}
	if m.chosen.ID == "" {
		return m, nil
	}
	m.prompts = c.o.Engine.SessionPrompts(m.chosen.ID)
	m.messages, m.more, err = transcriptPage(ctx, c.o.Engine.Messages, m.chosen.ID, q.earlier)
	return m, err
}

func (c *Canvas) show(m canvasModel) {
	moved := m.chosen.ID != c.last.chosen.ID
	replaced := !moved && m.chosen.ReplacedBy != c.last.chosen.ReplacedBy
	c.last = m
	if replaced {
		c.Open(m.chosen.ReplacedBy) // what the person said goes on there
	}
	if moved {
		c.filling = true
		c.entry.SetText(c.typed[m.chosen.ID])
		c.filling = false
		show(c.problem, false)
	}
	now := c.o.Now()
	list := make([]pieces.Session, len(m.list))
	for i, s := range m.list {
		// Where a session works is what tells it from another here.
		s.Model = phrase.Of("in the project's folder")
		if s.Worktree != m.project.Path {
			s.Model = phrase.Of("in the worktree ") + filepath.Base(s.Worktree)
		}
		list[i] = s
	}
	c.prompts.show(pieces.Snapshot{Prompts: m.prompts}, now)
	show(c.empty, len(list) == 0)
	c.title.Set(phrase.Of("Sessions"))
	if m.hidden {
		c.title.Set(phrase.Of("Hidden sessions"))
	}
	c.hidden.SetLabel(phrase.F("Hidden (%d)", m.others))
	show(c.hidden, m.others > 0)
	show(c.back, m.hidden)
	show(c.page.body, len(list) > 0)
	show(c.compose, m.chosen.ID != "")
	c.page.show(model{query: query{session: m.chosen.ID}, sessions: list, messages: m.messages, more: m.more}, now)
	c.enable()
	c.content.Refresh()
}

// enable lets the person do what the session takes now, and says why not.
func (c *Canvas) enable() {
	s := c.last.chosen
	c.send.SetLabel("Send")
	if !s.State.Live() {
		c.send.SetLabel("Continue the session")
	}
	switch {
	case s.State == pieces.SessionAwaitingApproval, s.State == pieces.SessionAwaitingInput:
		c.send.DisableFor("Answer what it asks first")
	case s.State.Live() && s.State != pieces.SessionIdle:
		c.send.DisableFor("It is working")
	case kit.Plain(c.entry.Text) == "":
		c.send.DisableFor("")
	default:
		c.send.Enable()
	}
	// What it asks has the room, until it is answered.
	asks := s.State == pieces.SessionAwaitingApproval || s.State == pieces.SessionAwaitingInput
	show(c.entry, !asks || c.entry.Text != "")
	show(c.stop, s.State.Live())
	show(c.hide, !s.Hidden)
	show(c.again, s.Hidden)
}

// putAway hides the session; one that runs is stopped first, which the person is asked about.
func (c *Canvas) putAway() {
	s := c.last.chosen
	hide := func(ctx context.Context) error { return c.o.Engine.HideSession(ctx, s.ID, true) }
	gone := func() {
		if c.last.chosen.ID == s.ID {
			c.Open("")
		}
	}
	if !s.State.Live() {
		c.do("hide the session", hide, gone)
		return
	}
	stop := kit.NewButton("canvas:stopAndHide", "Stop and hide", kit.Destructive, func() {
		c.sheets.Close()
		c.do("hide the session", func(ctx context.Context) error {
			if err := c.o.Engine.StopSession(ctx, s.ID); err != nil {
				return err
			}
			return hide(ctx)
		}, gone)
	})
	c.askSheet("Stop the session and hide it?", kit.NewParagraph("It still runs. You can continue it later: hidden sessions stay, with what was said in them."), stop, nil)
}

func (c *Canvas) showUnread(err error) {
	c.problem.Set(kit.Problem{What: "Fermata could not read the sessions.", Safe: "What is shown below may be old.", Next: "They are read again with the next change.", Details: err.Error()})
	show(c.problem, true)
	c.content.Refresh()
}

// do carries something out and shows what was refused.
func (c *Canvas) do(what string, work func(context.Context) error, done func()) {
	c.background(work, func(err error) {
		showProblemOf(c.problem, what, err)
		c.content.Refresh()
		if err == nil {
			done()
		}
	})
}

func (c *Canvas) answer(p pieces.Prompt, a pieces.PromptAnswer) {
	c.background(func(ctx context.Context) error { return c.o.Engine.AnswerPrompt(ctx, p.ID, a) }, func(err error) {
		if err != nil {
			c.prompts.free()
		}
		showProblemOf(c.problem, "answer the session", err)
		c.content.Refresh()
	})
}

// say sends what was typed, which stays until it has arrived.
func (c *Canvas) say() {
	id, text := c.last.chosen.ID, c.entry.Text
	c.send.DisableFor("It is being sent")
	c.do("send the message", func(ctx context.Context) error { return c.o.Engine.SayToSession(ctx, id, text) }, func() {
		if c.typed[id] != text {
			return
		}
		delete(c.typed, id)
		if c.last.chosen.ID == id {
			c.filling = true
			c.entry.SetText("")
			c.filling = false
			c.enable()
		}
	})
}

// New asks for a new session in the project's folder, or in the worktree of a piece.
func (c *Canvas) New(pieceID string) {
	prompt, named := kit.NewMultiEntry("canvas:prompt", 6), kit.NewEntry("canvas:model")
	prompt.OnEscape, named.OnEscape = c.sheets.Close, c.sheets.Close
	named.SetPlaceHolder("Claude Code's default")
	where := phrase.Of("It works in the project's own folder, on what is checked out there.")
	if pieceID != "" {
		where = phrase.Of("It works in the piece's worktree, beside the piece's own agents.")
	}
	field := kit.NewField("What should it do?", prompt, where)
	start := kit.NewButton("canvas:start", "Start session", kit.Primary, func() {
		if kit.Plain(prompt.Text) == "" {
			field.Refuse("Say what the session should do.")
			c.sheets.Fits()
			return
		}
		n := engine.NewSession{ProjectID: c.o.ProjectID, PieceID: pieceID, Prompt: prompt.Text, Model: named.Text}
		c.sheets.Close()
		var s pieces.Session
		c.do("start the session", func(ctx context.Context) (err error) {
			s, err = c.o.Engine.OpenSession(ctx, n)
			return err
		}, func() { c.Open(s.ID) })
	})
	c.askSheet("New session", kit.Column(kit.Groups-kit.Step, field, kit.NewField("Model", named, "")), start, prompt)
}

func (c *Canvas) askName() {
	s := c.last.chosen
	name := kit.NewEntry("canvas:name")
	name.SetText(s.Name)
	name.OnEscape = c.sheets.Close
	keep := kit.NewButton("canvas:named", "Rename", kit.Primary, func() {
		c.sheets.Close()
		c.do("rename the session", func(ctx context.Context) error { return c.o.Engine.RenameSession(ctx, s.ID, name.Text) }, func() {})
	})
	c.askSheet("Rename session", kit.NewField("Name", name, ""), keep, name)
}

// askSheet shows a sheet with Cancel and the button that goes on. The focus starts on first, or on Cancel.
func (c *Canvas) askSheet(title string, content fyne.CanvasObject, ok *kit.Button, first fyne.Focusable) {
	askSheet(c.sheets, "canvas:cancel", title, content, ok, first)
}
