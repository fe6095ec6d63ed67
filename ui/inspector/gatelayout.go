package inspector

import (
	"fyne.io/fyne/v2"

	"fermata/ui/kit"
)

// gateButtons puts buttons beside one another, and below where the width ends; the menu that has them all stays with the
// last of them. Folded it shows the first and the menu alone.
type gateButtons struct {
	menu   fyne.CanvasObject
	folded bool
	width  float32 // that it was given last
}

// MinSize measures them at the width they have now.
func (l *gateButtons) MinSize(o []fyne.CanvasObject) fyne.Size {
	least := l.least(o)
	return fyne.NewSize(least, l.place(o, max(l.width, least), false))
}

// least is the width of the first button and the menu.
func (l *gateButtons) least(o []fyne.CanvasObject) float32 {
	if len(o) == 0 {
		return 0
	}
	return o[0].MinSize().Width + l.tail(o, 0)
}

// tail is the width that the menu takes behind a button when it is the last one.
func (l *gateButtons) tail(o []fyne.CanvasObject, at int) float32 {
	if l.menu == nil || !l.folded && at != len(o)-2 {
		return 0
	}
	return kit.Together + l.menu.MinSize().Width
}

// Layout places them.
func (l *gateButtons) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	for i, b := range o {
		show(b, !l.folded || i == 0 || b == l.menu)
	}
	l.place(o, size.Width, true)
}

func (l *gateButtons) place(o []fyne.CanvasObject, width float32, move bool) (high float32) {
	x, y, row := float32(0), float32(0), float32(0)
	for i, b := range o {
		if l.folded && i > 0 && b != l.menu {
			continue
		}
		least := b.MinSize()
		if b != l.menu && x > 0 && x+least.Width+l.tail(o, i) > width {
			x, y = 0, y+row+kit.Together
		}
		if move {
			b.Move(fyne.NewPos(x, y))
			b.Resize(fyne.NewSize(min(least.Width, width), least.Height))
		}
		x += least.Width + kit.Together
		row = least.Height
	}
	return y + row
}

// gateLayout places the bar: its head in one line, and what it says and offers below. Folded it is the one line, with the
// first button in it.
type gateLayout struct{ g *gateBar }

const gateHead float32 = 28

// MinSize measures the texts at the width they have now.
func (l gateLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	g := l.g
	size := fyne.NewSize(200, gateHead)
	if g.folded {
		return size
	}
	for _, o := range []fyne.CanvasObject{g.sentence, g.failure, g.buttons} {
		if o.Visible() {
			size.Height += kit.Together + o.MinSize().Height
		}
	}
	return size
}

// Layout is mark, title, age, the buttons where it is folded, and what folds it.
func (l gateLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	g := l.g
	end := size.Width
	put := func(o fyne.CanvasObject, x, width float32) {
		high := o.MinSize().Height
		o.Move(fyne.NewPos(x, (gateHead-high)/2))
		o.Resize(fyne.NewSize(max(0, width), high))
	}
	before := func(o fyne.CanvasObject, width float32) {
		end -= width
		put(o, end, width)
		end -= kit.Together
	}
	before(g.fold, g.fold.MinSize().Width)
	if g.folded && len(g.buttons.Objects) > 0 {
		before(g.buttons, g.buttons.MinSize().Width)
	}
	before(g.since, g.since.MinSize().Width)
	mark := g.state.MinSize().Width
	put(g.state, 0, mark)
	put(g.title, mark+kit.Together, end-mark-kit.Together)
	if g.folded {
		return
	}
	y := gateHead
	for _, o := range []fyne.CanvasObject{g.sentence, g.failure, g.buttons} {
		if !o.Visible() {
			continue
		}
		y += kit.Together
		o.Move(fyne.NewPos(0, y))
		o.Resize(fyne.NewSize(size.Width, o.MinSize().Height))
		high := o.MinSize().Height
		o.Resize(fyne.NewSize(size.Width, high))
		y += high
	}
}
