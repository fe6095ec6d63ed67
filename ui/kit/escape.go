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
