package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// readable is the widest that running text gets: about 80 characters of size 13.
const readable float32 = 560

// Column puts objects below one another with a gap between. Unlike Fyne's box it asks for a height after it gave the
// width, so wrapped text gets the room it needs at the first layout.
func Column(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(&column{gap: gap}, objects...)
}

// Line puts objects beside one another with a gap between.
func Line(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedHBoxLayout(gap), objects...)
}

// Pad keeps a distance round an object.
func Pad(distance float32, object fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedLayout(distance, distance, distance, distance), object)
}

// Readable keeps running text from growing wider than about 80 characters.
func Readable(object fyne.CanvasObject) *fyne.Container {
	return container.New(&column{widest: readable}, object)
}

// Divider is a line of one pixel between two things, as wide or as high as its container makes it.
func Divider() fyne.CanvasObject { return widget.NewSeparator() }

// column is the layout of Column.
type column struct {
	gap    float32
	least  float32 // the width it claims at least
	widest float32 // 0 = as wide as there is room
}

// MinSize measures the objects at the width they have now.
func (c *column) MinSize(objects []fyne.CanvasObject) fyne.Size {
	size := fyne.NewSize(c.least, 0)
	gap := float32(0)
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		size.Height += gap
		gap = c.gap
		least := o.MinSize()
		size.Width = max(size.Width, least.Width)
		size.Height += least.Height
	}
	return size
}

// Layout gives each object the whole width, then the height that it needs at that width.
func (c *column) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	width := size.Width
	if c.widest > 0 {
		width = min(width, c.widest)
	}
	y := float32(0)
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		o.Move(fyne.NewPos(0, y))
		o.Resize(fyne.NewSize(width, o.MinSize().Height))
		high := o.MinSize().Height
		o.Resize(fyne.NewSize(width, high))
		y += high + c.gap
	}
}

// unpadded takes away the padding that Fyne's text widgets have round them, so that text lines up with text.
func unpadded(text fyne.CanvasObject) *fyne.Container {
	return container.New(unpad{}, text)
}

type unpad struct{}

// MinSize is the text without its padding.
func (unpad) MinSize(objects []fyne.CanvasObject) fyne.Size {
	twice := 2 * theme.Size(theme.SizeNameInnerPadding)
	size := objects[0].MinSize().SubtractWidthHeight(twice, twice)
	return size.Max(fyne.NewSize(0, 0))
}

// Layout lets the padding stick out on all sides.
func (unpad) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	pad := theme.Size(theme.SizeNameInnerPadding)
	objects[0].Move(fyne.NewPos(-pad, -pad))
	objects[0].Resize(size.AddWidthHeight(2*pad, 2*pad))
}

// Border puts objects at the edges of another one, which has the rest of the room; each of them may be nil. Unlike Fyne's own it
// keeps them in the order of reading, which is that of the Tab key.
func Border(top, bottom, left, right, middle fyne.CanvasObject) *fyne.Container {
	c := container.New(layout.NewBorderLayout(top, bottom, left, right))
	for _, o := range []fyne.CanvasObject{top, left, middle, right, bottom} {
		if o != nil {
			c.Objects = append(c.Objects, o)
		}
	}
	return c
}
