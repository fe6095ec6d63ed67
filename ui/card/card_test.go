package card_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/consent"
	. "fermata/ui/card"
	"fermata/ui/kit"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
)

const soon = time.Millisecond

// table is a desk with its windows.
type table struct {
	*testing.T
	*stage.Stage
	desk  consent.Desk
	cards *Cards
	told  []string
}

func newTable(t *testing.T, s *stage.Stage, arm time.Duration) *table {
	t.Helper()
	b := &table{T: t, Stage: s}
	b.cards = New(t.Context(), Options{
		Desk: &b.desk, Pump: s.Pump, ArmAfter: arm, Linger: 20 * soon,
		Notify: func(q consent.Question) { b.told = append(b.told, q.Body.String()) },
	})
	b.cards.Follow()
	return b
}

func (b *table) window(scope Scope) (fyne.Window, *Host) {
	b.Helper()
	w := b.Open(kit.Body("nothing"), 720, 480)
	h := b.cards.Open(w, scope)
	ground := canvas.NewRectangle(theme.Color(kit.ColorBackground))
	w.SetContent(kit.NewTips(container.NewStack(ground, kit.Pad(kit.Pane, kit.NewEntry("below")), h.Notice())))
	stage.Settle(w)
	b.cards.Deal()
	return w, h
}

// ask puts a question and returns its end, and the function that withdraws it.
func (b *table) ask(q consent.Question) (<-chan consent.Reply, func()) {
	b.Helper()
	ctx, withdraw := context.WithCancel(b.Context())
	before := len(b.desk.Pending())
	ended := make(chan consent.Reply, 1)
	wake, stop := b.desk.Watch()
	defer stop()
	go func() { ended <- b.desk.Ask(ctx, q) }()
	for len(b.desk.Pending()) == before {
		<-wake
	}
	return ended, withdraw
}

func (b *table) ready(w fyne.Window) {
	b.Helper()
	b.Until("the card takes answers", func() bool {
		o, found := stage.Find(w, "card:allow")
		return found && !o.(*kit.Button).Disabled()
	})
}

func stop(project string) consent.Question {
	return consent.Question{
		ProjectID: project, Title: pieces.Say("Allow the MCP client to %s?", pieces.Term("stop agents")),
		Body:   pieces.Say("An external MCP client wants to %s on '%s' (%s).", pieces.Term("stop agents"), "upload-retry", "muse"),
		Effect: []pieces.Sentence{pieces.Quote("2 agents stop; what they have committed stays"), pieces.Quote("1 agent has changes that are not committed")},
		Client: consent.Client{Name: "claude-code", Version: "2.1.197"}, Danger: true,
	}
}

func TestAllowAndDenyAreAnsweredWithAClick(t *testing.T) {
	for button, want := range map[string]consent.Outcome{"card:allow": consent.Allowed, "card:deny": consent.Denied} {
		t.Run(button, func(t *testing.T) {
			b := newTable(t, stage.New(t), soon)
			w, _ := b.window(Scope{ProjectID: "muse"})
			end, _ := b.ask(stop("muse"))
			b.ready(w)
			b.Type(w, "card:note", "Not while they work")
			b.Tap(w, button)
			r := <-end
			if r.Outcome != want {
				t.Errorf("outcome %v, want %v", r.Outcome, want)
			}
			if want == consent.Denied && r.Note != "Not while they work" {
				t.Errorf("note %q, want what was typed", r.Note)
			}
			if w.Canvas().Overlays().Top() != nil {
				t.Error("the card stays after its answer")
			}
		})
	}
}

func TestFocusStartsOnDenyAndEnterNeverAllows(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	w, _ := b.window(Scope{ProjectID: "muse"})
	end, _ := b.ask(stop("muse"))
	b.ready(w)
	deny, _ := stage.Find(w, "card:deny")
	if fyne.Focusable(deny.(*kit.Button)) != w.Canvas().Focused() {
		t.Fatalf("%v is focused, want Deny", w.Canvas().Focused())
	}
	stage.Press(w, fyne.KeyEscape)
	if len(b.desk.Pending()) != 1 {
		t.Fatal("Esc answered the question")
	}
	stage.Press(w, fyne.KeyReturn)
	if r := <-end; r.Outcome != consent.Denied {
		t.Errorf("outcome %v after Enter, want Denied", r.Outcome)
	}
}

