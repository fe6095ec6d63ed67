package project

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/kit"
)

const (
	sideLeast float32 = 400 // of the open item
	bothLeast float32 = 880 // below it the open item takes the board's place
	handle    float32 = 9
)

// panes puts the open item beside the board. In a window too narrow for both, the item covers the board until it is closed.
type panes struct {
	widget.BaseWidget

	board, side fyne.CanvasObject
	ground      *canvas.Rectangle // below the side, which a wide board could show through
	grip        *grip
	share       float32 // of the width that the board has
	open        bool
	whole       bool // the item has the board's room too
}

func newPanes(board, side fyne.CanvasObject) *panes {
	p := &panes{board: board, side: side, ground: canvas.NewRectangle(nil), share: 0.54}
	p.grip = newGrip(func(dx float32) {
		if width := p.Size().Width; width > 0 {
			p.share = min(0.75, max(0.25, p.share+dx/width))
			p.Refresh()
		}
	})
	p.ExtendBaseWidget(p)
	return p
}

// setOpen shows the item, or the board alone.
func (p *panes) setOpen(open bool) {
	p.open = open
	p.Refresh()
}

// setWhole gives the open item the board's room too, or takes it back.
func (p *panes) setWhole(whole bool) {
	p.whole = whole
	p.Refresh()
}

// Children are the panes that are shown.
func (p *panes) Children() []fyne.CanvasObject { return []fyne.CanvasObject{p.board, p.side} }

// CreateRenderer is for Fyne alone.
func (p *panes) CreateRenderer() fyne.WidgetRenderer { return &panesRenderer{p} }

type panesRenderer struct{ p *panes }

// Destroy does nothing.
func (r *panesRenderer) Destroy() {}

// MinSize leaves room for the item alone.
func (r *panesRenderer) MinSize() fyne.Size {
	least := r.p.board.MinSize().Max(r.p.side.MinSize())
	return fyne.NewSize(min(least.Width, sideLeast), least.Height)
}

// Objects are the panes and what parts them.
func (r *panesRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.p.board, r.p.ground, r.p.side, r.p.grip}
}

// Layout gives each its share.
func (r *panesRenderer) Layout(size fyne.Size) {
	p := r.p
	both := p.open && !p.whole && size.Width >= bothLeast
	show(p.board, !p.open || both)
	show(p.side, p.open)
	show(p.ground, p.open)
	p.ground.FillColor = theme.ColorForWidget(kit.ColorBackground, p)
	show(p.grip, both)
	side := float32(0)
	if p.open {
		side = size.Width
	}
	if both {
		side = max(sideLeast, size.Width*(1-p.share))
	}
	p.board.Move(fyne.NewPos(0, 0))
	if board := size.Width - side; board > 0 {
		p.board.Resize(fyne.NewSize(board, size.Height))
	}
	p.side.Move(fyne.NewPos(size.Width-side, 0))
	p.ground.Move(p.side.Position())
	if side > 0 {
		p.side.Resize(fyne.NewSize(side, size.Height))
		p.ground.Resize(p.side.Size())
	}
	p.grip.Move(fyne.NewPos(size.Width-side-handle/2, 0))
	p.grip.Resize(fyne.NewSize(handle, size.Height))
}

// Refresh places the panes anew.
func (r *panesRenderer) Refresh() {
	r.Layout(r.p.Size())
	canvas.Refresh(r.p)
}

// grip is the line between two panes; dragging it moves it.
type grip struct {
	widget.BaseWidget

	moved func(dx float32)
	line  *canvas.Rectangle
}

func newGrip(moved func(float32)) *grip {
	g := &grip{moved: moved, line: canvas.NewRectangle(nil)}
	g.ExtendBaseWidget(g)
	return g
}

// Dragged moves the line.
func (g *grip) Dragged(ev *fyne.DragEvent) { g.moved(ev.Dragged.DX) }

// DragEnd does nothing: the panes have followed already.
func (g *grip) DragEnd() {}

// Cursor shows that the line can be moved.
func (g *grip) Cursor() desktop.Cursor { return desktop.HResizeCursor }

// CreateRenderer is for Fyne alone.
func (g *grip) CreateRenderer() fyne.WidgetRenderer { return &gripRenderer{g} }

type gripRenderer struct{ g *grip }

// Destroy does nothing.
func (r *gripRenderer) Destroy() {}

// MinSize is the width that a pointer can hit.
func (r *gripRenderer) MinSize() fyne.Size { return fyne.NewSize(handle, 0) }

// Objects is the line.
func (r *gripRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.g.line} }

// Layout draws one pixel in the middle of what can be hit.
func (r *gripRenderer) Layout(size fyne.Size) {
	r.g.line.FillColor = theme.ColorForWidget(kit.ColorBorder, r.g)
	r.g.line.Move(fyne.NewPos(handle/2, 0))
	r.g.line.Resize(fyne.NewSize(1, size.Height))
}

// Refresh draws the line in the theme's present colour.
func (r *gripRenderer) Refresh() {
	r.Layout(r.g.Size())
	canvas.Refresh(r.g)
}
