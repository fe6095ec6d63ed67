package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

const tipWidth float32 = 480

// Tips is the root of a window's content: it draws small notes over it, such as the exact time under an age. It takes
// no taps, so what lies below stays usable.
type Tips struct {
	composite

	content fyne.CanvasObject
	layer   *fyne.Container
	bubble  *bubble
	owner   fyne.CanvasObject
	focused fyne.CanvasObject // what last got the focus in the window
}

// NewTips makes the root for a window's content.
func NewTips(content fyne.CanvasObject) *Tips {
	t := &Tips{content: content, bubble: newBubble()}
	t.bubble.Hide()
	t.layer = container.NewWithoutLayout(t.bubble)
	t.body = container.NewStack(content, t.layer)
	t.ExtendBaseWidget(t)
	return t
}

// Text is the note that is shown, or empty.
func (t *Tips) Text() string {
	if !t.bubble.Visible() {
		return ""
	}
	return t.bubble.text.Text()
}

// ShowTip shows a note under a widget, if the content of its window is a Tips. HideTip takes it away.
func ShowTip(owner fyne.CanvasObject, note string) {
	t := tipsOf(owner)
	if t == nil || note == "" {
		return
	}
	driver := fyne.CurrentApp().Driver()
	at := driver.AbsolutePositionForObject(owner).Subtract(driver.AbsolutePositionForObject(t))
	t.owner = owner
	t.bubble.text.Set(Plain(note))
	size := t.bubble.fit(min(tipWidth, t.Size().Width-2*Step))
	x := max(Step, min(at.X, t.Size().Width-size.Width-Step))
	y := at.Y + owner.Size().Height + Step
	if y+size.Height > t.Size().Height {
		y = at.Y - size.Height - Step
	}
	t.bubble.Move(fyne.NewPos(x, max(Step, y)))
	t.bubble.Resize(size)
	t.bubble.Show()
}

// HideTip takes away the note that ShowTip showed for the same widget.
func HideTip(owner fyne.CanvasObject) {
	t := tipsOf(owner)
	if t == nil || t.owner != owner {
		return
	}
	t.owner = nil
	t.bubble.Hide()
}

func tipsOf(o fyne.CanvasObject) *Tips {
	c := fyne.CurrentApp().Driver().CanvasForObject(o)
	if c == nil {
		return nil
	}
	t, _ := c.Content().(*Tips)
	return t
}

// Hint shows a note while the pointer is over an object, such as the exact time over an age. What it says must be
// found elsewhere too: nothing may need a hover.
type Hint struct {
	composite

	note string
}

var _ desktop.Hoverable = (*Hint)(nil)

// NewHint gives an object its note.
func NewHint(content fyne.CanvasObject, note string) *Hint {
	h := &Hint{note: note}
	h.body = content
	h.ExtendBaseWidget(h)
	return h
}

// SetNote changes the note, from the next time on.
func (h *Hint) SetNote(note string) { h.note = note }

// MouseIn shows the note.
func (h *Hint) MouseIn(*desktop.MouseEvent) { ShowTip(h, h.note) }

// MouseMoved does nothing.
func (h *Hint) MouseMoved(*desktop.MouseEvent) {}

// MouseOut takes the note away.
func (h *Hint) MouseOut() { HideTip(h) }

// bubble is the note itself.
type bubble struct {
	widget.BaseWidget

	ground *canvas.Rectangle
	text   *Paragraph
}

func newBubble() *bubble {
	b := &bubble{ground: canvas.NewRectangle(color.Transparent), text: NewNote("").In(ColorText)}
	b.text.text.Wrapping = fyne.TextWrapBreak
	b.ExtendBaseWidget(b)
	return b
}

// CreateRenderer is for Fyne alone.
func (b *bubble) CreateRenderer() fyne.WidgetRenderer {
	return newFace(b, b.text.MinSize, b.place, b.paint, b.ground, b.text)
}

// fit measures the bubble for its note: as wide as the note if there is room for that, and as high as it then wraps.
func (b *bubble) fit(widest float32) fyne.Size {
	natural := fyne.MeasureText(b.text.Text(), themeSize(b, theme.SizeNameCaptionText), fyne.TextStyle{}).Width
	width := min(widest, natural+2*Together+1)
	b.text.Resize(fyne.NewSize(width-2*Together, 0))
	return fyne.NewSize(width, b.text.MinSize().Height+2*Step)
}

func (b *bubble) place(size fyne.Size) {
	b.ground.Resize(size)
	b.text.Move(fyne.NewPos(Together, Step))
	b.text.Resize(size.SubtractWidthHeight(2*Together, 2*Step))
}

func (b *bubble) paint() {
	b.ground.FillColor = colorFor(b, ColorRaised)
	b.ground.StrokeColor = colorFor(b, ColorBorder)
	b.ground.StrokeWidth = 1
	b.ground.CornerRadius = Step
}
