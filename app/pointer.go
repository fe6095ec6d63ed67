package app

import (
	"log/slog"

	"fyne.io/fyne/v2"
	"github.com/go-gl/glfw/v3.3/glfw"
)

// pointer tells when a button of the pointer is pressed and let go. Fyne tells that to the widget below the pointer alone.
type pointer struct{ log *slog.Logger }

// Follow has pressed called for each press and each letting go in a window. The library below Fyne reports the letting go
// outside of the window too, and lets go itself when the window loses the focus.
func (p *pointer) Follow(w fyne.Window, pressed func(down bool)) {
	defer func() {
		// The library panics on what the platform refuses.
		if r := recover(); r != nil {
			p.log.Info("the pointer cannot be followed", "why", r)
		}
	}()
	win := nativeOf(w)
	if win == nil {
		return
	}
	var fyneOwn glfw.MouseButtonCallback
	fyneOwn = win.SetMouseButtonCallback(func(w *glfw.Window, button glfw.MouseButton, action glfw.Action, mods glfw.ModifierKey) {
		if action == glfw.Press {
			pressed(true)
		}
		if fyneOwn != nil {
			fyneOwn(w, button, action, mods)
		}
		if action == glfw.Release {
			pressed(false)
		}
	})
}
