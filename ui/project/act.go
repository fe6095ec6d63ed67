package project

import (
	"context"
	"errors"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/kit/sheet"
	"fermata/ui/phrase"
)

const (
	confirmWidth float32 = 480
	gap                  = kit.Groups - kit.Step // between the parts of a sheet
)

// drop carries out what dropping a card on a column means, the way the buttons of the open item do.
func (p *Project) drop(id string, d pieces.Drop) {
	if p.sheets.Open() {
		return
	}
	if d.Release {
		p.do(d.Label, func(ctx context.Context) error {
			_, err := p.o.Engine.ReleaseDraft(ctx, id, "", pieces.ByPerson)
			return err
		})
		return
	}
	r := engine.Request{PieceID: id, Action: d.Action, Lane: d.Lane, By: pieces.ByPerson}
	act := func(bound string) func(context.Context) error {
		r.Bound = bound
		return func(ctx context.Context) error {
			_, err := p.o.Engine.Act(ctx, r)
			return err
		}
	}
	if !d.Confirm {
		p.do(d.Label, act(""))
		return
	}
	p.confirm(confirmation{
		title: phrase.Of(d.Label) + "?", label: d.Label, tearsDown: d.Action == pieces.MarkDone,
		effect: func(ctx context.Context) (pieces.Effect, error) { return p.o.Engine.Effect(ctx, r) }, do: act,
	})
}

// DropFiles takes files that were dropped on the window along with a new draft: the one that is being written, or another.
func (p *Project) DropFiles(paths []string) {
	if len(paths) == 0 || p.sheets.Open() && (p.form == nil || !p.form.open()) {
		return
	}
	p.NewDraft()
	for _, path := range paths {
		p.form.attach(path)
	}
}

// DeletePiece asks whether to delete a piece, with all that this does, and deletes it.
func (p *Project) DeletePiece(id string) {
	if p.sheets.Open() || id == "" {
		return
	}
	name := ""
	for _, s := range p.model.list {
		if s.Piece.ID != id {
			continue
		}
		name = s.Piece.Name
		if reason := phrase.Said(s.Undeletable()); reason != "" {
			p.undone.Set(kit.Problem{What: reason, Safe: "Nothing was deleted."})
			show(p.undone, true)
			return
		}
	}
	var left engine.Deleted
	p.confirm(confirmation{
		title: phrase.F("Delete “%s”?", name), label: "Delete piece", tearsDown: true,
		effect: func(ctx context.Context) (pieces.Effect, error) { return p.o.Engine.DeleteEffect(ctx, id) },
		do: func(bound string) func(context.Context) error {
			return func(ctx context.Context) (err error) {
				left, err = p.o.Engine.DeletePiece(ctx, id, bound)
				return err
			}
		},
		done: func() {
			if p.opened == id {
				p.ShowPiece("")
			}
			if left.Saved != "" {
				p.tell("The piece was deleted", "What its worktree held is saved for 30 days. To bring it back, run this in a terminal:", "fermata restore "+id)
			}
		},
	})
}

// confirmation is something that is done once the person has seen its effect.
type confirmation struct {
	title, label string
	tearsDown    bool
	effect       func(ctx context.Context) (pieces.Effect, error)
	// do is bound to the effect that was shown.
	do   func(bound string) func(ctx context.Context) error
	done func() // nil when nothing follows
	said string // before the effect
}

// confirm shows the effect before anything is done. The focus starts on Cancel.
func (p *Project) confirm(c confirmation) {
	var effect pieces.Effect
	p.background(func(ctx context.Context) (err error) {
		effect, err = c.effect(ctx)
		return err
	}, func(err error) {
		if err != nil {
			p.showUndone(c.label, err)
			return
		}
		lines := kit.Column(kit.Together)
		if c.said != "" {
			lines.Add(kit.NewParagraph(c.said).In(kit.ColorNeedsYou))
		}
		for _, l := range effect.Lines {
			lines.Add(kit.NewParagraph(phrase.Said(l)))
		}
		kind := kit.Primary
		if c.tearsDown {
			kind = kit.Destructive
		}
		ok := kit.NewButton("effect:ok", c.label, kind, func() {
			p.sheets.Close()
			p.carryOut(c, effect.Fingerprint)
		})
		cancel := kit.NewButton("effect:cancel", "Cancel", kit.Normal, p.sheets.Close)
		p.sheets.Ask(sheet.Sheet{Title: c.title, Body: lines, Buttons: []*kit.Button{cancel, ok}, Width: confirmWidth})
	})
}

func (p *Project) carryOut(c confirmation, bound string) {
	p.background(c.do(bound), func(err error) {
		switch {
		case errors.Is(err, pieces.ErrStale) && !refused(err):
			c.said = phrase.Of("What this does changed meanwhile. Nothing was done.")
			p.confirm(c)
		case err != nil:
			p.showUndone(c.label, err)
		default:
			show(p.undone, false)
			if c.done != nil {
				c.done()
			}
		}
	})
}

// do asks the engine and shows what it refuses. What changed is read again by the wake that follows.
func (p *Project) do(label string, work func(context.Context) error) {
	p.background(work, func(err error) {
		if held := (*engine.HeldError)(nil); errors.As(err, &held) {
			err = nil // its card says what it waits on
		}
		if err != nil {
			p.showUndone(label, err)
			return
		}
		show(p.undone, false)
	})
}

func refused(err error) bool {
	refusal := (*engine.Refusal)(nil)
	return errors.As(err, &refusal)
}

// showUndone says in the window what could not be done.
func (p *Project) showUndone(label string, err error) {
	problem := kit.Problem{What: phrase.F("Fermata could not do this: %s.", phrase.Of(label)), Safe: "The board shows how things are now.", Details: err.Error()}
	if refused(err) {
		problem = kit.Problem{What: phrase.Err(err), Safe: "Nothing was changed."}
	}
	p.undone.Set(problem)
	show(p.undone, true)
}

// tell says something that has to be read once, with a text that can be copied.
func (p *Project) tell(title, words, copied string) {
	done := kit.NewButton("told:ok", "Close", kit.Normal, p.sheets.Close)
	p.sheets.Ask(sheet.Sheet{
		Title: phrase.Of(title), Body: kit.Column(gap, kit.NewParagraph(phrase.Of(words)), kit.NewCopyable("told:copy", copied)),
		Buttons: []*kit.Button{done}, Width: confirmWidth,
	})
}
