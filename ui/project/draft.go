package project

import (
	"context"
	"errors"
	"path/filepath"
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

const sheetWidth float32 = 600

// draftForm asks for what a new draft is.
type draftForm struct {
	p *Project

	title, spec, seed, model *kit.Entry
	lane, refine             *kit.Select
	files, waits             *picked
	problem                  *kit.Paragraph
	file                     *kit.Button
}

// NewDraft shows the form for a new draft.
func (p *Project) NewDraft() {
	if p.sheets.Open() {
		return
	}
	f := newDraftForm(p)
	p.form = f
	cancel := kit.NewButton("draft:cancel", "Cancel", kit.Normal, p.sheets.Close)
	cancel.OnEscape, f.file.OnEscape = f.escape, f.escape
	form := kit.Column(gap,
		kit.NewField("Title", f.title, "A spec's first heading takes its place."),
		kit.NewField("Seed", f.seed, "A rough idea. Claude Code writes the spec from it."),
		kit.NewField("Spec", f.spec, "What to build and how to tell that it is done, in Markdown."),
		container.New(thirds{}, kit.NewField("Lane", f.lane, ""), kit.NewField("Refine the spec", f.refine, ""), kit.NewField("Model", f.model, "")),
		container.New(thirds{}, f.files.body, f.waits.body),
		kit.NewNote(phrase.Of("A draft waits in the Backlog. Nothing runs until you run it.")))
	p.sheets.Ask(sheet.Sheet{Title: phrase.Of("New draft"), Body: form, Problem: f.problem, Buttons: []*kit.Button{cancel, f.file}, Width: sheetWidth, First: f.title})
}

func newDraftForm(p *Project) *draftForm {
	f := &draftForm{
		p: p, title: kit.NewEntry("draft:title"), spec: kit.NewMultiEntry("draft:spec", 7), seed: kit.NewMultiEntry("draft:seed", 3),
		model: kit.NewEntry("draft:model"), problem: kit.NewParagraph("").In(kit.ColorFailed),
	}
	f.files = newPicked("draft:file:", phrase.Of("Attachments"), f.escape, p.sheets.Fits)
	attach := kit.NewButton("draft:attach", "Attach a file…", kit.Normal, func() { p.o.BrowseFile(f.attach) })
	attach.OnEscape = f.escape
	show(attach, p.o.BrowseFile != nil)
	f.files.body.Add(attach)
	f.waits = newPicked("draft:on:", phrase.Of("Depends on"), f.escape, p.sheets.Fits)
	f.offerBlockers()
	f.lane = kit.NewSelect("draft:lane", []string{phrase.Of("Manual"), phrase.Of("Auto"), phrase.Of("Loop")}, nil)
	f.lane.SetSelectedIndex(slices.Index(pieces.Lanes(), pieces.LaneManual))
	f.refine = kit.NewSelect("draft:refine", []string{phrase.Of("Never"), phrase.Of("If it has gaps"), phrase.Of("Always")}, nil)
	f.refine.SetSelectedIndex(slices.Index(pieces.Refines(), pieces.RefineIfGaps))
	f.model.SetPlaceHolder("Default")
	for _, e := range []*kit.Entry{f.title, f.spec, f.seed, f.model} {
		e.OnEscape = f.escape
	}
	f.title.OnSubmitted = func(string) { f.send() }
	f.problem.Hide()
	f.file = kit.NewButton("draft:file", "File draft", kit.Primary, f.send)
	return f
}

// escape closes a form in which nothing was written; what was written is kept for Cancel to throw away.
func (f *draftForm) escape() {
	if f.title.Text+f.spec.Text+f.seed.Text == "" && len(f.files.values())+len(f.waits.values()) == 0 {
		f.p.sheets.Close()
	}
}

// open says whether the form is on the screen.
func (f *draftForm) open() bool {
	return f.p.sheets.Open() && fyne.CurrentApp().Driver().CanvasForObject(f.file) != nil
}

// attach takes a file along.
func (f *draftForm) attach(path string) { f.files.add(path, filepath.Base(path)) }

// offerBlockers lets the person choose what the draft waits on: what is not done of the project.
func (f *draftForm) offerBlockers() {
	var names, ids []string
	for _, d := range f.p.model.drafts {
		names, ids = append(names, kit.Plain(d.Title)), append(ids, d.ID)
	}
	for _, s := range f.p.model.list {
		if s.Piece.Phase != pieces.PhaseComplete && !s.Piece.Archived {
			names, ids = append(names, kit.Plain(s.Piece.Name)), append(ids, s.Piece.ID)
		}
	}
	choose := kit.NewSelect("draft:depends", names, nil)
	choose.PlaceHolder = phrase.Of("Add…")
	choose.OnChanged = func(string) {
		at := choose.SelectedIndex()
		if at < 0 {
			return
		}
		f.waits.add(ids[at], names[at])
		choose.ClearSelected()
	}
	// While dependencies are turned off the engine says none at all.
	show(choose, f.p.model.on != nil && len(names) > 0)
	show(f.waits.body, choose.Visible())
	f.waits.body.Add(choose)
}

func (f *draftForm) send() {
	if f.file.Disabled() {
		return
	}
	n := engine.NewDraft{
		ProjectID: f.p.o.ProjectID, Title: strings.TrimSpace(f.title.Text), Spec: f.spec.Text, Seed: f.seed.Text,
		Lane: pieces.Lanes()[f.lane.SelectedIndex()], Refine: pieces.Refines()[f.refine.SelectedIndex()],
		Model: strings.TrimSpace(f.model.Text), Attach: f.files.values(), DependsOn: f.waits.values(),
	}
	if reason := refuseDraft(n); reason != "" {
		f.refuse(reason)
		return
	}
	f.file.Disable()
	var filed engine.Filed
	f.p.background(func(ctx context.Context) (err error) {
		filed, err = f.p.o.Engine.FileDraft(ctx, n)
		return err
	}, func(err error) {
		f.file.Enable()
		if err != nil {
			f.refuse(sentence(err))
			return
		}
		f.p.sheets.Close()
		f.p.ShowPiece(filed.Draft.ID)
	})
}

func (f *draftForm) refuse(reason string) {
	f.problem.Set(reason)
	show(f.problem, true)
	f.p.sheets.Fits()
}

// refuseDraft says what a draft lacks; empty when it can be filed.
func refuseDraft(n engine.NewDraft) string {
	switch {
	case strings.TrimSpace(n.Spec) == "" && strings.TrimSpace(n.Seed) == "":
		return phrase.Of("Write a seed or a spec first.")
	case len([]rune(n.Title)) > pieces.MaxTitle:
		return phrase.Of("The title is longer than 300 characters.")
	case len([]rune(n.Spec)) > pieces.MaxSpec || len([]rune(n.Seed)) > pieces.MaxSpec:
		return phrase.Of("The text is longer than 1,000,000 characters.")
	}
	return ""
}

func sentence(err error) string {
	if refusal := new(engine.Refusal); errors.As(err, &refusal) {
		return phrase.Err(err)
	}
	return phrase.Of("The draft was not filed: ") + phrase.Err(err)
}

// thirds puts objects of one width beside one another.
type thirds struct{}

// MinSize is that of the largest, for each.
func (thirds) MinSize(objects []fyne.CanvasObject) fyne.Size {
	least := fyne.Size{}
	for _, o := range objects {
		least = least.Max(o.MinSize())
	}
	n := float32(len(objects))
	return fyne.NewSize(n*least.Width+(n-1)*kit.Together, least.Height)
}

// Layout shares the width out evenly.
func (thirds) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	n := float32(len(objects))
	width := (size.Width - (n-1)*kit.Together) / n
	for i, o := range objects {
		o.Move(fyne.NewPos(float32(i)*(width+kit.Together), 0))
		o.Resize(fyne.NewSize(width, o.MinSize().Height))
	}
}
