package board

import (
	"cmp"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// face is everything that a card shows; two equal faces need no drawing.
type face struct {
	title, source, lane, word, note, age, money string
	state                                       kit.State
	color                                       fyne.ThemeColorName
	done, total                                 int
}

func faceOfPiece(s pieces.Snapshot, now time.Time) face {
	state, word := stateOf(s)
	f := face{
		title: s.Piece.Name, lane: laneWord(s.Piece.Config.Lane), state: state, word: word,
		age: kit.Age(s.Piece.UpdatedAt, now), color: kit.PhaseColor(string(s.Piece.Phase)),
	}
	if s.Piece.Source != nil {
		f.source = s.Piece.Source.Key
	}
	if s.Piece.CostUSD > 0 {
		f.money = kit.Money(s.Piece.CostUSD)
	}
	if f.note = cmp.Or(pullRequest(s.Piece.PR), codeReview(s.Piece.CodeReview)); f.note == "" {
		f.done, f.total = s.AgentCount()
	}
	return f
}

func faceOfDraft(d pieces.Draft, on []pieces.Dependency, now time.Time) face {
	f := face{title: d.Title, lane: laneWord(d.Lane), state: kit.StateIdle, age: kit.Age(d.UpdatedAt, now), color: kit.ColorMuted}
	switch {
	case d.ReleasedBy != "" || d.Waits(on):
		f.word = waitsOn(on)
	case strings.TrimSpace(d.Spec) == "":
		f.word = phrase.Of("Seed")
	case d.NeedsSpecStep() && !d.ChecksSpec():
		f.word = phrase.Of("Spec to refine")
	default:
		f.word = phrase.Of("Spec")
	}
	return f
}

// card is one item of the board, 72 high. A card that leaves the screen is filled anew for another item.
type card struct {
	widget.BaseWidget

	b        *Board
	id       string
	at       int // its row
	shown    face
	press    *kit.Press
	rows     *fyne.Container
	title    *kit.Text
	source   *kit.Text
	lane     *kit.Text
	dot      *kit.StateDot
	age      *kit.Text
	progress *kit.Progress
	note     *kit.Text
	money    *kit.Text
}

var _ fyne.Draggable = (*card)(nil)

func newCard(b *Board) *card {
	c := &card{
		b: b, title: kit.Body("").Strong().CutEnd(), source: kit.Caption("").CutEnd(), lane: kit.Caption(""),
		dot: kit.NewStateDot(kit.StateIdle, ""), age: kit.Caption(""), progress: kit.NewProgress(0, 0, ""),
		note: kit.Caption("").CutEnd(), money: kit.Caption(""),
	}
	c.rows = container.New(cardRows{c}, c.title, c.source, c.lane, c.dot, c.age, c.progress, c.note, c.money)
	c.press = kit.NewPress("", kit.NewSurface(c.rows).Inset(kit.Together), func() { b.open(c.id) })
	c.press.OnKey, c.press.OnRune = c.key, c.b.typedRune
	c.press.OnDrag, c.press.OnDragEnd = c.Dragged, c.DragEnd
	c.ExtendBaseWidget(c)
	return c
}

// CreateRenderer is for Fyne alone.
func (c *card) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(c.press) }

// Children is what is pressed.
func (c *card) Children() []fyne.CanvasObject { return []fyne.CanvasObject{c.press} }

// become makes it the card of an item.
func (c *card) become(id string, selected bool) {
	c.id = id
	c.press.Rename("card:" + id)
	c.press.SetSelected(selected)
}

func (c *card) focused() bool {
	canvas := fyne.CurrentApp().Driver().CanvasForObject(c.press)
	return canvas != nil && canvas.Focused() == fyne.Focusable(c.press)
}

// Dragged moves the card's likeness to the column that it is dropped on.
func (c *card) Dragged(ev *fyne.DragEvent) { c.b.drag.moved(c.id, ev.AbsolutePosition) }

// DragEnd drops it.
func (c *card) DragEnd() { c.b.drag.end() }

func (c *card) show(f face) {
	if f == c.shown {
		return
	}
	c.shown = f
	c.title.Set(f.title)
	c.source.Set(f.source)
	c.source.Hidden = f.source == ""
	c.lane.Set(f.lane)
	c.dot.Set(f.state, f.word)
	if f.state == kit.StateRunning {
		c.dot.In(f.color)
	}
	c.age.Set(f.age)
	c.progress.Set(f.done, f.total, "")
	c.progress.In(f.color)
	c.progress.Hidden = f.total == 0
	c.note.Set(f.note)
	c.money.Set(f.money)
	c.rows.Layout.Layout(c.rows.Objects, c.rows.Size())
}

// cardRows places a card's parts in three lines: name, state and age, source, lane, progress, pull request or code review, and cost.
type cardRows struct{ c *card }

const (
	line       float32 = 20
	cardLeast  float32 = 140
	sourceMost float32 = 64  // "SUP-12345"
	noteLeast  float32 = 160 // "#42 open, 3 of 4 checks passed"
	barLeast   float32 = 60  // the bar with "2 of 4"
)

// MinSize is fixed in height, so that a board of many cards stays a grid.
func (cardRows) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(cardLeast, kit.CardHigh-2*kit.Together)
}

// Layout gives the right-hand part of each line what it needs, and the left-hand part the rest.
func (r cardRows) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	c := r.c
	put(c.title, 0, 0, size.Width)
	pair(size.Width, line-1, c.dot, c.age)
	third, right := 2*line-1, c.money.MinSize().Width
	put(c.money, size.Width-right, third, right)
	rest := size.Width - right - gapIf(right)
	left := float32(0)
	if !c.source.Hidden {
		left = min(sourceMost, c.source.Natural()) + kit.Together
		put(c.source, 0, third, left-kit.Together)
	}
	// Where there is no room for all, how a pull request stands and where a piece came from say more than its lane.
	need := float32(0)
	switch {
	case c.note.Text() != "":
		need = noteLeast
	case !c.progress.Hidden:
		need = barLeast
	}
	lane := c.lane.MinSize().Width + kit.Together
	c.lane.Hidden = rest-left-lane < need && (need == noteLeast || left > 0)
	if !c.lane.Hidden {
		put(c.lane, left, third, lane-kit.Together)
		left += lane
	}
	rest = max(0, rest-left)
	middle := fyne.CanvasObject(c.progress)
	if c.progress.Hidden {
		middle = c.note
	}
	put(middle, left, third, rest)
}

func gapIf(width float32) float32 {
	if width == 0 {
		return 0
	}
	return kit.Together
}

func pair(width, y float32, left, right fyne.CanvasObject) {
	wide := right.MinSize().Width
	put(right, width-wide, y, wide)
	put(left, 0, y, max(0, width-wide-kit.Together))
}

func put(o fyne.CanvasObject, x, y, width float32) {
	o.Move(fyne.NewPos(x, y))
	o.Resize(fyne.NewSize(width, 16))
}
