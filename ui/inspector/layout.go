package inspector

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/ui/kit"
)

// flow puts objects beside one another and goes on below where the width ends. Its height follows the width it was
// given last, so it belongs into a kit.Column.
type flow struct{ width float32 }

// newFlow makes a container of that layout.
func newFlow(objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(&flow{}, objects...)
}

// MinSize is as wide as the widest object.
func (f *flow) MinSize(objects []fyne.CanvasObject) fyne.Size {
	widest := float32(0)
	for _, o := range objects {
		if o.Visible() {
			widest = max(widest, o.MinSize().Width)
		}
	}
	return fyne.NewSize(widest, f.place(objects, max(f.width, widest), false))
}

// Layout places the objects row by row.
func (f *flow) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	f.width = size.Width
	f.place(objects, size.Width, true)
}

func (f *flow) place(objects []fyne.CanvasObject, width float32, move bool) (high float32) {
	x, y, row := float32(0), float32(0), float32(0)
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		least := o.MinSize()
		if x > 0 && x+least.Width > width {
			x, y, row = 0, y+row+kit.Together, 0
		}
		if move {
			o.Move(fyne.NewPos(x, y))
			o.Resize(fyne.NewSize(min(least.Width, width), least.Height))
		}
		x += least.Width + kit.Together
		row = max(row, least.Height)
	}
	return y + row
}

// stacked gives what is asked and waited for the height that it needs, up to a share of the whole, and the page the rest.
type stacked struct {
	top    *container.Scroll
	asking func() bool // something is asked, which then may take the page's room
}

const topShare = 0.62

// MinSize leaves room for a little of each.
func (stacked) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(320, 240)
}

// Layout is top, tabs, page.
func (l stacked) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	content := l.top.Content
	content.Resize(fyne.NewSize(size.Width, content.MinSize().Height))
	natural := content.MinSize().Height
	tabs := objects[1].MinSize().Height
	high := min(natural, size.Height*topShare)
	if l.asking() {
		high = min(natural, size.Height-tabs)
	}
	place(objects[0], 0, high, size.Width)
	place(objects[1], high, tabs, size.Width)
	place(objects[2], high+tabs, max(0, size.Height-high-tabs), size.Width)
}

func place(o fyne.CanvasObject, y, high, width float32) {
	o.Move(fyne.NewPos(0, y))
	o.Resize(fyne.NewSize(width, high))
}

func show(o fyne.CanvasObject, visible bool) {
	if visible == o.Visible() {
		return
	}
	if visible {
		o.Show()
		return
	}
	o.Hide()
}

// scrolled is a page whose column scrolls.
func scrolled(objects ...fyne.CanvasObject) *container.Scroll {
	return container.NewVScroll(kit.Pad(kit.Groups-kit.Step, kit.Column(kit.Groups, objects...)))
}

// relayout places a container's objects again without refreshing what is in them.
func relayout(c *fyne.Container) { c.Layout.Layout(c.Objects, c.Size()) }

// halves puts two objects of one width beside one another.
type halves struct{}

// MinSize is that of the larger, twice.
func (halves) MinSize(o []fyne.CanvasObject) fyne.Size {
	least := o[0].MinSize().Max(o[1].MinSize())
	return fyne.NewSize(2*least.Width+kit.Together, least.Height)
}

// Layout shares the width out evenly.
func (halves) Layout(o []fyne.CanvasObject, size fyne.Size) {
	width := (size.Width - kit.Together) / 2
	for i := range o {
		o[i].Move(fyne.NewPos(float32(i)*(width+kit.Together), 0))
		o[i].Resize(fyne.NewSize(width, o[i].MinSize().Height))
	}
}
