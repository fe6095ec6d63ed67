package settings

import (
	"context"
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces/signal"
	"fermata/ui/kit"
	"fermata/ui/phrase"
	"fermata/ui/pump"
)

// Call is a row of the audit book.
type Call struct {
	At     time.Time
	Client string // its name and version, as it says itself
	Caller string // who it is, when it is not the person's own client
	Tool   string
	Answer string // to its last card; empty when it had none
	Result string
	Took   time.Duration
	Note   string // of the book itself; then there is no call
}

// Chain says whether the audit book is as it was written.
type Chain struct {
	Calls  int       // that hold
	Broken string    // where it does not hold and why; empty when it does
	At     time.Time // it was looked at
}

// CallBook is the audit book. No method but Watch is called on the main goroutine.
type CallBook interface {
	// Calls returns the last n rows, the newest first.
	Calls(ctx context.Context, n int) ([]Call, error)
	Check(context.Context) (Chain, error)
	// Watch returns a wake for every call.
	Watch() (<-chan struct{}, func())
}

// shownCalls is how many calls the pane shows.
const shownCalls = 20

// calls is the part of the MCP pane that shows the audit book.
type calls struct {
	s     *Settings
	body  fyne.CanvasObject
	again signal.Hub // wakes the one who checks the chain

	chain    *kit.StateDot
	chainRow *kit.Row
	where    *kit.Paragraph // the chain is broken
	check    *kit.Button
	none     *kit.Paragraph
	problem  *kit.ErrorBar
	list     *fyne.Container
	rows     []*callRow
}

func newCalls(s *Settings) *calls {
	c := &calls{s: s, none: kit.NewNote(phrase.Of("No client has called a tool yet.")), problem: kit.NewErrorBar("calls:problem", kit.Problem{})}
	c.chain, c.chainRow = stateRow("calls:chain")
	c.check = kit.NewButton("calls:check", "Check again", kit.Normal, c.again.Wake)
	c.problem.Hide()
	c.where = kit.NewParagraph("").In(kit.ColorFailed)
	c.where.Hide()
	c.list = kit.Column(0, callHead(), kit.Divider())
	for i := range shownCalls {
		r := newCallRow(fmt.Sprintf("call:%d", i))
		c.rows = append(c.rows, r)
		c.list.Add(r.row)
	}
	c.list.Hide()
	c.body = card("Calls",
		kit.Column(0, flush(c.chainRow), c.where),
		container.NewHBox(c.check),
		c.problem, c.none, c.list,
		kit.NewNote(phrase.Of("Every call is in a book whose rows seal one another. The command “fermata audit export” prints it, “fermata audit verify” proves it.")),
	)
	return c
}

// follow reads the last calls, now and after each, and checks the chain, now and when it is asked for.
func (c *calls) follow() {
	called, end := c.s.Calls.Watch()
	context.AfterFunc(c.s.ctx, end)
	pump.Follow(c.s.ctx, c.s.Pump, called, func(ctx context.Context) (reading, error) {
		list, err := c.s.Calls.Calls(ctx, shownCalls)
		return reading{list, err}, nil
	}, c.show, func(error) {})
	wake, stop := c.again.Watch()
	context.AfterFunc(c.s.ctx, stop)
	pump.Follow(c.s.ctx, c.s.Pump, wake, c.s.Calls.Check, c.showChain, c.fail)
}

// reading is what was read of the book; the calls are shown even when something went wrong.
type reading struct {
	calls []Call
	err   error
}

func (c *calls) show(r reading) {
	c.problem.Hidden = r.err == nil
	if r.err != nil {
		c.problem.Set(kit.Problem{What: "The book of calls could not be kept.", Safe: "Calls are answered all the same.", Details: r.err.Error()})
	}
	c.none.Hidden = len(r.calls) > 0 || r.err != nil
	c.list.Hidden = len(r.calls) == 0
	for i, row := range c.rows {
		row.row.Hidden = i >= len(r.calls)
		if i < len(r.calls) {
			row.show(r.calls[i], c.s.Now())
		}
	}
	c.body.Refresh()
	c.s.content.Refresh()
}

