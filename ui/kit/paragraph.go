package kit

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Paragraph is plain text that wraps. Its left edge is the edge of its letters.
type Paragraph struct {
	composite
	named

	plain string
	text  *widget.RichText
	seg   *widget.TextSegment
}

// NewParagraph makes a wrapped text of size 13.
func NewParagraph(s string) *Paragraph {
	p := &Paragraph{plain: PlainLines(s)}
	p.seg = &widget.TextSegment{Text: wrappable(p.plain), Style: widget.RichTextStyle{
		ColorName: ColorText, SizeName: theme.SizeNameText, Inline: true,
	}}
	p.text = wrapped(fyne.TextWrapWord, p.seg)
	p.body = unpadded(p.text)
	p.ExtendBaseWidget(p)
	return p
}

// NewNote makes a wrapped text of size 11 in the muted colour.
func NewNote(s string) *Paragraph {
	p := NewParagraph(s)
	p.seg.Style.SizeName = theme.SizeNameCaptionText
	p.seg.Style.ColorName = ColorMuted
	return p
}

// In draws the text in another colour of the theme.
func (p *Paragraph) In(color fyne.ThemeColorName) *Paragraph {
	p.seg.Style.ColorName = color
	p.text.Refresh()
	return p
}

// Strong draws the text in the bold weight.
func (p *Paragraph) Strong() *Paragraph {
	p.seg.Style.TextStyle.Bold = true
	p.text.Refresh()
	return p
}

// Centered puts the lines in the middle of their room.
func (p *Paragraph) Centered() *Paragraph {
	p.seg.Style.Alignment = fyne.TextAlignCenter
	p.text.Refresh()
	return p
}

// Set shows another text.
func (p *Paragraph) Set(s string) {
	s = PlainLines(s)
	if s == p.plain {
		return
	}
	p.plain = s
	p.seg.Text = wrappable(s)
	p.text.Refresh()
	p.Refresh()
}

// Text is the whole text, as PlainLines made it.
func (p *Paragraph) Text() string { return p.plain }

// wrapped makes Fyne's rich text with a width from the start: without one it would wrap at every letter first, which
// takes long and asks for a height that nobody needs.
func wrapped(wrap fyne.TextWrap, segments ...widget.RichTextSegment) *widget.RichText {
	text := widget.NewRichText(segments...)
	text.Resize(fyne.NewSize(readable, 0))
	text.Wrapping = wrap
	text.Refresh()
	return text
}

// wrapLength is the longest line, in characters, that Fyne is asked to wrap: its time grows with the square of it, and
// one line of 20,000 would stop the screen for half a minute.
const wrapLength = 500

// wrappable puts a line break into every line that is too long to wrap, at a space if there is one near.
func wrappable(s string) string {
	if len(s) <= wrapLength {
		return s
	}
	var out strings.Builder
	for line := range strings.Lines(s) {
		runes := []rune(line)
		for len(runes) > wrapLength {
			end := wrapLength
			for end > wrapLength/2 && runes[end] != ' ' {
				end--
			}
			if runes[end] != ' ' {
				end = wrapLength
			}
			out.WriteString(string(runes[:end]) + "\n")
			runes = []rune(strings.TrimPrefix(string(runes[end:]), " "))
		}
		out.WriteString(string(runes))
	}
	return out.String()
}
