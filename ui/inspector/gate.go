package inspector

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
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
	line     *gateButtons // of the buttons
	fold     *kit.Button
	folded   bool
	wish     *bool // what the person chose; nil leaves it to the room there is
	low      bool  // there is little room
	said     bool  // there is a sentence
	failing  bool  // there is a failure to read
	resized  func()
	body     fyne.CanvasObject
	surface  *kit.Surface
	list     []choice
}

func newGateBar(do func(choice), resized func()) *gateBar {
	g := &gateBar{
		do: do, resized: resized, line: &gateButtons{}, state: kit.NewStateDot(kit.StateIdle, ""), title: kit.Title("").CutEnd(), since: kit.Caption(""),
		sentence: kit.NewParagraph("").In(kit.ColorMuted), failure: kit.NewErrorBar("failure", kit.Problem{}),
	}
	g.failure.Hide()
	g.buttons = container.New(g.line)
	g.fold = kit.NewButton("gate:fold", "", kit.Quiet, func() {
		wish := !g.folded
		g.wish = &wish
		g.arrange()
		g.resized()
	})
	g.surface = kit.NewSurface(container.New(gateLayout{g}, g.state, g.title, g.since, g.fold, g.sentence, g.failure, g.buttons)).Inset(kit.Groups - kit.Step)
	g.arrange()
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
	g.said = sentence != ""
	g.showFailure(s)
	stroke := kit.ColorBorder
	if state == kit.StateWaiting || state == kit.StateFailed {
		stroke = state.Color()
	}
	g.surface.In(kit.ColorSurface, stroke)
	g.offer(choices(s))
	g.arrange()
}

// inLow tells the bar whether it stands in little room, where it folds unless there is a failure to read.
func (g *gateBar) inLow(low bool) {
	if low != g.low {
		g.low = low
		g.arrange()
	}
}

// arrange folds the bar to one line or unfolds it.
func (g *gateBar) arrange() {
	g.folded = g.low && !g.failing
	if g.wish != nil {
		g.folded = *g.wish
	}
	g.line.folded = g.folded
	icon := theme.MenuDropUpIcon()
	if g.folded {
		icon = theme.MenuDropDownIcon()
	}
	g.fold.WithIcon(icon)
	show(g.sentence, g.said && !g.folded)
	show(g.failure, g.failing && !g.folded)
	g.surface.Refresh()
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
	g.failing = wanted
}

// offer shows one button for each choice.
func (g *gateBar) offer(list []choice) {
	g.list = list
	k := key(list) + g.busy
	if k == g.drawn {
		return
	}
	g.drawn = k
	g.buttons.Objects, g.line.menu = nil, nil
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
		g.buttons.Objects = append(g.buttons.Objects, b)
	}
	if len(list) > 1 {
		more := kit.NewButton("actions", "", kit.Quiet, nil).WithIcon(theme.MoreHorizontalIcon())
		more.OnTapped(func() { g.menu(more) })
		g.buttons.Objects, g.line.menu = append(g.buttons.Objects, more), more
	}
	show(g.buttons, len(list) > 0)
	g.buttons.Refresh()
}

// setBusy disables the buttons while one of the choices is carried out.
func (g *gateBar) setBusy(name string) {
	g.busy = name
	g.offer(g.list)
}
