package kit

import "fyne.io/fyne/v2"

// held follows the pointer from a press to where it is let go. Fyne takes a press that moves by two units within something
// that scrolls for a drag of the scroll and drops the click, although a hand moves that much: a widget that has the drags
// over it to itself can tell a click, which ends where it began.
type held struct {
	moved bool
	at    fyne.Position // of the pointer, within the widget
}

// Dragged notes where the pointer is.
func (h *held) Dragged(ev *fyne.DragEvent) { h.moved, h.at = true, ev.Position }

// click is the press that ends now; nil when it was let go beside the widget, which takes it back.
func (h *held) click(size fyne.Size) *fyne.PointEvent {
	inside := h.at.X >= 0 && h.at.Y >= 0 && h.at.X < size.Width && h.at.Y < size.Height
	if !h.moved || !inside {
		h.moved = false
		return nil
	}
	h.moved = false
	return &fyne.PointEvent{Position: h.at}
}
