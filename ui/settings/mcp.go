package settings

import (
	"context"
	"errors"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/pieces/signal"
	"fermata/ui/kit"
	"fermata/ui/phrase"
	"fermata/ui/pump"
)

const (
	healthPatience = 10 * time.Second
	startingLook   = 300 * time.Millisecond
)

// standing is what the pane shows of the server.
type standing struct {
	ServerStatus
	tools      int
	ill        string // why the server does not answer; empty when it does
	registered bool
	unread     string // why Claude Code's entry could not be read; empty when it could
}

// plane is the pane of the Fermata MCP server.
type plane struct {
	s     *Settings
	body  fyne.CanvasObject
	foot  *fyne.Container // what the last button did: below the pane, so that it is seen wherever the pane is scrolled to
	calls *calls
	again signal.Hub // wakes the reader when the server changed, and after a button here has done something

	state, health, entry          *kit.StateDot
	stateRow, healthRow, entryRow *kit.Row
	problem                       *kit.ErrorBar
	said                          *kit.Paragraph
	token                         *kit.Paragraph
	register, unregister          *kit.Button
	copyInstructions, copyInline  *kit.Button
	copyOther                     *kit.Button
	regenerate, retry             *kit.Button
}

func newPlane(s *Settings) *plane {
	p := &plane{s: s, said: kit.NewNote(""), token: kit.NewNote("")}
	p.said.Hide()
	p.problem = kit.NewErrorBar("mcp:problem", kit.Problem{})
	p.problem.Hide()
	p.state, p.stateRow = stateRow("mcp:status")
	p.health, p.healthRow = stateRow("mcp:health")
	p.entry, p.entryRow = stateRow("mcp:registered")
	p.makeButtons()
	p.foot = container.NewVBox(kit.Divider(), kit.Pad(kit.Together, kit.Column(0, p.problem, p.said)))
	p.foot.Hide()
	p.calls = newCalls(s)
	p.body = kit.Column(kit.Groups,
		kit.Heading(phrase.Of(MCP)),
		card("Server",
			s.form.row(pieces.KeyMCPEnabled, "Fermata MCP server"),
			s.form.row(pieces.KeyMCPAskBefore, "Ask before runs and pull requests"),
			flush(kit.Column(0, p.stateRow, p.healthRow)),
			container.NewHBox(p.retry),
		),
		card("Claude Code",
			flush(p.entryRow),
			kit.Line(kit.Together, p.register, p.unregister),
			kit.Line(kit.Together, p.copyInstructions, p.copyInline, p.copyOther),
			kit.NewNote(phrase.Of("What is copied here contains the token: whoever has it drives your pieces.")),
		),
		card("Connection",
			s.form.row(pieces.KeyMCPPreferredPort, "Preferred Port"),
			kit.NewNote(phrase.Of("If it is taken, the next nine are tried, then any. A changed port denies the cards that wait; register again after it.")),
			p.token,
			container.NewHBox(p.regenerate),
		),
		p.calls.body,
	)
	return p
}

func stateRow(name string) (*kit.StateDot, *kit.Row) {
	dot := kit.NewStateDot(kit.StateIdle, "")
	row := kit.NewRow(dot, "", "", nil)
	row.SetName(name)
	return dot, row
}

func (p *plane) makeButtons() {
	p.retry = kit.NewButton("mcp:retry", "Retry", kit.Normal, func() {
		p.do(p.retry, "starting the server anew", phrase.Of("The server was started anew."), p.s.Plane.Retry)
	})
	p.register = kit.NewButton("mcp:register", "Register", kit.Primary, func() { p.write(false) })
	p.unregister = kit.NewButton("mcp:unregister", "Unregister", kit.Normal, func() {
		p.do(p.unregister, "writing", phrase.Of("The entry was taken out of Claude Code."), p.s.Plane.Unregister)
	})
	p.copyInstructions = kit.NewButton("mcp:copyInstructions", "Copy Instructions", kit.Normal, func() {
		p.copy(p.copyInstructions, phrase.Of("The instructions were copied."), p.s.Plane.Instructions)
	})
	p.copyInline = kit.NewButton("mcp:copyInline", "Copy Inline Config", kit.Normal, func() {
		p.copy(p.copyInline, phrase.Of("The inline config was copied."), p.s.Plane.InlineConfig)
	})
	p.copyOther = kit.NewButton("mcp:copyOther", "Copy for Another Client", kit.Normal, p.offerForms)
	p.regenerate = kit.NewButton("mcp:regenerate", "Regenerate Token", kit.Destructive, func() {
		p.s.confirm(phrase.Of("Regenerate the MCP token?"), phrase.Of("Every client loses its connection at once. Register again afterwards."), phrase.Of("Regenerate Token"), func() {
			p.do(p.regenerate, "writing", phrase.Of("The token was regenerated: register again."), p.s.Plane.RegenerateToken)
		})
	})
}

// do runs work while its button is off, then says what was done or why it was not.
func (p *plane) do(b *kit.Button, meanwhile, done string, work func(context.Context) error) {
	b.DisableFor(meanwhile)
	p.s.Pump.Go(p.s.ctx, work, func(err error) {
		b.Enable()
		p.end(done, err)
	})
}

