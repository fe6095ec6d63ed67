// Package sheet asks the person something over the rest of a window.
package sheet

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
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

// Sheet is what is asked. Its title stays at the top and its buttons at the bottom, however low the window is: what is
// between them scrolls.
type Sheet struct {
	Title string            // a line of plain text, in the person's language
	Aside fyne.CanvasObject // behind the title; nil for nothing
	Body  fyne.CanvasObject
	// Problem stands above the buttons, where it is seen without scrolling; nil for a sheet that refuses nothing.
	Problem fyne.CanvasObject
	// Buttons is what ends the sheet, the way out first. Esc leaves the sheet from those that do not say what else it does.
	Buttons []*kit.Button
	Width   float32        // that it takes where the window is wide enough
	First   fyne.Focusable // has the focus at first; nil: the first button
}

// Ask shows a sheet in place of one that is open already. Without a window it does nothing.
func (l *Layer) Ask(s Sheet) {
	c := fyne.CurrentApp().Driver().CanvasForObject(l)
	if c == nil {
		return
	}
	if l.shown == nil {
		l.before = c.Focused()
	} else {
		c.Overlays().Remove(l.shown)
	}
	for _, b := range s.Buttons {
		if b.OnEscape == nil {
			b.OnEscape = l.Close
		}
	}
	l.shown = newVeil(s)
	c.Overlays().Add(l.shown)
	l.shown.Resize(c.Size())
	switch {
	case s.First != nil:
		c.Focus(s.First)
	case len(s.Buttons) > 0:
		c.Focus(s.Buttons[0])
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
		l.shown.leave = kit.SpreadEscape(l.shown.parts)
		for _, part := range []int{titlePart, footPart} {
			l.shown.parts.Objects[part].Refresh() // what stands in them may have come or gone
		}
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

	dim   *canvas.Rectangle
	parts *fyne.Container
	sheet *kit.Surface
	width float32
	leave func() // what Esc does; nil when the content does not say
}

func newVeil(s Sheet) *veil {
	v := &veil{dim: canvas.NewRectangle(color.Transparent), width: s.Width}
	title := fyne.CanvasObject(kit.Title(s.Title).CutEnd())
	if s.Aside != nil {
		title = container.NewBorder(nil, nil, nil, s.Aside, title)
	}
	foot := kit.Column(kit.Together)
	if s.Problem != nil {
		foot.Add(s.Problem)
	}
	buttons := make([]fyne.CanvasObject, len(s.Buttons))
	for i, b := range s.Buttons {
		buttons[i] = b
	}
	foot.Add(kit.Wrap(buttons...))
	body := s.Body
	if body == nil {
		body = kit.Column(0)
	}
	// The edge is room for the focus rings, which would be cut off where the scroll ends.
	v.parts = container.New(&parts{}, title, container.NewVScroll(container.New(layout.NewCustomPaddedLayout(edge, edge, edge, edge+bar), body)), kit.Divider(), foot)
	v.leave = kit.SpreadEscape(v.parts)
	v.sheet = kit.NewSurface(v.parts).Inset(kit.Groups - edge)
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
	const inset = kit.Groups - edge
	width := min(v.width, size.Width-2*kit.Pane)
	high := min(v.parts.Layout.(*parts).natural(v.parts.Objects, width-2*inset)+2*inset, size.Height-2*kit.Pane)
	v.sheet.Resize(fyne.NewSize(width, high))
	v.sheet.Move(fyne.NewPos((size.Width-width)/2, max(kit.Pane, (size.Height-high)/3)))
	v.parts.Layout.Layout(v.parts.Objects, v.parts.Size()) // its size may be the same, and what is in it has grown
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

// parts is the layout of a sheet: title, what scrolls, a line that is seen only while it does, and the foot.
type parts struct{}

const (
	gap       = kit.Groups - kit.Step
	bar       = kit.Together // room of the scroll bar, out of the inset
	titlePart = 0
	footPart  = 3
)

// MinSize leaves the window its size: the veil says how large the sheet is.
func (*parts) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.Size{} }

// natural is how high the parts want to be at a width.
func (*parts) natural(o []fyne.CanvasObject, width float32) float32 {
	body := o[1].(*container.Scroll).Content
	body.Resize(fyne.NewSize(width+bar, body.MinSize().Height))
	o[3].Resize(fyne.NewSize(width-2*edge, o[3].MinSize().Height))
	high := 2*edge + o[0].MinSize().Height + o[3].MinSize().Height + 2*(gap-edge)
	return high + body.MinSize().Height
}

// Layout gives the body what the title and the foot leave.
func (l *parts) Layout(o []fyne.CanvasObject, size fyne.Size) {
	title, body, line, foot := o[0], o[1], o[2], o[3]
	scrolls := l.natural(o, size.Width) > size.Height+0.5
	put := func(o fyne.CanvasObject, x, y, high float32) {
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(size.Width-2*x, max(0, high)))
	}
	head, end := title.MinSize().Height, foot.MinSize().Height
	bottom := size.Height - edge - end
	put(title, edge, edge, head)
	put(body, 0, edge+head+gap-edge, bottom-(gap-edge)-(head+gap))
	body.Resize(body.Size().AddWidthHeight(bar, 0)) // the scroll bar stands beside the fields, not over their ends
	put(foot, edge, bottom, end)
	if line.Visible() != scrolls {
		if scrolls {
			line.Show()
		} else {
			line.Hide()
		}
	}
	put(line, -(kit.Groups - edge), bottom-gap+edge, 1)
}
