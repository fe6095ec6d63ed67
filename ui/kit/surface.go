package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// Surface is a ground with a border of one pixel round an object.
type Surface struct {
	widget.BaseWidget

	content      fyne.CanvasObject
	inset        float32
	fill, stroke fyne.ThemeColorName
	ground       *canvas.Rectangle
}

// NewSurface puts a surface under an object, with a padding of 16.
func NewSurface(content fyne.CanvasObject) *Surface {
	s := &Surface{content: content, inset: Groups, fill: ColorSurface, stroke: ColorBorder}
	s.ground = canvas.NewRectangle(color.Transparent)
	s.ExtendBaseWidget(s)
	return s
}

// Inset chooses another padding.
func (s *Surface) Inset(inset float32) *Surface {
	s.inset = inset
	s.Refresh()
	return s
}

// In chooses other colours for the ground and the border.
func (s *Surface) In(fill, stroke fyne.ThemeColorName) *Surface {
	s.fill, s.stroke = fill, stroke
	s.Refresh()
	return s
}

// Children is the content.
func (s *Surface) Children() []fyne.CanvasObject { return []fyne.CanvasObject{s.content} }

// CreateRenderer is for Fyne alone.
func (s *Surface) CreateRenderer() fyne.WidgetRenderer {
	return newFace(s, s.measure, s.place, s.paint, s.ground, s.content)
}

func (s *Surface) measure() fyne.Size {
	return s.content.MinSize().AddWidthHeight(2*s.inset, 2*s.inset)
}

func (s *Surface) place(size fyne.Size) {
	s.ground.Resize(size)
	s.content.Move(fyne.NewPos(s.inset, s.inset))
	s.content.Resize(size.SubtractWidthHeight(2*s.inset, 2*s.inset))
}

func (s *Surface) paint() {
	s.ground.FillColor = colorFor(s, s.fill)
	s.ground.StrokeColor = colorFor(s, s.stroke)
	s.ground.StrokeWidth = 1
	s.ground.CornerRadius = Radius
}
