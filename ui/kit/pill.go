package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/phrase"
)

const (
	pillHigh float32 = 20
	pillIcon float32 = 12
)

// Pill shows a phase or a state as an icon and a word in its colour.
type Pill struct {
	widget.BaseWidget

	color   fyne.ThemeColorName
	icon    fyne.Resource
	ground  *canvas.Rectangle
	picture *canvas.Image
	letter  *Text
	word    *Text
}

// NewPill makes a pill with an icon before its word, which is one of the catalogue.
func NewPill(color fyne.ThemeColorName, icon fyne.Resource, word string) *Pill {
	p := newPill()
	p.Set(color, icon, word)
	return p
}

// NewLetterPill makes a pill with a letter in place of the icon, such as "S" before "Spec".
func NewLetterPill(color fyne.ThemeColorName, letter, word string) *Pill {
	p := newPill()
	p.letter.Set(letter)
	p.Set(color, nil, word)
	return p
}

func newPill() *Pill {
	p := &Pill{
		ground:  canvas.NewRectangle(color.Transparent),
		picture: canvas.NewImageFromResource(nil),
		letter:  Caption("").Strong(),
		word:    Caption("").CutEnd(),
	}
	p.picture.FillMode = canvas.ImageFillContain
	p.ExtendBaseWidget(p)
	return p
}

// Set shows another phase or state. A nil icon leaves the letter, if there is one.
func (p *Pill) Set(color fyne.ThemeColorName, icon fyne.Resource, word string) {
	p.color, p.icon = color, icon
	p.word.Set(phrase.Of(word))
	p.Refresh()
}

// SetLetter shows another letter.
func (p *Pill) SetLetter(color fyne.ThemeColorName, letter, word string) {
	p.letter.Set(letter)
	p.Set(color, nil, word)
}

// Word is what the pill says.
func (p *Pill) Word() string { return p.word.Text() }

// CreateRenderer is for Fyne alone.
func (p *Pill) CreateRenderer() fyne.WidgetRenderer {
	return newFace(p, p.measure, p.place, p.paint, p.ground, p.picture, p.letter, p.word)
}

// before is the width of the icon or letter and the gap behind it.
func (p *Pill) before() float32 {
	switch {
	case p.icon != nil:
		return pillIcon + Step
	case p.letter.Text() != "":
		return p.letter.Natural() + Step
	}
	return 0
}

func (p *Pill) measure() fyne.Size {
	return fyne.NewSize(2*Together+p.before()+p.word.Natural(), pillHigh)
}

func (p *Pill) place(size fyne.Size) {
	width := min(size.Width, p.measure().Width)
	top := middle(size.Height, pillHigh)
	p.ground.Move(fyne.NewPos(0, top))
	p.ground.Resize(fyne.NewSize(width, pillHigh))
	p.picture.Move(fyne.NewPos(Together-1, top+middle(pillHigh, pillIcon)))
	p.picture.Resize(fyne.NewSquareSize(pillIcon))
	p.letter.Move(fyne.NewPos(Together, top))
	p.letter.Resize(fyne.NewSize(p.letter.Natural(), pillHigh))
	x := Together + p.before()
	p.word.Move(fyne.NewPos(x, top))
	p.word.Resize(fyne.NewSize(max(0, width-x-Together), pillHigh))
}

func (p *Pill) paint() {
	p.ground.FillColor = tintFor(p, p.color)
	p.ground.CornerRadius = Radius
	p.picture.Hidden = p.icon == nil
	p.letter.Hidden = p.icon != nil
	if p.icon != nil {
		p.picture.Resource = theme.NewColoredResource(p.icon, p.color)
		p.picture.Refresh()
	}
	p.letter.In(p.color)
	p.word.In(p.color)
}
