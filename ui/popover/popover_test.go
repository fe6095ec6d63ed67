package popover_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	. "fermata/ui/popover"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
)

// world is the popover in a window, with an engine that notes what it is asked.
type world struct {
	testing.TB
	*stage.Stage
	p *Popover
	w fyne.Window

	mu     sync.Mutex
	asked  []string
	refuse error

	left  []string // what led out of the popover, on the main goroutine
	form  *fyne.Container
	asks  map[engine.Target]bool
	clock time.Time
}

func (w *world) note(format string, args ...any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, fmt.Sprintf(format, args...))
	return w.refuse
}

func (w *world) noted() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}

func (w *world) Act(_ context.Context, r engine.Request) (engine.Result, error) {
	return engine.Result{}, w.note("%s %s bound %q", r.Action, r.PieceID, r.Bound)
}

func (w *world) Effect(_ context.Context, r engine.Request) (pieces.Effect, error) {
	return pieces.Effect{Lines: []pieces.Sentence{pieces.Quote("Two processes are ended.")}, Fingerprint: "f"}, w.note("effect of %s", r.Action)
}

func (w *world) Snooze(_ context.Context, t engine.Target, fingerprint string) (int, error) {
	return 1, w.note("snooze %s %s", t.ID, fingerprint)
}

func (w *world) Answer(id string, allow bool, _ string) error {
	return w.note("answer %s %v", id, allow)
}

func (w *world) Content() fyne.CanvasObject { return w.form }

func (w *world) form1(t engine.Target) bool { return w.asks[t] }

type asks struct{ *world }

func (a asks) Show(t engine.Target) bool { return a.form1(t) }

func open(tb testing.TB, s *stage.Stage) *world {
	tb.Helper()
	w := &world{TB: tb, Stage: s, asks: map[engine.Target]bool{}, clock: time.Unix(1000, 0)}
	out := func(format string, args ...any) { w.left = append(w.left, fmt.Sprintf(format, args...)) }
	w.form = kit.Column(kit.Together, kit.NewParagraph("Which colour?"), kit.NewEntry("prompt:answer"), kit.NewButton("prompt:send", "Send answer", kit.Primary, func() { out("sent") }))
	w.p = New(tb.Context(), Options{
		Engine: w, Desk: w, Asks: asks{w}, Pump: s.Pump, Now: func() time.Time { return w.clock },
		Actions: Actions{
			Open:         func(c Cue) { out("open %s", c.Target.ID) },
			OpenQuestion: func(q Question) { out("question %s", q.ID) },
			OpenPiece:    func(_, id string) { out("piece %s", id) },
			Home:         func() { out("home") },
			Close:        func() { out("close") },
			Grown:        func() {},
		},
	})
	w.w = s.Open(w.p.Content(), Width, MostHigh)
	return w
}

func (w *world) show(m Model) {
	w.p.Show(m)
	w.p.Focus()
	stage.Settle(w.w)
}

func cue(id string, group pieces.CueGroup, label string) Cue {
	return Cue{
		Target: engine.Target{Kind: engine.TargetPiece, ID: id}, ProjectID: "m", Fingerprint: "f" + id, Group: group,
		Title: "Piece " + id, Label: label, Project: "muse", Age: "3 min",
	}
}

func withAction(c Cue, words string, a pieces.Action) Cue {
	c.Primary, c.Request = words, engine.Request{PieceID: c.Target.ID, Action: a, By: pieces.ByPerson}
	return c
}

// usual is a day's popover: a question of a client, an agent's question, a plan, a failure, a review and a merge.
func usual() Model {
	waiting := cue("ask", pieces.RequiresApproval, "An agent is waiting for you")
	waiting.Asks = true
	stop := withAction(cue("stop", pieces.RequiresApproval, "Could not stop"), "Stop 2 agents", pieces.StopAgents)
	stop.Confirm, stop.Failed = true, true
	plan := withAction(cue("plan", pieces.RequiresApproval, "Plan ready"), "Start 4 agents", pieces.StartExecution)
	plan.Source, plan.Title = "SUP-12", "Uploads are tried again when the network comes back after a while"
	merge := cue("merge", pieces.ReadyToMerge, "Ready to merge")
	merge.PR, merge.Checks, merge.Project = "#12", "3 of 3 checks passed", "lyre"
	return Model{
		Cues: []Cue{waiting, plan, stop, withAction(cue("pr", pieces.ReadyForReview, "Open pull request"), "Open pull request", pieces.CreatePR), merge},
		Questions: []Question{{Question: consent.Question{
			ID: "q1", Title: pieces.Say("Allow the MCP client to %s?", pieces.Term("stop agents")), Body: pieces.Say("An external MCP client wants to %s on '%s' (%s).", pieces.Term("stop agents"), "x", "muse"),
			Effect: []pieces.Sentence{pieces.Quote("Ends 2 agents.")}, Danger: true, Client: consent.Client{Name: "claude-code"},
		}, Project: "muse", Age: "now"}},
		Snoozed: 1, Line: "2 running in muse",
		Work: []Work{{PieceID: "a", Title: "Search index", Words: "2 of 4 agents", Part: 0.5}, {PieceID: "b", Title: "Login by passkey", Words: "30 %", Part: 0.3}},
	}
}