func (c *calls) showChain(chain Chain) {
	when := phrase.Of("checked at ") + chain.At.Local().Format(time.TimeOnly)
	if chain.Broken != "" {
		c.setChain(kit.StateFailed, "The chain is broken", when, chain.Broken+".")
		return
	}
	c.setChain(kit.StateDone, "The chain holds", fmt.Sprintf("%s, %s", counted(chain.Calls), when), "")
}

func (c *calls) fail(err error) {
	c.setChain(kit.StateFailed, "The chain could not be checked", "", err.Error())
}

func (c *calls) setChain(state kit.State, title, caption, where string) {
	c.chain.Set(state, "")
	c.chainRow.SetText(phrase.Of(title), caption)
	c.where.Set(where)
	c.where.Hidden = where == ""
	c.body.Refresh()
}

func counted(calls int) string {
	return phrase.N(calls, "1 call", "%d calls")
}

const (
	whenWide   float32 = 76
	answerWide float32 = 60
	resultWide float32 = 80
	tookWide   float32 = 44
)

// cell is a place of a row that is as wide in each row, so that the rows make columns.
func cell(width float32, o fyne.CanvasObject) fyne.CanvasObject {
	return container.New(cellLayout{width}, o)
}

type cellLayout struct{ width float32 }

// MinSize is the cell's width, however long the text.
func (l cellLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(l.width, o[0].MinSize().Height)
}

// Layout gives the object the whole cell.
func (cellLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size)
}

// callRow shows one call: when, which tool and client, what the person answered, how it ended, how long it took.
type callRow struct {
	row                *kit.Row
	when, answer, took *kit.Text
	result             *kit.StateDot
}

func newCallRow(name string) *callRow {
	r := &callRow{
		when: kit.Caption("").CutEnd(), answer: kit.Caption("").CutEnd(), took: kit.Caption("").CutEnd(),
		result: kit.NewStateDot(kit.StateIdle, ""),
	}
	r.row = kit.NewRow(cell(whenWide, r.when), "", "", kit.Line(kit.Together, cell(answerWide, r.answer), cell(resultWide, r.result), cell(tookWide, r.took)))
	r.row.SetName(name)
	return r
}

// callHead stands above the columns of the rows.
func callHead() *kit.Row {
	return kit.NewRow(kit.Line(kit.Together, cell(whenWide, kit.Caption(phrase.Of("When"))), kit.Caption(phrase.Of("Tool and client"))), "", "",
		kit.Line(kit.Together, cell(answerWide, kit.Caption(phrase.Of("Answer"))), cell(resultWide, kit.Caption(phrase.Of("Result"))), cell(tookWide, kit.Caption(phrase.Of("Took")))))
}

func (r *callRow) show(c Call, now time.Time) {
	r.when.Set(clock(c.At, now))
	if c.Note != "" {
		r.row.SetText(c.Note, "")
		r.answer.Set("")
		r.took.Set("")
		r.result.Set(kit.StatePaused, "note")
		return
	}
	client := c.Client
	if c.Caller != "" {
		client = c.Caller + ", " + client // who it is counts for more than what it says
	}
	r.row.SetText(c.Tool, client)
	r.answer.Set(phrase.Of(c.Answer))
	r.took.Set(took(c.Took))
	r.result.Set(resultState(c.Result), c.Result)
}

// resultState draws how a call ended.
func resultState(result string) kit.State {
	switch result {
	case "ok":
		return kit.StateDone
	case "cancelled", "stopped":
		return kit.StatePaused
	}
	return kit.StateFailed
}

// clock is the time of a call, with its day when that is not today. It is no age: the book is read beside other records.
func clock(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format(time.TimeOnly)
	}
	return at.Format(phrase.Of("2 Jan 15:04"))
}

// took writes how long a call took: a card can wait for hours.
func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < 10*time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 10*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}
