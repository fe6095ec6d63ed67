// Package ui opens the windows, knows which are open and decides where a question is shown.
package ui

import (
	"context"
	"fmt"
	"log/slog"

	"fyne.io/fyne/v2"

	"fermata/pieces/consent"
	"fermata/ui/pump"
	"fermata/ui/settings"
	"fermata/ui/tray"
)

// Engine is what the windows ask of the engine.
type Engine interface{}

// Options is what a Shell is made of. All fields but Tray are needed.
type Options struct {
	App        fyne.App
	Engine     Engine
	Desk       *consent.Desk
	Plane      settings.ControlPlane
	Pump       *pump.Pump
	Log        *slog.Logger
	Version    string
	Tray       tray.Host // nil: the desktop has no tray
	DataFolder string
}

// Shell is all the windows of the app. Its methods are called on the main goroutine, but for Close.
type Shell struct {
	Options
	cancel context.CancelFunc
}

// New returns a shell that shows nothing until Start.
func New(o Options) *Shell { return &Shell{Options: o} }

// Start shows the tray and the first window.
func (s *Shell) Start(ctx context.Context) {
	_, s.cancel = context.WithCancel(ctx)
}

// Show brings the main window up.
func (s *Shell) Show() {}

// Place is where a widget is within its window.
type Place struct {
	Window     string // the window's title
	X, Y, W, H int    // pixels from the window's top left corner, at its scale
}

// Locate finds a visible widget by its stable name.
func (s *Shell) Locate(name string) (Place, error) {
	return Place{}, fmt.Errorf("find widget %q: no shown window has it", name)
}

// Close ends everything that follows the engine.
func (s *Shell) Close() {
	if s.cancel != nil {
		s.cancel()
	}
}
