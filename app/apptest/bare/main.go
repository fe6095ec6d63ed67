// Package main is a window with a line of text in it: what Fyne itself costs, for the app to be measured against.
package main

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/widget"
)

func main() {
	w := app.NewWithID("run.fermata.bare").NewWindow("Bare")
	w.SetContent(widget.NewLabel("Nothing else."))
	w.Resize(fyne.NewSize(1100, 720))
	w.ShowAndRun()
}
