package inspector

import (
	"fmt"
	"time"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// promptBox shows what a session of the piece asks of the person: one prompt at a time, the oldest first.
type promptBox struct {
	answer func(p pieces.Prompt, a pieces.PromptAnswer)
	grown  func() // the box has come to need another height

	shown string // the id of the prompt that is drawn
	busy  bool
	head  *kit.Text
	since *kit.Text
	rest  *kit.Text
	form  *fyne.Container
	body  *kit.Surface
}

func newPromptBox(answer func(pieces.Prompt, pieces.PromptAnswer), grown func()) *promptBox {
	b := &promptBox{
		answer: answer, grown: grown, head: kit.Title("").CutEnd(), since: kit.Caption(""), rest: kit.Caption(""), form: kit.Column(kit.Groups - kit.Step),
	}
	head := newHead(kit.NewStateDot(kit.StateWaiting, ""), b.head, b.since)
	b.body = kit.NewSurface(kit.Column(kit.Together, head, b.form, b.rest)).Inset(kit.Groups-kit.Step).In(kit.ColorSurface, kit.ColorNeedsYou)
	b.body.Hide()
	return b
}

// show draws the oldest prompt. While it is the same, what the person typed stays.
func (b *promptBox) show(s pieces.Snapshot, now time.Time) {
	if len(s.Prompts) == 0 {
		b.shown = ""
		show(b.body, false)
		return
	}
	p := s.Prompts[0]
	b.since.Set(sinceWords(p.At, now))
	b.rest.Set("")
	if n := len(s.Prompts) - 1; n > 0 {
		b.rest.Set(phrase.N(n, "1 more request waits after this one", "%d more requests wait after this one"))
	}
	show(b.rest, b.rest.Text() != "")
	if b.shown != p.ID {
		b.shown, b.busy = p.ID, false
		b.head.Set(askWords(s, p))
		b.form.Objects = b.formOf(p)
		b.form.Refresh()
	}
	show(b.body, true)
	b.body.Refresh()
}

// askWords say who asks for what.
func askWords(s pieces.Snapshot, p pieces.Prompt) string {
	who := phrase.Of("A session")
	if t, ok := s.Task(p.TaskID); ok {
		who = t.Name
	}
	switch p.Kind {
	case pieces.PromptQuestion:
		return phrase.F("%s asks you", who)
	case pieces.PromptPlan:
		return phrase.F("%s asks you to approve its plan", who)
	default:
		return phrase.F("%s wants to use %s", who, p.Tool)
	}
}

func (b *promptBox) formOf(p pieces.Prompt) []fyne.CanvasObject {
	if p.Kind == pieces.PromptQuestion && len(p.Questions) > 0 {
		return b.questions(p)
	}
	return b.approval(p)
}

// give hands an answer on, once.
func (b *promptBox) give(p pieces.Prompt, a pieces.PromptAnswer) {
	if b.busy {
		return
	}
	b.busy = true
	b.answer(p, a)
}

// free lets the person answer again after an answer that was refused.
func (b *promptBox) free() { b.busy = false }

// approval shows a tool with its whole input, and the answers.
func (b *promptBox) approval(p pieces.Prompt) []fyne.CanvasObject {
	objects := []fyne.CanvasObject{}
	if p.Reason != "" {
		objects = append(objects, kit.NewNote(phrase.Of("In its own words: ")+p.Reason))
	}
	objects = append(objects, inputOf(p.Input)...)
	allow := func(scope pieces.Scope) func() {
		return func() { b.give(p, pieces.PromptAnswer{Allow: true, Scope: scope}) }
	}
	buttons := kit.Wrap(kit.NewButton("prompt:allow", "Allow once", kit.Primary, allow(pieces.ScopeOnce)))
	if p.Kind == pieces.PromptApproval {
		buttons.Add(kit.NewButton("prompt:allowSession", "Allow for the session", kit.Normal, allow(pieces.ScopeSession)))
		if p.Rule != "" {
			buttons.Add(kit.NewButton("prompt:allowProject", "Always in this project", kit.Normal, allow(pieces.ScopeProject)))
		}
	}
	reason := kit.NewEntry("prompt:reason")
	reason.SetPlaceHolder("What it should do instead (optional)")
	deny := kit.NewButton("prompt:deny", "Deny", kit.Destructive, func() {
		b.give(p, pieces.PromptAnswer{Message: reason.Text})
	})
	objects = append(objects, buttons, newTail(reason, deny))
	if p.Rule != "" {
		objects = append(objects, kit.NewNote(phrase.Of("“Session” and “Always” cover exactly this: ")+kit.Plain(p.Rule)))
	}
	return objects
}

// questions shows each question with its options and room for words of one's own.
func (b *promptBox) questions(p pieces.Prompt) []fyne.CanvasObject {
	var objects []fyne.CanvasObject
	var asked []*question
	first := 0
	for n, q := range p.Questions {
		one := newQuestion("prompt", q, n, first)
		first += len(q.Options)
		asked = append(asked, one)
		objects = append(objects, one.body)
	}
	refused := kit.NewNote("").In(kit.ColorFailed)
	refused.Hide()
	send := func() {
		answers := map[string]string{}
		for _, one := range asked {
			words := one.words()
			if words == "" {
				refused.Set(phrase.Of("Choose or write an answer to: ") + one.q.Text)
				show(refused, true)
				b.grown()
				return
			}
			answers[one.q.Text] = words
		}
		b.give(p, pieces.PromptAnswer{Allow: true, Answers: answers})
	}
	for _, one := range asked {
		one.entry.OnSubmitted = func(string) { send() }
	}
	skip := kit.NewButton("prompt:deny", "Do not answer", kit.Quiet, func() { b.give(p, pieces.PromptAnswer{}) })
	return append(objects, refused, kit.Wrap(kit.NewButton("prompt:send", "Send answer", kit.Primary, send), skip))
}

// question is one question on the screen.
type question struct {
	q      pieces.Question
	chosen []bool
	press  []*kit.Press
	marks  []*kit.StateDot
	entry  *kit.Entry
	body   *fyne.Container
}

// newQuestion draws a question of a box. Its options are numbered on from first over the whole box.
func newQuestion(box string, q pieces.Question, n, first int) *question {
	name := box + ":answer"
	if n > 0 {
		name = fmt.Sprintf("%s:%d", name, n)
	}
	one := &question{q: q, chosen: make([]bool, len(q.Options)), entry: kit.NewEntry(name), body: kit.Column(kit.Step)}
	if q.Header != "" {
		one.body.Add(kit.Caption(q.Header).Strong())
	}
	one.body.Add(kit.NewParagraph(q.Text))
	if q.Why != "" {
		one.body.Add(kit.NewNote(q.Why))
	}
	for at, o := range q.Options {
		mark := kit.NewStateDot(kit.StateIdle, "")
		words := kit.Column(0, kit.NewParagraph(o.Label).Strong())
		if o.Description != "" {
			words.Add(kit.NewNote(o.Description))
		}
		press := kit.NewPress(fmt.Sprintf("%s:option:%d", box, first+at),
			kit.NewSurface(newMarked(mark, words)).Inset(kit.Together), func() { one.choose(at) })
		one.press, one.marks = append(one.press, press), append(one.marks, mark)
		one.body.Add(press)
	}
	one.entry.SetPlaceHolder("Answer in your own words")
	one.body.Add(one.entry)
	return one
}

func (q *question) choose(at int) {
	if q.q.Multi {
		q.chosen[at] = !q.chosen[at]
	} else {
		was := q.chosen[at]
		clear(q.chosen)
		q.chosen[at] = !was
	}
	for n, press := range q.press {
		press.SetSelected(q.chosen[n])
		state := kit.StateIdle
		if q.chosen[n] {
			state = kit.StateDone
		}
		q.marks[n].Set(state, "")
	}
}

// words are the answer: the chosen options, and what was written.
func (q *question) words() string {
	words := ""
	for n, chosen := range q.chosen {
		if chosen {
			words = joined(words, q.q.Options[n].Label)
		}
	}
	return joined(words, q.entry.Text)
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}
