// Package sheet asks the person something over the rest of a window.
package sheet

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/kit"
)

// Layer is where a window's sheets hang: put it anywhere into the window's content. It draws nothing itself; what it
// shows lies in the window's overlays, so that neither taps nor the Tab key reach what is below.
type Layer struct {
	widget.BaseWidget

	shown  *veil
	before fyne.Focusable
}

// NewLayer makes a layer that shows nothing.
func NewLayer() *Layer {
	l := &Layer{}
	l.ExtendBaseWidget(l)
	return l
}

// CreateRenderer is for Fyne alone.
func (l *Layer) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.NewWithoutLayout())
}

// MinSize is nothing.
func (l *Layer) MinSize() fyne.Size { return fyne.Size{} }

// Children is the open sheet, so that kit.Find finds what is in it.
func (l *Layer) Children() []fyne.CanvasObject {
	if l.shown == nil {
		return nil
	}
	return []fyne.CanvasObject{l.shown}
}

// Ask shows content at a width, in place of a sheet that is open already, and puts the focus on first, which may be nil.
// Without a window it does nothing.
func (l *Layer) Ask(content fyne.CanvasObject, width float32, first fyne.Focusable) {
	c := fyne.CurrentApp().Driver().CanvasForObject(l)
	if c == nil {
		return
	}
	if l.shown == nil {
		l.before = c.Focused()
	} else {
		c.Overlays().Remove(l.shown)
	}
	l.shown = newVeil(content, width)
	c.Overlays().Add(l.shown)
	l.shown.Resize(c.Size())
	if first != nil {
		c.Focus(first)
	}
}

// Close takes the sheet away and puts the focus back where it was.
func (l *Layer) Close() {
	if l.shown == nil {
		return
	}
	veil := l.shown
	l.shown = nil
	c := fyne.CurrentApp().Driver().CanvasForObject(veil)
	if c == nil {
		return
	}
	c.Overlays().Remove(veil)
	if l.before != nil && fyne.CurrentApp().Driver().CanvasForObject(l.before.(fyne.CanvasObject)) == c {
		c.Focus(l.before)
	}
	l.before = nil
}

// Open says whether a sheet is shown.
func (l *Layer) Open() bool { return l.shown != nil }

// Fits makes the open sheet as high as its content has become.
func (l *Layer) Fits() {
	if l.shown != nil {
		l.shown.leave = kit.SpreadEscape(l.shown.content)
		l.shown.Refresh()
	}
}

// Escape is what Esc does in a window in which nothing has the focus: it leaves the sheet that lies on top. It says
// whether something lies over the content, which then takes no keys.
func Escape(c fyne.Canvas) bool {
	top := c.Overlays().Top()
	if v, ok := top.(*veil); ok && v.leave != nil {
		v.leave()
	}
	return top != nil
}

// veil covers a window and holds a sheet in its middle.
type veil struct {
	widget.BaseWidget

	dim     *canvas.Rectangle
	content fyne.CanvasObject
	scroll  *container.Scroll
	sheet   *kit.Surface
	width   float32
	leave   func() // what Esc does; nil when the content does not say
}

func newVeil(content fyne.CanvasObject, width float32) *veil {
	v := &veil{dim: canvas.NewRectangle(color.Transparent), content: content, width: width, leave: kit.SpreadEscape(content)}
	// The edge is room for the focus rings, which would be cut off where the scroll ends.
	v.scroll = container.NewVScroll(kit.Pad(edge, content))
	v.sheet = kit.NewSurface(v.scroll).Inset(kit.Groups - edge)
	v.ExtendBaseWidget(v)
	return v
}

// Children is the sheet.
func (v *veil) Children() []fyne.CanvasObject { return []fyne.CanvasObject{v.sheet} }

// Tapped swallows the taps beside the sheet.
func (v *veil) Tapped(*fyne.PointEvent) {}

// CreateRenderer is for Fyne alone.
func (v *veil) CreateRenderer() fyne.WidgetRenderer { return &veilRenderer{v} }

type veilRenderer struct{ v *veil }

// Destroy does nothing.
func (r *veilRenderer) Destroy() {}

// MinSize is nothing: the window says how large the veil is.
func (r *veilRenderer) MinSize() fyne.Size { return fyne.Size{} }

// Objects is the veil and the sheet over it.
func (r *veilRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.v.dim, r.v.sheet}
}

// Layout puts the sheet into the middle, as high as it needs to be and never outside the window.
func (r *veilRenderer) Layout(size fyne.Size) {
	v := r.v
	v.dim.FillColor = dimmed(theme.ColorForWidget(kit.ColorText, v))
	v.dim.Resize(size)
	width := min(v.width, size.Width-2*kit.Pane)
	v.content.Resize(fyne.NewSize(width-2*kit.Groups, v.content.MinSize().Height))
	high := min(v.content.MinSize().Height+2*kit.Groups, size.Height-2*kit.Pane)
	v.sheet.Resize(fyne.NewSize(width, high))
	v.sheet.Move(fyne.NewPos((size.Width-width)/2, max(kit.Pane, (size.Height-high)/3)))
}

// Refresh lays the sheet out again.
func (r *veilRenderer) Refresh() {
	r.Layout(r.v.Size())
	canvas.Refresh(r.v)
}

const (
	dimAlpha = 0x40
	edge     = kit.Step
)

func dimmed(c color.Color) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	// In both variants the veil is dark: it takes light away from what lies below.
	if n.R > 0x80 {
		n.R, n.G, n.B = 0, 0, 0
	}
	n.A = dimAlpha
	return n
}
