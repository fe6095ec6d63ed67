// Package board shows a project's drafts and pieces in the columns of the rail.
package board

import (
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
)

// Board is the six columns. It is touched on Fyne's main goroutine only.
type Board struct {
	open     func(id string)
	newDraft func()
	selected string
	columns  []*column
	cards    map[string]*card
	wide     *fyne.Container
	scroll   *container.Scroll
	empty    *kit.Empty
	body     *fyne.Container
}

// New makes a board without an item. OnOpen and OnNewDraft say where its taps go.
func New() *Board {
	b := &Board{cards: map[string]*card{}, open: func(string) {}, newDraft: func() {}}
	columns := make([]fyne.CanvasObject, 0, 6)
	for _, p := range append([]pieces.Phase{pieces.PhaseBacklog}, pieces.Phases()...) {
		c := newColumn(p, func(c *column) { c.show(c.items, b.cardFor) })
		b.columns = append(b.columns, c)
		columns = append(columns, c.body)
	}
	b.wide = container.New(columnsLayout{b.columns}, columns...)
	b.scroll = container.NewHScroll(b.wide)
	b.scroll.Hide()
	b.empty = kit.NewEmpty("Nothing is here yet. File a draft, and run it when you are ready.",
		kit.NewButton("emptyNewDraft", "New draft", kit.Normal, func() { b.newDraft() }))
	b.empty.Hide()
	b.body = container.NewStack(b.scroll, b.empty)
	return b
}

// Content is what stands in the window.
func (b *Board) Content() fyne.CanvasObject { return b.body }

// OnOpen sets what a tap on a card does. The id is that of a draft or a piece.
func (b *Board) OnOpen(open func(id string)) { b.open = open }

// OnNewDraft sets what the empty board's action does.
func (b *Board) OnNewDraft(newDraft func()) { b.newDraft = newDraft }

// Show draws a project's drafts and its pieces, of which the archived are left out.
func (b *Board) Show(now time.Time, drafts []pieces.Draft, list []pieces.Snapshot) {
	byPhase := map[pieces.Phase][]item{}
	seen := map[string]bool{}
	for _, d := range drafts {
		seen[d.ID] = true
		byPhase[pieces.PhaseBacklog] = append(byPhase[pieces.PhaseBacklog], item{id: d.ID, face: faceOfDraft(d, now)})
	}
	for _, s := range list {
		if s.Piece.Archived {
			continue
		}
		seen[s.Piece.ID] = true
		_, cue := s.Cue()
		byPhase[s.Piece.Phase] = append(byPhase[s.Piece.Phase], item{s.Piece.ID, faceOfPiece(s, now), cue})
	}
	slices.Reverse(byPhase[pieces.PhaseComplete]) // the newest first
	for id := range b.cards {
		if !seen[id] {
			delete(b.cards, id)
		}
	}
	for _, c := range b.columns {
		c.show(byPhase[c.phase], b.cardFor)
	}
	show(b.scroll, len(seen) > 0)
	show(b.empty, len(seen) == 0)
	b.wide.Refresh()
	b.scroll.Refresh()
}

// Select marks the card of an id as the one that is open; "" marks none.
func (b *Board) Select(id string) {
	if id == b.selected {
		return
	}
	before := b.selected
	b.selected = id
	for _, changed := range []string{before, id} {
		if c, ok := b.cards[changed]; ok {
			c.press.SetSelected(changed == id)
		}
	}
	b.reveal(id)
}

// reveal scrolls sideways to the column of an item.
func (b *Board) reveal(id string) {
	for _, c := range b.columns {
		if !slices.ContainsFunc(c.items, func(i item) bool { return i.id == id }) {
			continue
		}
		left, right := c.body.Position().X, c.body.Position().X+c.body.Size().Width
		if left < b.scroll.Offset.X || right > b.scroll.Offset.X+b.scroll.Size().Width {
			b.scroll.ScrollToOffset(fyne.NewPos(max(0, min(left, right-b.scroll.Size().Width+kit.Together)), 0))
		}
	}
}

func (b *Board) cardFor(id string) *card {
	c, ok := b.cards[id]
	if !ok {
		c = newCard(id, func(id string) { b.open(id) })
		c.press.SetSelected(id == b.selected)
		b.cards[id] = c
	}
	return c
}

func show(o fyne.CanvasObject, visible bool) {
	if visible {
		o.Show()
		return
	}
	o.Hide()
}
