package project

import (
	"context"
	"slices"
	"strings"

	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/kit/sheet"
	"fermata/ui/phrase"
)

// pieceForm asks for what a new piece starts from.
type pieceForm struct {
	p *Project

	prompt, name, model *kit.Entry
	depth               *kit.Select
	problem             *kit.Paragraph
	start               *kit.Button
}

// NewPiece shows the form for a piece that starts at once.
func (p *Project) NewPiece() {
	if p.sheets.Open() {
		return
	}
	f := &pieceForm{
		p: p, prompt: kit.NewMultiEntry("piece:prompt", 5), name: kit.NewEntry("piece:name"), model: kit.NewEntry("piece:model"),
		depth: kit.NewSelect("piece:depth", []string{phrase.Of("Quick"), phrase.Of("Balanced"), phrase.Of("Thorough")}, nil), problem: kit.NewParagraph("").In(kit.ColorFailed),
	}
	f.depth.SetSelectedIndex(slices.Index(pieces.Depths(), pieces.DepthBalanced))
	f.model.SetPlaceHolder("Default")
	f.problem.Hide()
	f.start = kit.NewButton("piece:start", "Start piece", kit.Primary, f.send)
	cancel := kit.NewButton("piece:cancel", "Cancel", kit.Normal, p.sheets.Close)
	cancel.OnEscape, f.start.OnEscape = f.escape, f.escape
	for _, e := range []*kit.Entry{f.prompt, f.name, f.model} {
		e.OnEscape = f.escape
	}
	f.name.OnSubmitted = func(string) { f.send() }
	form := kit.Column(gap,
		kit.NewField("Idea", f.prompt, "What to build. Claude Code writes the spec from it, and asks what it has to know."),
		kit.NewField("Name", f.name, "The spec's title takes its place."),
		container.New(thirds{}, kit.NewField("Depth of the spec", f.depth, ""), kit.NewField("Model of the spec", f.model, "")),
		kit.NewNote(phrase.Of("It starts at once, in a worktree of its own, and stops for you when the spec is ready.")))
	p.sheets.Ask(sheet.Sheet{Title: phrase.Of("New piece"), Body: form, Problem: f.problem, Buttons: []*kit.Button{cancel, f.start}, Width: sheetWidth, First: f.prompt})
}

// escape closes a form in which nothing was written.
func (f *pieceForm) escape() {
	if f.prompt.Text+f.name.Text == "" {
		f.p.sheets.Close()
	}
}

func (f *pieceForm) send() {
	if f.start.Disabled() {
		return
	}
	n := engine.NewPiece{
		ProjectID: f.p.o.ProjectID, Prompt: f.prompt.Text, Name: strings.TrimSpace(f.name.Text), By: pieces.ByPerson,
		Depth: pieces.Depths()[f.depth.SelectedIndex()], Model: strings.TrimSpace(f.model.Text),
	}
	if reason := refusePiece(n); reason != "" {
		f.refuse(reason)
		return
	}
	f.start.DisableFor("making its worktree")
	var made pieces.Snapshot
	f.p.background(func(ctx context.Context) (err error) {
		made, err = f.p.o.Engine.CreatePiece(ctx, n)
		return err
	}, func(err error) {
		f.start.Enable()
		if err != nil {
			f.refuse(said("The piece was not started", err))
			return
		}
		f.p.sheets.Close()
		f.p.ShowPiece(made.Piece.ID)
	})
}

func (f *pieceForm) refuse(reason string) {
	f.problem.Set(reason)
	show(f.problem, true)
	f.p.sheets.Fits()
}

func refusePiece(n engine.NewPiece) string {
	switch {
	case strings.TrimSpace(n.Prompt) == "":
		return phrase.Of("Write the idea first.")
	case len([]rune(n.Name)) > pieces.MaxTitle:
		return phrase.Of("The name is longer than 300 characters.")
	case len([]rune(n.Prompt)) > pieces.MaxSpec:
		return phrase.Of("The text is longer than 1,000,000 characters.")
	}
	return ""
}

// said is a refusal's own sentence, or what was not done and why.
func said(undone string, err error) string {
	if refused(err) {
		return phrase.Err(err)
	}
	return undone + ": " + phrase.Err(err)
}
