package inspector

import (
	"context"
	"errors"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/kit/sheet"
	"fermata/ui/phrase"
)

const sheetWidth float32 = 480

// choose carries a choice out, after what it needs to ask first.
func (i *Inspector) choose(c choice) {
	switch c.way {
	case confirmed:
		i.confirm(c, "")
	case guided, told, planned:
		i.askWords(c)
	case laned:
		i.askLane(c)
	case limited:
		i.askBudget(c)
	case toggling:
		i.toggleResume(c)
	case pullRequest:
		i.askPullRequest(c)
	case startingAnyway:
		i.startAnyway(c)
	case stoppingChanges:
		i.askStopChanges(c)
	case pushing:
		i.carryOut(c, func(ctx context.Context, id string) error {
			_, err := i.o.Engine.PushChanges(ctx, id, pieces.ByPerson)
			return err
		})
	case splitting:
		i.askSplit(c)
	case reviewing:
		i.openTab(tabAgents)
	case remaking:
		i.remake()
	case viewing:
		i.o.OpenURL(i.last.piece.Piece.PR.URL)
	default:
		i.act(c)
	}
}

// act asks the engine and shows what it refuses. The piece itself is read again by the wake that follows.
func (i *Inspector) act(c choice) {
	i.gate.setBusy(c.name)
	i.background(func(ctx context.Context) error {
		_, err := i.o.Engine.Act(ctx, c.req)
		return err
	}, func(err error) {
		i.gate.setBusy("")
		if errors.Is(err, pieces.ErrStale) && c.req.Bound != "" {
			c.req.Bound = ""
			i.confirm(c, "What this does changed meanwhile. Nothing was done.")
			return
		}
		i.showProblem(c.label, err)
	})
}

// carryOut does with the piece what no client can, and shows what is refused.
func (i *Inspector) carryOut(c choice, do func(ctx context.Context, id string) error) {
	id := i.last.id
	i.gate.setBusy(c.name)
	i.background(func(ctx context.Context) error { return do(ctx, id) }, func(err error) {
		i.gate.setBusy("")
		i.showProblem(c.label, err)
	})
}

// confirm reads the effect of a choice and shows it before anything is done; Allow is bound to what was shown.
func (i *Inspector) confirm(c choice, before string) {
	var effect pieces.Effect
	i.gate.setBusy(c.name)
	i.background(func(ctx context.Context) (err error) {
		effect, err = i.o.Engine.Effect(ctx, c.req)
		return err
	}, func(err error) {
		i.gate.setBusy("")
		if err != nil {
			i.showProblem(c.label, err)
			return
		}
		c.req.Bound = effect.Fingerprint
		lines := kit.Column(kit.Together)
		if before != "" {
			lines.Add(kit.NewParagraph(before).In(kit.ColorNeedsYou))
		}
		for _, l := range effect.Lines {
			lines.Add(kit.NewParagraph(phrase.Said(l)))
		}
		i.askSheet(phrase.Of(c.label)+"?", lines, kit.NewButton("confirm:ok", c.label, kit.Destructive, func() {
			i.sheets.Close()
			i.act(c)
		}), nil)
	})
}

// askSheet shows a sheet with Cancel and the button that goes on. The focus starts on first, or on Cancel.
func (i *Inspector) askSheet(title string, content fyne.CanvasObject, ok *kit.Button, first fyne.Focusable) {
	askSheet(i.sheets, "confirm:cancel", title, content, ok, first)
}

// askSheet is the sheet that the item and the person's own sessions ask with; the name is that of its Cancel.
func askSheet(layer *sheet.Layer, name, title string, content fyne.CanvasObject, ok *kit.Button, first fyne.Focusable) {
	cancel := kit.NewButton(name, "Cancel", kit.Normal, layer.Close)
	layer.Ask(sheet.Sheet{Title: phrase.Of(title), Body: content, Buttons: []*kit.Button{cancel, ok}, Width: sheetWidth, First: first})
}

// askPullRequest asks for the pull request's title and text; what is left empty is written from the diff.
func (i *Inspector) askPullRequest(c choice) {
	title, body := kit.NewEntry("pr:title"), kit.NewMultiEntry("pr:body", 6)
	title.OnEscape, body.OnEscape = i.sheets.Close, i.sheets.Close
	draft := kit.NewCheck("pr:draft", "Open it as a draft", nil)
	form := kit.Column(kit.Together,
		kit.NewField("Title", title, "Left empty, it is written from the diff."),
		kit.NewField("Text", body, "Left empty, it is written from the diff."), draft)
	i.askSheet("Open pull request", form, kit.NewButton("pr:open", "Open pull request", kit.Primary, func() {
		c.req.Title, c.req.HasTitle = title.Text, title.Text != ""
		c.req.Body, c.req.HasBody = body.Text, body.Text != ""
		c.req.IsDraft = draft.Checked
		i.sheets.Close()
		i.act(c)
	}), title)
}

// link adds or removes a dependency of the piece.
func (i *Inspector) link(what string, r engine.Request) {
	i.act(choice{name: string(r.Action), label: what, req: r})
}

// approveTask approves one agent from its row.
func (i *Inspector) approveTask(taskID string) {
	if i.last.piece == nil {
		return
	}
	rule, _ := pieces.RuleOf(pieces.ApproveTask)
	i.act(choice{name: "approveTask:" + taskID, label: rule.Label, req: engine.Request{
		PieceID: i.last.id, Action: pieces.ApproveTask, By: pieces.ByPerson, TaskID: taskID,
	}})
}

// showProblem says in the inspector what could not be done; a nil error takes the last one away.
func (i *Inspector) showProblem(what string, err error) {
	i.unread = false
	i.showProblemIn(i.problem, what, err)
	i.fit()
}

func (i *Inspector) showProblemIn(bar *kit.ErrorBar, what string, err error) {
	showProblemOf(bar, what, err)
}

// showProblemOf says what could not be done; a nil error takes the last one away.
func showProblemOf(bar *kit.ErrorBar, what string, err error) {
	show(bar, err != nil)
	if err == nil {
		return
	}
	problem := kit.Problem{What: phrase.Err(err), Safe: "Nothing was changed."}
	if refusal := new(engine.Refusal); !errors.As(err, &refusal) {
		problem = kit.Problem{
			What: phrase.F("Fermata could not do this: %s.", phrase.Of(what)), Safe: "The item is shown as it is now.", Details: err.Error(),
		}
	}
	bar.Set(problem)
}
