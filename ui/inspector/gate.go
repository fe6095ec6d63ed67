package inspector

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// gateBar says what the piece waits for or does, since when, and what the person can do about it.
type gateBar struct {
	do func(choice)

	drawn    string
	busy     string // the name of the choice that is being carried out
	state    *kit.StateDot
	title    *kit.Text
	since    *kit.Text
	sentence *kit.Paragraph
	failure  *kit.ErrorBar
	buttons  *fyne.Container
	body     fyne.CanvasObject
	surface  *kit.Surface
	list     []choice
}

func newGateBar(do func(choice)) *gateBar {
	g := &gateBar{
		do: do, state: kit.NewStateDot(kit.StateIdle, ""), title: kit.Title("").CutEnd(), since: kit.Caption(""),
		sentence: kit.NewParagraph("").In(kit.ColorMuted), failure: kit.NewErrorBar("failure", kit.Problem{}), buttons: kit.Wrap(),
	}
	g.failure.Hide()
	line := newHead(g.state, g.title, g.since)
	g.surface = kit.NewSurface(kit.Column(kit.Together, line, g.sentence, g.failure, g.buttons)).Inset(kit.Groups - kit.Step)
	g.body = g.surface
	return g
}

// show draws a piece's gate. The buttons are made anew only when what they offer changed, so that focus stays.
func (g *gateBar) show(s pieces.Snapshot, since, now time.Time) {
	state, words := headline(s)
	g.state.Set(state, "")
	g.title.Set(phrase.Counted(words))
	g.since.Set(sinceWords(since, now))
	sentence := gateSentence(s)
	g.sentence.Set(sentence)
	show(g.sentence, sentence != "")
	g.showFailure(s)
	stroke := kit.ColorBorder
	if state == kit.StateWaiting || state == kit.StateFailed {
		stroke = state.Color()
	}
	g.surface.In(kit.ColorSurface, stroke)
	g.offer(choices(s))
}

func sinceWords(since, now time.Time) string {
	age := kit.Age(since, now)
	if age == "" || age == phrase.Of("now") {
		return age
	}
	return phrase.F("for %s", age)
}

// showFailure shows why the last step failed, in the sentence that the engine wrote.
func (g *gateBar) showFailure(s pieces.Snapshot) {
	problem := kit.Problem{What: s.Trouble()}
	switch {
	case s.Gate() == pieces.GateWorktreeMissing:
		problem = kit.Problem{What: phrase.Of("Worktree not found: ") + s.Piece.Worktree, Safe: phrase.F("Everything committed is on the branch %s.", s.Piece.Branch)}
	case problem.What != "" && s.Piece.Branch != "":
		problem.Safe = phrase.F("Nothing was removed; the branch is %s.", s.Piece.Branch)
	}
	wanted := problem.What != "" && (failedGate(s.Gate()) || s.Gate() != pieces.GateNone)
	if wanted {
		g.failure.Set(problem)
	}
	show(g.failure, wanted)
}

// offer shows one button for each choice.
func (g *gateBar) offer(list []choice) {
	g.list = list
	k := key(list) + g.busy
	if k == g.drawn {
		return
	}
	g.drawn = k
	g.buttons.Objects = nil
	for _, c := range list {
		if c.menuOnly {
			continue
		}
		b := kit.NewButton(c.name, c.label, c.kind, func() { g.do(c) })
		if g.busy != "" {
			b.Disable()
		}
		if g.busy == c.name {
			b.SetLabel(phrase.Of(c.label) + " …")
		}
		g.buttons.Add(b)
	}
	if len(list) > 1 {
		more := kit.NewButton("actions", "", kit.Quiet, nil).WithIcon(theme.MoreHorizontalIcon())
		more.OnTapped(func() { g.menu(more) })
		g.buttons.Add(more)
	}
	show(g.buttons, len(list) > 0)
	g.buttons.Refresh()
}

// setBusy disables the buttons while one of the choices is carried out.
func (g *gateBar) setBusy(name string) {
	g.busy = name
	g.offer(g.list)
}
