package app

import (
	"image"
	"log/slog"

	"fyne.io/fyne/v2"
	"github.com/go-gl/glfw/v3.3/glfw"
)

// edge keeps the popover off the edges of the screen and of its panels, in the screen's units.
const edge = 8

// placer puts the popover near the tray. Fyne has no such thing, so it asks the window library below it.
type placer struct {
	log     *slog.Logger
	watched map[*glfw.Window]bool
}

// Place moves a window that was just shown to the panel that the pointer is over, or into the upper right corner, and has focus
// called whenever it gains or loses the focus. Where the platform lets nobody place windows, it stays where it is.
func (p *placer) Place(w fyne.Window, focus func(has bool)) {
	defer func() {
		// The library panics on what the platform refuses.
		if r := recover(); r != nil {
			p.log.Info("the popover cannot be placed", "why", r)
		}
	}()
	win := nativeOf(w)
	if win == nil {
		return
	}
	if !p.watched[win] {
		p.watched[win] = true
		var before glfw.FocusCallback
		before = win.SetFocusCallback(func(w *glfw.Window, focused bool) {
			if before != nil {
				before(w, focused)
			}
			focus(focused)
		})
	}
	x, y := win.GetPos()
	cx, cy := win.GetCursorPos()
	pointer := image.Pt(x+int(cx), y+int(cy))
	screen, area := monitorAt(pointer)
	if area.Empty() {
		return
	}
	size, scale := w.Canvas().Size(), w.Canvas().Scale()
	if most := float32(area.Dy()-2*edge) / scale; size.Height > most {
		size.Height = most
		w.Resize(size)
	}
	at := placed(pointer, screen, area, image.Pt(int(size.Width*scale), int(size.Height*scale)))
	win.SetPos(at.X, at.Y)
}

// nativeOf is the window of the library below Fyne; nil where there is none.
func nativeOf(w fyne.Window) (win *glfw.Window) {
	if native, ok := w.(interface{ RunWithContext(func()) }); ok {
		native.RunWithContext(func() { win = glfw.GetCurrentContext() })
	}
	return win
}

// monitorAt is the screen that a point is on, and what panels leave of it; the first one for a point that is on none.
func monitorAt(at image.Point) (screen, area image.Rectangle) {
	for _, m := range glfw.GetMonitors() {
		mode := m.GetVideoMode()
		if mode == nil {
			continue
		}
		x, y := m.GetPos()
		s := image.Rect(x, y, x+mode.Width, y+mode.Height)
		if !screen.Empty() && !at.In(s) {
			continue
		}
		ax, ay, aw, ah := m.GetWorkarea()
		screen, area = s, image.Rect(ax, ay, ax+aw, ay+ah).Intersect(s)
		if at.In(s) {
			break
		}
	}
	return screen, area
}

// placed is where a window of a size goes: at the edge of the panel that the pointer is over, beside the pointer, else into the
// upper right corner of what panels leave.
func placed(pointer image.Point, screen, area image.Rectangle, size image.Point) image.Point {
	least := area.Min.Add(image.Pt(edge, edge))
	most := area.Max.Sub(size).Sub(image.Pt(edge, edge))
	beside := image.Pt(between(pointer.X-size.X/2, least.X, most.X), between(pointer.Y-size.Y/2, least.Y, most.Y))
	switch {
	case !pointer.In(screen) || pointer.In(area):
		return image.Pt(max(most.X, least.X), least.Y)
	case pointer.Y < area.Min.Y:
		return image.Pt(beside.X, least.Y)
	case pointer.Y >= area.Max.Y:
		return image.Pt(beside.X, max(most.Y, least.Y))
	case pointer.X < area.Min.X:
		return image.Pt(least.X, beside.Y)
	}
	return image.Pt(max(most.X, least.X), beside.Y)
}

// between is the value, or the nearest bound; the lower bound where there is no room.
func between(v, least, most int) int { return max(least, min(v, most)) }
