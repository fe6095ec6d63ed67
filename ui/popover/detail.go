package popover

import (
	"errors"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// detail is the lower part of the popover while something is answered there: what a cue asks, a client's question, or the
// effect of an action.
type detail struct {
	p *Popover

	key    string // of the row that it is about; empty while it is closed
	target *engine.Target
	asked  *Question // the client's question that it shows
	filled time.Time // when it came to be known what that question's Allow does
	form   *fyne.Container
	scroll *container.Scroll
	body   *fyne.Container
}

func newDetail(p *Popover) *detail {
	d := &detail{p: p, form: kit.Column(kit.Together)}
	// The edge is room for the focus rings, which would be cut off where the scroll ends.
	d.scroll = container.NewVScroll(kit.Pad(kit.Groups-kit.Step, d.form))
	d.body = container.NewBorder(kit.Divider(), nil, nil, nil, d.scroll)
	d.body.Hide()
	return d
}

func (d *detail) open() bool { return d.key != "" }

func (d *detail) close() {
	d.key, d.target, d.asked = "", nil, nil
	d.form.Objects = nil
	d.body.Hide()
	d.p.fit()
}

func (d *detail) show(key string, objects ...fyne.CanvasObject) {
	d.key, d.asked = key, nil
	d.form.Objects = objects
	d.body.Show()
	d.scroll.ScrollToTop()
	d.p.fit()
	d.p.o.Actions.Grown()
	d.p.list.roll.reveal(d.p.find(key))
}

// follow closes what is no longer asked, and draws again what is.
func (d *detail) follow(m Model) {
	switch {
	case !d.open():
	case d.target != nil:
		if !d.p.o.Asks.Show(*d.target) {
			d.close()
		} else {
			d.escapable()
		}
	default:
		rows := rowsOf(m)
		at := slices.IndexFunc(rows, func(r row) bool { return r.key == d.key })
		if at < 0 {
			d.close()
		} else if q := rows[at].question; q != nil && d.asked != nil && d.asked.Looking && !q.Looking {
			d.askCard(*q)
			d.filled = d.p.o.Now()
		}
	}
}

// ask shows what a cue asks, and puts the focus where it is answered.
func (d *detail) ask(c Cue) {
	target := c.Target
	if !d.p.o.Asks.Show(target) {
		return
	}
	d.show(keyOf(target), d.p.o.Asks.Content())
	d.target = &target
	d.escapable()
	// The first option of a question; the words of an approval, since no key may allow a tool by accident.
	for _, name := range []string{"prompt:option:0", "prompt:answer", "interview:option:0", "interview:answer", "prompt:reason"} {
		if d.focus(name) {
			return
		}
	}
}

// escapable lets Esc leave the form from whatever in it has the focus.
func (d *detail) escapable() {
	for _, name := range kit.Names(d.form) {
		o, _ := kit.Find(d.form, name)
		switch o := o.(type) {
		case *kit.Button:
			o.OnEscape = d.p.escape
		case *kit.Entry:
			o.OnEscape = d.p.escape
		case *kit.Press:
			o.OnKey = d.p.escapeKey
		}
	}
}

func (d *detail) focus(name string) bool {
	o, found := kit.Find(d.form, name)
	f, ok := o.(fyne.Focusable)
	c := fyne.CurrentApp().Driver().CanvasForObject(d.form)
	if !found || !ok || c == nil {
		return false
	}
	c.Focus(f)
	return true
}

// askCard shows a client's question as its card does: the effect, and the focus on Deny.
func (d *detail) askCard(q Question) {
	text := kit.Column(kit.Together)
	if name := kit.Program(q.Client.Name, q.Client.Version); name != "" {
		text.Add(kit.Caption(phrase.Of("Asked by ") + name).CutMiddle())
	}
	text.Add(kit.NewParagraph(kit.Plain(phrase.Said(q.Title))).Strong())
	text.Add(kit.NewParagraph(kit.Plain(phrase.Said(q.Body))))
	if q.Again {
		text.Add(kit.NewParagraph(phrase.Of("What Allow does has changed since you allowed it, so nothing was done: look again.")).In(kit.ColorNeedsYou))
	}
	color, kind := kit.ColorText, kit.Primary
	if q.Danger {
		color, kind = kit.ColorFailed, kit.Destructive
	}
	for _, l := range q.Effect {
		text.Add(kit.NewParagraph("• " + kit.Plain(phrase.Said(l))).In(color))
	}
	if q.Looking {
		text.Add(kit.NewParagraph(phrase.Of("Fermata is looking at what else it does. Allow waits for that.")).In(kit.ColorMuted))
	}
	if w := q.Writing; w != nil {
		text.Add(kit.NewWording(phrase.Of(w.Name), w.Before, w.After))
	}
	answer := func(allow bool) func() { return func() { d.answer(q.Question, allow) } }
	deny := kit.NewButton("popover:deny", "Deny", kit.Normal, answer(false))
	allow := kit.NewButton("popover:allow", "Allow", kind, func() {
		// Its words came, and moved it, just now: the click was meant for what lay there before.
		if d.p.o.Now().Sub(d.filled) >= settled {
			answer(true)()
		}
	})
	if q.Looking {
		allow.Disable()
	}
	d.filled = time.Time{}
	d.show(keyOfQuestion(q.ID), text, kit.Line(kit.Together, deny, allow))
	d.asked = &q
	d.escapable()
	d.focus("popover:deny")
}

func (d *detail) answer(q consent.Question, allow bool) {
	err := d.p.o.Desk.Answer(q.ID, allow, "")
	d.close()
	d.p.Focus()
	switch {
	case errors.Is(err, consent.ErrGone):
		d.p.say(kit.Problem{What: "The question had been withdrawn before your answer.", Safe: "Nothing was changed."})
	case err != nil:
		d.p.say(kit.Problem{What: "The answer was not taken.", Safe: "Nothing was changed.", Details: err.Error()})
	}
}

// confirm shows what an action does before it is done; it is bound to what was shown.
func (d *detail) confirm(c Cue, effect pieces.Effect) {
	r := c.Request
	r.Bound = effect.Fingerprint
	text := kit.Column(kit.Together, kit.NewParagraph(strings.TrimSuffix(phrase.Of(c.Primary), "…")+"?").Strong())
	for _, l := range effect.Lines {
		text.Add(kit.NewParagraph(kit.Plain(phrase.Said(l))))
	}
	cancel := kit.NewButton("popover:cancel", "Cancel", kit.Normal, d.p.escape)
	ok := kit.NewButton("popover:confirm", c.Primary, kit.Destructive, func() {
		d.close()
		d.p.Focus()
		d.p.act(c, r)
	})
	d.show(keyOf(c.Target), text, kit.Line(kit.Together, cancel, ok))
	d.escapable()
	d.focus("popover:cancel")
}
