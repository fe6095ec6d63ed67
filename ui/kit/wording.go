package kit

import (
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/kit/patch"
	"fermata/ui/phrase"
)

// What a Wording shows at most, for a text of any length to open at once.
const (
	wordingLines  = 200
	wordingLength = 8000 // characters
)

// Wording is a text that is read before it is handed on: whole, wrapped, harmless, and line by line beside what it takes
// the place of.
type Wording struct {
	composite

	lines []*wordingLine
}

// NewWording shows a text, or, where it takes the place of one, what goes and what comes. A long one says how much of it
// is left out.
func NewWording(name, before, after string) *Wording {
	kinds := patch.Replaced(cutWording(before), cutWording(after))
	if before == "" {
		for i := range kinds {
			kinds[i].Kind = patch.Context
		}
	}
	w := &Wording{}
	rows := Column(0)
	for i, l := range kinds {
		if i == wordingLines {
			rows.Add(Pad(Together, Caption(phrase.F("… %d lines left out …", len(kinds)-i))))
			break
		}
		line := newWordingLine(l, before != "")
		w.lines = append(w.lines, line)
		rows.Add(line)
	}
	w.body = Column(Step, Caption(name).In(ColorText).Strong(), NewSurface(rows).Inset(1).In(ColorRaised, ColorBorder))
	w.ExtendBaseWidget(w)
	return w
}

// Text is what is shown, one line each, with the sign of a line that goes or comes before it.
func (w *Wording) Text() string {
	var out strings.Builder
	for _, l := range w.lines {
		out.WriteString(l.sign.Text() + l.words.Text() + "\n")
	}
	return out.String()
}

// cutWording says how much it leaves out, since a text that is only cut could hide its most important words.
func cutWording(s string) string {
	runes := []rune(PlainLines(strings.TrimSpace(s)))
	if len(runes) <= wordingLength {
		return string(runes)
	}
	half := wordingLength / 2
	left := phrase.F("… %d characters left out …", len(runes)-2*half)
	return string(runes[:half]) + "\n" + left + "\n" + string(runes[len(runes)-half:])
}

// wordingLine is one line on the ground of what happens to it.
type wordingLine struct {
	widget.BaseWidget

	kind   patch.Kind
	ground *canvas.Rectangle
	sign   *Text
	words  *Paragraph
	inset  float32 // where the words begin
}

func newWordingLine(l patch.Line, signed bool) *wordingLine {
	w := &wordingLine{kind: l.Kind, ground: canvas.NewRectangle(color.Transparent), sign: Body(""), words: NewParagraph(l.Text), inset: Together}
	ink := ColorText
	switch l.Kind {
	case patch.Added:
		ink = ColorDone
	case patch.Deleted:
		ink = ColorFailed
	default:
	}
	w.words.In(ink)
	if signed {
		w.sign.In(ink).Set(strings.TrimSpace(sign(l.Kind)))
		w.inset = Pane
	}
	w.ExtendBaseWidget(w)
	return w
}

// Children is the words.
func (w *wordingLine) Children() []fyne.CanvasObject { return []fyne.CanvasObject{w.words} }

// CreateRenderer is for Fyne alone.
func (w *wordingLine) CreateRenderer() fyne.WidgetRenderer {
	return newFace(w, w.measure, w.place, w.paint, w.ground, w.sign, w.words)
}

func (w *wordingLine) measure() fyne.Size {
	return w.words.MinSize().AddWidthHeight(w.inset+Together, Step)
}

func (w *wordingLine) place(size fyne.Size) {
	w.ground.Resize(size)
	w.sign.Move(fyne.NewPos(Together, Step/2))
	w.sign.Resize(w.sign.MinSize())
	w.words.Move(fyne.NewPos(w.inset, Step/2))
	w.words.Resize(size.SubtractWidthHeight(w.inset+Together, Step))
}

func (w *wordingLine) paint() {
	s := diffStyle{}
	switch w.kind {
	case patch.Added:
		s.ground = ColorDone
	case patch.Deleted:
		s.ground = ColorFailed
	default:
	}
	w.ground.FillColor = s.BackgroundColor()
}
