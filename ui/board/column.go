package board

import (
	"slices"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// item is one card as Show ordered it: a draft or a piece.
type item struct {
	id    string
	draft *pieces.Draft
	piece *pieces.Snapshot
	cue   bool
}

// column is one phase: a heading with its count over the cards. Only the cards near its view are made.
type column struct {
	b      *Board
	phase  pieces.Phase
	items  []item
	count  *kit.Text
	head   *fyne.Container
	cards  *fyne.Container
	scroll *container.Scroll
	plate  *plate
	body   *fyne.Container
}

const (
	pitch     = kit.CardHigh + kit.Together
	around    = 1           // cards that are kept ready above and below the view
	leastView = 8 * pitch   // what is filled before the column has its size
	cardEdge  = float32(1)  // a border that ends with the scroll would be cut off
	plateTop  = float32(28) // below the heading
)

func newColumn(p pieces.Phase, b *Board) *column {
	c := &column{b: b, phase: p, count: kit.Caption("0"), plate: newPlate()}
	name := kit.Caption(phrase.Of(pieces.DisplayOf(p, 0, 0))).Strong().In(kit.PhaseColor(string(p)))
	if p == pieces.PhaseBacklog {
		name.In(kit.ColorText)
	}
	c.head = container.NewHBox(name, layout.NewSpacer(), c.count)
	c.cards = container.New(rowsLayout{c})
	c.scroll = container.NewVScroll(container.New(layout.NewCustomPaddedLayout(cardEdge, cardEdge, cardEdge, 4*cardEdge), c.cards))
	c.scroll.OnScrolled = func(fyne.Position) {
		c.fill()
		b.prune()
	}
	column := container.NewBorder(container.New(layout.NewCustomPaddedLayout(0, kit.Step, kit.Together, kit.Together), c.head), nil, nil, nil, c.scroll)
	c.body = container.NewStack(column, c.plate.holder)
	return c
}

// show puts what needs the person first. It says whether the column came to need another width.
func (c *column) show(items []item) (width bool) {
	slices.SortStableFunc(items, func(a, b item) int {
		switch {
		case a.cue == b.cue:
			return 0
		case a.cue:
			return -1
		}
		return 1
	})
	before := len(c.items)
	c.items = items
	if len(items) != before {
		c.count.Set(strconv.Itoa(len(items)))
		c.head.Layout.Layout(c.head.Objects, c.head.Size())
		relayout(c.scroll) // a column that became shorter may be scrolled back
	}
	c.fill()
	return (before == 0) != (len(items) == 0)
}

// fill puts cards where the view is, with the cards that exist already, so that focus and pointer stay where they are.
func (c *column) fill() {
	top := c.scroll.Offset.Y
	first := max(0, int(top/pitch)-around)
	last := min(len(c.items), int((top+max(c.scroll.Size().Height, leastView))/pitch)+1+around)
	first = min(first, last)
	objects := make([]fyne.CanvasObject, 0, last-first)
	for at, it := range c.items[first:last] {
		k := c.b.cardFor(it.id)
		k.show(c.b.faceOf(it))
		k.at = first + at
		objects = append(objects, k)
	}
	if !slices.Equal(objects, c.cards.Objects) {
		c.cards.Objects = objects
		c.cards.Move(c.cards.Position()) // lets the window be drawn, without a look at each card
	}
	c.cards.Layout.Layout(objects, c.cards.Size())
}

// reveal scrolls until the card of a row is whole on the screen.
func (c *column) reveal(row int) {
	top, view := float32(row)*pitch, c.scroll.Size().Height
	switch {
	case top < c.scroll.Offset.Y:
		c.scroll.ScrollToOffset(fyne.NewPos(0, top))
	case top+pitch > c.scroll.Offset.Y+view:
		c.scroll.ScrollToOffset(fyne.NewPos(0, top+pitch-view))
	default:
		return
	}
	c.fill()
	c.b.prune()
}

// rowsLayout gives each card the place of its row; the rows without a card keep theirs.
type rowsLayout struct{ c *column }

// MinSize has room for every row.
func (l rowsLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(cardLeast, max(0, float32(len(l.c.items))*pitch-kit.Together))
}

// Layout places the cards.
func (rowsLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		k := o.(*card)
		k.Move(fyne.NewPos(0, float32(k.at)*pitch))
		k.Resize(fyne.NewSize(size.Width, kit.CardHigh))
	}
}

// columnsLayout puts the columns beside one another. Where they do not all fit, those without a card shrink first, and behind
// the last there is room for the view to begin at the start of a column even at the board's end.
type columnsLayout struct {
	columns []*column
	view    func() float32 // how wide the part is that can be seen
}

const (
	columnLeast float32 = 184
	columnEmpty float32 = 72
)

// MinSize is what the columns need at least, with the empty ones shrunk.
func (l columnsLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	width, view := l.least(), l.view()
	if view > 0 && width > view {
		start := float32(0)
		for _, c := range l.columns {
			if start+view >= width {
				break
			}
			start += c.least() + kit.Together
		}
		width = start + view
	}
	return fyne.NewSize(width, 2*kit.CardHigh)
}

func (l columnsLayout) least() float32 {
	width := float32(len(l.columns)-1) * kit.Together
	for _, c := range l.columns {
		width += c.least()
	}
	return width
}

func (c *column) least() float32 {
	if len(c.items) == 0 {
		return columnEmpty
	}
	return columnLeast
}

// Layout shares the width out.
func (l columnsLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	if least := l.least(); least > l.view() {
		size.Width = least
	}
	gaps := float32(len(objects)-1) * kit.Together
	each := (size.Width - gaps) / float32(len(objects))
	full, shrunk := 0, float32(0)
	for _, c := range l.columns {
		if len(c.items) > 0 {
			full++
			continue
		}
		shrunk += columnEmpty
	}
	wide, narrow := each, each
	if each < columnLeast && full > 0 {
		narrow = columnEmpty
		wide = (size.Width - gaps - shrunk) / float32(full)
	}
	x := float32(0)
	for i, o := range objects {
		width := wide
		if len(l.columns[i].items) == 0 {
			width = narrow
		}
		o.Move(fyne.NewPos(x, 0))
		o.Resize(fyne.NewSize(width, size.Height))
		x += width + kit.Together
	}
	for _, c := range l.columns {
		c.fill() // a taller view has room for more
	}
}
