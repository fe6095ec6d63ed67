package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/phrase"
)

// Copyable is a path, an id or another text in the mono font, shortened in the middle; a press copies the whole of it.
type Copyable struct {
	widget.BaseWidget
	named
	held

	value   string // what is copied: untouched, because a path must stay the path it is
	text    *Text
	copied  bool
	focused bool
	ring    *canvas.Rectangle
	picture *canvas.Image
}

var (
	_ fyne.Focusable     = (*Copyable)(nil)
	_ fyne.Tappable      = (*Copyable)(nil)
	_ desktop.Hoverable  = (*Copyable)(nil)
	_ desktop.Cursorable = (*Copyable)(nil)
)

// NewCopyable makes a copyable text under a stable name.
func NewCopyable(name, value string) *Copyable {
	c := &Copyable{
		named:   named{name},
		value:   value,
		text:    Mono(value).CutMiddle(),
		ring:    canvas.NewRectangle(color.Transparent),
		picture: canvas.NewImageFromResource(nil),
	}
	c.picture.FillMode = canvas.ImageFillContain
	c.ExtendBaseWidget(c)
	return c
}

// Set shows another text.
func (c *Copyable) Set(value string) {
	c.value, c.copied = value, false
	c.text.Set(value)
	c.Refresh()
}

// Shown is what the present room leaves of the text.
func (c *Copyable) Shown() string { return c.text.Shown() }

// Copied says whether the mark of a copy just made is shown.
func (c *Copyable) Copied() bool { return c.copied }

// Tapped copies the whole text and marks that until pointer or focus leave.
func (c *Copyable) Tapped(*fyne.PointEvent) {
	fyne.CurrentApp().Clipboard().SetContent(c.value)
	c.copied = true
	ShowTip(c, phrase.Of("Copied"))
	c.Refresh()
}

// DragEnd copies when the pointer that moved over the text is let go there.
func (c *Copyable) DragEnd() {
	if ev := c.click(c.Size()); ev != nil {
		c.Tapped(ev)
	}
}

// TypedKey copies with Enter or Space.
func (c *Copyable) TypedKey(ev *fyne.KeyEvent) {
	if escaped(c, ev, nil) {
		return
	}
	if activates(ev) {
		c.Tapped(nil)
	}
}

// TypedRune does nothing.
func (c *Copyable) TypedRune(rune) {}

// FocusGained shows the focus ring and the whole text.
func (c *Copyable) FocusGained() {
	c.focused = true
	c.tip()
	c.Refresh()
	RevealFocused(c)
}

// FocusLost ends what FocusGained began.
func (c *Copyable) FocusLost() {
	c.focused = false
	c.leave()
}

// MouseIn shows the whole text.
func (c *Copyable) MouseIn(*desktop.MouseEvent) { c.tip() }

// MouseMoved does nothing.
func (c *Copyable) MouseMoved(*desktop.MouseEvent) {}

// MouseOut takes the tip and the mark away.
func (c *Copyable) MouseOut() { c.leave() }

// Cursor is the hand.
func (c *Copyable) Cursor() desktop.Cursor { return desktop.PointerCursor }

func (c *Copyable) tip() {
	if c.text.Shown() != c.text.Text() {
		ShowTip(c, c.text.Text())
	}
}

func (c *Copyable) leave() {
	c.copied = false
	HideTip(c)
	c.Refresh()
}

// CreateRenderer is for Fyne alone.
func (c *Copyable) CreateRenderer() fyne.WidgetRenderer {
	return newFace(c, c.measure, c.place, c.paint, c.ring, c.text, c.picture)
}

func (c *Copyable) measure() fyne.Size {
	size := c.text.MinSize()
	return fyne.NewSize(size.Width+Step+pillIcon, max(size.Height, dotSide))
}

func (c *Copyable) place(size fyne.Size) {
	room := max(0, size.Width-Step-pillIcon)
	c.text.Resize(fyne.NewSize(room, size.Height))
	width := min(room, c.text.width(c.text.Shown()).Width)
	c.picture.Move(fyne.NewPos(width+Step, middle(size.Height, pillIcon)))
	c.picture.Resize(fyne.NewSquareSize(pillIcon))
	c.ring.Move(fyne.NewPos(-Step, -ringGap))
	c.ring.Resize(fyne.NewSize(width+Step+pillIcon+2*Step, size.Height+2*ringGap))
}

func (c *Copyable) paint() {
	c.picture.Resource = theme.NewColoredResource(theme.ContentCopyIcon(), ColorMuted)
	if c.copied {
		c.picture.Resource = theme.NewColoredResource(StateDone.Icon(), ColorDone)
	}
	c.picture.Refresh()
	c.ring.FillColor = color.Transparent
	c.ring.StrokeColor = colorFor(c, ColorAccent)
	c.ring.StrokeWidth = 2
	c.ring.CornerRadius = Step
	c.ring.Hidden = !c.focused
}
