package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// List is Fyne's list of equally high rows with a stable name, and rows that Find can find.
type List struct {
	widget.List
	named

	rows  map[widget.ListItemID]fyne.CanvasObject
	high  float32
	keeps bool
}

// NewList makes a list. It has length rows; create makes an empty one, update fills it, open is called for a row that
// is clicked, or chosen by Enter or Space.
func NewList(name string, length func() int, create func() fyne.CanvasObject, update func(int, fyne.CanvasObject), open func(int)) *List {
	l := &List{named: named{name}, rows: map[widget.ListItemID]fyne.CanvasObject{}}
	l.HideSeparators = true
	l.Length = length
	l.CreateItem = func() fyne.CanvasObject {
		row := create()
		l.high = row.MinSize().Height
		return row
	}
	l.UpdateItem = func(id widget.ListItemID, row fyne.CanvasObject) {
		l.remember(id, row)
		update(id, row)
	}
	l.OnSelected = func(id widget.ListItemID) {
		if !l.keeps {
			l.Unselect(id)
		}
		open(id)
	}
	l.ExtendBaseWidget(l)
	return l
}

// KeepSelection marks the row that was opened last. It is not opened again by a second press; without this it is.
func (l *List) KeepSelection() *List {
	l.keeps = true
	return l
}

// TypedKey opens the focused row with Enter as well as with Space.
func (l *List) TypedKey(key *fyne.KeyEvent) {
	if key.Name == fyne.KeyReturn || key.Name == fyne.KeyEnter {
		key = &fyne.KeyEvent{Name: fyne.KeySpace, Physical: key.Physical}
	}
	l.List.TypedKey(key)
}

// Children are the rows that can be seen at least in part.
func (l *List) Children() []fyne.CanvasObject {
	if l.high == 0 || l.Length == nil {
		return nil
	}
	pitch := l.high + l.Theme().Size(theme.SizeNamePadding)
	first := int(l.GetScrollOffset() / pitch)
	last := int((l.GetScrollOffset() + l.Size().Height) / pitch)
	var seen []fyne.CanvasObject
	for id := first; id <= min(last, l.Length()-1); id++ {
		if row, made := l.rows[id]; made {
			seen = append(seen, row)
		}
	}
	return seen
}

// remember notes which object shows a row now. Fyne reuses the objects, so an object leaves the row it showed before.
func (l *List) remember(id widget.ListItemID, row fyne.CanvasObject) {
	for other, object := range l.rows {
		if object == row && other != id {
			delete(l.rows, other)
		}
	}
	l.rows[id] = row
}
