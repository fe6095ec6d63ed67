package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/phrase"
)

const (
	barHigh  float32 = 4
	barWidth float32 = 64
	barLeast float32 = 16
)

// Progress is a bar with its count in words, such as "2 of 4 agents". It stands still between two counts.
type Progress struct {
	widget.BaseWidget

	done, total  int
	color        fyne.ThemeColorName
	track, level *canvas.Rectangle
	words        *Text
}

// NewProgress makes a bar for done of total units, such as "agents"; without a unit where it is said elsewhere.
func NewProgress(done, total int, unit string) *Progress {
	p := &Progress{
		color: ColorAgents,
		track: canvas.NewRectangle(color.Transparent),
		level: canvas.NewRectangle(color.Transparent),
		words: Caption(""),
	}
	p.Set(done, total, unit)
	p.ExtendBaseWidget(p)
	return p
}

// Set shows another count.
func (p *Progress) Set(done, total int, unit string) {
	p.total = max(0, total)
	p.done = min(max(0, done), p.total)
	words := "%d of %d"
	if unit != "" {
		words += " " + unit
	}
	p.words.Set(phrase.F(words, p.done, p.total))
	p.Refresh()
}

// SetPart shows a part of the whole, from 0 to 1, with words of its own, such as "40 %".
func (p *Progress) SetPart(part float64, words string) {
	const whole = 1000
	p.total, p.done = whole, int(min(max(part, 0), 1)*whole)
	p.words.Set(words)
	p.Refresh()
}

// In draws the bar in another colour, such as that of a phase.
func (p *Progress) In(color fyne.ThemeColorName) *Progress {
	p.color = color
	p.Refresh()
	return p
}

// Words is the count in words.
func (p *Progress) Words() string { return p.words.Text() }

// CreateRenderer is for Fyne alone.
func (p *Progress) CreateRenderer() fyne.WidgetRenderer {
	return newFace(p, p.measure, p.place, p.paint, p.track, p.level, p.words)
}

func (p *Progress) measure() fyne.Size {
	words := p.words.MinSize()
	return fyne.NewSize(barWidth+Together+words.Width, max(words.Height, dotSide))
}

func (p *Progress) place(size fyne.Size) {
	words := p.words.Natural()
	width := size.Width - words - Together
	seen := width >= barLeast // a bar of some pixels says nothing
	width = max(0, width)
	p.track.Hidden = !seen
	top := middle(size.Height, barHigh)
	p.track.Move(fyne.NewPos(0, top))
	p.track.Resize(fyne.NewSize(width, barHigh))
	p.level.Move(fyne.NewPos(0, top))
	part := float32(0)
	if p.total > 0 {
		part = float32(p.done) / float32(p.total)
	}
	p.level.Resize(fyne.NewSize(width*part, barHigh))
	p.level.Hidden = p.done == 0 || !seen
	p.words.Move(fyne.NewPos(width+Together, 0))
	p.words.Resize(fyne.NewSize(words, size.Height))
}

func (p *Progress) paint() {
	p.track.FillColor = colorFor(p, ColorBorder)
	p.track.CornerRadius = barHigh / 2
	p.level.FillColor = colorFor(p, p.color)
	p.level.CornerRadius = barHigh / 2
}
