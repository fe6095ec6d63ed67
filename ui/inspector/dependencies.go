package inspector

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/kit/sheet"
	"fermata/ui/phrase"
)

// dependencyPart shows what an item waits on, and changes it.
type dependencyPart struct {
	i   *Inspector
	act func(what string, r engine.Request)

	drawn string
	body  *fyne.Container
}

// waitView is what the part shows of an item.
type waitView struct {
	id   string
	on   []pieces.Dependency
	off  bool // dependencies are turned off
	adds bool // a link may be added
	note string
}

func newDependencyPart(i *Inspector, act func(what string, r engine.Request)) *dependencyPart {
	return &dependencyPart{i: i, act: act, body: kit.Column(kit.Together)}
}

func pieceWaits(s pieces.Snapshot) waitView {
	w := waitView{id: s.Piece.ID, on: s.Dependencies, off: !s.Flags.Dependencies, adds: s.Legal(pieces.AddDependency)}
	if s.Waits() {
		w.note = cmp.Or(stuckWords(w.on), phrase.Of("It goes on by itself once these are done."))
	}
	return w
}

func draftWaits(d pieces.Draft, on map[string][]pieces.Dependency) waitView {
	w := waitView{id: d.ID, on: on[d.ID], off: on == nil, adds: true}
	switch {
	case d.Waits(w.on) && d.ReleasedBy == "":
		w.note = cmp.Or(stuckWords(w.on), "The Loop plays, and starts it once these are done and it is its turn.")
	case d.Waits(w.on):
		w.note = cmp.Or(stuckWords(w.on), phrase.Of("It was released, and starts by itself once these are done."))
	case d.Lane == pieces.LaneManual && len(w.on) > 0:
		w.note = phrase.Of("On the manual lane nothing holds it; you decide when it runs.")
	}
	return w
}

// stuckWords say why waiting alone does not help; empty where it does.
func stuckWords(on []pieces.Dependency) string {
	if slices.ContainsFunc(on, func(d pieces.Dependency) bool { return d.Standing == pieces.Wrong }) {
		return phrase.Of("It does not start before what failed, stopped or is gone is brought on again, or removed here.")
	}
	return ""
}

func (p *dependencyPart) show(w waitView) {
	show(p.body, !w.off && (w.adds || len(w.on) > 0))
	if k := fmt.Sprintf("%+v", w); k != p.drawn {
		p.drawn = k
		p.draw(w)
	}
}

func (p *dependencyPart) draw(w waitView) {
	p.body.Objects = []fyne.CanvasObject{kit.NewParagraph(phrase.Of("Dependencies")).Strong()}
	for n, d := range w.on {
		p.body.Add(p.row(n, w.id, d))
	}
	if len(w.on) == 0 {
		p.body.Add(kit.NewNote(phrase.Of("It waits on nothing.")))
	}
	if w.note != "" {
		p.body.Add(kit.NewNote(w.note))
	}
	if w.adds {
		p.body.Add(container.NewHBox(kit.NewButton("addDependency", "+ Add dependency", kit.Normal, func() { p.ask(w.id) })))
	}
	p.body.Refresh()
}

func (p *dependencyPart) row(n int, id string, d pieces.Dependency) fyne.CanvasObject {
	remove := kit.NewButton(fmt.Sprintf("removeDependency:%d", n), "Remove", kit.Quiet, func() {
		p.act("Remove dependency", engine.Request{PieceID: id, Action: pieces.RemoveDependency, By: pieces.ByPerson, Blocker: d.ID})
	})
	name, state := dependencyWords(d)
	return container.NewBorder(nil, nil, kit.NewStateDot(state, ""), remove, kit.Body(name).CutEnd())
}

// dependencyWords name a blocker and where it stands.
func dependencyWords(d pieces.Dependency) (string, kit.State) {
	name := d.Name
	if d.Key != "" {
		name = strings.TrimSpace(d.Key + " " + name)
	}
	words := name + " · " + phrase.Counted(d.State)
	switch d.Standing {
	case pieces.Met:
		return words, kit.StateDone
	case pieces.Wrong:
		if d.State == pieces.StateDeleted {
			return words, kit.StateFailed
		}
		return words + phrase.Of(", needs you"), kit.StateFailed
	default:
		return words, kit.StateIdle
	}
}

// ask lets the person choose what the item shall wait on.
func (p *dependencyPart) ask(id string) {
	var list []engine.Candidate
	p.i.background(func(ctx context.Context) (err error) {
		list, err = p.i.o.Engine.Candidates(ctx, id)
		return err
	}, func(err error) {
		switch {
		case p.i.query.id != id:
		case err != nil:
			p.i.showProblem("Add dependency", err)
		default:
			p.choose(id, list)
		}
	})
}

func (p *dependencyPart) choose(id string, list []engine.Candidate) {
	if len(list) == 0 {
		shut := kit.NewButton("confirm:cancel", "Close", kit.Normal, p.i.sheets.Close)
		p.i.sheets.Ask(sheet.Sheet{
			Title: phrase.Of("Add dependency"), Body: kit.NewParagraph(phrase.Of("The project has no other piece or draft that it could wait on.")),
			Buttons: []*kit.Button{shut}, Width: sheetWidth,
		})
		return
	}
	names := make([]string, len(list))
	for n, c := range list {
		// Two may have one name, and the choice is by its words.
		names[n] = fmt.Sprintf("%d. %s · %s", n+1, kit.Plain(c.Name), phrase.Counted(c.State))
	}
	pick := kit.NewSelect("dependency:pick", names, nil)
	pick.SetSelectedIndex(0)
	p.i.askSheet("Add dependency", kit.NewField("Wait for", pick, "On Auto and in the Loop it starts building once that is done and merged."),
		kit.NewButton("dependency:add", "Add dependency", kit.Primary, func() {
			p.i.sheets.Close()
			p.act("Add dependency", engine.Request{PieceID: id, Action: pieces.AddDependency, By: pieces.ByPerson, Blocker: list[pick.SelectedIndex()].ID})
		}), pick)
}
