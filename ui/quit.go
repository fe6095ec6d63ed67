package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"fermata/ui/kit"
	"fermata/ui/phrase"
)

const (
	quitKey   = "quit"
	quitTitle = "Quit Fermata?"
	quitShown = 6 // pieces that are named
)

// hasTray says whether the desktop shows the tray now.
func (s *Shell) hasTray() bool { return s.Tray != nil && s.Tray.Present() }

// trayPatience is how long a start without a window waits for a tray: at login the panel may come after the app.
const trayPatience = 15 * time.Second

// waitForTray opens a window when no tray comes.
func (s *Shell) waitForTray() {
	s.doze()
	if s.hasTray() {
		return
	}
	s.Pump.Go(s.ctx, func(ctx context.Context) error {
		select {
		case <-time.After(trayPatience):
		case <-ctx.Done():
		}
		return nil
	}, func(error) {
		if !s.hasTray() && len(s.windows) == 0 {
			s.openHome()
		}
	})
}

// TrayChanged is told that the desktop's tray came or went.
func (s *Shell) TrayChanged() {
	if s.ctx == nil || s.ctx.Err() != nil || s.quitting {
		return
	}
	if !s.hasTray() && len(s.windows) == 0 {
		s.openHome() // nothing would be left to open a window from
		return
	}
	if s.home != nil && s.hasTray() {
		s.home.Say("")
	}
	s.draw()
}

// askQuit quits at once when nothing runs; else it says what does, and asks.
func (s *Shell) askQuit() {
	if s.quitting {
		return
	}
	if len(s.last.cues.Running) == 0 || s.ctx == nil {
		s.quit()
		return
	}
	s.hideCues()
	s.open(room{key: quitKey, title: phrase.Of(quitTitle), size: fyne.NewSize(520, 380), fill: s.fillQuit})
}

func (s *Shell) fillQuit(_ context.Context, w fyne.Window) fyne.CanvasObject {
	running := s.last.cues.Running
	what := kit.Column(kit.Step)
	for i, r := range running {
		if i == quitShown {
			what.Add(kit.NewNote(phrase.F("and %d more", len(running)-quitShown)))
			break
		}
		line := "• " + kit.Plain(r.Title)
		if r.ProjectName != "" {
			line += " (" + kit.Plain(r.ProjectName) + ")"
		}
		what.Add(kit.Body(line).CutEnd())
	}
	title := phrase.N(len(running), "Work goes on at 1 piece", "Work goes on at %d pieces")
	leave := func() { s.leave(s.find(quitKey)) }
	keep := kit.NewButton("quit:keep", "Keep running", kit.Normal, leave)
	quit := kit.NewButton("quit:now", "Stop and quit", kit.Destructive, s.quit)
	keep.OnEscape, quit.OnEscape = leave, leave
	w.Canvas().SetOnTypedKey(func(ev *fyne.KeyEvent) {
		if ev.Name == fyne.KeyEscape {
			leave()
		}
	})
	words := kit.Column(kit.Groups,
		kit.Heading(title), what,
		kit.NewParagraph(phrase.Of("Quitting ends the sessions of Claude Code. What the agents have done so far stays in the worktrees. "+
			"When Fermata starts again, agents that were cut off are shown as interrupted and can be resumed; other steps can be run again.")))
	// A scroll would cut what hangs below the last line.
	room := container.New(layout.NewCustomPaddedLayout(0, kit.Step, 0, 0), words)
	buttons := container.New(layout.NewCustomPaddedLayout(kit.Groups-kit.Step, 0, 0, 0), kit.Line(kit.Together, keep, quit))
	return kit.Pad(kit.Pane, container.New(foot{}, container.NewVScroll(room), buttons))
}

// lastClosed quits once no window is left to come back to, unless work runs and the person wants to keep it.
func (s *Shell) lastClosed(key string) {
	switch {
	case s.hasTray() || len(s.windows) > 0:
	case key == quitKey:
		s.openHome() // the person keeps it running
	default:
		s.askQuit()
	}
}

// foot keeps the answers in sight: right below the words, which scroll where there is no room for both.
type foot struct{}

// MinSize leaves room for a few lines.
func (foot) MinSize(o []fyne.CanvasObject) fyne.Size {
	least := o[1].MinSize()
	return fyne.NewSize(least.Width, least.Height+2*kit.RowHigh)
}

// Layout is words, answers.
func (foot) Layout(o []fyne.CanvasObject, size fyne.Size) {
	words, buttons := o[0].(*container.Scroll), o[1]
	low := buttons.MinSize().Height
	words.Content.Resize(fyne.NewSize(size.Width, words.Content.MinSize().Height))
	high := min(words.Content.MinSize().Height, max(0, size.Height-low))
	words.Resize(fyne.NewSize(size.Width, high))
	buttons.Move(fyne.NewPos(0, high))
	buttons.Resize(fyne.NewSize(size.Width, low))
}