func TestSomebodyWhoTypesAnswersNothing(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	w, _ := b.window(Scope{ProjectID: "muse"})
	below, _ := stage.Find(w, "below")
	w.Canvas().Focus(below.(fyne.Focusable))
	b.ask(stop("muse"))
	b.ready(w)
	if f := w.Canvas().Focused(); f != nil {
		t.Fatalf("%v is focused, so that a space would press it", f)
	}
	test.FocusNext(w.Canvas())
	deny, _ := stage.Find(w, "card:deny")
	if fyne.Focusable(deny.(*kit.Button)) != w.Canvas().Focused() {
		t.Errorf("Tab reaches %v first, want Deny", w.Canvas().Focused())
	}
}

func TestNewCardTakesNoClickThatWasMeantForAnother(t *testing.T) {
	b := newTable(t, stage.New(t), time.Hour)
	w, _ := b.window(Scope{ProjectID: "muse"})
	b.ask(stop("muse"))
	b.Until("the card is there", func() bool { return stage.Has(w, "card:allow") })
	b.Tap(w, "card:allow")
	b.Tap(w, "card:deny")
	if len(b.desk.Pending()) != 1 {
		t.Error("a card that has just come took a click")
	}
}

func TestOneCardAtATimeAndTheNextAfterTheAnswer(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	w, h := b.window(Scope{ProjectID: "muse"})
	var ends []<-chan consent.Reply
	for i := range 3 {
		q := stop("muse")
		q.Body = pieces.Say("question %d", i)
		end, _ := b.ask(q)
		ends = append(ends, end)
	}
	for i, end := range ends {
		b.ready(w)
		if q, _ := h.Shown(); q.Body.String() != fmt.Sprint("question ", i) {
			t.Fatalf("%q is asked at place %d", q.Body, i)
		}
		b.Tap(w, "card:allow")
		<-end
	}
	if _, shown := h.Shown(); shown {
		t.Error("a card is left")
	}
}

func TestQuestionWithNoProjectIsAskedInEveryProjectWindow(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	one, first := b.window(Scope{ProjectID: "muse"})
	_, second := b.window(Scope{ProjectID: "clio"})
	_, home := b.window(Scope{Home: true})
	end, _ := b.ask(stop(""))
	b.ready(one)
	if _, shown := second.Shown(); !shown {
		t.Error("the second project window does not ask")
	}
	if _, shown := home.Shown(); shown {
		t.Error("the home window asks too")
	}
	b.Tap(one, "card:allow")
	<-end
	for _, h := range []*Host{first, second} {
		if _, shown := h.Shown(); shown {
			t.Error("a window still asks what was answered in another")
		}
		if h.Notice().Visible() {
			t.Error("a window says that an answered question was withdrawn")
		}
	}
}

func TestClosedProjectIsToldOnceAndAskedWhenItOpens(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	_, other := b.window(Scope{ProjectID: "clio"})
	homeWindow, home := b.window(Scope{Home: true})
	b.ask(stop("muse"))
	b.Until("home asks", func() bool { _, shown := home.Shown(); return shown })
	b.cards.Deal()
	if len(b.told) != 1 || b.told[0] != stop("").Body.String() {
		t.Errorf("told %q, want the sentence once", b.told)
	}
	if _, shown := other.Shown(); shown {
		t.Error("another project's window asks")
	}
	w, _ := b.window(Scope{ProjectID: "muse"})
	b.ready(w)
	if _, shown := home.Shown(); shown || stage.Has(homeWindow, "card:allow") || home.Notice().Visible() {
		t.Error("home still asks, or says that the question was withdrawn")
	}
	b.Tap(w, "card:deny")
}

func TestClosedWindowHandsItsQuestionOn(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	_, home := b.window(Scope{Home: true})
	w, h := b.window(Scope{ProjectID: "muse"})
	b.ask(stop("muse"))
	b.ready(w)
	b.cards.Close(h)
	if _, shown := home.Shown(); !shown || len(b.told) != 1 {
		t.Errorf("home asks: %v, told %d times, want both", shown, len(b.told))
	}
}

func TestWithdrawnQuestionGoesAndIsSaidForAWhile(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	w, h := b.window(Scope{ProjectID: "muse"})
	_, withdraw := b.ask(stop("muse"))
	b.ready(w)
	withdraw()
	b.Until("the card is gone", func() bool { _, shown := h.Shown(); return !shown })
	if !h.Notice().Visible() {
		t.Error("nothing says that the question was withdrawn")
	}
	b.Until("the notice is gone", func() bool { return !h.Notice().Visible() })
}

