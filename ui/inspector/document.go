package inspector

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// document shows the spec or the strategy.
type document struct {
	text    *kit.Markdown
	written *kit.Text
	head    *fyne.Container
	missing *kit.Paragraph
	talk    *fyne.Container // how the spec came about
	turns   int
	editor  *textEditor
	body    *container.Scroll
	piece   string
	last    model
	now     time.Time
}

func newDocument(i *Inspector) *document {
	d := &document{
		text: kit.NewMarkdown("", openWeb(i.o.OpenURL)), written: kit.Caption(""),
		missing: kit.NewParagraph("").In(kit.ColorMuted), talk: kit.Column(kit.Groups - kit.Step),
	}
	d.editor = newTextEditor(i, func() { d.show(d.last, d.now) })
	d.head = container.NewBorder(nil, nil, nil, d.editor.edit, d.written)
	d.body = scrolled(d.missing, d.head, d.editor.form, d.text, d.talk)
	return d
}

func (d *document) content() fyne.CanvasObject { return d.body }

func (d *document) show(m model, now time.Time) {
	d.last, d.now = m, now
	d.editor.show(m)
	there := m.document != "" && !d.editor.editing()
	d.text.Set(m.document)
	d.missing.Set(missingWords(*m.piece, m.tab))
	if age := kit.Age(m.written, now); age != "" {
		d.written.Set(phrase.Of("Written ") + ago(age))
	}
	show(d.head, there)
	show(d.text, there)
	show(d.written, there && !m.written.IsZero())
	show(d.missing, m.document == "" && !d.editor.editing())
	d.showTalk(m)
	if d.piece != m.id {
		d.piece = m.id
		d.body.ScrollToTop()
	}
	d.body.Refresh()
}

// showTalk shows the interview below the spec that it led to. While questions wait it stands above them instead.
func (d *document) showTalk(m model) {
	turns := m.piece.Piece.Interview.Turns
	show(d.talk, m.tab == tabSpec && len(turns) > 0 && m.piece.Gate() != pieces.GateAnswerInterview)
	if d.piece == m.id && d.turns == len(turns) {
		return
	}
	d.turns = len(turns)
	d.talk.Objects = append([]fyne.CanvasObject{kit.Divider(), kit.Title(phrase.Of("Interview"))}, transcriptOf(turns)...)
	d.talk.Refresh()
}

// missingWords say why a document is not there.
func missingWords(s pieces.Snapshot, t tab) string {
	what, by := "spec", pieces.Interviewing
	if t == tabStrategy {
		what, by = "strategy", pieces.Planning
	}
	if s.Piece.Activity == by {
		return phrase.F("Claude Code is writing the %s.", phrase.Of(what))
	}
	return phrase.F("There is no %s yet.", phrase.Of(what))
}

// ago turns an age into words for the end of a sentence.
func ago(age string) string {
	if age == phrase.Of("now") {
		return phrase.Of("just now")
	}
	return phrase.F("%s ago", age)
}

// openWeb hands only addresses of the web on.
func openWeb(open func(string)) func(string) {
	return func(address string) {
		if webAddress(address) {
			open(address)
		}
	}
}
