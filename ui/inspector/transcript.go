package inspector

import (
	"encoding/json"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/kit/patch"
	"fermata/ui/phrase"
)

// transcript shows the messages of one session. New ones are added to those on the screen, and the view follows the
// end as long as the person has not scrolled away from it.
type transcript struct {
	openURL func(string)

	session string
	first   int64
	last    int64
	rows    *fyne.Container
	earlier *kit.Button
	calls   map[string]*call // by tool id, to put each result to its call
	later   func()           // draws what has come meanwhile; nil while all is drawn
	body    *container.Scroll
}

func newTranscript(openEarlier func(), openURL func(string)) *transcript {
	t := &transcript{openURL: openWeb(openURL), rows: kit.Column(kit.Groups - kit.Step), calls: map[string]*call{}}
	t.earlier = kit.NewButton("earlier", "Show earlier messages", kit.Quiet, openEarlier)
	t.body = container.NewVScroll(kit.Pad(kit.Groups-kit.Step, kit.Column(kit.Groups, container.NewHBox(t.earlier), t.rows)))
	t.body.OnScrolled = t.scrolled
	return t
}

func (t *transcript) show(session string, messages []pieces.Message, more bool) {
	t.later = nil
	atEnd := t.atEnd()
	first := int64(0)
	if len(messages) > 0 {
		first = messages[0].Seq
	}
	same := session == t.session && t.first != 0
	earlier := same && first < t.first
	// Some were never read, or so many have come that the screen would get slow.
	anew := same && (first > t.last+1 || len(t.rows.Objects) > 4*max(messagesShown, len(messages)))
	if anew && !atEnd && !earlier {
		if first > t.last+1 {
			// What the person reads would be gone; the new ones are drawn once the person comes to the end.
			t.later = func() { t.show(session, messages, more) }
			return
		}
		anew = false
	}
	below := t.body.Content.MinSize().Height - t.body.Offset.Y
	fresh := !same || anew || earlier
	if fresh {
		t.session, t.first, t.last = session, first, 0
		t.rows.Objects = nil
		clear(t.calls)
	}
	var added []fyne.CanvasObject
	for _, m := range messages {
		if m.Seq <= t.last {
			continue
		}
		t.last = m.Seq
		if row := t.rowOf(m); row != nil {
			added = append(added, row)
		}
	}
	show(t.earlier, more)
	if len(added) == 0 && !fresh {
		return
	}
	// All at once: adding one by one would place every row again for each, and a refresh would measure every text again.
	t.rows.Objects = append(t.rows.Objects, added...)
	relayout(t.rows)
	canvas.Refresh(t.rows)
	t.body.Refresh()
	switch {
	case earlier:
		// What was on the screen stays where it was, below what came before it.
		t.measure()
		t.body.ScrollToOffset(fyne.NewPos(0, max(0, t.body.Content.MinSize().Height-below)))
	case atEnd || fresh:
		t.toEnd()
	}
}

// atEnd says whether the person looks at the newest message.
func (t *transcript) atEnd() bool {
	return t.body.Offset.Y >= t.body.Content.MinSize().Height-t.body.Size().Height-kit.RowHigh
}

func (t *transcript) scrolled(fyne.Position) {
	if later := t.later; later != nil && t.atEnd() {
		later()
	}
}

// toEnd scrolls to the newest message.
func (t *transcript) toEnd() {
	t.measure()
	t.body.ScrollToBottom()
}

// measure lets the texts know their heights, which follow from the width.
func (t *transcript) measure() {
	content := t.body.Content
	content.Resize(fyne.NewSize(t.body.Size().Width, content.MinSize().Height))
	content.Resize(content.MinSize().Max(t.body.Size()))
}

// rowOf draws a message; nil for a result, which goes to its call.
func (t *transcript) rowOf(m pieces.Message) fyne.CanvasObject {
	switch m.Role {
	case pieces.RoleToolUse:
		c := newCall(m)
		t.calls[m.ToolID] = c
		return c.body
	case pieces.RoleToolResult:
		if c, ok := t.calls[m.ToolID]; ok {
			c.end(m)
			return nil
		}
		c := newCall(m)
		c.end(m)
		return c.body
	case pieces.RoleAssistant:
		return kit.Column(kit.Step, kit.Caption(phrase.Of("Claude Code")).Strong(), kit.NewMarkdown(m.Text, t.openURL))
	case pieces.RoleNotice:
		return kit.NewNote("Fermata: " + m.Text)
	default:
		words := kit.Column(kit.Step, kit.Caption(phrase.Of("To the agent")).Strong(), kit.Readable(kit.NewParagraph(m.Text)))
		return kit.NewSurface(words).Inset(kit.Groups - kit.Step)
	}
}

