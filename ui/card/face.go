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
	// The buttons take no press before the card has been seen for a moment, and Allow none before what it does has been.
	seen, known bool
}

func newFace(q consent.Question, answer func(q consent.Question, allow bool, note string)) *face {
	f := &face{question: q, counter: kit.Caption(""), note: kit.NewEntry("card:note"), known: !q.Looking}
	f.note.SetPlaceHolder("A sentence for the client, sent with Deny")
	kind := kit.Primary
	if q.Danger {
		kind = kit.Destructive
	}
	f.deny = kit.NewButton("card:deny", "Deny", kit.Normal, func() { answer(f.question, false, strings.TrimSpace(f.note.Text)) })
	f.allow = kit.NewButton("card:allow", "Allow", kind, func() { answer(f.question, true, "") })
	f.text = kit.Column(kit.Groups - kit.Step)
	f.write()
	f.top = container.NewBorder(nil, nil, nil, f.counter, kit.Caption(phrase.Of("Asked by ")+asker(q.Client)).CutMiddle())
	most := wide
	if q.Writing != nil {
		most = wider
	}
	// The order is the order of Tab: Deny comes first.
	f.content = container.New(&sized{most}, kit.NewSurface(container.New(stacked{},
		kit.Column(kit.Together, f.top, kit.NewParagraph(kit.Plain(phrase.Said(q.Title))).Strong()),
		container.NewVScroll(f.text),
		kit.Line(kit.Together, f.deny, f.allow),
		kit.NewField("Reason", f.note, ""),
	)).In(kit.ColorSurface, kit.ColorNeedsYou))
	return f
}

// write puts the question's words down: what is asked, what Allow does, and the text that it hands on.
func (f *face) write() {
	q := f.question
	f.text.Objects = nil
	f.text.Add(kit.NewParagraph(kit.Plain(phrase.Said(q.Body))))
	if q.Again {
		again := kit.NewParagraph(phrase.Of("What Allow does has changed since you allowed it, so nothing was done: look again.")).In(kit.ColorNeedsYou)
		again.SetName("card:again")
		f.text.Add(again)
	}
	if len(q.Effect) > 0 || q.Looking {
		f.text.Add(f.effects())
	}
	if w := q.Writing; w != nil {
		f.text.Add(kit.NewWording(phrase.Of(w.Name), w.Before, w.After))
	}
}

// fill shows what Allow does, once that was found out. Only the words change: everything else stays as it was, with what was
// typed.
func (f *face) fill(q consent.Question) {
	f.question = q
	f.write()
	f.content.Refresh()
}

func (f *face) effects() fyne.CanvasObject {
	color := kit.ColorText
	if f.question.Danger {
		color = kit.ColorFailed
	}
	lines := kit.Column(kit.Step, kit.Caption(phrase.Of("What Allow does")).In(color).Strong())
	for _, l := range f.question.Effect {
		lines.Add(container.NewBorder(nil, nil, container.NewVBox(kit.Body("•").In(color)), nil, kit.NewParagraph(kit.Plain(phrase.Said(l)))))
	}
	if f.question.Looking {
		lines.Add(kit.NewParagraph(phrase.Of("Fermata is looking at what else it does. Allow waits for that.")).In(kit.ColorMuted))
	}
	return lines
}

// asker names the client that asks.
func asker(c consent.Client) string {
	if name := kit.Program(c.Name, c.Version); name != "" {
		return name
	}
	return phrase.Of("a client that gave no name")
}

func (f *face) count(place, of int) {
	words := ""
	if of > 1 {
		words = phrase.F("%d of %d", place, of)
	}
	f.counter.Set(words)
	f.top.Refresh()
}

// arm lets the buttons be pressed that may be.
func (f *face) arm() {
	for b, on := range map[*kit.Button]bool{f.deny: f.seen, f.allow: f.seen && f.known} {
		if on {
			b.Enable()
		} else {
			b.Disable()
		}
	}
}