// labels are the names of what can be pressed or chosen.
func (w *world) labels() []string { return kit.Names(w.w.Content()) }

func (w *world) until(what string, n int) {
	w.Helper()
	w.Until(what, func() bool { return len(w.noted()) >= n })
	w.Drain()
}

func TestPicturesOfThePopover(t *testing.T) { stage.Both(t, pictures) }

func TestThePopoverSaysNothingThatNoCatalogueHas(t *testing.T) {
	stage.Marked(t, pictures, usual(), crowded(500), "disk full", "Which colour?")
}

func pictures(t *testing.T, word string, s *stage.Stage) {
	t.Helper()
	w := open(t, s)
	for name, m := range map[string]Model{"empty": {}, "usual": usual(), "crowded": crowded(500)} {
		w.show(m)
		w.w.Resize(fyne.NewSize(Width, w.p.Height()))
		w.Keep(w.w, "popover-"+name+"-"+word)
	}
	w.show(usual())
	w.clock = w.clock.Add(time.Minute)
	stage.Press(w.w, fyne.KeyReturn)
	w.w.Resize(fyne.NewSize(Width, w.p.Height()))
	w.Keep(w.w, "popover-card-"+word)
	w.refuse = errors.New("disk full")
	stage.Press(w.w, fyne.KeyEscape)
	stage.Press(w.w, fyne.KeyDown)
	w.asks[engine.Target{Kind: engine.TargetPiece, ID: "ask"}] = true
	stage.Press(w.w, fyne.KeyReturn)
	w.Keep(w.w, "popover-ask-"+word)
	stage.Press(w.w, fyne.KeyEscape)
	stage.Press(w.w, fyne.KeyDown, fyne.KeyReturn)
	w.until("it was refused", 1)
	w.Until("it is said", func() bool { return stage.Has(w.w, "popover:hideProblem") })
	w.Keep(w.w, "popover-problem-"+word)
}

func TestTheGroupsStandInTheirOrderAndStayWhenTheyAreEmpty(t *testing.T) {
	w := open(t, stage.New(t))
	w.show(Model{})
	const empty = "Nothing waits for you|Requires approval|Nothing asks you for anything.|Ready for review|" +
		"No work waits for your review.|Ready to merge|No pull request waits to be merged.|Nothing runs"
	if got := words(w.w.Content()); got != empty {
		t.Errorf("it says %q, want %q", got, empty)
	}
	m := usual()
	m.Cues, m.Questions = m.Cues[len(m.Cues)-1:], nil
	w.show(m)
	const one = "1 decision waits for you|1 snoozed|Requires approval|Nothing asks you for anything.|Ready for review|" +
		"No work waits for your review.|Ready to merge (1)|Piece merge|3 min|Ready to merge|lyre · #12 · 3 of 3 checks passed|" +
		"2 running in muse|Search index|2 of 4 agents|Login by passkey|30 %"
	if got := words(w.w.Content()); got != one {
		t.Errorf("it says %q, want %q", got, one)
	}
}

func TestKeysMoveAnswerSnoozeOpenAndClose(t *testing.T) {
	w := open(t, stage.New(t))
	w.show(usual())
	w.asks[engine.Target{Kind: engine.TargetPiece, ID: "ask"}] = true
	stage.Press(w.w, fyne.KeyUp, fyne.KeyDown, fyne.KeyDown, fyne.KeyReturn) // the question, the asking cue, the plan
	w.until("the plan is started", 1)
	rune1(w, 's')
	w.until("it is snoozed", 2)
	rune1(w, 'O')
	stage.Press(w.w, fyne.KeyEnd, fyne.KeyReturn) // what has no action is opened
	stage.Press(w.w, fyne.KeyHome)
	rune1(w, 's') // a client's question is not snoozed
	rune1(w, 'o')
	stage.Press(w.w, fyne.KeyEscape)
	if want := []string{`startExecution plan bound ""`, "snooze plan fplan"}; !slices.Equal(w.noted(), want) {
		t.Errorf("the engine was asked %q, want %q", w.noted(), want)
	}
	if want := []string{"open plan", "open merge", "question q1", "close"}; !slices.Equal(w.left, want) {
		t.Errorf("it led to %q, want %q", w.left, want)
	}
}

