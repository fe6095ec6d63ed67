package inspector

import (
	"context"
	"fmt"
	"testing"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/ui/stage"
)

// saying5000 is a long conversation, of which each reading asks for the end alone.
type saying5000 struct {
	messages []pieces.Message
	most     int // that one reading asked for
}

func (s *saying5000) say(n int) {
	for range n {
		seq := int64(len(s.messages) + 1)
		s.messages = append(s.messages, pieces.Message{Seq: seq, Role: pieces.RoleAssistant, Text: fmt.Sprintf("Message %d, which is **long** enough for a line.", seq)})
	}
}

func (s *saying5000) read(_ context.Context, _ string, n int) ([]pieces.Message, error) {
	s.most = max(s.most, n)
	return s.messages[max(0, len(s.messages)-n):], nil
}

// shown opens the transcript, and returns what reads and draws it again.
func shown(t *testing.T, s *saying5000) (*transcript, func(earlier int)) {
	t.Helper()
	view := newTranscript(func() {}, func(string) {})
	again := func(earlier int) {
		t.Helper()
		list, more, err := transcriptPage(t.Context(), s.read, "s", earlier)
		if err != nil {
			t.Fatal(err)
		}
		view.show("s", list, more)
	}
	st := stage.New(t)
	w := st.Open(view.body, 500, 400)
	again(0)
	stage.Settle(w)
	return view, again
}

func TestALongTranscriptReadsAndDrawsItsEndAlone(t *testing.T) {
	s := &saying5000{}
	s.say(5_000)
	view, again := shown(t, s)
	if s.most > messagesShown+1 || len(view.rows.Objects) != messagesShown || !view.atEnd() {
		t.Errorf("of 5,000 messages it read %d and drew %d, at the end: %v", s.most, len(view.rows.Objects), view.atEnd())
	}
	// Followed on, it does not grow without end.
	for range 40 {
		s.say(10)
		again(0)
		if drawn := len(view.rows.Objects); drawn > 5*messagesShown || !view.atEnd() {
			t.Fatalf("after %d messages it draws %d, at the end: %v", len(s.messages), drawn, view.atEnd())
		}
	}
	if s.most > messagesShown+1 {
		t.Errorf("one reading asked for %d messages", s.most)
	}
}

func TestFollowingATranscriptDoesNotMoveWhatThePersonReads(t *testing.T) {
	s := &saying5000{}
	s.say(5_000)
	view, again := shown(t, s)
	view.body.ScrollToOffset(fyne.NewPos(0, 100))
	top := view.rows.Objects[0]
	stays := func(what string) {
		t.Helper()
		if view.body.Offset.Y != 100 || view.rows.Objects[0] != top {
			t.Fatalf("%s moved it to %v", what, view.body.Offset.Y)
		}
	}
	for range 25 { // far beyond what is drawn anew at the end
		s.say(10)
		again(0)
		stays("a message")
	}
	s.say(200) // more than one reading tells of
	again(0)
	stays("a gap")
	if view.last != 5_250 {
		t.Errorf("over the gap it draws up to %d", view.last)
	}
	view.body.ScrollToBottom()
	if view.last != 5_450 || !view.atEnd() || len(view.rows.Objects) != messagesShown {
		t.Errorf("back at the end it draws up to %d, %d messages, at the end: %v", view.last, len(view.rows.Objects), view.atEnd())
	}
	s.say(1)
	again(0)
	if view.last != 5_451 || !view.atEnd() {
		t.Errorf("it no longer follows: up to %d, at the end: %v", view.last, view.atEnd())
	}
}

func TestEarlierMessagesComeAboveWhatThePersonReads(t *testing.T) {
	s := &saying5000{}
	s.say(5_000)
	view, again := shown(t, s)
	view.body.ScrollToOffset(fyne.NewPos(0, 0))
	below := view.body.Content.MinSize().Height
	again(1)
	if len(view.rows.Objects) != 2*messagesShown {
		t.Fatalf("it draws %d messages", len(view.rows.Objects))
	}
	if got := view.body.Content.MinSize().Height - view.body.Offset.Y; got != below {
		t.Errorf("below the top of the screen are %v, and were %v", got, below)
	}
}
