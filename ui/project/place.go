package project

import (
	"context"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/kit/sheet"
	"fermata/ui/phrase"
)

// placeAndDisk is what the project's settings lead to: where it is, what it takes, and taking it off the list.
func (p *Project) placeAndDisk() fyne.CanvasObject {
	button := func(name, label string, kind kit.Kind, do func()) *kit.Button {
		b := kit.NewButton(name, label, kind, func() { p.sheets.Close(); do() })
		b.OnEscape = p.sheets.Close
		return b
	}
	return kit.Line(kit.Together,
		button("project:disk", "Disk use…", kit.Normal, p.ShowDisk),
		button("project:move", "Folder moved…", kit.Normal, p.MoveFolder),
		button("project:remove", "Remove project…", kit.Destructive, p.Remove))
}

// MoveFolder asks where the project's repository is now.
func (p *Project) MoveFolder() {
	path := kit.NewEntry("move:path")
	path.SetText(p.place)
	problem := kit.NewParagraph("").In(kit.ColorFailed)
	problem.Hide()
	var move *kit.Button
	send := func() {
		if move.Disabled() {
			return
		}
		move.DisableFor("looking at the folder")
		p.background(func(ctx context.Context) error {
			_, err := p.o.Engine.MoveProject(ctx, p.o.ProjectID, strings.TrimSpace(path.Text))
			return err
		}, func(err error) {
			move.Enable()
			if err == nil {
				p.sheets.Close()
				return
			}
			problem.Set(said("The project was not moved", err))
			show(problem, true)
			p.sheets.Fits()
		})
	}
	move = kit.NewButton("move:ok", "Use this folder", kit.Primary, send)
	cancel := kit.NewButton("move:cancel", "Cancel", kit.Normal, p.sheets.Close)
	path.OnSubmitted = func(string) { send() }
	path.OnEscape = p.sheets.Close
	line := container.NewBorder(nil, nil, nil, nil, path)
	if p.o.Browse != nil {
		line = container.NewBorder(nil, nil, nil, kit.NewButton("move:browse", "Choose…", kit.Normal, func() { p.o.Browse(path.SetText) }), path)
	}
	form := kit.Column(gap,
		kit.NewParagraph(phrase.Of("Say where the repository is after you moved or renamed it. Fermata checks that it is the same one, and lets its worktrees find it again.")),
		kit.NewField("Folder", line, ""))
	p.sheets.Ask(sheet.Sheet{Title: phrase.Of("Folder moved"), Body: form, Problem: problem, Buttons: []*kit.Button{cancel, move}, Width: sheetWidth, First: path})
}

// Remove asks whether to take the project off the list, and does it.
func (p *Project) Remove() {
	p.confirm(confirmation{
		title: phrase.F("Remove “%s”?", p.project.Name), label: "Remove project", tearsDown: true,
		effect: func(ctx context.Context) (pieces.Effect, error) {
			return p.o.Engine.RemoveProjectEffect(ctx, p.o.ProjectID)
		},
		do: func(bound string) func(context.Context) error {
			return func(ctx context.Context) error { return p.o.Engine.RemoveProject(ctx, p.o.ProjectID, bound) }
		},
		done: func() {
			if p.o.Close != nil {
				p.o.Close()
			}
		},
	})
}
