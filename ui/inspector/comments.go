package inspector

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/kit/patch"
	"fermata/ui/phrase"
)

// comment is what the person says about one line of a diff.
type comment struct {
	path  string
	line  patch.Line
	words string
}

// place names the line of a comment as an agent finds it.
func (c comment) place() string {
	if c.line.New > 0 {
		return fmt.Sprintf("%s:%d", c.path, c.line.New)
	}
	return phrase.F("%s:%d (before the change)", c.path, c.line.Old)
}

// on says whether the comment is about a line, which it is as long as the line says the same.
func (c comment) on(path string, l patch.Line) bool { return c.path == path && c.line == l }

// commentBook keeps the comments that were not sent yet, by piece, for as long as the window is open.
type commentBook struct {
	list map[string][]comment
	// unsent is a message that the person rewrote and that did not arrive.
	unsent  map[string]string
	sending map[string]bool
}

// comments shows what the person has said about the diff of a piece, and sends it to an agent as one message.
type comments struct {
	i    *Inspector
	book commentBook
	// changed is called when there are other comments.
	changed func()

	piece string
	drawn []comment
	open  bool // the list is folded out
	fold  *kit.Button
	send  *kit.Button
	rows  *fyne.Container
	body  *fyne.Container
}

func newComments(i *Inspector, changed func()) *comments {
	c := &comments{i: i, changed: changed, rows: kit.Column(0), book: commentBook{
		list: map[string][]comment{}, unsent: map[string]string{}, sending: map[string]bool{},
	}}
	c.fold = kit.NewButton("comments", "", kit.Quiet, func() { c.open = !c.open; c.draw() })
	c.send = kit.NewButton("sendComments", "", kit.Normal, c.askSend)
	c.body = kit.Column(kit.Step, kit.Wrap(c.fold, c.send), c.rows)
	c.body.Hide()
	return c
}

func (c *comments) list() []comment { return c.book.list[c.piece] }

// show takes over a reading.
func (c *comments) show(piece string) {
	if piece != c.piece {
		c.piece, c.open = piece, false
	}
	c.draw()
}

func (c *comments) draw() {
	list := c.list()
	show(c.body, len(list) > 0)
	c.fold.SetLabel(phrase.F(map[bool]string{true: "Hide %s", false: "Show %s"}[c.open], count(len(list), "comment")))
	c.send.SetLabel(phrase.F("Send %s", count(len(list), "comment")))
	switch {
	case c.book.sending[c.piece]:
		c.send.DisableFor("They are being sent")
	case c.i.last.piece != nil && len(targets(*c.i.last.piece)) == 0:
		c.send.DisableFor("No session takes them now; they are kept")
	default:
		c.send.Enable()
	}
	show(c.rows, c.open)
	if slices.Equal(c.drawn, list) {
		c.body.Refresh()
		return
	}
	c.drawn = slices.Clone(list)
	c.rows.Objects = nil
	for n, one := range list {
		row := kit.NewRow(nil, one.place(), strings.Join(strings.Fields(one.words), " "), nil)
		c.rows.Add(kit.NewPress(fmt.Sprintf("comment:%d", n), row, func() { c.edit(one.path, one.line) }))
	}
	c.body.Refresh()
}

// edit asks for what the person says about a line.
func (c *comments) edit(path string, line patch.Line) {
	piece := c.piece
	at := slices.IndexFunc(c.list(), func(o comment) bool { return o.on(path, line) })
	one := comment{path: path, line: line}
	label := phrase.Of("Add comment")
	if at >= 0 {
		one, label = c.list()[at], phrase.Of("Keep comment")
	}
	words := kit.NewMultiEntry("comment:text", 4)
	words.SetText(one.words)
	words.OnEscape = c.i.sheets.Close
	keep := func(text string) {
		c.i.sheets.Close()
		one.words = strings.TrimSpace(text)
		list := slices.DeleteFunc(slices.Clone(c.book.list[piece]), func(o comment) bool { return o.on(path, line) })
		if one.words != "" {
			list = append(list, one)
		}
		c.book.list[piece] = list
		delete(c.book.unsent, piece) // it would leave this one out
		c.draw()
		c.changed()
	}
	form := kit.Column(kit.Together, kit.NewCode(line.Text), kit.NewField("What should the agent know about this line?", words, "It is kept here until you send all comments."))
	if at >= 0 {
		form.Add(kit.Wrap(kit.NewButton("comment:remove", "Remove comment", kit.Quiet, func() { keep("") })))
	}
	c.i.askSheet(one.place(), form, kit.NewButton("comment:keep", label, kit.Primary, func() { keep(words.Text) }), words)
}

