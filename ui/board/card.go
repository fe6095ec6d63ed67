package board

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"fermata/pieces"
	"fermata/ui/kit"
)

// face is everything that a card shows; two equal faces need no drawing.
type face struct {
	title, lane, word, note, age, money string
	state                               kit.State
	color                               fyne.ThemeColorName
	done, total                         int
}

func faceOfPiece(s pieces.Snapshot, now time.Time) face {
	state, word := stateOf(s)
	f := face{
		title: s.Piece.Name, lane: laneWord(s.Piece.Config.Lane), state: state, word: word,
		age: kit.Age(s.Piece.UpdatedAt, now), color: kit.PhaseColor(string(s.Piece.Phase)),
	}
	if s.Piece.CostUSD > 0 {
		f.money = kit.Money(s.Piece.CostUSD)
	}
	f.done, f.total = s.AgentCount()
	f.note = pullRequest(s.Piece.PR)
	return f
}

func faceOfDraft(d pieces.Draft, now time.Time) face {
	f := face{title: d.Title, lane: laneWord(d.Lane), state: kit.StateIdle, age: kit.Age(d.UpdatedAt, now), color: kit.ColorMuted}
	switch {
	case d.ReleasedBy != "":
		f.word = waitingWords
	case strings.TrimSpace(d.Spec) == "":
		f.word = "Seed"
	case d.NeedsSpecStep() && !d.ChecksSpec():
		f.word = "Spec to refine"
	default:
		f.word = "Spec"
	}
	return f
}

// card is one item of the board, 72 high.
type card struct {
	widget.BaseWidget

	id       string
	shown    face
	press    *kit.Press
	title    *kit.Text
	lane     *kit.Text
	dot      *kit.StateDot
	age      *kit.Text
	progress *kit.Progress
	note     *kit.Text
	money    *kit.Text
}

func newCard(id string, open func(id string)) *card {
	c := &card{
		id: id, title: kit.Body("").Strong().CutEnd(), lane: kit.Caption(""), dot: kit.NewStateDot(kit.StateIdle, ""),
		age: kit.Caption(""), progress: kit.NewProgress(0, 0, "agents"), note: kit.Caption("").CutEnd(), money: kit.Caption(""),
	}
	rows := container.New(cardRows{c}, c.title, c.lane, c.dot, c.age, c.progress, c.note, c.money)
	c.press = kit.NewPress("card:"+id, kit.NewSurface(rows).Inset(kit.Together), func() { open(id) })
	c.ExtendBaseWidget(c)
	return c
}

// CreateRenderer is for Fyne alone.
func (c *card) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(c.press) }

// Children is what is pressed.
func (c *card) Children() []fyne.CanvasObject { return []fyne.CanvasObject{c.press} }

func (c *card) show(f face) {
	if f == c.shown {
		return
	}
	c.shown = f
	c.title.Set(f.title)
	c.lane.Set(f.lane)
	c.dot.Set(f.state, f.word)
	if f.state == kit.StateRunning {
		c.dot.In(f.color)
	}
	c.age.Set(f.age)
	c.progress.Set(f.done, f.total, "agents")
	c.progress.In(f.color)
	c.progress.Hidden = f.total == 0
	c.note.Set(f.note)
	c.money.Set(f.money)
	c.press.Refresh()
	c.Refresh()
}

// cardRows places a card's parts in three lines: name and lane, state and age, progress and facts.
type cardRows struct{ c *card }

const line float32 = 20

// MinSize is fixed in height, so that a board of many cards stays a grid.
func (cardRows) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(140, kit.CardHigh-2*kit.Together)
}

// Layout gives the right-hand part of each line what it needs, and the left-hand part the rest.
func (r cardRows) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	c := r.c
	pair(size.Width, 0, c.title, c.lane)
	pair(size.Width, line-1, c.dot, c.age)
	left := fyne.CanvasObject(c.progress)
	right := c.money.MinSize().Width
	if c.note.Text() != "" {
		if c.progress.Hidden {
			left = c.note
		} else {
			noteWide := fyne.MeasureText(c.note.Text(), 11, fyne.TextStyle{}).Width
			put(c.note, size.Width-right-gapIf(right)-noteWide, 2*line-1, noteWide)
			right += gapIf(right) + noteWide
		}
	}
	put(c.money, size.Width-c.money.MinSize().Width, 2*line-1, c.money.MinSize().Width)
	put(left, 0, 2*line-1, max(0, size.Width-right-gapIf(right)))
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
