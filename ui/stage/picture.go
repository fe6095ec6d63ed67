package stage

import (
	"image"
	"image/draw"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
)

// Picture is what a window shows. The painter in memory lets what scrolls within something that scrolls, such as the words
// of an entry, stand out of the outer one, which the real one does not: what stands out is cut off here.
func Picture(w fyne.Window) image.Image {
	c := w.Canvas()
	whole := c.Capture()
	var out []outstanding
	roots := append([]fyne.CanvasObject{c.Content()}, c.Overlays().List()...)
	for _, root := range roots {
		out = append(out, outstandingIn(root, fyne.Position{}, everywhere)...)
	}
	if len(out) == 0 {
		return whole
	}
	for _, o := range out {
		o.inner.Hide()
	}
	picture := image.NewNRGBA(whole.Bounds())
	draw.Draw(picture, picture.Bounds(), c.Capture(), image.Point{}, draw.Src)
	for _, o := range out {
		o.inner.Show()
		seen := o.seen.pixels(c.Scale())
		draw.Draw(picture, seen, whole, seen.Min, draw.Src)
	}
	return picture
}

// box is a place in a window.
type box struct{ left, top, right, bottom float32 }

var everywhere = box{right: math.MaxInt32, bottom: math.MaxInt32}

func (b box) within(o box) box {
	return box{max(b.left, o.left), max(b.top, o.top), min(b.right, o.right), min(b.bottom, o.bottom)}
}

func (b box) pixels(scale float32) image.Rectangle {
	if b.right <= b.left || b.bottom <= b.top {
		return image.Rectangle{}
	}
	at := func(v float32) int { return int(math.Round(float64(v * scale))) }
	return image.Rect(at(b.left), at(b.top), at(b.right), at(b.bottom))
}

// outstanding is something that scrolls and of which a part lies outside of what it scrolls in.
type outstanding struct {
	inner fyne.CanvasObject
	seen  box
}

func outstandingIn(o fyne.CanvasObject, at fyne.Position, outer box) []outstanding {
	if o == nil || !o.Visible() {
		return nil
	}
	at = at.Add(o.Position())
	mine := box{at.X, at.Y, at.X + o.Size().Width, at.Y + o.Size().Height}
	if scroll, ok := o.(*container.Scroll); ok {
		seen := mine.within(outer)
		if seen != mine {
			return []outstanding{{scroll, seen}}
		}
		outer = seen
	}
	var children []fyne.CanvasObject
	switch o := o.(type) {
	case *fyne.Container:
		children = o.Objects
	case fyne.Widget:
		children = test.WidgetRenderer(o).Objects()
	}
	var out []outstanding
	for _, child := range children {
		out = append(out, outstandingIn(child, at, outer)...)
	}
	return out
}
