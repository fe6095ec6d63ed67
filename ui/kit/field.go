package kit

import (
	"fyne.io/fyne/v2"

	"fermata/ui/phrase"
)

// Field is an input with its label above and a hint below.
type Field struct {
	composite

	hint  *Paragraph
	plain string
}

// NewField makes a field; an empty hint takes no room. Label, hint and reason are captions of the catalogue.
func NewField(label string, input fyne.CanvasObject, hint string) *Field {
	hint = phrase.Of(hint)
	f := &Field{hint: NewNote(hint), plain: hint}
	f.hint.Hidden = hint == ""
	f.body = Column(Step, Caption(phrase.Of(label)).In(ColorText).Strong(), input, f.hint)
	f.ExtendBaseWidget(f)
	return f
}

// Refuse shows what is wrong with the input in place of the hint; an empty reason brings the hint back.
func (f *Field) Refuse(reason string) {
	text, color := f.plain, ColorMuted
	if reason != "" {
		text, color = phrase.Of(reason), ColorFailed
	}
	f.hint.In(color)
	f.hint.Set(text)
	f.hint.Hidden = text == ""
	f.Refresh()
}

// Hint is what stands below the input.
func (f *Field) Hint() string { return f.hint.Text() }
