// Package popover lists what needs the person, answers it in place and says what runs.
package popover

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
	"fermata/ui/pump"
)

// Title is the title of the popover's window.
const Title = "Fermata cues"

// The popover's size: as high as its content needs, between the two heights.
const (
	Width     float32 = 400
	LeastHigh float32 = 320
	MostHigh  float32 = 560
)

// settled is how long a cue that came under the cursor by itself takes no Enter: the key was meant for the one before it.
const settled = 600 * time.Millisecond

// Engine carries out what the person decides. *engine.Engine is one.
type Engine interface {
	Act(ctx context.Context, r engine.Request) (engine.Result, error)
	Effect(ctx context.Context, r engine.Request) (pieces.Effect, error)
	Snooze(ctx context.Context, t engine.Target, fingerprint string) (int, error)
}

// Desk takes the answers to the questions of clients.
type Desk interface {
	Answer(id string, allow bool, note string) error
}

// Asks is the form in which a cue is answered by words or an approval.
type Asks interface {
	Content() fyne.CanvasObject
	// Show draws what the target asks; false when it asks nothing any more.
	Show(t engine.Target) bool
}

// Actions is what leads out of the popover.
type Actions struct {
	Open         func(c Cue)
	OpenQuestion func(q Question)
	OpenPiece    func(projectID, pieceID string)
	Home         func()
	Close        func()
	// Grown is called when the content has come to need more height than Height was.
	Grown func()
}

// Options is what a Popover is made of. All fields are needed.
type Options struct {
	Engine  Engine
	Desk    Desk
	Asks    Asks
	Pump    *pump.Pump
	Now     func() time.Time
	Actions Actions
}

// Popover is the content of the popover's window. It is touched on the main goroutine only.
type Popover struct {
	o   Options
	ctx context.Context // the window's life

	model   Model
	drawn   bool
	rows    []row
	at      int // the chosen row; -1 when there is none
	moved   time.Time
	busy    map[string]bool // by key: an action is under way
	focused bool

	title   *kit.Text
	snoozed *kit.Text
	problem *kit.ErrorBar
	list    *cueList
	detail  *detail
	line    *kit.StateDot
	work    *fyne.Container
	foot    *fyne.Container
	body    *fyne.Container
	content fyne.CanvasObject
}

// New makes a popover that shows nothing until Show. Its actions end with ctx.
func New(ctx context.Context, o Options) *Popover {
	p := &Popover{o: o, ctx: ctx, at: -1, busy: map[string]bool{}}
	p.title, p.snoozed = kit.Title("").CutEnd(), kit.Caption("")
	p.problem = kit.NewErrorBar("popover:problem", kit.Problem{}, kit.NewButton("popover:hideProblem", "Got it", kit.Normal, func() { p.say(kit.Problem{}) }))
	p.problem.Hide()
	home := kit.NewButton("popover:home", "Open Fermata", kit.Quiet, o.Actions.Home)
	home.OnEscape = p.escape
	p.list = newCueList(p)
	p.detail = newDetail(p)
	p.line = kit.NewStateDot(kit.StateRunning, "")
	p.work = kit.Column(0)
	p.foot = p.newFoot()
	head := container.NewBorder(nil, nil, nil, kit.Line(kit.Together, centered(p.snoozed), home), centered(p.title))
	top := kit.Column(kit.Together, kit.Pad(kit.Together, head))
	p.body = container.New(&stack{p}, top, p.problem, p.list, p.detail.body, p.foot)
	p.content = kit.NewSurface(p.body).Inset(1)
	return p
}

func (p *Popover) newFoot() *fyne.Container {
	scroll := container.NewVScroll(p.work)
	return container.New(&footLayout{p}, p.line, scroll, kit.Divider())
}

// Content is what the window shows.
func (p *Popover) Content() fyne.CanvasObject { return p.content }

// Height is what the window needs to show everything, within the popover's bounds.
func (p *Popover) Height() float32 {
	if p.detail.open() {
		return MostHigh
	}
	rest := p.body.MinSize().Height - listLeast
	return min(MostHigh, max(LeastHigh, rest+p.list.roll.high()+2))
}

