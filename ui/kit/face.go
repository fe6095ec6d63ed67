package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Named is a widget that end-to-end tests can find by a stable name.
type Named interface {
	fyne.CanvasObject
	Name() string
}

// named carries a stable name; interactive widgets embed it.
type named struct{ name string }

// Name is the widget's stable name, or empty.
func (n *named) Name() string { return n.name }

// SetName gives the widget a stable name, such as "gate.startAgents".
func (n *named) SetName(name string) { n.name = name }

// face is the renderer of the widgets that draw themselves: the widget says what to measure, place and paint.
type face struct {
	owner   fyne.Widget
	objects []fyne.CanvasObject
	min     func() fyne.Size
	layout  func(fyne.Size)
	paint   func()
}

func newFace(owner fyne.Widget, min func() fyne.Size, layout func(fyne.Size), paint func(), objects ...fyne.CanvasObject) *face {
	paint()
	return &face{owner: owner, objects: objects, min: min, layout: layout, paint: paint}
}

// Destroy does nothing: a face holds no resources.
func (f *face) Destroy() {}

// Layout places the objects.
func (f *face) Layout(size fyne.Size) { f.layout(size) }

// MinSize measures the widget.
func (f *face) MinSize() fyne.Size { return f.min() }

// Objects lists what is drawn, from back to front.
func (f *face) Objects() []fyne.CanvasObject { return f.objects }

// Refresh paints the widget's present state.
func (f *face) Refresh() {
	f.paint()
	f.layout(f.owner.Size())
	canvas.Refresh(f.owner)
}

// composite is a widget made of other objects; Find walks through it.
type composite struct {
	widget.BaseWidget
	body fyne.CanvasObject
}

// CreateRenderer is for Fyne alone.
func (c *composite) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(c.body) }

// Children lists what the widget is made of.
func (c *composite) Children() []fyne.CanvasObject { return []fyne.CanvasObject{c.body} }

// themeSize resolves a size as w sees it.
func themeSize(w fyne.Widget, name fyne.ThemeSizeName) float32 {
	return theme.SizeForWidget(name, w)
}

// middle is where something of a height starts when it stands in the middle of another.
func middle(outer, inner float32) float32 { return (outer - inner) / 2 }

// activates says whether a key presses a focused button. Fyne's own buttons answer to Space alone.
func activates(ev *fyne.KeyEvent) bool {
	return ev.Name == fyne.KeyReturn || ev.Name == fyne.KeyEnter || ev.Name == fyne.KeySpace
}
