package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Cut says what a Text leaves out when it has less room than it needs.
type Cut int

// The cuts. CutNone claims the whole width instead.
const (
	CutNone Cut = iota
	CutEnd
	CutMiddle
)

// cutWidth is the room that a text with a cut claims at least.
const cutWidth float32 = 48

// Text is one line of plain text. What it is given passes through Plain.
type Text struct {
	widget.BaseWidget

	text  string
	size  fyne.ThemeSizeName
	color fyne.ThemeColorName
	style fyne.TextStyle
	align fyne.TextAlign
	cut   Cut
	line  *canvas.Text
}

// Caption makes a muted text of size 11. Like the others it claims its whole width until a cut is chosen.
func Caption(s string) *Text {
	return newText(s, theme.SizeNameCaptionText, ColorMuted, fyne.TextStyle{})
}

// Body makes a text of size 13.
func Body(s string) *Text {
	return newText(s, theme.SizeNameText, ColorText, fyne.TextStyle{})
}

// Title makes a bold text of size 15.
func Title(s string) *Text {
	return newText(s, theme.SizeNameSubHeadingText, ColorText, fyne.TextStyle{Bold: true})
}

// Heading makes a bold text of size 20.
func Heading(s string) *Text {
	return newText(s, theme.SizeNameHeadingText, ColorText, fyne.TextStyle{Bold: true})
}

// Mono makes a text of size 13 in the mono font, for code, ids and paths.
func Mono(s string) *Text {
	return newText(s, theme.SizeNameText, ColorText, fyne.TextStyle{Monospace: true})
}

func newText(s string, size fyne.ThemeSizeName, color fyne.ThemeColorName, style fyne.TextStyle) *Text {
	t := &Text{text: Plain(s), size: size, color: color, style: style}
	t.line = canvas.NewText(t.text, nil)
	t.ExtendBaseWidget(t)
	return t
}

// CutEnd lets the text shrink by its end.
func (t *Text) CutEnd() *Text {
	t.cut = CutEnd
	return t
}

// CutMiddle lets the text shrink by its middle.
func (t *Text) CutMiddle() *Text {
	t.cut = CutMiddle
	return t
}

// In draws the text in another colour of the theme.
func (t *Text) In(color fyne.ThemeColorName) *Text {
	if color == t.color {
		return t
	}
	t.color = color
	t.Refresh()
	return t
}

// Strong draws the text in the bold weight.
func (t *Text) Strong() *Text {
	t.style.Bold = true
	t.Refresh()
	return t
}

// Centered puts the text in the middle of its room.
func (t *Text) Centered() *Text {
	t.align = fyne.TextAlignCenter
	t.Refresh()
	return t
}

// Set shows another text.
func (t *Text) Set(s string) {
	s = Plain(s)
	if s == t.text {
		return
	}
	t.text = s
	t.Refresh()
}

// Text is the whole text, as Plain made it.
func (t *Text) Text() string { return t.text }

// Shown is what the present room leaves of the text.
func (t *Text) Shown() string { return t.line.Text }

// CreateRenderer is for Fyne alone.
func (t *Text) CreateRenderer() fyne.WidgetRenderer {
	return newFace(t, t.measure, t.place, t.paint, t.line)
}

func (t *Text) measure() fyne.Size {
	size := t.width(t.text)
	if t.cut != CutNone {
		size.Width = min(size.Width, cutWidth)
	}
	return size
}

// Natural is the width that the whole text needs, also of one that may be cut.
func (t *Text) Natural() float32 { return t.width(t.text).Width }

// baseline is where the letters stand, measured from the text's top.
func (t *Text) baseline() float32 {
	_, base := fyne.CurrentApp().Driver().RenderedTextSize("x", themeSize(t, t.size), t.style, nil)
	return base
}

func (t *Text) width(s string) fyne.Size {
	return fyne.MeasureText(s, themeSize(t, t.size), t.style)
}

func (t *Text) place(size fyne.Size) {
	t.line.Text = t.fit(size.Width)
	high := t.line.MinSize().Height
	t.line.Move(fyne.NewPos(0, middle(size.Height, high)))
	t.line.Resize(fyne.NewSize(size.Width, high))
	t.line.Refresh()
}

// fit shortens the text to a width by halving the search for the longest that fits.
func (t *Text) fit(width float32) string {
	if t.cut == CutNone || t.Natural() <= width+0.5 {
		return t.text
	}
	shorten := MiddleCut
	if t.cut == CutEnd {
		shorten = endCut
	}
	low, high := 1, len([]rune(t.text))
	for low < high {
		try := (low + high + 1) / 2
		if t.width(shorten(t.text, try)).Width <= width {
			low = try
		} else {
			high = try - 1
		}
	}
	return shorten(t.text, low)
}

func (t *Text) paint() {
	t.line.Color = colorFor(t, t.color)
	t.line.TextSize = themeSize(t, t.size)
	t.line.TextStyle = t.style
	t.line.Alignment = t.align
}
