// Package tray draws what waits and what runs into the desktop's tray.
package tray

import "fyne.io/fyne/v2"

// Host is the desktop's tray. Its methods are called on the main goroutine.
type Host interface {
	SetMenu(*fyne.Menu)
	SetIcon(fyne.Resource)
}
