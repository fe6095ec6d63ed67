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

// Kind says how a button looks and how much it asks for.
type Kind int

// The kinds of buttons. A view has at most one that is primary.
const (
	Normal Kind = iota
	Primary
	Destructive
	Quiet // no border until it is pointed at or focused: for toolbars and folds
)

const (
	buttonHigh  float32 = 28
	buttonInset float32 = 12
	ringGap     float32 = 2
	reasonWidth float32 = 240
)

// Button is a button with a label, pressed by a click, Enter or Space. Disabled for a reason, it says so beside itself.
type Button struct {
	widget.DisableableWidget
	named
	held

	// OnEscape is called for Esc while the button has the focus; nil leaves the key to the window.
	OnEscape func()

	kind             Kind
	label            string
	icon             fyne.Resource
	tapped           func()
	reason           *Text
	focused, hovered bool
	ground, ring     *canvas.Rectangle
	word             *canvas.Text
	picture          *canvas.Image
}

var (
	_ fyne.Focusable     = (*Button)(nil)
	_ fyne.Disableable   = (*Button)(nil)
	_ fyne.Draggable     = (*Button)(nil)
	_ desktop.Hoverable  = (*Button)(nil)
	_ desktop.Cursorable = (*Button)(nil)
)

// NewButton makes a button with a stable name and a label that names its effect. Labels and reasons are captions: what
// the catalogue knows is said in the person's language.
func NewButton(name, label string, kind Kind, tapped func()) *Button {
	b := &Button{named: named{name}, kind: kind, label: Plain(phrase.Of(label)), tapped: tapped}
	b.reason = Caption("").CutEnd()
	b.ground = canvas.NewRectangle(color.Transparent)
	b.ring = canvas.NewRectangle(color.Transparent)
	b.word = canvas.NewText("", color.Transparent)
	b.picture = canvas.NewImageFromResource(nil)
	b.picture.FillMode = canvas.ImageFillContain
	b.ExtendBaseWidget(b)
	return b
}

// WithIcon puts an icon before the label. An icon alone is no label: a button always has a word, or a tip that says it.
func (b *Button) WithIcon(icon fyne.Resource) *Button {
	b.icon = icon
	b.Refresh()
	return b
}

// Label is what the button says.
func (b *Button) Label() string { return b.label }

// SetLabel makes the button say something else.
func (b *Button) SetLabel(label string) {
	b.label = Plain(phrase.Of(label))
	b.Refresh()
}

// OnTapped replaces what a press does.
func (b *Button) OnTapped(tapped func()) { b.tapped = tapped }

// DisableFor disables the button and shows why as a caption beside it.
func (b *Button) DisableFor(reason string) {
	b.reason.Set(phrase.Of(reason))
	b.Disable()
	b.Refresh()
}

// Enable lets the button be pressed again and takes the reason away.
func (b *Button) Enable() {
	b.reason.Set("")
	b.DisableableWidget.Enable()
	b.Refresh()
}

// Reason is why the button is disabled, or empty.
func (b *Button) Reason() string { return b.reason.Text() }

// Tapped presses the button.
func (b *Button) Tapped(*fyne.PointEvent) {
	if b.Disabled() || b.tapped == nil {
		return
	}
	b.tapped()
}

// DragEnd presses the button when the pointer that moved over it is let go there.
func (b *Button) DragEnd() {
	if ev := b.click(b.Size()); ev != nil {
		b.Tapped(ev)
	}
}

// TypedKey presses the button with Enter or Space.
func (b *Button) TypedKey(ev *fyne.KeyEvent) {
	if escaped(b, ev, b.OnEscape) {
		return
	}
	if activates(ev) {
		b.Tapped(nil)
	}
}

// TypedRune does nothing: the keys that press come through TypedKey.
func (b *Button) TypedRune(rune) {}

// FocusGained shows the focus ring.
func (b *Button) FocusGained() {
	b.focused = true
	b.Refresh()
	RevealFocused(b)
}

// FocusLost hides the focus ring.
func (b *Button) FocusLost() {
	b.focused = false
	b.Refresh()
}

// MouseIn shows that the pointer is over the button, and the whole reason if it is disabled for one.
func (b *Button) MouseIn(*desktop.MouseEvent) {
	b.hovered = true
	if b.reason.Shown() != b.reason.Text() {
		ShowTip(b, b.reason.Text())
	}
	b.Refresh()
}

// MouseMoved does nothing.
func (b *Button) MouseMoved(*desktop.MouseEvent) {}

// MouseOut ends what MouseIn began.
func (b *Button) MouseOut() {
	b.hovered = false
	HideTip(b)
	b.Refresh()
}