func TestButtonsDoWhatTheKeysDo(t *testing.T) {
	w := open(t, stage.New(t))
	m := usual()
	m.Questions = nil
	w.show(m)
	w.Tap(w.w, "primary:piece:plan")
	w.until("the plan is started", 1)
	w.Tap(w.w, "snooze:piece:plan")
	w.until("it is snoozed", 2)
	w.Tap(w.w, "open:piece:plan")
	w.Tap(w.w, "popover:home")
	w.Tap(w.w, "work:a")
	if want := []string{`startExecution plan bound ""`, "snooze plan fplan"}; !slices.Equal(w.noted(), want) {
		t.Errorf("the engine was asked %q, want %q", w.noted(), want)
	}
	if want := []string{"open plan", "home", "piece a"}; !slices.Equal(w.left, want) {
		t.Errorf("it led to %q, want %q", w.left, want)
	}
}

func TestWhatTearsDownShowsItsEffectFirst(t *testing.T) {
	w := open(t, stage.New(t))
	m := usual()
	m.Questions = nil
	w.show(m)
	w.Tap(w.w, "primary:piece:stop")
	w.until("the effect is read", 1)
	w.Until("it is shown", func() bool { return stage.Has(w.w, "popover:confirm") })
	if !strings.Contains(words(w.w.Content()), "Two processes are ended.") {
		t.Errorf("it says %q", words(w.w.Content()))
	}
	stage.Press(w.w, fyne.KeyReturn) // the focus is on Cancel
	if stage.Has(w.w, "popover:confirm") || len(w.noted()) != 1 {
		t.Fatalf("Enter did not cancel: %q", w.noted())
	}
	w.Tap(w.w, "primary:piece:stop")
	w.Until("it is shown again", func() bool { return stage.Has(w.w, "popover:confirm") })
	w.Tap(w.w, "popover:confirm")
	w.until("it is stopped", 3)
	if got := w.noted()[2]; got != `stopAgents stop bound "f"` {
		t.Errorf("the engine was asked %q", got)
	}
}

func TestAClientsQuestionIsAnsweredWithTheFocusOnDeny(t *testing.T) {
	w := open(t, stage.New(t))
	w.show(usual())
	stage.Press(w.w, fyne.KeyReturn)
	if got := words(w.w.Content()); !strings.Contains(got, "• Ends 2 agents.") {
		t.Errorf("it says %q", got)
	}
	stage.Press(w.w, fyne.KeyReturn)
	w.Tap(w.w, "primary:card:q1")
	w.Tap(w.w, "popover:allow")
	if want := []string{"answer q1 false", "answer q1 true"}; !slices.Equal(w.noted(), want) {
		t.Errorf("answered %q, want %q", w.noted(), want)
	}
	w.Tap(w.w, "primary:card:q1")
	m := usual()
	m.Questions = nil
	w.show(m)
	if stage.Has(w.w, "popover:allow") {
		t.Error("the answers stay when the question has gone")
	}
}

func TestAClientsQuestionSaysWhoAsksAsPlainShortText(t *testing.T) {
	w := open(t, stage.New(t))
	m := usual()
	q := &m.Questions[0]
	q.Client = consent.Client{Name: "first\u202e\n" + strings.Repeat("x", 10_000) + "last", Version: "2.1"}
	q.Again = true
	w.show(m)
	w.Tap(w.w, "primary:card:q1")
	got := words(w.w.Content())
	for _, part := range []string{"Asked by first‹U+202E›", "xlast 2.1", "has changed since you allowed it"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in %q", part, got)
		}
	}
}

func TestAClientsQuestionIsFilledInWhenItIsKnownWhatAllowDoes(t *testing.T) {
	w := open(t, stage.New(t))
	m := usual()
	m.Questions[0].Looking = true
	w.show(m)
	w.Tap(w.w, "primary:card:q1")
	if got := words(w.w.Content()); !strings.Contains(got, "Allow waits for that") {
		t.Errorf("before it is known what it does, it says %q", got)
	}
	w.Tap(w.w, "popover:allow")
	m = usual()
	m.Questions[0].Effect = []pieces.Sentence{pieces.Quote("Ends 3 agents.")}
	w.p.Show(m)
	w.Tap(w.w, "popover:allow") // meant for what lay there before
	if got := words(w.w.Content()); !strings.Contains(got, "• Ends 3 agents.") || strings.Contains(got, "Allow waits for that") {
		t.Errorf("then it says %q", got)
	}
	w.clock = w.clock.Add(time.Second)
	w.Tap(w.w, "popover:allow")
	if want := []string{"answer q1 true"}; !slices.Equal(w.noted(), want) {
		t.Errorf("answered %q, want %q", w.noted(), want)
	}
}

