package inspector

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/ui/kit"
)

// stacked gives what is asked and waited for the height that it needs, up to a share of the whole, and the page the rest.
type stacked struct {
	top    *container.Scroll
	gate   *gateBar
	whole  func() bool // the page has all the room
	asking func() bool // something is asked, which then may take the page's room
}

const (
	topShare         = 0.62
	lowParts float32 = 480 // below it the gate takes one line
)

// MinSize leaves room for a little of each.
func (stacked) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(320, 240)
}

// Layout is top, tabs, page.
func (l stacked) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.gate.inLow(size.Height < lowParts)
	content := l.top.Content
	content.Resize(fyne.NewSize(size.Width, content.MinSize().Height))
	natural := content.MinSize().Height
	tabs := objects[1].MinSize().Height
	high := min(natural, size.Height*topShare)
	if l.asking() {
		high = min(natural, size.Height-tabs)
	}
	show(objects[0], !l.whole())
	if l.whole() {
		high = 0
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
