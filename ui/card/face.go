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
	wider    float32 = 600 // where a text is shown whole
	edge     float32 = kit.Pane
	leastLow float32 = 64 // what of the text is seen at least; the reason goes before less of it is
)

// face is one card.
type face struct {
	question consent.Question
	content  fyne.CanvasObject // the card in the middle of the window

	top         *fyne.Container
	counter     *kit.Text
	text        *fyne.Container
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
	f.text = kit.Column(kit.Groups-kit.Step, kit.NewParagraph(kit.Plain(q.Body)))
	if len(q.Effect) > 0 {
		f.text.Add(f.effects())
	}
	if w := q.Writing; w != nil {
		f.text.Add(kit.NewWording(w.Name, w.Before, w.After))
	}
	f.top = container.NewBorder(nil, nil, nil, f.counter, kit.Caption(phrase.Of("Asked by ")+asker(q.Client)).CutEnd())
	most := wide
	if q.Writing != nil {
		most = wider
	}
	// The order is the order of Tab: Deny comes first.
	f.content = container.New(&sized{most}, kit.NewSurface(container.New(stacked{},
		kit.Column(kit.Together, f.top, kit.NewParagraph(kit.Plain(q.Title)).Strong()),
		container.NewVScroll(f.text),
		kit.Line(kit.Together, f.deny, f.allow),
		kit.NewField("Reason", f.note, ""),
	)).In(kit.ColorSurface, kit.ColorNeedsYou))
	return f
}

func (f *face) effects() fyne.CanvasObject {
	color := kit.ColorText
	if f.question.Danger {
		color = kit.ColorFailed
	}
	lines := kit.Column(kit.Step, kit.Caption(phrase.Of("What Allow does")).In(color).Strong())
	for _, l := range f.question.Effect {
		lines.Add(container.NewBorder(nil, nil, container.NewVBox(kit.Body("•").In(color)), nil, kit.NewParagraph(kit.Plain(l))))
	}
	return lines
}

func asker(c consent.Client) string {
	if c.Name == "" {
		return phrase.Of("a client that gave no name")
	}
	return strings.TrimSpace(kit.Plain(c.Name) + " " + kit.Plain(c.Version))
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
