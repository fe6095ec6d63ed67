package inspector

import (
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// sessions lists the conversations of a piece over the transcript of one.
type sessions struct {
	open func(id string)

	list       []pieces.Session
	rows       map[string]*sessionRow
	column     *fyne.Container
	scroll     *container.Scroll
	error      *kit.ErrorBar
	transcript *transcript
	empty      *kit.Empty
	some       *fyne.Container
	body       *fyne.Container
}

func newSessions(open func(id string), openEarlier func(), openURL func(string)) *sessions {
	s := &sessions{
		open: open, rows: map[string]*sessionRow{}, column: kit.Column(0), transcript: newTranscript(openEarlier, openURL),
		error: kit.NewErrorBar("sessionError", kit.Problem{}), empty: kit.NewEmpty("No session has run for this piece yet.", nil),
	}
	s.error.Hide()
	s.scroll = container.NewVScroll(s.column)
	s.some = container.New(upper{s.column}, s.scroll, kit.Column(0, kit.Divider(), s.error), s.transcript.body)
	s.body = container.NewStack(s.some, s.empty)
	return s
}

func (s *sessions) content() fyne.CanvasObject { return s.body }

func (s *sessions) show(m model, now time.Time) {
	show(s.empty, len(m.sessions) == 0)
	show(s.some, len(m.sessions) > 0)
	s.list = m.sessions
	objects := make([]fyne.CanvasObject, len(m.sessions))
	failure := ""
	for i, one := range m.sessions {
		row, ok := s.rows[one.ID]
		if !ok {
			row = newSessionRow(one.ID, s.open)
			s.rows[one.ID] = row
		}
		row.show(one, now)
		row.press.SetSelected(one.ID == m.session)
		objects[i] = row.press
		if one.ID == m.session {
			failure = one.Error
		}
	}
	if !slices.Equal(objects, s.column.Objects) {
		s.column.Objects = objects
		s.column.Refresh()
	}
	if failure != "" {
		s.error.Set(kit.Problem{What: failure})
	}
	show(s.error, failure != "")
	// The transcript gets its place first: how far it is scrolled depends on its size.
	relayout(s.some)
	s.transcript.show(m.session, m.messages, m.more)
}

// sessionRow is one conversation in the list.
type sessionRow struct {
	dot   *kit.StateDot
	row   *kit.Row
	facts *kit.Text
	press *kit.Press
}

func newSessionRow(id string, open func(string)) *sessionRow {
	r := &sessionRow{dot: kit.NewStateDot(kit.StateIdle, ""), facts: kit.Caption("")}
	r.row = kit.NewRow(r.dot, "", "", r.facts)
	r.press = kit.NewPress("session:"+id, r.row, func() { open(id) })
	return r
}

func (r *sessionRow) show(s pieces.Session, now time.Time) {
	state, word := sessionState(s.State)
	r.dot.Set(state, word)
	r.row.SetText(sessionTitle(s), s.Model)
	var parts []string
	if s.Resumed > 0 {
		parts = append(parts, "resumed")
	}
	if s.CostUSD > 0 {
		parts = append(parts, kit.Money(s.CostUSD))
	}
	parts = append(parts, kit.Age(s.CreatedAt, now))
	r.facts.Set(strings.Join(parts, " · "))
	r.row.Refresh()
}

func sessionTitle(s pieces.Session) string {
	kind := spaced(string(s.Kind))
	if s.Kind == pieces.SessionPRText {
		kind = phrase.Of("Pull request text")
	}
	if s.Name == "" {
		return kind
	}
	return s.Name
}

// sessionState says where a conversation stands.
func sessionState(s pieces.SessionState) (kit.State, string) {
	switch s {
	case pieces.SessionStarting:
		return kit.StateRunning, phrase.Of("Starting")
	case pieces.SessionWorking:
		return kit.StateRunning, phrase.Of("Working")
	case pieces.SessionAwaitingInput:
		return kit.StateWaiting, phrase.Of("Asks you")
	case pieces.SessionAwaitingApproval:
		return kit.StateWaiting, phrase.Of("Waits for approval")
	case pieces.SessionCompleted:
		return kit.StateDone, phrase.Of("Completed")
	case pieces.SessionFailed:
		return kit.StateFailed, phrase.Of("Failed")
	case pieces.SessionCancelled:
		return kit.StatePaused, phrase.Of("Cancelled")
	default:
		return kit.StateIdle, phrase.Of("Idle")
	}
}

// upper gives a list the height it needs, up to a third, and what it lists the rest.
type upper struct{ list *fyne.Container }

// MinSize leaves room for a row and some lines.
func (upper) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(240, 3*kit.RowHigh) }

// Layout is list, line, content.
func (u upper) Layout(o []fyne.CanvasObject, size fyne.Size) {
	high := min(u.list.MinSize().Height, max(kit.RowHigh, size.Height/3))
	place(o[0], 0, high, size.Width)
	o[1].Resize(fyne.NewSize(size.Width, o[1].MinSize().Height))
	line := o[1].MinSize().Height
	place(o[1], high, line, size.Width)
	place(o[2], high+line, max(0, size.Height-high-line), size.Width)
}
