package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// Wrap puts objects beside one another and goes on below where the width ends. Its height follows the width it was given
// last, so it belongs into a Column.
func Wrap(objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(&wrap{}, objects...)
}

// wrap is the layout of Wrap.
type wrap struct{ width float32 }

// MinSize is as wide as the widest object.
func (w *wrap) MinSize(objects []fyne.CanvasObject) fyne.Size {
	widest := float32(0)
	for _, o := range objects {
		if o.Visible() {
			widest = max(widest, o.MinSize().Width)
		}
	}
	return fyne.NewSize(widest, w.place(objects, max(w.width, widest), false))
}

// Layout places the objects row by row.
func (w *wrap) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	w.width = size.Width
	w.place(objects, size.Width, true)
}

func (w *wrap) place(objects []fyne.CanvasObject, width float32, move bool) (high float32) {
	x, y, row := float32(0), float32(0), float32(0)
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		least := o.MinSize()
		if x > 0 && x+least.Width > width {
			x, y, row = 0, y+row+Together, 0
		}
		if move {
			o.Move(fyne.NewPos(x, y))
			o.Resize(fyne.NewSize(min(least.Width, width), least.Height))
		}
		x += least.Width + Together
		row = max(row, least.Height)
	}
	return y + row
}
