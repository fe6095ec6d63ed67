package inspector

import (
	"context"
	"errors"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// draftEditor changes a draft and runs it. What the person has typed is never overwritten by what is read meanwhile.
type draftEditor struct {
	i *Inspector

	stored   pieces.Draft // as it was read last
	title    *kit.Entry
	spec     *kit.Entry
	seed     *kit.Entry
	model    *kit.Entry
	lane     *kit.Select
	refine   *kit.Select
	note     *kit.Paragraph
	effect   *kit.Paragraph
	problem  *kit.ErrorBar
	run      *kit.Button
	save     *kit.Button
	waits    *dependencyPart
	files    *attachedPart
	filling  bool
	busy     bool
	elsewise bool // the draft was changed from elsewhere while the person edits
	body     fyne.CanvasObject
}

func newDraftEditor(i *Inspector) *draftEditor {
	d := &draftEditor{
		i: i, title: kit.NewEntry("edit:title"), spec: kit.NewMultiEntry("edit:spec", 12), seed: kit.NewMultiEntry("edit:seed", 4),
		model: kit.NewEntry("edit:model"), note: kit.NewNote(""), effect: kit.NewNote(""), problem: kit.NewErrorBar("draftProblem", kit.Problem{}),
	}
	changed := func(string) { d.edited() }
	d.lane = kit.NewSelect("edit:lane", laneWords3(), changed)
	d.refine = kit.NewSelect("edit:refine", refineWords(), changed)
	for _, e := range []*kit.Entry{d.title, d.spec, d.seed, d.model} {
		e.OnChanged = changed
	}
	d.model.SetPlaceHolder("Claude Code's default")
	d.spec.SetPlaceHolder("# Title\n\nWhat to build, and how to tell that it is done")
	d.seed.SetPlaceHolder("A rough idea; Claude Code writes the spec from it")
	d.problem.Hide()
	d.run = kit.NewButton("release", "Run spec", kit.Primary, d.release)
	d.save = kit.NewButton("saveDraft", "Save", kit.Normal, func() { d.store(nil) })
	d.waits = newDependencyPart(i, d.link)
	d.files = newAttachedPart(d.browser(), func(name string) { d.attach("remove the file", engine.DraftEdit{Detach: []string{name}}) })
	cancel := kit.NewButton("cancelDraft", "Cancel draft", kit.Destructive, d.cancel)
	shut := kit.NewButton("closeItem", "", kit.Quiet, func() { i.close() }).WithIcon(theme.CancelIcon())
	bar := kit.NewSurface(kit.Column(kit.Together,
		newHead(kit.NewStateDot(kit.StateIdle, ""), kit.Title(phrase.Of("Draft")), shut),
		d.effect, d.problem, kit.Wrap(d.run, d.save, cancel), d.note)).Inset(kit.Groups - kit.Step)
	form := kit.Column(kit.Groups-kit.Step, bar, d.waits.body, d.files.body,
		kit.NewField("Title", d.title, "A spec's first heading takes its place."),
		kit.NewField("Spec", d.spec, ""), kit.NewField("Seed", d.seed, ""),
		container.New(halves{}, kit.NewField("Lane", d.lane, ""), kit.NewField("Refine the spec", d.refine, "")),
		kit.NewField("Model of the spec step", d.model, ""))
	d.body = container.NewVScroll(kit.Pad(kit.Groups-kit.Step, form))
	d.body.Hide()
	return d
}

// show takes a reading. Fields that the person has not touched follow it.
func (d *draftEditor) show(n pieces.Draft) {
	if n.ID != d.stored.ID {
		d.elsewise = false
		d.i.showProblemIn(d.problem, "", nil)
		d.fill(n)
		return
	}
	if n.Version == d.stored.Version {
		return
	}
	d.merge(n)
}

// merge takes over the fields that the person has not touched, and notes when one that was touched changed elsewhere too.
func (d *draftEditor) merge(n pieces.Draft) {
	before, typed := d.stored, d.typed()
	keep := func(now *string, before, typed string) {
		if typed == before || typed == *now {
			return
		}
		d.elsewise = d.elsewise || *now != before
		*now = typed
	}
	shown := n
	keep(&shown.Title, before.Title, typed.Title)
	keep(&shown.Spec, before.Spec, typed.Spec)
	keep(&shown.Seed, before.Seed, typed.Seed)
	keep(&shown.Model, before.Model, typed.Model)
	lane, refine := string(n.Lane), string(n.Refine)
	keep(&lane, string(before.Lane), string(typed.Lane))
	keep(&refine, string(before.Refine), string(typed.Refine))
	shown.Lane, shown.Refine = pieces.Lane(lane), pieces.Refine(refine)
	d.fill(shown)
	d.stored = n
	d.edited()
}

func (d *draftEditor) fill(n pieces.Draft) {
	d.stored = n
	d.files.show(n.Attachments, d.i.o.BrowseFile != nil)
	d.filling = true
	setText(d.title, n.Title)
	setText(d.spec, n.Spec)
	setText(d.seed, n.Seed)
	setText(d.model, n.Model)
	d.lane.SetSelectedIndex(max(0, slices.Index(pieces.Lanes(), n.Lane)))
	d.refine.SetSelectedIndex(max(0, slices.Index(pieces.Refines(), n.Refine)))
	d.filling = false
	d.edited()
}

// setText leaves an entry alone that says it already, so that its cursor stays.
func setText(e *kit.Entry, text string) {
	if e.Text != text {
		e.SetText(text)
	}
}

// typed is the draft as it stands in the fields.
func (d *draftEditor) typed() pieces.Draft {
	n := d.stored
	n.Title, n.Spec, n.Seed, n.Model = d.title.Text, d.spec.Text, d.seed.Text, strings.TrimSpace(d.model.Text)
	n.Lane = pieces.Lanes()[max(0, d.lane.SelectedIndex())]
	n.Refine = pieces.Refines()[max(0, d.refine.SelectedIndex())]
	return n
}

func (d *draftEditor) dirty() bool {
	n, s := d.typed(), d.stored
	return n.Title != s.Title || n.Spec != s.Spec || n.Seed != s.Seed || n.Model != s.Model || n.Lane != s.Lane || n.Refine != s.Refine
}

// edited brings the buttons and the words about them up to date with the fields.
func (d *draftEditor) edited() {
	if d.filling {
		return
	}
	n := d.typed()
	label := phrase.Of("Run spec")
	if n.Lane == pieces.LaneAuto {
		label = phrase.Of("Play")
	}
	d.run.SetLabel(label)
	d.effect.Set(releaseWords(n))
	d.files.setBusy(d.busy)
	d.save.Enable()
	d.run.Enable()
	switch {
	case d.busy:
		d.save.Disable()
		d.run.Disable()
	case !d.dirty():
		d.save.Disable()
	case strings.TrimSpace(n.Spec) == "" && strings.TrimSpace(n.Seed) == "":
		d.save.DisableFor("It needs a spec or a seed")
		d.run.Disable()
	}
	note := ""
	if d.elsewise {
		note = phrase.Of("What you are editing was changed from elsewhere meanwhile. Saving writes your text over that.")
	}
	d.note.Set(note)
	show(d.note, note != "")
	d.body.Refresh()
}

// releaseWords say what running the draft does.
func releaseWords(n pieces.Draft) string {
	first := phrase.Of("Makes a branch and a worktree, and takes the spec as it is.")
	switch {
	case n.ChecksSpec():
		first = phrase.Of("Makes a branch and a worktree, and Claude Code looks whether the spec has gaps.")
	case n.NeedsSpecStep():
		first = phrase.Of("Makes a branch and a worktree, and Claude Code writes the spec.")
	}
	switch n.Lane {
	case pieces.LaneAuto:
		return first + phrase.Of(" Then it runs by itself up to Review; it stops for questions, approvals and failures.")
	case pieces.LaneLoop:
		return first + phrase.Of(" Then it belongs to the project's Loop.")
	default:
		return first + phrase.Of(" Then it waits for you at each gate.")
	}
}

// store writes what changed, and then does what is next.
func (d *draftEditor) store(next func()) {
	n, s := d.typed(), d.stored
	var edit engine.DraftEdit
	set := func(to **string, now, before string) {
		if now != before {
			*to = &now
		}
	}
	set(&edit.Title, n.Title, s.Title)
	set(&edit.Spec, n.Spec, s.Spec)
	set(&edit.Seed, n.Seed, s.Seed)
	set(&edit.Model, n.Model, s.Model)
	if n.Lane != s.Lane {
		edit.Lane = &n.Lane
	}
	if n.Refine != s.Refine {
		edit.Refine = &n.Refine
	}
	var saved pieces.Draft
	d.work("save the draft", func(ctx context.Context) (err error) {
		saved, err = d.i.o.Engine.UpdateDraft(ctx, n.ID, edit)
		return err
	}, func() {
		if d.stored.ID == saved.ID {
			d.elsewise = false
			d.stored = n // so that what was typed while it was saved stays
			d.merge(saved)
		}
		if next != nil {
			next()
		}
	})
}

// release runs the draft; what is not saved yet is saved first.
func (d *draftEditor) release() {
	if d.dirty() {
		d.store(d.start)
		return
	}
	d.start()
}

func (d *draftEditor) start() {
	id := d.stored.ID
	d.work("run the draft", func(ctx context.Context) error {
		_, err := d.i.o.Engine.ReleaseDraft(ctx, id, "", pieces.ByPerson)
		if held := (*engine.HeldError)(nil); errors.As(err, &held) {
			return nil // what it waits on stands below
		}
		return err
	}, func() {})
}

// browser lets the person choose a file to take along; nil where nobody can.
func (d *draftEditor) browser() func() {
	if d.i.o.BrowseFile == nil {
		return nil
	}
	return func() {
		id := d.stored.ID
		d.i.o.BrowseFile(func(path string) {
			if d.stored.ID == id {
				d.attach("attach the file", engine.DraftEdit{Attach: []string{path}})
			}
		})
	}
}

// attach changes what files the draft takes along. What is typed and not saved stays as it is.
func (d *draftEditor) attach(what string, edit engine.DraftEdit) {
	id := d.stored.ID
	var saved pieces.Draft
	d.work(what, func(ctx context.Context) (err error) {
		saved, err = d.i.o.Engine.UpdateDraft(ctx, id, edit)
		return err
	}, func() {
		if d.stored.ID == saved.ID {
			d.merge(saved)
		}
	})
}

// link adds or removes a dependency of the draft.
func (d *draftEditor) link(what string, r engine.Request) {
	d.work(what, func(ctx context.Context) error {
		_, err := d.i.o.Engine.Act(ctx, r)
		return err
	}, func() {})
}

func (d *draftEditor) cancel() {
	id := d.stored.ID
	d.i.askSheet("Cancel this draft?", kit.NewParagraph(phrase.F("“%s” is deleted with its spec and seed. This cannot be undone.", kit.Plain(d.stored.Title))),
		kit.NewButton("confirm:ok", "Delete draft", kit.Destructive, func() {
			d.i.sheets.Close()
			d.work("cancel the draft", func(ctx context.Context) error { return d.i.o.Engine.CancelDraft(ctx, id) }, func() {})
		}), nil)
}

// work does one thing at a time and shows what was refused.
func (d *draftEditor) work(what string, work func(context.Context) error, done func()) {
	if d.busy {
		return
	}
	d.busy = true
	d.edited()
	d.i.background(work, func(err error) {
		d.busy = false
		d.edited()
		d.i.showProblemIn(d.problem, what, err)
		d.body.Refresh()
		if err == nil {
			done()
		}
	})
}

func laneWords3() []string {
	var words []string
	for _, l := range pieces.Lanes() {
		words = append(words, laneWord(l))
	}
	return words
}

func refineWords() []string {
	var words []string
	for _, r := range pieces.Refines() {
		switch r {
		case pieces.RefineNone:
			words = append(words, phrase.Of("Never"))
		case pieces.RefineIfGaps:
			words = append(words, phrase.Of("If it has gaps"))
		default:
			words = append(words, phrase.Of("Always"))
		}
	}
	return words
}
