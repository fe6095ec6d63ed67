package inspector

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// interviewBox is the chat in which a spec comes about: what was asked and said so far, and the questions that wait.
type interviewBox struct {
	say   func(words string)
	grown func() // the box has come to need another height

	shown string // which round is drawn; empty while nothing is asked
	busy  bool
	since *kit.Text
	round *kit.Text
	form  *fyne.Container
	body  *kit.Surface
}

func newInterviewBox(say func(string), grown func()) *interviewBox {
	b := &interviewBox{say: say, grown: grown, since: kit.Caption(""), round: kit.Caption(""), form: kit.Column(kit.Groups - kit.Step)}
	head := newHead(kit.NewStateDot(kit.StateWaiting, ""), kit.Title(phrase.Of("Claude Code asks you about the spec")).CutEnd(), b.since)
	b.body = kit.NewSurface(kit.Column(kit.Together, head, b.round, b.form)).Inset(kit.Groups-kit.Step).In(kit.ColorSurface, kit.ColorNeedsYou)
	b.body.Hide()
	return b
}

// show draws the open questions. While they are the same, what the person typed stays.
func (b *interviewBox) show(s pieces.Snapshot, now time.Time) {
	v := s.Piece.Interview
	if s.Gate() != pieces.GateAnswerInterview {
		b.shown = ""
		show(b.body, false)
		return
	}
	b.since.Set(sinceWords(v.AskedAt, now))
	b.round.Set(phrase.F("Round %d of at most %d", v.Asked(), pieces.InterviewRounds(s.Piece.Config.Depth)))
	if k := fmt.Sprint(s.Piece.ID, v.SessionID, len(v.Turns), v.AskedAt.UnixNano()); b.shown != k {
		b.shown, b.busy = k, false
		b.form.Objects = append(transcriptOf(v.Turns), b.questions(v.Questions)...)
		b.form.Refresh()
	}
	show(b.body, true)
	b.body.Refresh()
}

// questions shows each question with its options and room for words of one's own, and the two ways on.
func (b *interviewBox) questions(list []pieces.Question) []fyne.CanvasObject {
	var objects []fyne.CanvasObject
	var asked []*question
	first := 0
	for n, q := range list {
		one := newQuestion("interview", q, n, first)
		first += len(q.Options)
		asked = append(asked, one)
		objects = append(objects, one.body)
	}
	refused := kit.NewNote("").In(kit.ColorFailed)
	refused.Hide()
	send := func() {
		words := answersTo(asked)
		if words == "" {
			refused.Set(phrase.Of("Answer at least one question, or move on without answering."))
			show(refused, true)
			b.grown()
			return
		}
		b.give(words)
	}
	for _, one := range asked {
		one.entry.OnSubmitted = func(string) { send() }
	}
	label := phrase.Of("Send answer")
	if len(asked) > 1 {
		label = phrase.Of("Send answers")
	}
	return append(objects, refused, kit.Wrap(kit.NewButton("interview:send", label, kit.Primary, send),
		kit.NewButton("interview:moveOn", "Move on without answering", kit.Quiet, func() { b.give("") })))
}

// give hands what the person said on, once; nothing moves on without an answer.
func (b *interviewBox) give(words string) {
	if b.busy {
		return
	}
	b.busy = true
	b.say(words)
}

// free lets the person answer again after an answer that was refused.
func (b *interviewBox) free() { b.busy = false }

// answersTo writes the answers down, each under its question when there are several; "" when none was answered.
func answersTo(asked []*question) string {
	if len(asked) == 1 {
		return strings.TrimSpace(asked[0].words())
	}
	var parts []string
	answered := false
	for _, one := range asked {
		words := strings.TrimSpace(one.words())
		answered = answered || words != ""
		if words == "" {
			words = "(no answer: decide this yourself)"
		}
		parts = append(parts, one.q.Text+"\n"+words)
	}
	if !answered {
		return ""
	}
	return strings.Join(parts, "\n\n")
}

// transcriptOf shows what was asked and said, oldest first.
func transcriptOf(turns []pieces.InterviewTurn) []fyne.CanvasObject {
	var objects []fyne.CanvasObject
	for _, t := range turns {
		turn := kit.Column(kit.Step)
		if len(t.Questions) > 0 {
			turn.Add(kit.Caption(phrase.Of("Claude Code asked")).Strong())
			for _, q := range t.Questions {
				turn.Add(kit.NewParagraph(q.Text).In(kit.ColorMuted))
			}
		}
		said := t.Said
		if t.MovesOn() {
			said = phrase.Of("Moved on without answering.")
		}
		turn.Add(kit.Caption(phrase.Of("You said")).Strong())
		turn.Add(kit.NewParagraph(said))
		objects = append(objects, turn)
	}
	return objects
}

// say lets the interview of the piece that is shown go on.
func (i *Inspector) say(words string) {
	r := engine.Request{PieceID: i.last.id, Action: pieces.InterviewMessage, By: pieces.ByPerson, Prompt: words}
	i.background(func(ctx context.Context) error {
		_, err := i.o.Engine.Act(ctx, r)
		return err
	}, func(err error) {
		if err != nil {
			i.chat.free()
		}
		i.showProblem("answer the interview", err)
	})
}