// Cursor is the hand over a button that can be pressed.
func (b *Button) Cursor() desktop.Cursor {
	if b.Disabled() {
		return desktop.DefaultCursor
	}
	return desktop.PointerCursor
}

// CreateRenderer is for Fyne alone.
func (b *Button) CreateRenderer() fyne.WidgetRenderer {
	return newFace(b, b.measure, b.place, b.paint, b.ring, b.ground, b.picture, b.word, b.reason)
}

// faceWidth is the width of the button without its reason.
func (b *Button) faceWidth() float32 {
	size := themeSize(b, theme.SizeNameText)
	width := 2*buttonInset + fyne.MeasureText(b.label, size, b.word.TextStyle).Width
	if b.icon == nil {
		return width
	}
	width += themeSize(b, theme.SizeNameInlineIcon)
	if b.label == "" {
		return width - buttonInset
	}
	return width + Step
}

func (b *Button) measure() fyne.Size {
	width := b.faceWidth()
	if b.reason.Text() != "" {
		width += Together + min(b.reason.Natural(), reasonWidth)
	}
	return fyne.NewSize(width, buttonHigh)
}

func (b *Button) place(size fyne.Size) {
	width := size.Width
	top := middle(size.Height, buttonHigh)
	b.reason.Hidden = b.reason.Text() == ""
	if !b.reason.Hidden {
		width = b.faceWidth()
		b.reason.Move(fyne.NewPos(width+Together, top))
		b.reason.Resize(fyne.NewSize(max(0, size.Width-width-Together), buttonHigh))
	}
	b.ground.Move(fyne.NewPos(0, top))
	b.ground.Resize(fyne.NewSize(width, buttonHigh))
	b.ring.Move(fyne.NewPos(-ringGap, top-ringGap))
	b.ring.Resize(fyne.NewSize(width+2*ringGap, buttonHigh+2*ringGap))

	word := b.word.MinSize()
	content := b.faceWidth()
	x := middle(width, content) + buttonInset
	if b.icon != nil {
		if b.label == "" {
			x -= buttonInset / 2
		}
		side := themeSize(b, theme.SizeNameInlineIcon)
		b.picture.Move(fyne.NewPos(x, top+middle(buttonHigh, side)))
		b.picture.Resize(fyne.NewSquareSize(side))
		x += side + Step
	}
	b.word.Move(fyne.NewPos(x, top+middle(buttonHigh, word.Height)))
	b.word.Resize(word)
}

func (b *Button) paint() {
	fill, border, text := b.colors()
	b.ground.FillColor = colorFor(b, fill)
	b.ground.StrokeColor = colorFor(b, border)
	b.ground.StrokeWidth = 1
	b.ground.CornerRadius = Radius
	if b.kind == Quiet && !b.hovered && !b.focused {
		b.ground.FillColor, b.ground.StrokeColor = color.Transparent, color.Transparent
	}
	if b.hovered && !b.Disabled() {
		b.ground.FillColor = over(b.ground.FillColor, colorFor(b, theme.ColorNameHover))
	}
	b.ring.FillColor = color.Transparent
	b.ring.StrokeWidth = 2
	b.ring.StrokeColor = colorFor(b, ColorAccent)
	b.ring.CornerRadius = Radius + ringGap
	b.ring.Hidden = !b.focused
	b.word.Text = b.label
	b.word.TextSize = themeSize(b, theme.SizeNameText)
	b.word.TextStyle = fyne.TextStyle{Bold: b.kind == Primary || b.kind == Destructive}
	b.word.Color = colorFor(b, text)
	b.picture.Hidden = b.icon == nil
	if b.icon != nil {
		b.picture.Resource = theme.NewColoredResource(b.icon, text)
	}
}

// colors names the button's ground, border and text.
func (b *Button) colors() (fill, border, text fyne.ThemeColorName) {
	if b.Disabled() {
		return theme.ColorNameDisabledButton, ColorBorder, theme.ColorNameDisabled
	}
	switch b.kind {
	case Primary:
		return ColorAccent, ColorAccent, ColorOnAccent
	case Destructive:
		return ColorSurface, ColorFailed, ColorFailed
	case Quiet:
		return ColorRaised, ColorBorder, ColorText
	default:
		return theme.ColorNameButton, theme.ColorNameInputBorder, ColorText
	}
}

// over lays a transparent colour over another.
func over(below, above color.Color) color.Color {
	a := color.NRGBAModel.Convert(above).(color.NRGBA)
	b := color.NRGBAModel.Convert(below).(color.NRGBA)
	if b.A == 0 {
		return a
	}
	mix := func(x, y uint8) uint8 {
		return uint8((int(x)*int(a.A) + int(y)*(255-int(a.A))) / 255)
	}
	return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: b.A}
}
