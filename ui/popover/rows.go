package popover

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/kit"
)

// roll is a scroll with nothing but a kit.Roll in it.
type roll struct {
	widget.BaseWidget

	lines  *kit.Roll
	count  int
	scroll *container.Scroll
}

func newRoll(create func(kind string) fyne.CanvasObject, fill func(i int, o fyne.CanvasObject)) *roll {
	r := &roll{}
	r.lines = kit.NewRoll(0, create, fill, r.view)
	r.scroll = container.NewVScroll(r.lines)
	r.scroll.OnScrolled = func(fyne.Position) { r.lines.Bring() }
	r.ExtendBaseWidget(r)
	return r
}

func (r *roll) view() (from, to float32) {
	return r.scroll.Offset.Y, r.scroll.Offset.Y + r.scroll.Size().Height
}

// CreateRenderer is for Fyne alone.
func (r *roll) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.scroll) }

// Children is the scroll with the rows that exist.
func (r *roll) Children() []fyne.CanvasObject { return []fyne.CanvasObject{r.scroll} }

// Resize gives the rows their width.
func (r *roll) Resize(size fyne.Size) {
	r.BaseWidget.Resize(size)
	r.lines.Bring()
}

// set lays out other rows.
func (r *roll) set(lines []kit.RollLine) {
	r.count = len(lines)
	r.lines.Set(lines)
	r.scroll.Refresh()
	r.lines.Bring()
}

// high is what all the rows need.
func (r *roll) high() float32 { return r.lines.High() }

// refill fills the rows that exist anew.
func (r *roll) refill() { r.lines.Refill() }

// reveal scrolls until a row can be seen, with the heading before the first.
func (r *roll) reveal(i int) {
	if i < 0 || i >= r.count {
		return
	}
	view, y := r.scroll.Size().Height, r.scroll.Offset.Y
	top, end := r.lines.Span(i)
	if i == 1 {
		top = 0
	}
	switch {
	case top < y:
		y = top
	case end > y+view:
		y = end - view
	default:
		return
	}
	r.scroll.ScrollToOffset(fyne.NewPos(0, y))
	r.lines.Bring()
}
