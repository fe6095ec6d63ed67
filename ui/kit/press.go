package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Press makes a row or a card something that is pressed by a click, Enter or Space, and shows pointer, focus and
// selection. Buttons inside it keep their own taps.
type Press struct {
	widget.BaseWidget
	named

	// OnKey is asked first for every key while it has the focus; true ends it. Nil takes none. Esc that is left is the window's.
	OnKey func(*fyne.KeyEvent) bool
	// OnRune gets what is typed while it has the focus; nil leaves it.
	OnRune func(rune)
	// OnDrag and OnDragEnd get a press that moves further than a hand does by itself; nil leaves it a click where it ends over
	// the content.
	OnDrag    func(*fyne.DragEvent)
	OnDragEnd func()

	held
	dx, dy                     float32 // that the pressed pointer has come
	dragging                   bool
	content                    fyne.CanvasObject
	tapped                     func()
	focused, hovered, selected bool
	ground                     *canvas.Rectangle
}

var (
	_ fyne.Focusable    = (*Press)(nil)
	_ fyne.Tappable     = (*Press)(nil)
	_ fyne.Draggable    = (*Press)(nil)
	_ desktop.Hoverable = (*Press)(nil)
)

// NewPress makes content pressable under a stable name.
func NewPress(name string, content fyne.CanvasObject, tapped func()) *Press {
	p := &Press{named: named{name}, content: content, tapped: tapped, ground: canvas.NewRectangle(color.Transparent)}
	p.ExtendBaseWidget(p)
	return p
}

// OnTapped replaces what a press does.
func (p *Press) OnTapped(tapped func()) { p.tapped = tapped }

// Rename gives it another stable name, for a content that is shown anew as something else.
func (p *Press) Rename(name string) { p.named = named{name} }

// SetSelected marks the content as the one that is open elsewhere.
func (p *Press) SetSelected(selected bool) {
	p.selected = selected
	p.Refresh()
}

// Children is the content.
func (p *Press) Children() []fyne.CanvasObject { return []fyne.CanvasObject{p.content} }

// Tapped presses it.
func (p *Press) Tapped(*fyne.PointEvent) {
	if p.tapped != nil {
		p.tapped()
	}
}

// slack is how far a pressed pointer moves before what can be dragged is.
const slack = 6

// Dragged follows the pressed pointer.
func (p *Press) Dragged(ev *fyne.DragEvent) {
	p.held.Dragged(ev)
	p.dx, p.dy = p.dx+ev.Dragged.DX, p.dy+ev.Dragged.DY
	if p.OnDrag != nil && (p.dragging || p.dx*p.dx+p.dy*p.dy > slack*slack) {
		p.dragging = true
		p.OnDrag(ev)
	}
}

// DragEnd ends a drag, or presses the content when the pointer is let go over it.
func (p *Press) DragEnd() {
	ev, dragging := p.click(p.Size()), p.dragging
	p.dx, p.dy, p.dragging = 0, 0, false
	switch {
	case dragging && p.OnDragEnd != nil:
		p.OnDragEnd()
	case !dragging && ev != nil:
		p.Tapped(ev)
	}
}

// TypedKey presses it with Enter or Space.
func (p *Press) TypedKey(ev *fyne.KeyEvent) {
	if p.OnKey != nil && p.OnKey(ev) {
		return
	}
	if escaped(p, ev, nil) {
		return
	}
	if activates(ev) {
		p.Tapped(nil)
	}
}

// TypedRune hands what is typed to OnRune.
func (p *Press) TypedRune(r rune) {
	if p.OnRune != nil {
		p.OnRune(r)
	}
}

// FocusGained shows the focus ring.
func (p *Press) FocusGained() {
	p.focused = true
	p.Refresh()
	RevealFocused(p)
}

// FocusLost hides the focus ring.
func (p *Press) FocusLost() { p.focused = false; p.Refresh() }

// MouseIn shows that the pointer is over it.
func (p *Press) MouseIn(*desktop.MouseEvent) { p.hovered = true; p.Refresh() }

// MouseMoved does nothing.
func (p *Press) MouseMoved(*desktop.MouseEvent) {}

// MouseOut ends what MouseIn began.
func (p *Press) MouseOut() { p.hovered = false; p.Refresh() }

// CreateRenderer is for Fyne alone.
func (p *Press) CreateRenderer() fyne.WidgetRenderer {
	return newFace(p, p.content.MinSize, p.place, p.paint, p.content, p.ground)
}

// place lays the mark over the content, so that it shows on a card that has a ground of its own. The ring stays
// inside, because a list would clip it.
func (p *Press) place(size fyne.Size) {
	p.content.Move(fyne.NewPos(0, 0))
	p.content.Resize(size)
	p.ground.Move(fyne.NewPos(1, 1))
	p.ground.Resize(size.SubtractWidthHeight(2, 2))
}

func (p *Press) paint() {
	p.ground.CornerRadius = Radius
	p.ground.FillColor = color.Transparent
	switch {
	case p.selected:
		p.ground.FillColor = tintFor(p, ColorAccent)
	case p.hovered:
		p.ground.FillColor = colorFor(p, theme.ColorNameHover)
	}
	p.ground.Hidden = !p.selected && !p.hovered && !p.focused // nothing to see is not drawn on each of many cards
	p.ground.StrokeWidth = 2
	p.ground.StrokeColor = color.Transparent
	if p.focused {
		p.ground.StrokeColor = colorFor(p, ColorAccent)
	}
}
