package inspector

import (
	"context"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// textKey names one text of one piece.
type textKey struct {
	piece string
	tab   tab
}

// typed is a text that the person rewrites: as it was when they began, and as it is now.
type typed struct{ before, text string }

// textEditor rewrites the spec or the strategy while it waits for approval. What is typed is kept until it is saved or
// discarded, whatever is shown or happens meanwhile.
type textEditor struct {
	i       *Inspector
	changed func() // the editor opened or closed

	now    textKey
	stored string
	mayNow bool
	kept   map[textKey]typed
	busy   map[textKey]bool

	edit    *kit.Button
	entry   *kit.Entry
	note    *kit.Paragraph
	problem *kit.ErrorBar
	save    *kit.Button
	form    *fyne.Container
	filling bool
}

func newTextEditor(i *Inspector, changed func()) *textEditor {
	e := &textEditor{
		i: i, changed: changed, kept: map[textKey]typed{}, busy: map[textKey]bool{},
		entry: kit.NewMultiEntry("text:entry", 18), note: kit.NewNote(""), problem: kit.NewErrorBar("textProblem", kit.Problem{}),
	}
	e.problem.Hide()
	e.edit = kit.NewButton("text:edit", "Edit", kit.Normal, e.begin)
	e.save = kit.NewButton("text:save", "Save", kit.Normal, e.store)
	discard := kit.NewButton("text:discard", "Discard", kit.Quiet, e.discard)
	e.entry.OnChanged = func(text string) {
		if k, ok := e.kept[e.now]; ok && !e.filling {
			k.text = text
			e.kept[e.now] = k
			e.draw()
		}
	}
	e.form = kit.Column(kit.Together, e.problem, e.note, e.entry, kit.Wrap(e.save, discard))
	return e
}

// editing says whether the text that is shown is being rewritten.
func (e *textEditor) editing() bool {
	_, ok := e.kept[e.now]
	return ok
}

// show takes a reading over.
func (e *textEditor) show(m model) {
	gate := pieces.GateSpecReady
	if m.tab == tabStrategy {
		gate = pieces.GateStrategyReady
	}
	if now := (textKey{m.id, m.tab}); now != e.now {
		e.now = now
		show(e.problem, false)
	}
	e.stored, e.mayNow = m.document, m.piece.Gate() == gate && m.document != ""
	e.draw()
}

func (e *textEditor) draw() {
	k, editing := e.kept[e.now]
	show(e.edit, e.mayNow && !editing)
	show(e.form, editing)
	if !editing {
		return
	}
	e.filling = true
	setText(e.entry, k.text)
	e.filling = false
	note := ""
	switch {
	case !e.mayNow:
		note = phrase.Of("This text no longer waits for your approval, so it cannot be saved now. What you wrote is kept here until you discard it.")
	case k.before != e.stored:
		note = phrase.Of("The text was changed from elsewhere while you edited. Saving writes yours over it.")
	}
	e.note.Set(note)
	show(e.note, note != "")
	switch {
	case e.busy[e.now] || !e.mayNow || k.text == e.stored:
		e.save.Disable()
	default:
		e.save.Enable()
	}
}

func (e *textEditor) begin() {
	e.kept[e.now] = typed{e.stored, e.stored}
	e.changed()
	if c := fyne.CurrentApp().Driver().CanvasForObject(e.entry); c != nil {
		c.Focus(e.entry)
	}
}

func (e *textEditor) discard() {
	delete(e.kept, e.now)
	show(e.problem, false)
	e.changed()
}

// store saves the text over the one that is shown beside it. One that is written in this moment is not overwritten: the
// note says so then, and the next press does.
func (e *textEditor) store() {
	key, stored := e.now, e.stored
	text := e.kept[key].text
	e.busy[key] = true
	e.draw()
	e.i.background(func(ctx context.Context) error {
		_, err := e.i.o.Engine.EditText(ctx, key.piece, pieces.ArtifactKind(key.tab), stored, text)
		return err
	}, func(err error) {
		delete(e.busy, key)
		if err == nil && e.kept[key].text == text {
			delete(e.kept, key)
		}
		if key == e.now {
			e.i.showProblemIn(e.problem, "save the text", err)
			e.changed()
		}
	})
}
