package inspector

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// sessionsPage is the conversations of a piece, with a box for what the person says to an agent in its own.
type sessionsPage struct {
	*sessions
	box  *messageBox
	body fyne.CanvasObject
}

func newSessionsPage(i *Inspector) *sessionsPage {
	p := &sessionsPage{sessions: newSessions(i.OpenSession, i.openEarlier, i.o.OpenURL), box: newMessageBox(i)}
	p.body = container.NewBorder(nil, p.box.body, nil, nil, p.sessions.body)
	return p
}

func (p *sessionsPage) content() fyne.CanvasObject { return p.body }

func (p *sessionsPage) show(m model, now time.Time) {
	p.box.show(m)
	relayout(p.body.(*fyne.Container))
	p.sessions.show(m, now)
}

// messageBox gives an agent's own session another turn, by the rules of messageTask.
type messageBox struct {
	i       *Inspector
	task    pieces.Task
	pieceID string
	off     string            // why the agent takes no message now; empty while it does
	typed   map[string]string // what was not sent yet, by agent
	filling bool
	sending bool

	entry *kit.Entry
	send  *kit.Button
	why   *kit.Paragraph
	body  *fyne.Container
}

func newMessageBox(i *Inspector) *messageBox {
	b := &messageBox{i: i, typed: map[string]string{}, why: kit.NewNote("")}
	b.entry = kit.NewMultiEntry("session:message", 2)
	b.entry.SetPlaceHolder("Message to the session")
	b.entry.OnChanged = func(text string) {
		if !b.filling {
			b.typed[b.task.ID] = text
			b.enable()
		}
	}
	b.send = kit.NewButton("session:send", "Send", kit.Normal, b.say)
	b.body = kit.Column(kit.Together, b.entry, kit.Wrap(b.send), b.why)
	b.body = kit.Pad(kit.Groups-kit.Step, b.body)
	b.body.Hide()
	return b
}

// show takes a reading. Only the session that an agent goes on in has a box.
func (b *messageBox) show(m model) {
	s := *m.piece
	var now pieces.Task
	for _, t := range s.Tasks {
		if t.Kind == pieces.TaskAgent && t.SessionID != "" && t.SessionID == m.session {
			now = t
		}
	}
	show(b.body, now.ID != "")
	moved := now.ID != b.task.ID
	b.task, b.pieceID, b.off = now, s.Piece.ID, ""
	if now.ID == "" {
		return
	}
	if moved {
		b.fill(b.typed[now.ID])
	}
	if b.off = phrase.Said(pieces.MessageRefusal(s, now)); b.off == "" && !s.Legal(pieces.MessageTask) {
		b.off = phrase.Of("Agents take messages while their run goes on, is paused or has finished.")
	}
	b.enable()
}

func (b *messageBox) fill(text string) {
	b.filling = true
	b.entry.SetText(text)
	b.filling = false
}

func (b *messageBox) enable() {
	words := b.off
	empty := kit.Plain(b.entry.Text) == ""
	if words == "" && !empty {
		words = sayingOf(pieces.MessageTask, true).refuse(b.entry.Text)
	}
	if words == "" && !empty && !b.sending {
		b.send.Enable()
	} else {
		b.send.Disable()
	}
	b.why.Set(words)
	show(b.why, words != "")
}

// say sends what was typed, which stays until it has arrived.
func (b *messageBox) say() {
	id, text := b.task.ID, b.entry.Text
	r := engine.Request{PieceID: b.pieceID, Action: pieces.MessageTask, By: pieces.ByPerson, TaskID: id, Text: text}
	b.sending = true
	b.enable()
	b.i.background(func(ctx context.Context) error {
		_, err := b.i.o.Engine.Act(ctx, r)
		return err
	}, func(err error) {
		b.sending = false
		b.i.showProblem("send the message", err)
		if err == nil && b.typed[id] == text {
			delete(b.typed, id)
			if b.task.ID == id {
				b.fill("")
			}
		}
		b.enable()
	})
}