// Focus puts the keys onto the list.
func (p *Popover) Focus() {
	if c := fyne.CurrentApp().Driver().CanvasForObject(p.list); c != nil {
		c.Focus(p.list)
	}
}

// TypedKey takes a key of the window while nothing has the focus.
func (p *Popover) TypedKey(ev *fyne.KeyEvent) { p.list.TypedKey(ev) }

// TypedRune takes a letter of the window while nothing has the focus.
func (p *Popover) TypedRune(r rune) { p.list.TypedRune(r) }

// Show draws a model, unless it is shown already. The chosen cue stays chosen while it is there.
func (p *Popover) Show(m Model) {
	p.detail.follow(m)
	if p.drawn && reflect.DeepEqual(p.model, m) {
		return
	}
	key := p.chosen()
	p.drawn, p.model = true, m
	p.rows = rowsOf(m)
	p.keep(key)
	p.title.Set(headline(len(m.Cues) + len(m.Questions)))
	p.snoozed.Set("")
	if m.Snoozed > 0 {
		p.snoozed.Set(phrase.F("%d snoozed", m.Snoozed))
	}
	p.list.show(p.rows)
	p.showWork(m)
	p.fit()
}

func headline(n int) string {
	if n == 0 {
		return phrase.Of("Nothing waits for you")
	}
	return phrase.N(n, "1 decision waits for you", "%d decisions wait for you")
}

func counted(words string, n int) string {
	if n == 0 {
		return words
	}
	return fmt.Sprintf("%s (%d)", words, n)
}

// Fail says that the reading went wrong; what was read before stays.
func (p *Popover) Fail(err error) {
	p.say(kit.Problem{What: "The pieces could not be read.", Safe: "What is shown is the last that was read.", Details: err.Error()})
}

// keep chooses the row of a key again. When it has gone, the row that took its place is chosen, and takes no Enter at once.
func (p *Popover) keep(key string) {
	if at := p.find(key); at >= 0 {
		p.at = at
		return
	}
	if key != "" {
		p.moved = p.o.Now()
	}
	p.at = p.next(max(0, p.at), 1)
	if p.at < 0 {
		p.at = p.next(len(p.rows)-1, -1)
	}
}

func (p *Popover) find(key string) int {
	if key == "" {
		return -1
	}
	return slices.IndexFunc(p.rows, func(r row) bool { return r.key == key })
}

// next is the first row that can be chosen from a place on, in a direction; -1 when there is none.
func (p *Popover) next(from, step int) int {
	for i := from; i >= 0 && i < len(p.rows); i += step {
		if p.rows[i].key != "" {
			return i
		}
	}
	return -1
}

// chosen is the key of the chosen row, or "".
func (p *Popover) chosen() string {
	if p.at < 0 || p.at >= len(p.rows) {
		return ""
	}
	return p.rows[p.at].key
}

func (p *Popover) choose(key string) {
	if at := p.find(key); at >= 0 {
		p.at, p.moved = at, time.Time{}
		p.list.roll.reveal(at)
		p.list.roll.refill()
	}
}

// move chooses another row, as far as there is one.
func (p *Popover) move(from, step int) {
	if at := p.next(from, step); at >= 0 {
		p.choose(p.rows[at].key)
	}
}

// press is Enter: the primary action, or opening where there is none.
func (p *Popover) press() {
	if p.o.Now().Sub(p.moved) < settled {
		return
	}
	key := p.chosen()
	if at := p.find(key); at >= 0 && p.rows[at].cue != nil && !answered(*p.rows[at].cue) {
		p.open(key)
		return
	}
	p.answer(key)
}

// answered says whether a cue is answered here.
func answered(c Cue) bool { return c.Asks || c.Primary != "" }

// answer carries out what answers a row: its action, or the form for it.
func (p *Popover) answer(key string) {
	at := p.find(key)
	if at < 0 || p.busy[key] {
		return
	}
	p.choose(key)
	r := p.rows[at]
	switch {
	case r.question != nil:
		p.detail.askCard(*r.question)
	case r.cue.Asks:
		p.detail.ask(*r.cue)
	case r.cue.Confirm:
		p.confirm(*r.cue)
	case r.cue.Primary != "":
		p.act(*r.cue, r.cue.Request)
	}
}

