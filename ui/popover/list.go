package popover

import (
	"strings"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// The kinds of rows, each with objects of its own.
const (
	kindHeading = "heading"
	kindEmpty   = "empty"
	kindCue     = "cue"
)

// cueList is the list with the keys: it has the focus as a whole, and one row of it is chosen.
type cueList struct {
	widget.BaseWidget

	p    *Popover
	roll *roll
}

var _ fyne.Focusable = (*cueList)(nil)

func newCueList(p *Popover) *cueList {
	l := &cueList{p: p}
	l.roll = newRoll(l.create, l.fill)
	l.ExtendBaseWidget(l)
	return l
}

// Name is the stable name of the list.
func (l *cueList) Name() string { return "popover:list" }

// Children is the roll.
func (l *cueList) Children() []fyne.CanvasObject { return []fyne.CanvasObject{l.roll} }

// CreateRenderer is for Fyne alone.
func (l *cueList) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(l.roll) }

// FocusGained shows the chosen row as the one that keys are for.
func (l *cueList) FocusGained() {
	l.p.focused = true
	l.roll.refill()
}

// FocusLost takes that away.
func (l *cueList) FocusLost() {
	l.p.focused = false
	l.roll.refill()
}

// TypedKey moves, answers and closes.
func (l *cueList) TypedKey(ev *fyne.KeyEvent) {
	p := l.p
	const page = 5
	switch ev.Name {
	case fyne.KeyDown:
		p.move(p.at+1, 1)
	case fyne.KeyUp:
		if p.at > 0 {
			p.move(p.at-1, -1)
		}
	case fyne.KeyPageDown:
		p.move(min(len(p.rows)-1, p.at+page), -1)
	case fyne.KeyPageUp:
		p.move(max(0, p.at-page), 1)
	case fyne.KeyHome:
		p.move(0, 1)
	case fyne.KeyEnd:
		p.move(len(p.rows)-1, -1)
	case fyne.KeyReturn, fyne.KeyEnter:
		p.press()
	case fyne.KeyEscape:
		p.escape()
	default:
	}
}

// TypedRune snoozes with s and opens with o.
func (l *cueList) TypedRune(r rune) {
	switch unicode.ToLower(r) {
	case 's':
		l.p.snooze(l.p.chosen())
	case 'o':
		l.p.open(l.p.chosen())
	}
}

func (l *cueList) show(rows []row) {
	lines := make([]kit.RollLine, len(rows))
	for i, r := range rows {
		switch {
		case r.heading:
			lines[i] = kit.RollLine{Kind: kindHeading, High: headingHigh}
		case r.key == "":
			lines[i] = kit.RollLine{Kind: kindEmpty, High: emptyHigh}
		default:
			lines[i] = kit.RollLine{Kind: kindCue, High: cueHigh}
		}
	}
	l.roll.set(lines)
}

func (l *cueList) create(kind string) fyne.CanvasObject {
	const side = kit.Groups - kit.Step
	switch kind {
	case kindHeading:
		return container.New(indent{side, headingHigh}, kit.Caption("").Strong().In(kit.ColorText))
	case kindEmpty:
		return container.New(indent{side, emptyHigh}, kit.Caption("").CutEnd())
	}
	p := l.p
	return newCueRow(doing{
		choose: func(key string) { p.choose(key); p.Focus() },
		answer: p.answer, snooze: p.snooze, open: p.open, escape: p.escape,
	})
}

func (l *cueList) fill(i int, o fyne.CanvasObject) {
	r := l.p.rows[i]
	switch o := o.(type) {
	case *fyne.Container:
		o.Objects[0].(*kit.Text).Set(r.words)
	case *cueRow:
		o.show(l.p.looks(i))
	}
}

// looks is what a row shows now.
func (p *Popover) looks(i int) looks {
	r := p.rows[i]
	l := looks{key: r.key, chosen: i == p.at, lit: p.focused, state: kit.StateWaiting}
	if p.busy[r.key] {
		l.busy = r.key
	}
	if q := r.question; q != nil {
		l.title, l.age, l.label, l.facts, l.primary = phrase.Said(q.Title), q.Age, phrase.Of("Asked by a client"), q.Project, phrase.Of("Answer")
		if name := kit.Program(q.Client.Name, ""); name != "" {
			l.label = phrase.Of("Asked by ") + name
		}
		return l
	}
	c := r.cue
	l.title, l.age, l.label, l.source, l.snoozes = c.Title, c.Age, c.Label, c.Source, true
	l.facts = joined(c.Project, c.PR, c.Checks)
	l.primary = c.Primary
	if c.Asks {
		l.primary = phrase.Of("Answer")
	}
	if c.Failed {
		l.state = kit.StateFailed
	}
	return l
}

func joined(words ...string) string {
	var some []string
	for _, w := range words {
		if w != "" {
			some = append(some, w)
		}
	}
	return strings.Join(some, " · ")
}

// indent keeps a text off the left edge, in the middle of its height.
type indent struct{ left, high float32 }

// MinSize is fixed.
func (n indent) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(n.left, n.high) }

// Layout gives the text the rest of the width.
func (n indent) Layout(o []fyne.CanvasObject, size fyne.Size) {
	put(o[0], n.left, 0, max(0, size.Width-n.left), size.Height)
}
