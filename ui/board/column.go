package board

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"fermata/pieces"
	"fermata/ui/kit"
)

// most is how many cards a column shows before the rest waits behind a button: what is done grows without end.
const most = 60

// item is one card as Show ordered it.
type item struct {
	id   string
	face face
	cue  bool
}

// column is one phase: a heading with its count over the cards.
type column struct {
	phase  pieces.Phase
	all    bool
	items  []item
	count  *kit.Text
	more   *kit.Button
	cards  *fyne.Container
	scroll *container.Scroll
	body   *fyne.Container
}

func newColumn(p pieces.Phase, redraw func(*column)) *column {
	c := &column{phase: p, count: kit.Caption(""), cards: kit.Column(kit.Together)}
	c.more = kit.NewButton("more:"+string(p), "", kit.Quiet, func() {
		c.all = true
		redraw(c)
	})
	name := kit.Caption(pieces.DisplayOf(p, 0, 0)).Strong().In(kit.PhaseColor(string(p)))
	if p == pieces.PhaseBacklog {
		name.In(kit.ColorText)
	}
	head := container.NewHBox(name, layout.NewSpacer(), c.count)
	// A border that ends with the scroll would be cut off.
	c.scroll = container.NewVScroll(kit.Pad(1, kit.Column(kit.Together, c.cards, c.more)))
	c.body = container.NewBorder(container.New(layout.NewCustomPaddedLayout(0, kit.Step, kit.Together, kit.Together), head), nil, nil, nil, c.scroll)
	return c
}

// show draws the items with the cards that exist already, so that focus and pointer stay where they are.
func (c *column) show(items []item, cardFor func(id string) *card) {
	slices.SortStableFunc(items, func(a, b item) int {
		switch {
		case a.cue == b.cue:
			return 0
		case a.cue:
			return -1
		}
		return 1
	})
	c.items = items
	shown := items
	if !c.all && len(items) > most {
		shown = items[:most]
	}
	objects := make([]fyne.CanvasObject, len(shown))
	for i, it := range shown {
		k := cardFor(it.id)
		k.show(it.face)
		objects[i] = k
	}
	c.count.Set(fmt.Sprint(len(items)))
	c.more.SetLabel(fmt.Sprintf("Show %d more", len(items)-len(shown)))
	c.more.Hidden = len(shown) == len(items)
	if !slices.Equal(objects, c.cards.Objects) {
		c.cards.Objects = objects
		c.cards.Refresh()
		c.scroll.Content.Refresh()
		c.scroll.Refresh()
	}
}

// columnsLayout puts the columns beside one another. Where they do not all fit, those without a card shrink first.
type columnsLayout struct{ columns []*column }

const (
	columnLeast float32 = 184
	columnEmpty float32 = 72
)

// MinSize is what the columns need at least, with the empty ones shrunk.
func (l columnsLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	width := float32(len(l.columns)-1) * kit.Together
	for _, c := range l.columns {
		width += c.least()
	}
	return fyne.NewSize(width, 2*kit.CardHigh)
}

func (c *column) least() float32 {
	if len(c.items) == 0 {
		return columnEmpty
	}
	return columnLeast
}

// Layout shares the width out.
func (l columnsLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
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
}
