package popover

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/kit"
	"fermata/ui/phrase"
)

const (
	headingHigh float32 = 32
	emptyHigh   float32 = 28
	cueHigh     float32 = 92
	line        float32 = 18
	button      float32 = 28
)

// doing is what a row's buttons and a click on it do.
type doing struct {
	choose, answer, snooze, open func(key string)
	escape                       func()
}

// cueRow is one cue or question: what it is, what is known of it, and what can be done.
type cueRow struct {
	widget.BaseWidget

	key    string
	chosen bool
	lit    bool // the list has the focus
	do     doing

	ground, edge          *canvas.Rectangle
	title, age            *kit.Text
	state                 *kit.StateDot
	source                *kit.Pill
	facts                 *kit.Text
	primary, snooze, open *kit.Button
}

func newCueRow(do doing) *cueRow {
	r := &cueRow{
		do: do, ground: canvas.NewRectangle(color.Transparent), edge: canvas.NewRectangle(color.Transparent),
		title: kit.Body("").Strong().CutEnd(), age: kit.Caption(""), state: kit.NewStateDot(kit.StateWaiting, ""),
		source: kit.NewPill(kit.ColorMuted, nil, ""), facts: kit.Caption("").CutEnd(),
	}
	r.primary = kit.NewButton("", "", kit.Normal, func() { r.do.answer(r.key) })
	r.snooze = kit.NewButton("", "Snooze", kit.Quiet, func() { r.do.snooze(r.key) })
	r.open = kit.NewButton("", "Open", kit.Quiet, func() { r.do.open(r.key) })
	for _, b := range r.buttons() {
		b.OnEscape = do.escape
	}
	r.ExtendBaseWidget(r)
	return r
}

func (r *cueRow) buttons() []*kit.Button { return []*kit.Button{r.primary, r.snooze, r.open} }

// Tapped chooses the row.
func (r *cueRow) Tapped(*fyne.PointEvent) { r.do.choose(r.key) }

// Children are what is pressed.
func (r *cueRow) Children() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.primary, r.snooze, r.open}
}

// CreateRenderer is for Fyne alone.
func (r *cueRow) CreateRenderer() fyne.WidgetRenderer { return &cueRenderer{r} }

// looks is what a row shows.
type looks struct {
	key, title, age, label, source, facts string
	state                                 kit.State
	primary                               string
	snoozes                               bool
	busy                                  string // the name of the button whose action is under way
	chosen, lit                           bool
}

func (r *cueRow) show(l looks) {
	r.key, r.chosen, r.lit = l.key, l.chosen, l.lit
	r.title.Set(l.title)
	r.age.Set(l.age)
	r.state.Set(l.state, l.label)
	r.source.Set(kit.ColorMuted, nil, l.source)
	r.source.Hidden = l.source == ""
	r.facts.Set(l.facts)
	primary := l.primary
	if l.busy != "" {
		primary = phrase.Of(primary) + " …"
	}
	r.primary.SetName("primary:" + l.key)
	r.primary.SetLabel(primary)
	r.primary.Hidden = l.primary == ""
	r.snooze.SetName("snooze:" + l.key)
	r.snooze.Hidden = !l.snoozes
	r.open.SetName("open:" + l.key)
	for _, b := range r.buttons() {
		switch {
		case l.busy != "" && !b.Disabled():
			b.Disable()
		case l.busy == "" && b.Disabled():
			b.Enable()
		}
	}
	r.Refresh()
}

type cueRenderer struct{ r *cueRow }

// Destroy does nothing.
func (c *cueRenderer) Destroy() {}

// MinSize is fixed in height.
func (c *cueRenderer) MinSize() fyne.Size { return fyne.NewSize(4*kit.RowHigh, cueHigh) }

// Objects is the row from back to front.
func (c *cueRenderer) Objects() []fyne.CanvasObject {
	r := c.r
	return []fyne.CanvasObject{r.ground, r.edge, r.title, r.age, r.state, r.source, r.facts, r.primary, r.snooze, r.open}
}

// Refresh paints and places.
func (c *cueRenderer) Refresh() {
	c.Layout(c.r.Size())
	canvas.Refresh(c.r)
}

// Layout places three lines: title and age, state and facts, buttons.
func (c *cueRenderer) Layout(size fyne.Size) {
	r := c.r
	c.paint()
	r.ground.Resize(size)
	r.edge.Move(fyne.NewPos(0, size.Height-1))
	r.edge.Resize(fyne.NewSize(size.Width, 1))
	left, right := kit.Groups-kit.Step, size.Width-kit.Groups+kit.Step
	y := kit.Together
	age := r.age.MinSize().Width
	put(r.age, right-age, y, age, line)
	put(r.title, left, y, right-age-kit.Together-left, line)
	y += line + 2
	x := left
	state := min(r.state.MinSize().Width, (right-left)*2/3)
	put(r.state, x, y, state, line)
	x += state + kit.Together
	if !r.source.Hidden {
		pill := min(r.source.MinSize().Width, max(0, (right-x)/2))
		put(r.source, x, y-1, pill, line+2)
		x += pill + kit.Together
	}
	put(r.facts, x, y, max(0, right-x), line)
	y += line + 6
	x = left
	for _, b := range r.buttons() {
		if b.Hidden {
			continue
		}
		wide := min(b.MinSize().Width, max(0, right-x))
		put(b, x, y, wide, button)
		x += wide + kit.Step
	}
}

func (c *cueRenderer) paint() {
	r := c.r
	r.ground.FillColor, r.ground.StrokeColor, r.ground.StrokeWidth = color.Transparent, color.Transparent, 0
	r.ground.CornerRadius = kit.Radius
	if r.chosen {
		r.ground.FillColor = theme.ColorForWidget(theme.ColorNameHover, r)
		if r.lit {
			r.ground.StrokeColor, r.ground.StrokeWidth = theme.ColorForWidget(kit.ColorAccent, r), 2
		}
	}
	r.edge.FillColor = theme.ColorForWidget(kit.ColorBorder, r)
	r.edge.Hidden = r.chosen
}

func put(o fyne.CanvasObject, x, y, wide, high float32) {
	o.Move(fyne.NewPos(x, y))
	o.Resize(fyne.NewSize(wide, high))
}
