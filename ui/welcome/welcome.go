// Package welcome is the window of the first start.
package welcome

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/ui/kit"
	"fermata/ui/kit/sheet"
	"fermata/ui/phrase"
	"fermata/ui/pump"
)

// Title is the title of the welcome window.
const Title = "Welcome to Fermata"

// Actions is what the window's answers lead to. They are called off the main goroutine, but for Done.
type Actions struct {
	// TurnOn starts the Fermata MCP server and returns when it answers.
	TurnOn func(context.Context) error
	// Register writes the entry into Claude Code. It returns true, and has written nothing, when there is one already and
	// replace is not set.
	Register func(ctx context.Context, replace bool) (exists bool, err error)
	// Finish remembers that the window was answered.
	Finish func(context.Context) error
	// Health says what keeps Claude Code from running; empty when nothing does.
	Health func(context.Context) string
	// Done is called on the main goroutine when the window is to be closed.
	Done func()
}

// Options is what a Welcome is made of.
type Options struct {
	Pump    *pump.Pump
	Actions Actions
	NoTray  string // the sentence about the missing tray; empty where there is one
}

// Welcome is touched on the main goroutine only.
type Welcome struct {
	Options
	ctx context.Context // the window's life

	health  *kit.ErrorBar
	problem *kit.ErrorBar
	said    *kit.Paragraph
	buttons []*kit.Button
	layer   *sheet.Layer
	content fyne.CanvasObject
}

// New makes the window's content and asks how Claude Code stands.
func New(ctx context.Context, o Options) *Welcome {
	w := &Welcome{Options: o, ctx: ctx, said: kit.NewNote(""), layer: sheet.NewLayer()}
	w.said.Hide()
	w.health, w.problem = kit.NewErrorBar("welcome:health", kit.Problem{}), kit.NewErrorBar("welcome:problem", kit.Problem{})
	w.health.Hide()
	w.problem.Hide()
	register := kit.NewButton("welcome:register", "Turn on and register", kit.Primary, w.turnOnAndRegister)
	turnOn := kit.NewButton("welcome:turnOn", "Turn on only", kit.Normal, func() { w.do(phrase.Of("Turning the server on …"), w.Actions.TurnOn, w.finish) })
	later := kit.NewButton("welcome:later", "Not now", kit.Quiet, w.finish)
	w.buttons = []*kit.Button{register, turnOn, later}
	text := kit.Column(kit.Groups,
		kit.Heading(phrase.Of("Welcome to Fermata")),
		kit.NewParagraph(phrase.Of("Fermata carries pieces of work from a rough idea to an open pull request, with Claude Code doing the work and you "+
			"deciding at each gate. It never merges.")),
		w.health,
		kit.Title(phrase.Of("Drive it from your terminal?")),
		kit.NewParagraph(phrase.Of("The Fermata MCP server lets your own Claude Code sessions read and drive your pieces. It answers on 127.0.0.1 only, and stopping "+
			"agents or marking a piece done always asks you here. Turning it on also turns on Edge features and the MCP control plane.")),
		kit.NewParagraph(phrase.Of("Register writes the entry into Claude Code's own configuration. Both can be changed in Settings at any time.")),
		w.problem, w.said,
		kit.Line(kit.Together, register, turnOn, later),
	)
	if o.NoTray != "" {
		text.Add(kit.NewSurface(kit.NewParagraph(o.NoTray)).Inset(kit.Together).In(kit.ColorRaised, kit.ColorBorder))
	}
	w.content = container.NewStack(container.NewVScroll(kit.Pad(kit.Pane, text)), w.layer)
	w.ask()
	return w
}

// Content is what the window shows.
func (w *Welcome) Content() fyne.CanvasObject { return w.content }

func (w *Welcome) ask() {
	sentence := ""
	w.Pump.Go(w.ctx, func(ctx context.Context) error {
		sentence = w.Actions.Health(ctx)
		return nil
	}, func(error) {
		w.health.Hidden = sentence == ""
		w.health.Set(kit.Problem{What: sentence, Safe: "Fermata can be set up meanwhile; only sessions need Claude Code."})
		w.content.Refresh()
	})
}

func (w *Welcome) turnOnAndRegister() {
	w.do(phrase.Of("Turning the server on …"), w.Actions.TurnOn, func() { w.register(false) })
}

func (w *Welcome) register(replace bool) {
	exists := false
	w.do(phrase.Of("Writing the entry into Claude Code …"), func(ctx context.Context) (err error) {
		exists, err = w.Actions.Register(ctx, replace)
		return err
	}, func() {
		if exists && !replace {
			w.askToReplace()
			return
		}
		w.finish()
	})
}

func (w *Welcome) askToReplace() {
	const sheetWide = 420
	w.busy("")
	keep := kit.NewButton("confirm:cancel", "Keep it", kit.Normal, func() { w.layer.Close(); w.finish() })
	replace := kit.NewButton("confirm:ok", "Replace", kit.Destructive, func() { w.layer.Close(); w.register(true) })
	w.layer.Ask(sheet.Sheet{
		Title: phrase.Of("Replace the Fermata entry in Claude Code?"), Buttons: []*kit.Button{keep, replace}, Width: sheetWide,
		Body: kit.NewParagraph(phrase.Of("The server is on. The entry that is there now is overwritten with its address.")),
	})
}

func (w *Welcome) finish() {
	w.do("", w.Actions.Finish, w.Actions.Done)
}

// do runs work while the buttons are off, then goes on, or says why it was not done.
func (w *Welcome) do(meanwhile string, work func(context.Context) error, then func()) {
	w.busy(meanwhile)
	for _, b := range w.buttons {
		b.Disable()
	}
	w.Pump.Go(w.ctx, work, func(err error) {
		w.busy("")
		for _, b := range w.buttons {
			b.Enable()
		}
		if err != nil {
			w.problem.Set(kit.Problem{What: phrase.Err(err), Safe: "What was done before stays as it is.", Next: "Try again, or choose “Not now” and look into Settings."})
			w.problem.Show()
			w.content.Refresh()
			return
		}
		then()
	})
}

func (w *Welcome) busy(words string) {
	w.said.Set(words)
	w.said.Hidden = words == ""
	w.problem.Hide()
	w.content.Refresh()
}