func TestWhatIsAskedIsAnsweredInPlaceAndEscGoesBackOneStep(t *testing.T) {
	w := open(t, stage.New(t))
	w.asks[engine.Target{Kind: engine.TargetPiece, ID: "ask"}] = true
	w.show(usual())
	stage.Press(w.w, fyne.KeyDown, fyne.KeyReturn)
	if !stage.Has(w.w, "prompt:answer") {
		t.Fatalf("the form is not there: %q", w.labels())
	}
	if f, ok := w.w.Canvas().Focused().(kit.Named); !ok || f.Name() != "prompt:answer" {
		t.Errorf("the focus is on %v", w.w.Canvas().Focused())
	}
	stage.Press(w.w, fyne.KeyEscape)
	if stage.Has(w.w, "prompt:answer") || len(w.left) != 0 {
		t.Errorf("Esc led to %q and the form is there: %v", w.left, stage.Has(w.w, "prompt:answer"))
	}
	w.Tap(w.w, "primary:piece:ask")
	w.Tap(w.w, "prompt:send")
	w.asks = nil
	w.p.Show(usual())
	if stage.Has(w.w, "prompt:answer") || !slices.Equal(w.left, []string{"sent"}) {
		t.Errorf("after the answer the form is there: %v, %q", stage.Has(w.w, "prompt:answer"), w.left)
	}
}

func TestARefusalIsSaidWithItsSentence(t *testing.T) {
	w := open(t, stage.New(t))
	m := usual()
	m.Questions = nil
	w.show(m)
	w.refuse = &engine.Refusal{Sentence: pieces.Say("This cue changed; refresh")}
	w.Tap(w.w, "snooze:piece:plan")
	w.Until("it is said", func() bool { return strings.Contains(words(w.w.Content()), "This cue changed; refresh") })
	w.Tap(w.w, "popover:hideProblem")
	if strings.Contains(words(w.w.Content()), "refresh") {
		t.Error("it is said still")
	}
}

func TestEnterForACueThatWentDoesNotPressTheNext(t *testing.T) {
	w := open(t, stage.New(t))
	m := usual()
	m.Questions = nil
	w.show(m)
	stage.Press(w.w, fyne.KeyDown)
	less := m
	less.Cues = slices.Delete(slices.Clone(m.Cues), 1, 2)
	w.show(less)
	stage.Press(w.w, fyne.KeyReturn)
	w.Drain()
	if len(w.noted()) != 0 {
		t.Fatalf("Enter went to the next cue: %q", w.noted())
	}
	w.clock = w.clock.Add(time.Second)
	stage.Press(w.w, fyne.KeyReturn)
	w.until("it is pressed", 1)
}

func TestTheChosenCueStaysChosenWhenOthersComeAndGo(t *testing.T) {
	w := open(t, stage.New(t))
	w.show(crowded(500))
	stage.Press(w.w, fyne.KeyEnd)
	if !stage.Has(w.w, "primary:piece:499") {
		t.Fatal("the last cue is not brought into view")
	}
	m := crowded(500)
	m.Cues = m.Cues[100:]
	w.show(m)
	stage.Press(w.w, fyne.KeyReturn)
	w.until("it is pressed", 1)
	if got := w.noted()[0]; got != `approveSpec 499 bound ""` {
		t.Errorf("pressed %q", got)
	}
	for range 30 {
		stage.Press(w.w, fyne.KeyPageUp)
	}
	if n := len(w.labels()); n > 80 {
		t.Errorf("%d named widgets for what is seen of 400 cues", n)
	}
}

func rune1(w *world, r rune) { w.w.Canvas().Focused().TypedRune(r); w.Drain() }

// words are the texts that are drawn, but for those of buttons.
func words(o fyne.CanvasObject) string { return strings.Join(texts(o), "|") }

func texts(o fyne.CanvasObject) (list []string) {
	if !o.Visible() {
		return nil
	}
	if t, ok := o.(interface{ Text() string }); ok && t.Text() != "" {
		return []string{t.Text()}
	}
	var below []fyne.CanvasObject
	switch o := o.(type) {
	case *kit.Button:
		return nil
	case *fyne.Container:
		below = o.Objects
	case *container.Scroll:
		below = []fyne.CanvasObject{o.Content}
	case fyne.Widget:
		below = test.WidgetRenderer(o).Objects()
	}
	for _, b := range below {
		list = append(list, texts(b)...)
	}
	return list
}

func crowded(n int) Model {
	m := Model{Line: "5 running, 1 advancing in 3 projects"}
	for i := range n {
		c := withAction(cue(fmt.Sprint(i), pieces.CueGroups()[i*3/n], "Spec ready"), "Approve spec", pieces.ApproveSpec)
		m.Cues = append(m.Cues, c)
	}
	for i := range 6 {
		m.Work = append(m.Work, Work{PieceID: fmt.Sprint("w", i), Title: fmt.Sprint("Running piece ", i), Words: "1 of 4 agents", Part: 0.25})
	}
	return m
}
