package home

import (
	"fyne.io/fyne/v2"

	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// workList is what works by itself: of a thousand pieces too, it holds rows for those alone that can be seen.
type workList struct {
	h    *Home
	work []Work
	rows map[*kit.Press]*cueRow
	roll *kit.Roll
	box  *fyne.Container
}

func newWorkList(h *Home) *workList {
	l := &workList{h: h, rows: map[*kit.Press]*cueRow{}}
	l.roll = kit.NewRoll(kit.Step, l.create, l.fill, func() (from, to float32) { return h.seen(l.box, l.roll) })
	return l
}

// draw shows other work.
func (l *workList) draw(work []Work) fyne.CanvasObject {
	l.work = work
	shown := make([]kit.RollLine, len(work))
	for i, w := range work {
		shown[i] = kit.RollLine{Key: w.name(), High: kit.RowHigh}
	}
	l.box = kit.Column(kit.Step, kit.Title(phrase.Of("Running")), l.roll)
	l.roll.Set(shown)
	return l.box
}

func (w Work) name() string { return "work:" + w.PieceID }

func (l *workList) create(string) fyne.CanvasObject {
	press, row := newCueRow()
	l.rows[press] = row
	return press
}

func (l *workList) fill(i int, o fyne.CanvasObject) {
	press, w := o.(*kit.Press), l.work[i]
	row := l.rows[press]
	row.dot.Set(kit.StateRunning, w.Words)
	row.where.Set(where(w.Project, w.Age))
	row.row.SetText(w.Title, "")
	press.Rename(w.name())
	press.OnTapped(func() { l.h.Actions.OpenPiece(w.ProjectID, w.PieceID) })
}
