package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Select is Fyne's choice of one with a stable name and a border like an entry's; Enter opens it like Space.
type Select struct {
	widget.Select
	named
	held

	// OnEscape is called for Esc; nil leaves the key to the window.
	OnEscape func()

	focused bool
}

// NewSelect makes a choice of one.
func NewSelect(name string, options []string, changed func(string)) *Select {
	s := &Select{named: named{name}}
	s.Options = options
	s.OnChanged = changed
	s.ExtendBaseWidget(s)
	return s
}

// TypedKey opens the choice with Enter, and hands Esc to OnEscape.
func (s *Select) TypedKey(key *fyne.KeyEvent) {
	if escaped(s, key, s.OnEscape) {
		return
	}
	if key.Name == fyne.KeyReturn || key.Name == fyne.KeyEnter {
		key = &fyne.KeyEvent{Name: fyne.KeySpace, Physical: key.Physical}
	}
	s.Select.TypedKey(key)
}

// DragEnd opens the choice when the pointer that moved over it is let go there.
func (s *Select) DragEnd() {
	if ev := s.click(s.Size()); ev != nil {
		s.Tapped(ev)
	}
}

// FocusGained shows the focus in the border.
func (s *Select) FocusGained() {
	s.focused = true
	s.Select.FocusGained()
	RevealFocused(s)
}

// FocusLost takes the focus out of the border.
func (s *Select) FocusLost() {
	s.focused = false
	s.Select.FocusLost()
}

// CreateRenderer is for Fyne alone.
func (s *Select) CreateRenderer() fyne.WidgetRenderer {
	r := &selectFace{WidgetRenderer: s.Select.CreateRenderer(), choice: s, border: canvas.NewRectangle(color.Transparent)}
	r.paint()
	return r
}

// selectFace draws the border that Fyne leaves out, without which a choice would not stand out from a surface.
type selectFace struct {
	fyne.WidgetRenderer

	choice *Select
	border *canvas.Rectangle
}

// Layout places the border over Fyne's own objects.
func (r *selectFace) Layout(size fyne.Size) {
	r.WidgetRenderer.Layout(size)
	r.border.Resize(size)
}

// Objects are Fyne's own and the border.
func (r *selectFace) Objects() []fyne.CanvasObject {
	own := r.WidgetRenderer.Objects()
	return append(own[:len(own):len(own)], r.border)
}

// Refresh paints the present state.
func (r *selectFace) Refresh() {
	r.paint()
	r.WidgetRenderer.Refresh()
	r.border.Refresh()
}

func (r *selectFace) paint() {
	name := theme.ColorNameInputBorder
	r.border.StrokeWidth = 1
	if r.choice.focused {
		name, r.border.StrokeWidth = ColorAccent, 2
	}
	r.border.StrokeColor = colorFor(r.choice, name)
	r.border.CornerRadius = Radius
}
