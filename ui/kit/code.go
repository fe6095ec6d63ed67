package kit

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/phrase"
)

// What a Code shows at most; more would make Fyne's text slow.
const (
	codeLines  = 400
	codeLength = 64 << 10 // characters
)

// Code is a block of mono text: code, a transcript, a command's output. It wraps, and can be selected and copied.
type Code struct {
	composite

	label *widget.Label
	whole string
}

// NewCode makes a block. Of a very long text it shows the beginning and the end and says that it leaves lines out.
func NewCode(s string) *Code {
	c := &Code{label: widget.NewLabel("")}
	c.label.Resize(fyne.NewSize(readable, 0))
	c.label.TextStyle = fyne.TextStyle{Monospace: true}
	c.label.Wrapping = fyne.TextWrapBreak
	c.label.Selectable = true
	c.label.SizeName = theme.SizeNameText
	c.body = NewSurface(c.label).Inset(0).In(ColorRaised, ColorBorder)
	c.ExtendBaseWidget(c)
	c.Set(s)
	return c
}

// Set shows another text.
func (c *Code) Set(s string) {
	c.whole = strings.TrimRight(PlainLines(s), "\n")
	c.label.SetText(wrappable(MiddleCut(fewLines(c.whole), codeLength)))
}

// Text is the whole text, also of lines that are not shown.
func (c *Code) Text() string { return c.whole }

// fewLines leaves out the middle of a text that has too many lines.
func fewLines(s string) string {
	lines := strings.Split(s, "\n")
	if len(lines) <= codeLines {
		return s
	}
	half := codeLines / 2
	left := phrase.F("… %d lines left out …", len(lines)-2*half)
	shown := append(append(append([]string{}, lines[:half]...), left), lines[len(lines)-half:]...)
	return strings.Join(shown, "\n")
}