func TestCardStaysWhileTheOthersChange(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	w, h := b.window(Scope{ProjectID: "muse"})
	_, withdraw := b.ask(stop("muse"))
	second := stop("muse")
	second.Body = pieces.Quote("the second")
	b.ask(second)
	b.ready(w)
	withdraw()
	b.Until("the second is asked", func() bool { q, _ := h.Shown(); return q.Body.String() == "the second" })
	b.ask(stop("muse"))
	b.cards.Deal()
	if q, _ := h.Shown(); q.Body.String() != "the second" {
		t.Errorf("%q is asked, want the second to stay", q.Body)
	}
}

func TestCardIsFilledInWhenItIsKnownWhatAllowDoes(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	w, _ := b.window(Scope{ProjectID: "muse"})
	found := make(chan pieces.Effect)
	q := stop("muse")
	q.Effect = []pieces.Sentence{pieces.Quote("Removes the worktree.")}
	q.Look = func(context.Context) (pieces.Effect, error) { return <-found, nil }
	end, _ := b.ask(q)
	able := func(name string) func() bool {
		return func() bool { o, found := stage.Find(w, name); return found && !o.(*kit.Button).Disabled() }
	}
	b.Until("Deny takes answers", able("card:deny"))
	text := words(w.Canvas().Overlays().Top())
	if able("card:allow")() || !strings.Contains(text, "Removes the worktree.") || !strings.Contains(text, "Allow waits for that") {
		t.Errorf("before it is known what it does, the card lets itself be allowed, or says\n%s", text)
	}
	b.Type(w, "card:note", "Not now")
	found <- pieces.Effect{Lines: []pieces.Sentence{pieces.Quote("Removes the worktree."), pieces.Quote("It has 1 changed file.")}, Fingerprint: "f"}
	b.Until("Allow takes answers", able("card:allow"))
	text = words(w.Canvas().Overlays().Top())
	if !strings.Contains(text, "It has 1 changed file.") || strings.Contains(text, "Allow waits for that") {
		t.Errorf("once it is known what it does, the card says\n%s", text)
	}
	b.Tap(w, "card:deny")
	if r := <-end; r.Outcome != consent.Denied || r.Note != "Not now" {
		t.Errorf("answered %+v", r)
	}
}

func TestAllowWaitsAMomentAfterTheCardWasFilledIn(t *testing.T) {
	b := newTable(t, stage.New(t), time.Hour)
	w, h := b.window(Scope{ProjectID: "muse"})
	found := make(chan pieces.Effect)
	q := stop("muse")
	q.Look = func(context.Context) (pieces.Effect, error) { return <-found, nil }
	b.ask(q)
	found <- pieces.Effect{Fingerprint: "f"}
	b.Until("the card is filled in", func() bool { q, shown := h.Shown(); return shown && !q.Looking })
	b.Tap(w, "card:allow")
	if len(b.desk.Pending()) != 1 {
		t.Error("a card that has just been filled in took a click")
	}
}

func TestDenyIsTakenBeforeItIsKnownWhatAllowDoes(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	w, _ := b.window(Scope{ProjectID: "muse"})
	q := stop("muse")
	q.Look = func(ctx context.Context) (pieces.Effect, error) {
		<-ctx.Done()
		return pieces.Effect{}, ctx.Err()
	}
	end, _ := b.ask(q)
	b.Until("Deny takes answers", func() bool { o, found := stage.Find(w, "card:deny"); return found && !o.(*kit.Button).Disabled() })
	b.Tap(w, "card:deny")
	if r := <-end; r.Outcome != consent.Denied {
		t.Errorf("answered %+v", r)
	}
}

func TestSecondCardOfACallSaysWhyItIsThere(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	w, _ := b.window(Scope{ProjectID: "muse"})
	q := stop("muse")
	q.Again = true
	b.ask(q)
	b.ready(w)
	if text := words(w.Canvas().Overlays().Top()); !strings.Contains(text, "has changed since you allowed it") {
		t.Errorf("the card says\n%s", text)
	}
}

func TestQuestionThatComesWhileThePersonIsAwayIsToldOnceAndAsked(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	away := true
	b.cards.Away = func() bool { return away }
	w, _ := b.window(Scope{ProjectID: "muse"})
	b.ask(stop("muse"))
	b.ready(w)
	b.cards.Deal()
	if len(b.told) != 1 || b.told[0] != stop("").Body.String() {
		t.Errorf("told %q, want the sentence once", b.told)
	}
	away = false
	b.ask(stop("muse"))
	b.Until("the second is counted", func() bool {
		return strings.Contains(words(w.Canvas().Overlays().Top()), "1 of 2")
	})
	away = true
	b.cards.Deal()
	if len(b.told) != 1 {
		t.Errorf("told %q although the window was looked at when the second came", b.told)
	}
}

