package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// parent is a widget that says what it is made of; Fyne keeps that to itself.
type parent interface {
	Children() []fyne.CanvasObject
}

// Find gives the visible object of a stable name at or below root. It sees through Fyne's containers, scrolls, splits,
// tabs and cards, and through every widget that has Children() []fyne.CanvasObject.
func Find(root fyne.CanvasObject, name string) (fyne.CanvasObject, bool) {
	var found fyne.CanvasObject
	walk(root, func(o fyne.CanvasObject) bool {
		if n, ok := o.(Named); ok && n.Name() == name {
			found = o
			return true
		}
		return false
	})
	return found, found != nil
}

// Names lists the stable names of the visible objects at or below root, in the order of drawing.
func Names(root fyne.CanvasObject) []string {
	var names []string
	walk(root, func(o fyne.CanvasObject) bool {
		if n, ok := o.(Named); ok && n.Name() != "" {
			names = append(names, n.Name())
		}
		return false
	})
	return names
}

// Rect gives where an object is in its window, in Fyne's units from the window's top left corner: times the canvas's
// scale that is pixels.
func Rect(o fyne.CanvasObject) (x, y, w, h float32) {
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
	return at.X, at.Y, o.Size().Width, o.Size().Height
}

// Children are the objects right below an object, as far as Find sees them.
func Children(o fyne.CanvasObject) []fyne.CanvasObject { return childrenOf(o) }

// walk visits what is visible, from the root down, until visit says that it is enough.
func walk(o fyne.CanvasObject, visit func(fyne.CanvasObject) bool) bool {
	if o == nil || !o.Visible() {
		return false
	}
	if visit(o) {
		return true
	}
	for _, child := range childrenOf(o) {
		if walk(child, visit) {
			return true
		}
	}
	return false
}

func childrenOf(o fyne.CanvasObject) []fyne.CanvasObject {
	switch o := o.(type) {
	case parent:
		return o.Children()
	case *fyne.Container:
		return o.Objects
	case *container.Scroll:
		return []fyne.CanvasObject{o.Content}
	case *container.Split:
		return []fyne.CanvasObject{o.Leading, o.Trailing}
	case *container.AppTabs:
		return tabContent(o.Selected())
	case *container.DocTabs:
		return tabContent(o.Selected())
	case *container.ThemeOverride:
		return []fyne.CanvasObject{o.Content}
	case *container.Clip:
		return []fyne.CanvasObject{o.Content}
	case *widget.Card:
		return []fyne.CanvasObject{o.Content}
	case *widget.PopUp:
		return []fyne.CanvasObject{o.Content}
	case *widget.Accordion:
		return openDetails(o)
	case *widget.Form:
		return formInputs(o)
	}
	return nil
}

func tabContent(tab *container.TabItem) []fyne.CanvasObject {
	if tab == nil {
		return nil
	}
	return []fyne.CanvasObject{tab.Content}
}

func openDetails(a *widget.Accordion) []fyne.CanvasObject {
	var open []fyne.CanvasObject
	for _, item := range a.Items {
		if item.Open {
			open = append(open, item.Detail)
		}
	}
	return open
}

func formInputs(f *widget.Form) []fyne.CanvasObject {
	var inputs []fyne.CanvasObject
	for _, item := range f.Items {
		inputs = append(inputs, item.Widget)
	}
	return inputs
}
