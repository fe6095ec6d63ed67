// Package main is a window with a line of text in it: what Fyne itself costs, for the app to be measured against. With a
// number as its argument it has a button instead, which opens a window with a list of so many rows.
package main

import (
	"fmt"
	"os"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/widget"
)

func main() {
	a := app.NewWithID("run.fermata.bare")
	w := a.NewWindow("Bare")
	w.SetContent(widget.NewLabel("Nothing else."))
	if len(os.Args) > 1 {
		rows, err := strconv.Atoi(os.Args[1])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		w.SetContent(widget.NewButton("Open", func() { openList(a, rows) }))
	}
	w.SetMaster()
	w.Resize(fyne.NewSize(1100, 720))
	w.ShowAndRun()
}

func openList(a fyne.App, rows int) {
	w := a.NewWindow("Bare list")
	w.SetContent(widget.NewList(func() int { return rows }, func() fyne.CanvasObject { return widget.NewLabel("") },
		func(i int, o fyne.CanvasObject) { o.(*widget.Label).SetText(fmt.Sprint("Row ", i)) }))
	w.Resize(fyne.NewSize(1180, 760))
	w.Show()
}