func (p *plane) write(replace bool) {
	p.register.DisableFor("writing")
	p.s.Pump.Go(p.s.ctx, func(ctx context.Context) error { return p.s.Plane.Register(ctx, replace) }, func(err error) {
		p.register.Enable()
		if errors.Is(err, ErrRegistered) && !replace {
			p.s.confirm(phrase.Of("Replace the Fermata entry in Claude Code?"), phrase.Of("The entry that is there now is overwritten with this server's address."), phrase.Of("Replace"), func() { p.write(true) })
			return
		}
		p.end(phrase.Of("The entry was written: new Claude Code sessions have the tools."), err)
	})
}

func (p *plane) copy(b *kit.Button, done string, read func() (string, error)) {
	var text string
	b.DisableFor("reading")
	p.s.Pump.Go(p.s.ctx, func(context.Context) error {
		var err error
		text, err = read()
		return err
	}, func(err error) {
		b.Enable()
		if err == nil {
			p.s.Copy(text)
		}
		p.end(done, err)
	})
}

func (p *plane) end(done string, err error) {
	p.said.Set(done)
	p.said.Hidden = err != nil
	p.problem.Hidden = err == nil
	if err != nil {
		p.problem.Set(kit.Problem{What: phrase.Err(err), Safe: "Nothing was changed."})
	}
	p.again.Wake()
	p.foot.Show()
	p.s.content.Refresh()
}

// follow reads how the server stands, now and after each change.
func (p *plane) follow() {
	changed, end := p.s.Plane.Watch()
	context.AfterFunc(p.s.ctx, end)
	nothing := func(context.Context) (struct{}, error) { return struct{}{}, nil }
	pump.Follow(p.s.ctx, p.s.Pump, changed, nothing, func(struct{}) { p.again.Wake() }, func(error) {})
	wake, stop := p.again.Watch()
	context.AfterFunc(p.s.ctx, stop)
	pump.Follow(p.s.ctx, p.s.Pump, wake, p.read, p.show, func(error) {})
	p.calls.follow()
}

func (p *plane) read(ctx context.Context) (standing, error) {
	st := standing{ServerStatus: p.s.Plane.Status()}
	if st.Running {
		asking, cancel := context.WithTimeout(ctx, healthPatience)
		defer cancel()
		tools, err := p.s.Plane.Health(asking)
		st.tools = tools
		if err != nil {
			st.ill = phrase.Err(err)
		}
	}
	var err error
	if st.registered, err = p.s.Plane.Registered(ctx); err != nil {
		st.unread = phrase.Err(err)
	}
	return st, nil
}

func (p *plane) show(st standing) {
	starting := st.Wanted && !st.Running && st.Problem == ""
	if starting {
		p.lookAgain()
	}
	switch {
	case st.Running:
		p.state.Set(kit.StateRunning, "")
		p.stateRow.SetText(phrase.Of("Running on 127.0.0.1"), phrase.F("Port %d", st.Port))
	case starting:
		p.state.Set(kit.StateIdle, "")
		p.stateRow.SetText(phrase.Of("Starting"), "")
	case st.Wanted:
		p.state.Set(kit.StateFailed, "")
		p.stateRow.SetText(phrase.Of("Not running"), st.Problem)
	default:
		p.state.Set(kit.StateIdle, "")
		p.stateRow.SetText(phrase.Of("Off"), "")
	}
	switch {
	case !st.Running:
		p.health.Set(kit.StateIdle, "")
		p.healthRow.SetText(phrase.Of("Not asked"), phrase.Of("the server does not run"))
	case st.ill != "":
		p.health.Set(kit.StateFailed, "")
		p.healthRow.SetText(phrase.Of("Not answering"), st.ill)
	default:
		p.health.Set(kit.StateDone, "")
		p.healthRow.SetText(phrase.F("Answering (%d tools)", st.tools), "")
	}
	p.showEntry(st)
	p.token.Set(phrase.Of(st.TokenPlace))
	p.body.Refresh()
}

// lookAgain reads the status of a server that is about to start once more.
func (p *plane) lookAgain() {
	p.s.Pump.Go(p.s.ctx, func(ctx context.Context) error {
		timer := time.NewTimer(startingLook)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		return nil
	}, func(error) { p.again.Wake() })
}

func (p *plane) showEntry(st standing) {
	switch {
	case st.unread != "":
		p.entry.Set(kit.StateFailed, "")
		p.entryRow.SetText(phrase.Of("The entry could not be read"), st.unread)
	case st.registered:
		p.entry.Set(kit.StateDone, "")
		p.entryRow.SetText(phrase.Of("Registered in Claude Code"), "")
	default:
		p.entry.Set(kit.StateIdle, "")
		p.entryRow.SetText(phrase.Of("Not registered in Claude Code"), "")
	}
	for _, b := range []*kit.Button{p.register, p.copyInstructions, p.copyInline, p.copyOther} {
		allow(b, st.Running)
	}
	allow(p.retry, st.Wanted)
}

// allow says whether a button can be pressed. One that is at work says so itself, and stays as it is until it has done.
func allow(b *kit.Button, on bool) {
	switch {
	case b.Reason() != "":
	case on:
		b.Enable()
	default:
		b.Disable()
	}
}