// message writes the comments down as an agent reads them, file by file and from top to bottom.
func message(list []comment) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b comment) int {
		if by := strings.Compare(a.path, b.path); by != 0 {
			return by
		}
		return max(a.line.New, a.line.Old) - max(b.line.New, b.line.Old)
	})
	parts := []string{"Comments on the diff:"}
	for _, one := range list {
		parts = append(parts, fmt.Sprintf("%s\n> %s\n%s", one.place(), one.line.Text, one.words))
	}
	return strings.Join(parts, "\n\n")
}

// target is who can get a message now.
type target struct {
	name, hint string
	action     pieces.Action
	taskID     string
}

// targets lists who can get the comments: a session of its own where changes can be requested, and agents that take a message.
func targets(s pieces.Snapshot) []target {
	var list []target
	if s.Legal(pieces.RequestChanges) {
		list = append(list, target{name: phrase.Of("A new session"), hint: phrase.Of("It works in the piece's worktree and commits what it changes."), action: pieces.RequestChanges})
	}
	if !s.Legal(pieces.MessageTask) {
		return list
	}
	for _, t := range s.Tasks {
		if t.Kind == pieces.TaskAgent && pieces.MessageRefusal(s, t).Empty() {
			list = append(list, target{name: phrase.Of("Agent ") + kit.Plain(t.Name), hint: phrase.Of("It goes to the agent's own session."), action: pieces.MessageTask, taskID: t.ID})
		}
	}
	return list
}

// askSend shows the message before it goes, with whom it goes to.
func (c *comments) askSend() {
	s := c.i.last.piece
	if s == nil || len(targets(*s)) == 0 {
		return
	}
	list, piece, to := c.list(), c.piece, targets(*s)
	text := message(list)
	if kept, ok := c.book.unsent[piece]; ok {
		text = kept
	}
	words := kit.NewMultiEntry("send:text", 9)
	words.SetText(text)
	words.OnEscape = c.i.sheets.Close
	field := kit.NewField("Message", words, "")
	note := kit.NewNote(to[0].hint)
	names := make([]string, len(to))
	for n, t := range to {
		names[n] = t.name
	}
	chosen := to[0]
	var pick *kit.Select
	pick = kit.NewSelect("send:to", names, func(string) {
		chosen = to[max(0, pick.SelectedIndex())]
		note.Set(chosen.hint)
		c.i.sheets.Fits()
	})
	pick.SetSelectedIndex(0)
	label := phrase.F("Send %s", count(len(list), "comment"))
	c.i.askSheet(label, kit.Column(kit.Together, kit.NewField("To", pick, ""), note, field), kit.NewButton("send:ok", label, kit.Primary, func() {
		if reason := sayingOf(chosen.action, true).refuse(words.Text); reason != "" {
			field.Refuse(reason)
			c.i.sheets.Fits()
			return
		}
		c.i.sheets.Close()
		c.deliver(piece, chosen, list, words.Text)
	}), words)
}

// deliver sends a message. The comments that it is made of are kept until it has arrived.
func (c *comments) deliver(piece string, to target, list []comment, text string) {
	c.book.sending[piece], c.book.unsent[piece] = true, text
	c.draw()
	r := engine.Request{PieceID: piece, Action: to.action, By: pieces.ByPerson, TaskID: to.taskID, Text: text}
	c.i.background(func(ctx context.Context) error {
		_, err := c.i.o.Engine.Act(ctx, r)
		return err
	}, func(err error) {
		delete(c.book.sending, piece)
		if err == nil {
			delete(c.book.unsent, piece)
			c.book.list[piece] = slices.DeleteFunc(slices.Clone(c.book.list[piece]), func(o comment) bool { return slices.Contains(list, o) })
		}
		c.i.showProblem("Send the comments", err)
		c.draw()
		c.changed()
	})
}
