package card

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces/consent"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

const (
	wide     float32 = 440
	leastLow float32 = 96  // what the text always gets, however low the window is
	rest     float32 = 240 // what stands round the text: title, note, buttons and the window's edge
)

// face is one card.
type face struct {
	question consent.Question
	content  fyne.CanvasObject

	top         *fyne.Container
	counter     *kit.Text
	text        *fyne.Container
	scroll      *container.Scroll
	note        *kit.Entry
	deny, allow *kit.Button
}

func newFace(q consent.Question, answer func(q consent.Question, allow bool, note string)) *face {
	f := &face{question: q, counter: kit.Caption(""), note: kit.NewEntry("card:note")}
	f.note.SetPlaceHolder("A sentence for the client, sent with Deny")
	kind := kit.Primary
	if q.Danger {
		kind = kit.Destructive
	}
	f.deny = kit.NewButton("card:deny", "Deny", kit.Normal, func() { answer(q, false, strings.TrimSpace(f.note.Text)) })
	f.allow = kit.NewButton("card:allow", "Allow", kind, func() { answer(q, true, "") })
	f.text = kit.Column(kit.Together, kit.NewParagraph(kit.Plain(q.Body)))
	if len(q.Effect) > 0 {
		f.text.Add(f.effects())
	}
	f.scroll = container.NewVScroll(f.text)
	f.top = container.NewBorder(nil, nil, nil, f.counter, kit.Caption(phrase.Of("Asked by ")+asker(q.Client)).CutEnd())
	// The order is the order of Tab: Deny comes first.
	f.content = kit.NewSurface(kit.Column(kit.Groups,
		f.top,
		kit.NewParagraph(kit.Plain(q.Title)).Strong(),
		f.scroll,
		kit.Line(kit.Together, f.deny, f.allow),
		kit.NewField("Reason", f.note, ""),
	)).In(kit.ColorSurface, kit.ColorNeedsYou)
	return f
}

func (f *face) effects() fyne.CanvasObject {
	color := kit.ColorText
	if f.question.Danger {
		color = kit.ColorFailed
	}
	lines := kit.Column(kit.Step, kit.Caption(phrase.Of("What Allow does")).In(kit.ColorText).Strong())
	for _, l := range f.question.Effect {
		lines.Add(kit.NewParagraph("• " + kit.Plain(l)).In(color))
	}
	return lines
}

func asker(c consent.Client) string {
	if c.Name == "" {
		return phrase.Of("a client that gave no name")
	}
	return strings.TrimSpace(kit.Plain(c.Name) + " " + kit.Plain(c.Version))
}

// fit gives the text the room that it needs, as far as the window has it; the rest is scrolled.
func (f *face) fit(window fyne.Size) {
	inner := fyne.NewSize(wide-2*kit.Groups, 0)
	f.text.Resize(inner)
	f.text.Resize(fyne.NewSize(inner.Width, f.text.MinSize().Height))
	high := min(f.text.MinSize().Height, max(leastLow, window.Height-rest))
	f.scroll.SetMinSize(fyne.NewSize(inner.Width, high))
	// Wrapped text knows its height only at its width.
	f.content.Resize(fyne.NewSize(wide, 0))
	f.content.Resize(f.content.MinSize())
}

func (f *face) count(place, of int) {
	words := ""
	if of > 1 {
		words = phrase.F("%d of %d", place, of)
	}
	f.counter.Set(words)
	f.top.Refresh()
}

func (f *face) arm(on bool) {
	for _, b := range []*kit.Button{f.deny, f.allow} {
		if on {
			b.Enable()
		} else {
			b.Disable()
		}
	}
}
