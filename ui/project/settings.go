package project

import (
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

// settingsForm edits what a project's pieces start from, what makes their worktrees ready, and what agents run unasked.
type settingsForm struct {
	p   *Project
	was pieces.Project

	branch, script *kit.Entry
	loop           *loopFields
	allow          *kit.Check
	allowed        string // the text that the box was ticked for
	waits          *kit.Paragraph
	commands       *fyne.Container
	forget         []string
	problem        *kit.Paragraph
	save           *kit.Button
}

// ShowSettings shows the form for the project's settings.
func (p *Project) ShowSettings() {
	if p.sheets.Open() || p.project.ID == "" {
		return
	}
	f := newSettingsForm(p, p.project)
	cancel := kit.NewButton("project:cancel", "Cancel", kit.Normal, p.sheets.Close)
	cancel.OnEscape, f.save.OnEscape = f.escape, f.escape
	f.loop.atOnce.OnEscape, f.loop.openPRs.OnEscape = f.escape, f.escape
	form := kit.Column(gap,
		kit.NewField("Base branch", f.branch, "New pieces start from it, as it is on its remote."),
		kit.Column(kit.Step,
			kit.NewField("Setup script", f.script, "Makes each new worktree ready before the first session, such as `npm ci`. It stops at the first command that fails, gets none of Fermata's keys, and is ended after 5 minutes. Ignored files that a .worktreeinclude in your checkout names are copied first."),
			f.allow, f.waits),
		kit.Column(kit.Step, kit.Caption(phrase.Of("Commands that agents run without asking")).In(kit.ColorText).Strong(), f.commands),
		container.NewGridWithColumns(2, f.loop.atOnceField, f.loop.openPRsRow),
		p.placeAndDisk())
	p.sheets.Ask(sheet.Sheet{Title: phrase.Of("Project settings"), Body: form, Problem: f.problem, Buttons: []*kit.Button{cancel, f.save}, Width: sheetWidth, First: f.branch})
}

func newSettingsForm(p *Project, was pieces.Project) *settingsForm {
	f := &settingsForm{
		p: p, was: was, branch: kit.NewEntry("project:branch"), script: kit.NewMultiEntry("project:script", 5),
		waits: kit.NewNote(phrase.Of("The script waits: it does not run until you allow this text of it.")).In(kit.ColorNeedsYou),
		loop:  newLoopFields(was), commands: kit.Column(kit.Step), problem: kit.NewParagraph("").In(kit.ColorFailed),
	}
	f.problem.Hide()
	f.branch.SetText(was.Branch)
	f.script.SetText(was.SetupScript)
	f.allow = kit.NewCheck("project:allow", "Fermata may run this script in new worktrees", f.ticked)
	if was.SetupRuns() {
		f.allow.SetChecked(true)
	}
	f.script.OnChanged = func(string) { f.typed() }
	f.save = kit.NewButton("project:save", "Save settings", kit.Primary, f.send)
	f.branch.OnSubmitted = func(string) { f.send() }
	f.branch.OnEscape, f.script.OnEscape = f.escape, f.escape
	f.showScript()
	f.showCommands()
	return f
}

// ticked keeps which text was allowed: the tick means that text and no other.
func (f *settingsForm) ticked(on bool) {
	if on {
		f.allowed = f.script.Text
	}
	f.showScript()
}

func (f *settingsForm) typed() {
	if f.allow.Checked && f.script.Text != f.allowed {
		f.allow.SetChecked(false)
	}
	f.showScript()
}

func (f *settingsForm) showScript() {
	there := strings.TrimSpace(f.script.Text) != ""
	show(f.allow, there)
	show(f.waits, there && !f.allow.Checked)
	f.p.sheets.Fits()
}

func (f *settingsForm) showCommands() {
	f.commands.Objects = nil
	for i, c := range f.was.AllowedCommands {
		if slices.Contains(f.forget, c) {
			continue
		}
		remove := kit.NewButton(fmt.Sprintf("project:forget:%d", i), "Remove", kit.Quiet, func() {
			f.forget = append(f.forget, c)
			f.showCommands()
			f.p.sheets.Fits()
		})
		remove.OnEscape = f.escape
		f.commands.Add(container.NewBorder(nil, nil, nil, remove, kit.Body(c).CutEnd()))
	}
	if len(f.commands.Objects) == 0 {
		f.commands.Add(kit.NewNote(phrase.Of("None. An agent's question offers \"Always in this project\".")))
	}
	f.commands.Refresh()
}

func (f *settingsForm) changed() bool {
	return f.branch.Text != f.was.Branch || f.script.Text != f.was.SetupScript || f.allow.Checked != f.was.SetupRuns() || len(f.forget) > 0 || f.loop.changed()
}

// escape closes a form in which nothing was changed; what was changed is kept for Cancel to throw away.
func (f *settingsForm) escape() {
	if !f.changed() {
		f.p.sheets.Close()
	}
}

func (f *settingsForm) send() {
	if f.save.Disabled() {
		return
	}
	atOnce, openPRs, ok := f.loop.read()
	if !ok {
		f.p.sheets.Fits()
		return
	}
	allow := f.allow.Checked && f.script.Text == f.allowed
	edit := engine.ProjectEdit{Branch: &f.branch.Text, SetupScript: &f.script.Text, AllowSetup: &allow, ForgetCommands: f.forget}
	if f.loop.changed() {
		edit.LoopAtOnce, edit.LoopOpenPRs = &atOnce, &openPRs
	}
	f.save.DisableFor("looking for the branch")
	f.p.background(func(ctx context.Context) error {
		_, err := f.p.o.Engine.EditProject(ctx, f.was.ID, edit)
		return err
	}, func(err error) {
		f.save.Enable()
		if err != nil {
			f.problem.Set(sentence(err))
			show(f.problem, true)
			f.p.sheets.Fits()
			return
		}
		f.p.sheets.Close()
	})
}
