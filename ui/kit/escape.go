package kit

import "fyne.io/fyne/v2"

// SpreadEscape lets Esc leave a form from whatever in it has the focus: what has no OnEscape of its own gets that of the
// first that has one. It returns what Esc does; nil when nothing in the form says so.
func SpreadEscape(root fyne.CanvasObject) (leave func()) {
	var fields []*func()
	walk(root, func(o fyne.CanvasObject) bool {
		switch o := o.(type) {
		case *Button:
			fields = append(fields, &o.OnEscape)
		case *Entry:
			fields = append(fields, &o.OnEscape)
		case *Select:
			fields = append(fields, &o.OnEscape)
		case *Check:
			fields = append(fields, &o.OnEscape)
		}
		return false
	})
	for _, f := range fields {
		if *f != nil {
			leave = *f
			break
		}
	}
	for _, f := range fields {
		if *f == nil {
			*f = leave
		}
	}
	return leave
}

// GoBack is what Esc does on a widget that has no use for it: it is the window's, which goes back one step. The focus goes
// first, because the step may take the widget off the screen, where keys would still press it.
func GoBack(from fyne.CanvasObject) {
	c := fyne.CurrentApp().Driver().CanvasForObject(from)
	if c == nil {
		return
	}
	if c.Overlays().Top() == nil {
		c.Unfocus()
	}
	if back := c.OnTypedKey(); back != nil {
		back(&fyne.KeyEvent{Name: fyne.KeyEscape})
	}
}

// escaped takes Esc: it does what do says, or goes back where do is nil. It is false for another key.
func escaped(from fyne.CanvasObject, ev *fyne.KeyEvent, do func()) bool {
	switch {
	case ev.Name != fyne.KeyEscape:
		return false
	case do != nil:
		do()
	default:
		GoBack(from)
	}
	return true
}