// call is a tool call: one line until it is folded out, then its input and its result.
type call struct {
	message pieces.Message
	result  *pieces.Message
	open    bool
	state   *kit.StateDot
	fold    *kit.Press
	details *fyne.Container
	body    *fyne.Container
}

func newCall(m pieces.Message) *call {
	c := &call{message: m, state: kit.NewStateDot(kit.StateRunning, "").In(kit.ColorMuted), details: kit.Column(kit.Together)}
	c.details.Hide()
	line := container.NewBorder(nil, nil, c.state, nil, container.New(titleRow{}, kit.Mono(callWords(m)).In(kit.ColorMuted).CutEnd()))
	c.fold = kit.NewPress("call:"+m.ToolID, line, c.turn)
	c.body = kit.Column(kit.Step, c.fold, c.details)
	return c
}

// end puts the result to the call.
func (c *call) end(m pieces.Message) {
	c.result = &m
	state := kit.StateDone
	if m.Error {
		state = kit.StateFailed
	}
	c.state.Set(state, "")
	if !m.Error {
		c.state.In(kit.ColorMuted)
	}
	if c.open {
		c.fill()
	}
}

func (c *call) turn() {
	c.open = !c.open
	if c.open {
		c.fill()
	}
	show(c.details, c.open)
	c.body.Refresh()
}

func (c *call) fill() {
	c.details.Objects = nil
	if len(c.message.Input) > 0 {
		c.details.Objects = inputOf(c.message.Input)
		if lines, path := changeOf(c.message); lines != nil {
			c.details.Objects = []fyne.CanvasObject{kit.Mono(path).CutMiddle(), kit.NewSmallDiff(lines)}
		}
	}
	if c.result != nil {
		c.details.Add(kit.Caption(phrase.Of(map[bool]string{true: "Error", false: "Result"}[c.result.Error])))
		c.details.Add(kit.NewCode(c.result.Text))
	}
	c.details.Refresh()
}

// mostChanged is how many lines of a change are drawn; a longer one is shown as its input.
const mostChanged = 400

// changeOf is what a call changes in a file, line by line; nil for a call that changes none, or too much.
func changeOf(m pieces.Message) (lines []patch.Line, path string) {
	var in struct {
		Path       string  `json:"file_path"`
		Old        *string `json:"old_string"`
		New        *string `json:"new_string"`
		Content    *string `json:"content"`
		ReplaceAll bool    `json:"replace_all"`
		Edits      []struct {
			Old string `json:"old_string"`
			New string `json:"new_string"`
		} `json:"edits"`
	}
	if json.Unmarshal(m.Input, &in) != nil || in.Path == "" {
		return nil, ""
	}
	switch {
	case m.Tool == "Write" && in.Content != nil:
		lines = patch.Replaced("", *in.Content)
	case m.Tool == "Edit" && in.Old != nil && in.New != nil:
		if in.ReplaceAll {
			lines = append(lines, patch.Line{Kind: patch.Note, Text: phrase.Of("Everywhere in the file:")})
		}
		lines = append(lines, patch.Replaced(*in.Old, *in.New)...)
	case m.Tool == "MultiEdit":
		for n, e := range in.Edits {
			lines = append(lines, patch.Line{Kind: patch.Hunk, Text: phrase.F("Change %d of %d", n+1, len(in.Edits))})
			lines = append(lines, patch.Replaced(e.Old, e.New)...)
		}
	}
	if len(lines) > mostChanged {
		return nil, ""
	}
	return lines, in.Path
}

// callWords are a tool's name and what tells this call from another.
func callWords(m pieces.Message) string {
	fields, _ := fieldsOf(json.RawMessage(m.Input))
	for _, f := range fields {
		switch f.name {
		case "command", "file_path", "path", "pattern", "url", "query", "description", "prompt", "notebook_path":
			return m.Tool + "  " + strings.TrimSpace(f.value)
		}
	}
	if m.Tool == "" {
		return phrase.Of("Result of an earlier call")
	}
	return m.Tool
}
