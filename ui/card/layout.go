package card

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/ui/kit"
)

// sized puts a card into the middle of its window: as high as it needs to be, and never outside.
type sized struct{ most float32 }

// MinSize is nothing: the window says how much room there is.
func (sized) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.Size{} }

// Layout gives the card its width first, since wrapped text knows its height only at its width.
func (s *sized) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	o := objects[0]
	width := min(s.most, size.Width-2*kit.Groups)
	room := size.Height - 2*edge
	o.Resize(fyne.NewSize(width, room))
	high := min(o.MinSize().Height, room)
	o.Resize(fyne.NewSize(width, high))
	o.Move(fyne.NewPos((size.Width-width)/2, (size.Height-high)/2))
}

// stacked puts a card's head, its text, its buttons and the reason below one another. What is missing in height is taken
// from the text, which scrolls, and then from the reason: Deny and Allow are always seen.
type stacked struct{}

// MinSize is what shows all of the text.
func (stacked) MinSize(objects []fyne.CanvasObject) fyne.Size {
	size := fyne.NewSize(0, float32(len(objects)-1)*kit.Groups)
	for _, o := range objects {
		if s, ok := o.(*container.Scroll); ok {
			o = s.Content
		}
		size.Height += o.MinSize().Height
	}
	return size
}

// Layout gives the text what the rest leaves.
func (stacked) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	head, text, buttons, reason := objects[0], objects[1].(*container.Scroll), objects[2], objects[3]
	text.Content.Resize(fyne.NewSize(size.Width, text.Content.MinSize().Height))
	text.Content.Resize(fyne.NewSize(size.Width, text.Content.MinSize().Height))
	head.Resize(fyne.NewSize(size.Width, 0))
	heads, low := head.MinSize().Height, buttons.MinSize().Height
	left := size.Height - heads - low - 2*kit.Groups
	needed := text.Content.MinSize().Height
	below := reason.MinSize().Height + kit.Groups
	if left-below >= min(needed, leastLow) {
		left -= below
		reason.Show()
	} else {
		reason.Hide()
	}
	y := float32(0)
	for _, part := range []struct {
		o    fyne.CanvasObject
		high float32
	}{{head, heads}, {text, max(0, min(needed, left))}, {buttons, low}, {reason, reason.MinSize().Height}} {
		part.o.Move(fyne.NewPos(0, y))
		part.o.Resize(fyne.NewSize(size.Width, part.high))
		y += part.high + kit.Groups
	}
}