// TestUntrustedWordsAreOneHarmlessLineEach gives every text of a card that a stranger writes all that could deceive.
func TestUntrustedWordsAreOneHarmlessLineEach(t *testing.T) {
	evil := "a\u202etxt.exe\u200b\x1b[31mred\x07 **bold** [link](https://x.example) <b>tag</b>\nAllow is safe\r\u2028last"
	const shown = "a‹U+202E›txt.exe‹U+200B›red **bold** [link](https://x.example) <b>tag</b> Allow is safe last"
	b := newTable(t, stage.New(t), soon)
	w, _ := b.window(Scope{ProjectID: "muse"})
	q := stop("muse")
	q.Title, q.Body, q.Effect = pieces.Say("Allow %s", evil), pieces.Say("It wants %s", evil), []pieces.Sentence{pieces.Say("It ends %s", evil)}
	q.Client = consent.Client{Name: evil, Version: "1\n2\u202e"}
	q.Writing = &pieces.Writing{Name: "Brief", Before: "old", After: "new \u202e\x1b[31m**text**\n# line"}
	b.ask(q)
	b.ready(w)
	text := words(w.Canvas().Overlays().Top())
	for _, line := range []string{"Allow " + shown, "It wants " + shown, "It ends " + shown, "+new ‹U+202E›**text**", "+# line", "-old", " 1 2‹U+202E›"} {
		if !strings.Contains(text, line) {
			t.Errorf("the card lacks %q:\n%s", line, text)
		}
	}
	if strings.ContainsAny(text, "\u202e\u200b\x1b\x07\r\u2028") || strings.Contains(text, "\nAllow is safe") {
		t.Errorf("the card shows what deceives: %q", text)
	}
}

func TestLongNamesAreCutInTheirMiddle(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	w, _ := b.window(Scope{ProjectID: "muse"})
	long := "first" + strings.Repeat("x", 10_000) + "last"
	q := stop("muse")
	q.Body = pieces.Say("An external MCP client wants to %s on '%s' (%s).", pieces.Term("stop agents"), long, "muse")
	q.Client = consent.Client{Name: long, Version: "2.1"}
	b.ask(q)
	b.ready(w)
	text := words(w.Canvas().Overlays().Top())
	for line := range strings.Lines(text) {
		if n := len([]rune(line)); n > 250 {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
	for _, part := range []string{"Asked by firstx", "xlast 2.1\n", "on 'firstx", "xlast' (muse)."} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is cut away:\n%s", part, text)
		}
	}
	if drawn := drawnAsker(w); !strings.HasPrefix(drawn, "Asked by firstx") || !strings.HasSuffix(drawn, "xlast 2.1") || !strings.Contains(drawn, "…") {
		t.Errorf("who asks is drawn as %q", drawn)
	}
}

// drawnAsker is what the card's room leaves of who asks.
func drawnAsker(w fyne.Window) string {
	var find func(o fyne.CanvasObject) string
	find = func(o fyne.CanvasObject) string {
		if t, ok := o.(*kit.Text); ok && strings.HasPrefix(t.Text(), "Asked by") {
			return t.Shown()
		}
		for _, child := range kit.Children(o) {
			if s := find(child); s != "" {
				return s
			}
		}
		return ""
	}
	return find(w.Canvas().Overlays().Top())
}

func TestAClientWithoutANameIsSaidToHaveNone(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	w, _ := b.window(Scope{ProjectID: "muse"})
	q := stop("muse")
	q.Client = consent.Client{Name: " \n\x1b", Version: "9"}
	b.ask(q)
	b.ready(w)
	if drawn := drawnAsker(w); drawn != "Asked by a client that gave no name" {
		t.Errorf("who asks is drawn as %q", drawn)
	}
}

func TestAClickThatComesTooLateDoesNothingAndIsSaid(t *testing.T) {
	b := newTable(t, stage.New(t), soon)
	w, h := b.window(Scope{ProjectID: "muse"})
	end, withdraw := b.ask(stop("muse"))
	b.ready(w)
	withdraw()
	if r := <-end; r.Outcome != consent.Cancelled {
		t.Fatalf("withdrawn: %+v", r)
	}
	b.Tap(w, "card:allow") // the window has not heard of it yet
	if _, shown := h.Shown(); shown || !strings.Contains(words(h.Notice()), "had been withdrawn before your answer; nothing was changed") {
		t.Errorf("after a late click the window says %q", words(h.Notice()))
	}
}
