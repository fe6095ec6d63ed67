package settings

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// projects are the parts of the panes that have a row a project.
type projects struct {
	s     *Settings
	shown []pieces.Project
	rows  map[string]*projectRow

	commands  *fyne.Container // what agents may run in each project
	worktrees *fyne.Container // how each project's worktrees are made ready
}

func newProjects(s *Settings) *projects {
	p := &projects{s: s, rows: map[string]*projectRow{}, commands: kit.Column(kit.Groups), worktrees: kit.Column(0)}
	p.draw()
	return p
}

// show draws what was read. A row stays while its project does, so that what is typed into it stays too.
func (p *projects) show(list []pieces.Project) {
	if reflect.DeepEqual(list, p.shown) {
		return
	}
	p.shown = list
	p.draw()
}

func (p *projects) draw() {
	p.commands.Objects, p.worktrees.Objects = nil, nil
	for _, project := range p.shown {
		r := p.rows[project.ID]
		if r == nil {
			r = newProjectRow(p.s, project.ID)
			p.rows[project.ID] = r
		}
		r.show(project)
		p.commands.Add(r.body)
		open := kit.NewButton("worktrees:open:"+project.ID, "Open project", kit.Quiet, func() { p.s.OpenProject(project.ID) })
		p.worktrees.Add(flush(kit.NewRow(nil, project.Name, readiness(project), open)))
	}
	for id := range p.rows {
		if !slices.ContainsFunc(p.shown, func(project pieces.Project) bool { return project.ID == id }) {
			delete(p.rows, id)
		}
	}
	if len(p.shown) == 0 {
		p.commands.Add(kit.NewNote(phrase.Of("There is no project yet.")))
		p.worktrees.Add(kit.NewNote(phrase.Of("There is no project yet.")))
	}
	p.commands.Refresh()
	p.worktrees.Refresh()
}

// readiness says how a project's new worktrees are made ready.
func readiness(p pieces.Project) string {
	switch {
	case p.SetupRuns():
		return phrase.Of("The setup script runs")
	case p.SetupWaits():
		return phrase.Of("The setup script waits until you allow it")
	}
	return phrase.Of("No setup script")
}

// projectRow is one project with the commands that run in it without asking.
type projectRow struct {
	s       *Settings
	id      string
	body    fyne.CanvasObject
	name    *kit.Text
	list    *fyne.Container
	another *kit.Entry
	add     *kit.Button
	wrong   *kit.Paragraph
}

func newProjectRow(s *Settings, id string) *projectRow {
	r := &projectRow{s: s, id: id, name: kit.Body("").Strong().CutEnd(), list: kit.Column(0), wrong: kit.NewNote("").In(kit.ColorFailed)}
	r.wrong.Hide()
	r.another = kit.NewEntry("allow:" + id)
	r.another.SetPlaceHolder("npm test")
	r.add = kit.NewButton("allow:add:"+id, "Allow", kit.Normal, r.send)
	r.another.OnSubmitted = func(string) { r.send() }
	r.another.OnEscape = func() {
		if r.another.Text == "" {
			kit.GoBack(r.another)
			return
		}
		r.another.SetText("")
		r.refuse("")
	}
	r.body = kit.Column(kit.Step, r.name, r.list, container.NewBorder(nil, nil, nil, container.NewHBox(r.add), r.another), r.wrong)
	return r
}

func (r *projectRow) show(p pieces.Project) {
	r.name.Set(p.Name)
	r.list.Objects = nil
	for i, c := range p.AllowedCommands {
		forget := kit.NewButton(fmt.Sprintf("forget:%s:%d", r.id, i), "Remove", kit.Quiet, func() {
			r.edit(engine.ProjectEdit{ForgetCommands: []string{c}}, func() {})
		})
		r.list.Add(container.NewBorder(nil, nil, nil, forget, kit.Mono(c).CutMiddle()))
	}
	if len(p.AllowedCommands) == 0 {
		r.list.Add(kit.NewNote(phrase.Of("Nothing yet.")))
	}
	r.list.Refresh()
}

func (r *projectRow) send() {
	if r.another.Text == "" || r.add.Disabled() {
		return
	}
	r.edit(engine.ProjectEdit{AllowCommands: []string{r.another.Text}}, func() { r.another.SetText("") })
}

// edit changes the project; done is called when it was taken, and a refusal stands below what was typed.
func (r *projectRow) edit(e engine.ProjectEdit, done func()) {
	r.add.DisableFor("writing")
	r.s.Pump.Go(r.s.ctx, func(ctx context.Context) error {
		_, err := r.s.Engine.EditProject(ctx, r.id, e)
		return err
	}, func(err error) {
		r.add.Enable()
		r.refuse(reason(err))
		if err == nil {
			done()
		}
	})
}

func (r *projectRow) refuse(reason string) {
	r.wrong.Set(reason)
	r.wrong.Hidden = reason == ""
	r.body.Refresh()
}
