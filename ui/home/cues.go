package home

import (
	"cmp"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// The kinds of lines in the list of cues.
const (
	kindGap   = "gap" // before a heading that is not the first
	kindGroup = "group"
	kindCue   = "cue"
)

// cueList is what waits for the person: of a thousand cues too, it holds rows for those alone that can be seen.
type cueList struct {
	h     *Home
	cues  []Cue
	lines []cueLine
	rows  map[*kit.Press]*cueRow
	roll  *kit.Roll
	box   *fyne.Container
}

// cueLine is a heading with the gap before it, or the cue at a place.
type cueLine struct {
	group pieces.CueGroup // of a heading and its gap; empty for a cue
	at    int
}

func newCueList(h *Home) *cueList {
	l := &cueList{h: h, rows: map[*kit.Press]*cueRow{}}
	l.roll = kit.NewRoll(kit.Step, l.create, l.fill, func() (from, to float32) { return h.seen(l.box, l.roll) })
	return l
}

// draw shows other cues.
func (l *cueList) draw(cues []Cue) fyne.CanvasObject {
	l.box = kit.Column(kit.Step, kit.Title(phrase.Of("Needs you")))
	l.cues, l.lines = cues, nil
	if len(cues) == 0 {
		l.box.Add(kit.NewParagraph(phrase.Of("Nothing waits for you.")).In(kit.ColorMuted))
		return l.box
	}
	var shown []kit.RollLine
	captionHigh := kit.Caption("x").MinSize().Height
	group := pieces.CueGroup("")
	for i, c := range cues {
		if c.Group != group {
			group = c.Group
			if i > 0 {
				l.lines, shown = append(l.lines, cueLine{group: group}), append(shown, kit.RollLine{Kind: kindGap, High: kit.Step})
			}
			l.lines, shown = append(l.lines, cueLine{group: group}), append(shown, kit.RollLine{Kind: kindGroup, Key: string(group), High: captionHigh})
		}
		l.lines, shown = append(l.lines, cueLine{at: i}), append(shown, kit.RollLine{Kind: kindCue, Key: c.name(), High: kit.RowHigh})
	}
	l.box.Add(l.roll)
	l.roll.Set(shown)
	return l.box
}

func (c Cue) name() string { return "cue:" + cmp.Or(c.PieceID, c.SessionID) }

func (l *cueList) create(kind string) fyne.CanvasObject {
	switch kind {
	case kindGap:
		return canvas.NewRectangle(color.Transparent)
	case kindGroup:
		return kit.Caption("")
	}
	press, r := newCueRow()
	l.rows[press] = r
	return press
}

func (l *cueList) fill(i int, o fyne.CanvasObject) {
	switch o := o.(type) {
	case *kit.Text:
		o.Set(phrase.Of(l.lines[i].group.Title()))
	case *kit.Press:
		c := l.cues[l.lines[i].at]
		l.rows[o].show(c)
		o.Rename(c.name())
		o.OnTapped(func() { l.open(c) })
	}
}

func (l *cueList) open(c Cue) {
	if c.SessionID != "" {
		l.h.Actions.OpenSession(c.SessionID)
		return
	}
	l.h.Actions.OpenPiece(c.ProjectID, c.PieceID)
}

// cueRow is what a row is made of; it shows one piece after the other.
type cueRow struct {
	dot   *kit.StateDot
	row   *kit.Row
	where *kit.Text
}

func newCueRow() (*kit.Press, *cueRow) {
	r := &cueRow{dot: kit.NewStateDot(kit.StateWaiting, ""), where: kit.Caption("")}
	r.row = kit.NewRow(r.dot, "", "", r.where)
	return kit.NewPress("", r.row, nil), r
}

func (r *cueRow) show(c Cue) {
	state := kit.StateWaiting
	if c.Failed {
		state = kit.StateFailed
	}
	r.dot.Set(state, c.Label)
	r.where.Set(where(c.Project, c.Age))
	r.row.SetText(c.Title, "")
}
