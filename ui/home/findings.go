package home

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// manyFindings are folded until the person unfolds them.
const manyFindings = 2

// drawFindings shows below a project what can hurt work in it, each with its fix.
func (h *Home) drawFindings(p Project) fyne.CanvasObject {
	folded, said := h.folded[p.ID]
	if !said {
		folded = len(p.Findings) > manyFindings
	}
	words := phrase.N(len(p.Findings), "1 thing can hurt work here", "%d things can hurt work here")
	fold := phrase.Of("Hide")
	if folded {
		fold = phrase.Of("Show")
	}
	var again *kit.Button
	again = kit.NewButton("examine:"+p.ID, "Check again", kit.Quiet, func() { h.examine(p.ID, again) })
	head := kit.Line(kit.Together,
		kit.NewStateDot(kit.StateWaiting, words),
		kit.NewButton("findings:"+p.ID, fold, kit.Quiet, func() { h.fold(p.ID, !folded) }),
		again)
	list := kit.Column(kit.Together, head)
	if !folded {
		for _, f := range p.Findings {
			list.Add(kit.Column(kit.Step, kit.NewParagraph(phrase.Said(f.What)), kit.NewNote(phrase.Of("Fix: ")+phrase.Said(f.Fix))))
		}
	}
	return container.New(layout.NewCustomPaddedLayout(0, kit.Together, kit.Together, 0), list)
}

func (h *Home) fold(id string, folded bool) {
	h.folded[id] = folded
	if h.shown == nil {
		return
	}
	focused := h.focused()
	h.rooms.Objects = h.draw(*h.shown)
	h.rooms.Refresh()
	h.content.Refresh()
	h.focus(focused)
}

// examine looks a project over again; what is found shows with the wake that follows.
func (h *Home) examine(id string, again *kit.Button) {
	again.DisableFor("looking it over")
	h.Pump.Go(h.ctx, func(ctx context.Context) error {
		_, err := h.Engine.Examine(ctx, id)
		return err
	}, func(err error) {
		again.Enable()
		h.problem.Hidden = err == nil
		if err != nil {
			h.problem.Set(kit.Problem{What: "The project could not be looked over.", Safe: "Nothing was changed.", Details: err.Error()})
		}
		h.content.Refresh()
	})
}
