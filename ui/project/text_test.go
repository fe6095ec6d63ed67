package project_test

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

// hasText looks for a text in what is drawn below an object.
func hasText(o fyne.CanvasObject, text string) bool {
	if o == nil || !o.Visible() {
		return false
	}
	switch o := o.(type) {
	case *canvas.Text:
		return strings.Contains(o.Text, text)
	case interface{ Text() string }:
		if strings.Contains(o.Text(), text) {
			return true
		}
	case *widget.RichText:
		if strings.Contains(o.String(), text) {
			return true
		}
	case *fyne.Container:
		return anyHas(o.Objects, text)
	case *container.Scroll:
		return hasText(o.Content, text)
	}
	if w, ok := o.(fyne.Widget); ok {
		return anyHas(test.WidgetRenderer(w).Objects(), text)
	}
	return false
}

func anyHas(objects []fyne.CanvasObject, text string) bool {
	for _, o := range objects {
		if hasText(o, text) {
			return true
		}
	}
	return false
}
