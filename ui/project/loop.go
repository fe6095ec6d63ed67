package project

import (
	"context"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// loopBar is the project's Loop in its window: the button in the toolbar, and one line below it while there is something to
// say.
type loopBar struct {
	p *Project
	// One button that changes its words could be pressed for the other thing.
	play, pause *kit.Button
	buttons     *fyne.Container
	dot         *kit.StateDot
	line        fyne.CanvasObject
	now         pieces.LoopStanding
	problem     string // why the last press did nothing, until the next one
}

func newLoopBar(p *Project) *loopBar {
	l := &loopBar{p: p, dot: kit.NewStateDot(kit.StateIdle, "")}
	l.play = kit.NewButton("playLoop", "Play Loop", kit.Quiet, func() { l.press(l.play, "starting the Loop", p.o.Engine.PlayLoop) })
	l.pause = kit.NewButton("pauseLoop", "Pause Loop", kit.Quiet, func() { l.press(l.pause, "pausing the Loop", p.o.Engine.PauseLoop) })
	l.pause.Hide()
	l.buttons = container.NewStack(l.play, l.pause)
	l.line = kit.Pad(kit.Together, l.dot)
	l.line.Hide()
	return l
}

// show tells how the Loop of a project stands.
func (l *loopBar) show(m model) {
	l.now = m.loop
	l.draw()
}

func (l *loopBar) draw() {
	s := l.now
	state := kit.StatePaused
	if s.Playing {
		state = kit.StateIdle
	}
	if s.AtWork > 0 {
		state = kit.StateRunning
	}
	show(l.play, !s.Playing)
	show(l.pause, s.Playing)
	format, facts := s.Sentence()
	words := phrase.F(format, facts...)
	if l.problem != "" {
		state, words = kit.StateFailed, l.problem
	}
	l.dot.Set(state, words)
	show(l.line, s.Playing || s.AtWork > 0 || l.problem != "")
}

func (l *loopBar) press(b *kit.Button, doing string, turn func(context.Context, string, pieces.Actor) (pieces.Project, error)) {
	b.DisableFor(doing)
	l.p.background(func(ctx context.Context) error {
		_, err := turn(ctx, l.p.o.ProjectID, pieces.ByPerson)
		return err
	}, func(err error) {
		b.Enable()
		l.problem = ""
		if err != nil {
			l.problem = phrase.Of("The Loop was not changed: ") + sentence(err)
		}
		l.draw()
	})
}

// loopFields are the Loop's two numbers in the project's settings.
type loopFields struct {
	atOnce, openPRs         *kit.Entry
	wasAtOnce, wasOpenPRs   int
	atOnceField, openPRsRow *kit.Field
}

func newLoopFields(was pieces.Project) *loopFields {
	f := &loopFields{atOnce: kit.NewEntry("project:loopAtOnce"), openPRs: kit.NewEntry("project:loopOpenPRs")}
	f.wasAtOnce, f.wasOpenPRs = was.LoopLimits()
	f.atOnce.SetText(strconv.Itoa(f.wasAtOnce))
	f.openPRs.SetText(strconv.Itoa(f.wasOpenPRs))
	f.atOnceField = kit.NewField("Loop: pieces at once", f.atOnce, "While it plays, the Loop runs the pieces of its lane through to an opened pull request. It never merges.")
	f.openPRsRow = kit.NewField("Loop: open pull requests", f.openPRs, "As many it may leave open; then it starts nothing until one is merged or closed.")
	return f
}

func (f *loopFields) changed() bool {
	return f.atOnce.Text != strconv.Itoa(f.wasAtOnce) || f.openPRs.Text != strconv.Itoa(f.wasOpenPRs)
}

// read returns the numbers; ok is false when one of them is none, which its field then says.
func (f *loopFields) read() (atOnce, openPRs int, ok bool) {
	number := func(e *kit.Entry, field *kit.Field, most int) (n int, ok bool) {
		n, err := strconv.Atoi(strings.TrimSpace(e.Text))
		if ok = err == nil && n >= 1 && n <= most; ok {
			field.Refuse("")
		} else {
			field.Refuse(phrase.F("A whole number from 1 to %d.", most))
		}
		return n, ok
	}
	atOnce, first := number(f.atOnce, f.atOnceField, pieces.LoopAtOnceMost)
	openPRs, second := number(f.openPRs, f.openPRsRow, pieces.LoopOpenPRsMost)
	return atOnce, openPRs, first && second
}
