package inspector

import (
	"context"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// Place is a program in which a worktree is opened.
type Place string

// The places.
const (
	PlaceTerminal Place = "terminal"
	PlaceEditor   Place = "editor"
	PlaceFiles    Place = "file manager"
)

// placeButtons opens a worktree elsewhere.
func (i *Inspector) placeButtons(folder string) *fyne.Container {
	line := kit.Wrap()
	if i.o.OpenSession != nil {
		line.Add(kit.NewButton("open:session", "Open a session here", kit.Normal, func() { i.o.OpenSession(i.last.id) }))
	}
	if i.o.OpenIn == nil {
		return line
	}
	for _, p := range []struct {
		place       Place
		name, label string
	}{{PlaceTerminal, "open:terminal", "Open in terminal"}, {PlaceEditor, "open:editor", "Open in editor"}, {PlaceFiles, "open:files", "Show in file manager"}} {
		line.Add(kit.NewButton(p.name, p.label, kit.Normal, func() {
			i.background(func(ctx context.Context) error { return i.o.OpenIn(ctx, p.place, folder) },
				func(err error) {
					i.showProblem("", err)
					if err != nil {
						i.problem.Set(kit.Problem{What: phrase.F("The %s was not opened: %s", phrase.Of(string(p.place)), phrase.Err(err)), Safe: "The worktree is as it was."})
						i.fit()
					}
				})
		}))
	}
	return line
}

// remake gets a worktree that is gone back from the branch.
func (i *Inspector) remake() {
	id := i.last.id
	i.gate.setBusy(remakeName)
	i.background(func(ctx context.Context) error {
		_, err := i.o.Engine.OpenWorkspace(ctx, id, pieces.ByPerson)
		return err
	}, func(err error) {
		i.gate.setBusy("")
		i.showProblem("make the worktree again", err)
	})
}

// remakeName is the name of the button that makes a worktree again.
const remakeName = "action:openWorkspace"
