package board

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// Which items are shown, in the order in which the bar offers them.
const (
	everything = iota
	needsMe
	runningNow
)

// bar searches and filters the board, and acts on the item that is open.
type bar struct {
	b *Board

	entry   *kit.Entry
	lane    *kit.Select // "All lanes", then the lanes in their order
	what    *kit.Select
	archive *kit.Check
	said    *kit.Text
	remove  *kit.Button
	words   pieces.Words
	found   map[string]bool // by a search through what the board does not know
	tools   *fyne.Container
	body    *fyne.Container
}

func newBar(b *Board) *bar {
	r := &bar{b: b, entry: kit.NewEntry("board:search"), said: kit.Caption("")}
	r.entry.SetPlaceHolder("Search (Ctrl+F)")
	r.entry.OnChanged = r.typed
	r.entry.OnSubmitted = func(string) { b.focusFirst() }
	r.entry.OnEscape = r.escape
	r.lane = kit.NewSelect("board:lane", []string{phrase.Of("All lanes"), phrase.Of("Manual"), phrase.Of("Auto"), phrase.Of("Loop")}, nil)
	r.lane.SetSelectedIndex(0)
	r.what = kit.NewSelect("board:what", []string{phrase.Of("Everything"), phrase.Of("Needs me"), phrase.Of("Running")}, nil)
	r.what.SetSelectedIndex(everything)
	r.lane.OnChanged = func(string) { b.draw() }
	r.what.OnChanged = func(string) { b.draw() }
	r.archive = kit.NewCheck("board:archived", "Archived", func(on bool) {
		b.archived(on)
		b.draw()
	})
	r.remove = kit.NewButton("deletePiece", "Delete…", kit.Quiet, func() { b.remove(b.selected) })
	r.remove.Hide()
	r.tools = container.New(barTools{}, r.lane, r.what, r.archive, r.said, r.remove)
	r.body = container.New(barLayout{}, r.entry, r.tools)
	return r
}

func (r *bar) text() string { return strings.TrimSpace(r.entry.Text) }

func (r *bar) typed(string) {
	r.words, r.found = pieces.ParseWords(r.text()), nil
	r.b.search(r.text())
	r.b.draw()
}

// escape takes the search away, and then leaves the field.
func (r *bar) escape() {
	if r.entry.Text != "" {
		r.entry.SetText("")
		return
	}
	if c := fyne.CurrentApp().Driver().CanvasForObject(r.entry); c != nil {
		c.Unfocus()
	}
}

// clear shows everything again. Whether archived pieces are shown is no filter, and stays.
func (r *bar) clear() {
	r.lane.SetSelectedIndex(0)
	r.what.SetSelectedIndex(everything)
	r.entry.SetText("")
	r.b.draw()
}

func (r *bar) showsArchived() bool { return r.archive.Checked }

// filters says whether items may be hidden that the person did not ask to hide for good.
func (r *bar) filters() bool {
	return len(r.words) > 0 || r.lane.SelectedIndex() > 0 || r.what.SelectedIndex() > everything || r.archive.Checked
}

func (r *bar) passesLane(l pieces.Lane) bool {
	at := r.lane.SelectedIndex()
	return at <= 0 || pieces.Lanes()[at-1] == l
}

func (r *bar) passesDraft(d pieces.Draft) bool {
	return r.passesLane(d.Lane) && r.what.SelectedIndex() <= everything && (d.Names(r.words) || r.found[d.ID])
}

func (r *bar) passesPiece(s pieces.Snapshot, cue bool) bool {
	switch r.what.SelectedIndex() {
	case needsMe:
		if !cue {
			return false
		}
	case runningNow:
		if s.Piece.Activity.Working() == "" {
			return false
		}
	}
	return r.passesLane(s.Piece.Config.Lane) && (s.Names(r.words) || r.found[s.Piece.ID])
}

func (r *bar) count(shown, all int) {
	words := countWords(shown, all)
	if words == r.said.Text() {
		return
	}
	r.said.Set(words)
	r.place()
}

// place gives the tools the room that they have come to need.
func (r *bar) place() {
	r.body.Layout.Layout(r.body.Objects, r.body.Size())
	r.tools.Layout.Layout(r.tools.Objects, r.tools.Size())
}

// offerDelete shows the button for the piece that is open.
func (r *bar) offerDelete(offered bool) {
	if r.remove.Visible() == offered {
		return
	}
	show(r.remove, offered)
	r.place()
}

// barLayout gives the tools what they need and the search the rest, up to a width that reads well.
type barLayout struct{}

const (
	searchLeast float32 = 88
	searchMost  float32 = 320
	barHigh     float32 = 32
)

// MinSize leaves a little for the search; what the tools need they may be cut to.
func (barLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(searchLeast, barHigh+kit.Together)
}

// Layout is search, tools.
func (barLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	need := o[1].MinSize().Width
	wide := min(searchMost, max(searchLeast, size.Width-need-kit.Together))
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(fyne.NewSize(wide, barHigh))
	o[1].Move(fyne.NewPos(wide+kit.Together, 0))
	o[1].Resize(fyne.NewSize(max(0, size.Width-wide-kit.Together), barHigh))
}

// barTools puts objects beside one another; the last one stands at the right end. What does not fit is left out.
type barTools struct{}

// MinSize is what the visible ones need.
func (barTools) MinSize(objects []fyne.CanvasObject) fyne.Size {
	width := float32(0)
	for _, o := range objects {
		if o.Visible() {
			width += o.MinSize().Width + kit.Together
		}
	}
	return fyne.NewSize(width, barHigh)
}

// Layout places them from the left.
func (barTools) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	x := float32(0)
	for i, o := range objects {
		least := o.MinSize()
		if i == len(objects)-1 {
			x = max(x, size.Width-least.Width)
		}
		o.Move(fyne.NewPos(x, (barHigh-least.Height)/2))
		o.Resize(least)
		if o.Visible() {
			x += least.Width + kit.Together
		}
	}
}