// act asks the engine and shows what it refuses. The cue itself goes with the wake that follows.
func (p *Popover) act(c Cue, r engine.Request) {
	p.run(c, c.Primary, func(ctx context.Context) error {
		_, err := p.o.Engine.Act(ctx, r)
		return err
	}, func(err error) {
		if errors.Is(err, pieces.ErrStale) && r.Bound != "" {
			p.confirm(c)
			return
		}
		p.refused(c.Primary, err)
	})
}

// confirm reads the effect of a cue's action and shows it before anything is done.
func (p *Popover) confirm(c Cue) {
	var effect pieces.Effect
	p.run(c, c.Primary, func(ctx context.Context) (err error) {
		effect, err = p.o.Engine.Effect(ctx, c.Request)
		return err
	}, func(err error) {
		if err != nil {
			p.refused(c.Primary, err)
			return
		}
		p.detail.confirm(c, effect)
	})
}

// run does background work for a cue, whose buttons wait for its end.
func (p *Popover) run(c Cue, what string, work func(context.Context) error, done func(error)) {
	key := keyOf(c.Target)
	p.setBusy(key, true)
	p.o.Pump.Go(p.ctx, work, func(err error) {
		p.setBusy(key, false)
		if err == nil {
			p.say(kit.Problem{})
		}
		done(err)
	})
}

func (p *Popover) setBusy(key string, on bool) {
	if on {
		p.busy[key] = true
	} else {
		delete(p.busy, key)
	}
	p.list.roll.refill()
}

func (p *Popover) snooze(key string) {
	at := p.find(key)
	if at < 0 || p.rows[at].cue == nil || p.busy[key] {
		return
	}
	c := *p.rows[at].cue
	p.run(c, "Snooze", func(ctx context.Context) error {
		_, err := p.o.Engine.Snooze(ctx, c.Target, c.Fingerprint)
		return err
	}, func(err error) { p.refused("Snooze", err) })
}

func (p *Popover) open(key string) {
	at := p.find(key)
	if at < 0 {
		return
	}
	if q := p.rows[at].question; q != nil {
		p.o.Actions.OpenQuestion(*q)
		return
	}
	p.o.Actions.Open(*p.rows[at].cue)
}

// escape goes back one step: out of the form, then out of the popover.
func (p *Popover) escape() {
	if p.detail.open() {
		p.detail.close()
		p.Focus()
		return
	}
	p.o.Actions.Close()
}

// escapeKey is escape for what takes every key.
func (p *Popover) escapeKey(ev *fyne.KeyEvent) bool {
	if ev.Name != fyne.KeyEscape {
		return false
	}
	p.escape()
	return true
}

// refused says what could not be done; a nil error says nothing.
func (p *Popover) refused(what string, err error) {
	if err == nil {
		return
	}
	problem := kit.Problem{What: phrase.Err(err), Safe: "Nothing was changed."}
	if refusal := new(engine.Refusal); !errors.As(err, &refusal) {
		problem = kit.Problem{What: phrase.F("Fermata could not do this: %s.", phrase.Of(what)), Safe: "What is shown is as it is now.", Details: err.Error()}
	}
	p.say(problem)
}

// Refuse says what could not be answered; a nil error takes the last problem away.
func (p *Popover) Refuse(what string, err error) {
	p.say(kit.Problem{})
	p.refused(what, err)
}

// say shows a problem; an empty one takes it away.
func (p *Popover) say(problem kit.Problem) {
	p.problem.Hidden = problem.What == ""
	if problem.What != "" {
		p.problem.Set(problem)
	}
	p.fit()
}

// fit gives every part the height that it has come to need.
func (p *Popover) fit() {
	p.body.Layout.Layout(p.body.Objects, p.body.Size())
	p.content.Refresh()
}

// Fit lays the popover out again after what it asks has grown.
func (p *Popover) Fit() {
	p.fit()
	p.o.Actions.Grown()
}
