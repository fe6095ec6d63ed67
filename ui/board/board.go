// Package board shows a project's drafts and pieces in the columns of the rail.
package board

import (
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// Board is the six columns under a bar that searches and filters them. It is touched on Fyne's main goroutine only.
type Board struct {
	open     func(id string)
	newDraft func()
	search   func(text string)
	archived func(shown bool)
	dropped  func(id string, d pieces.Drop)
	remove   func(id string)

	now      time.Time
	drafts   []pieces.Draft
	pieces   []pieces.Snapshot
	on       map[string][]pieces.Dependency
	selected string

	bar     *bar
	drag    *drag
	columns []*column
	cards   map[string]*card // those that are on the screen
	spare   []*card          // left the screen, to be filled anew
	wide    *fyne.Container
	scroll  *container.Scroll
	empty   *kit.Empty
	none    *kit.Empty // nothing passes the filter
	body    *fyne.Container
}

// New makes a board without an item. The On methods say where its taps go.
func New() *Board {
	b := &Board{
		cards: map[string]*card{}, open: func(string) {}, newDraft: func() {}, search: func(string) {}, archived: func(bool) {},
		dropped: func(string, pieces.Drop) {}, remove: func(string) {},
	}
	b.bar = newBar(b)
	columns := make([]fyne.CanvasObject, 0, 6)
	for _, p := range append([]pieces.Phase{pieces.PhaseBacklog}, pieces.Phases()...) {
		c := newColumn(p, b)
		b.columns = append(b.columns, c)
		columns = append(columns, c.body)
	}
	b.wide = container.New(columnsLayout{b.columns, func() float32 { return b.scroll.Size().Width }}, columns...)
	b.scroll = container.NewHScroll(b.wide)
	b.scroll.Hide()
	b.empty = kit.NewEmpty("Nothing is here yet. File a draft, and run it when you are ready.",
		kit.NewButton("emptyNewDraft", "New draft", kit.Normal, func() { b.newDraft() }))
	b.empty.Hide()
	b.none = kit.NewEmpty("Nothing here is what you look for.",
		kit.NewButton("board:clear", "Show everything", kit.Normal, b.bar.clear))
	b.none.Hide()
	b.drag = newDrag(b)
	columnsAndDrag := container.NewStack(b.scroll, b.empty, b.none, b.drag.layer)
	b.body = kit.Border(b.bar.body, nil, nil, nil, columnsAndDrag)
	b.bar.body.Hide()
	return b
}

// Content is what stands in the window.
func (b *Board) Content() fyne.CanvasObject { return b.body }

// OnOpen sets what a tap on a card does. The id is that of a draft or a piece.
func (b *Board) OnOpen(open func(id string)) { b.open = open }

// OnNewDraft sets what the empty board's action does.
func (b *Board) OnNewDraft(newDraft func()) { b.newDraft = newDraft }

// OnSearch sets what is told of a text that is searched for. The board finds titles and keys itself; what else holds the
// text comes back through Found.
func (b *Board) OnSearch(search func(text string)) { b.search = search }

// OnArchived sets what is told whether archived pieces are to be shown: Show then brings them, or leaves them out.
func (b *Board) OnArchived(archived func(shown bool)) { b.archived = archived }

// OnDrop sets what dropping a card on a column that accepts it does.
func (b *Board) OnDrop(dropped func(id string, d pieces.Drop)) { b.dropped = dropped }

// OnDelete sets what the Delete key on a card and the bar's Delete do. The id is that of a piece.
func (b *Board) OnDelete(remove func(id string)) { b.remove = remove }

// Show draws a project's drafts with what they wait on, and its pieces. Archived pieces are left out unless they are asked
// for in the bar.
func (b *Board) Show(now time.Time, drafts []pieces.Draft, list []pieces.Snapshot, on map[string][]pieces.Dependency) {
	b.now, b.drafts, b.pieces, b.on = now, drafts, list, on
	b.draw()
}

// Found says which items hold a text that was searched for. One that is no longer searched for is passed over.
func (b *Board) Found(text string, ids []string) {
	if text != b.bar.text() {
		return
	}
	b.bar.found = map[string]bool{}
	for _, id := range ids {
		b.bar.found[id] = true
	}
	b.draw()
}

// draw puts what passes the filter into the columns.
func (b *Board) draw() {
	byPhase := map[pieces.Phase][]item{}
	all, shown := 0, 0
	add := func(p pieces.Phase, passes bool, it item) {
		all++
		if passes {
			shown++
			byPhase[p] = append(byPhase[p], it)
		}
	}
	for i := range b.drafts {
		d := &b.drafts[i]
		add(pieces.PhaseBacklog, b.bar.passesDraft(*d), item{id: d.ID, draft: d})
	}
	for i := range b.pieces {
		s := &b.pieces[i]
		if s.Piece.Archived && !b.bar.showsArchived() {
			continue
		}
		_, cue := pieces.CueOf(s.Gate())
		add(s.Piece.Phase, b.bar.passesPiece(*s, cue), item{id: s.Piece.ID, piece: s, cue: cue})
	}
	slices.Reverse(byPhase[pieces.PhaseComplete]) // the newest first
	widths := false
	for _, c := range b.columns {
		widths = c.show(byPhase[c.phase]) || widths
	}
	if widths {
		b.wide.Layout.Layout(b.wide.Objects, b.wide.Size())
		relayout(b.scroll)
	}
	b.prune()
	b.bar.count(shown, all)
	show(b.bar.body, all > 0 || b.bar.filters())
	show(b.scroll, shown > 0)
	show(b.none, shown == 0 && (all > 0 || b.bar.filters()))
	show(b.empty, all == 0 && !b.bar.filters())
	b.bar.offerDelete(b.isPiece(b.selected))
}

// faceOf reads what a card shows; only cards on the screen are asked.
func (b *Board) faceOf(it item) face {
	if it.draft != nil {
		return faceOfDraft(*it.draft, b.on[it.id], b.now)
	}
	return faceOfPiece(*it.piece, b.now)
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
	b.bar.offerDelete(b.isPiece(id))
	b.reveal(id)
}

func (b *Board) isPiece(id string) bool {
	return id != "" && slices.ContainsFunc(b.pieces, func(s pieces.Snapshot) bool { return s.Piece.ID == id })
}

// reveal scrolls to an item: sideways to its column, and within it.
func (b *Board) reveal(id string) {
	at, row, ok := b.find(id)
	if !ok {
		return
	}
	c := b.columns[at]
	left, right := c.body.Position().X, c.body.Position().X+c.body.Size().Width
	if left < b.scroll.Offset.X || right > b.scroll.Offset.X+b.scroll.Size().Width {
		b.scroll.ScrollToOffset(fyne.NewPos(b.startFor(left, right), 0))
	}
	c.reveal(row)
}

// startFor is where the view begins that shows what lies between left and right: at the start of a column, so that none is cut
// in half there.
func (b *Board) startFor(left, right float32) float32 {
	for _, c := range b.columns {
		if x := c.body.Position().X; x >= right-b.scroll.Size().Width && x <= left {
			return x
		}
	}
	return left
}

// find gives the column and the row of an item that passes the filter.
func (b *Board) find(id string) (at, row int, ok bool) {
	for at, c := range b.columns {
		if row := slices.IndexFunc(c.items, func(i item) bool { return i.id == id }); row >= 0 {
			return at, row, true
		}
	}
	return 0, 0, false
}

// cardFor gives the card of an item that comes onto the screen.
func (b *Board) cardFor(id string) *card {
	c, ok := b.cards[id]
	if ok {
		return c
	}
	if n := len(b.spare); n > 0 {
		c, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		c = newCard(b)
	}
	c.become(id, id == b.selected)
	b.cards[id] = c
	return c
}

// mostSpare is how many cards are kept to be filled anew.
const mostSpare = 48

// prune takes the cards that left the screen away. One that has the focus or is dragged stays what it is.
func (b *Board) prune() {
	used := map[*card]bool{}
	for _, c := range b.columns {
		for _, o := range c.cards.Objects {
			used[o.(*card)] = true
		}
	}
	for id, c := range b.cards {
		if used[c] || b.drag.of(id) {
			continue
		}
		delete(b.cards, id)
		if !c.focused() && len(b.spare) < mostSpare {
			b.spare = append(b.spare, c)
		}
	}
}

func show(o fyne.CanvasObject, visible bool) {
	if visible == o.Visible() {
		return
	}
	if visible {
		o.Show()
		return
	}
	o.Hide()
}

// relayout gives what scrolls the size that it has come to need, and brings what was scrolled beyond its end back. Fyne's own
// Refresh of a scroll draws everything in it anew.
func relayout(s *container.Scroll) {
	s.Base.Refresh()
	s.Scrolled(&fyne.ScrollEvent{})
}

func countWords(shown, all int) string {
	if shown == all {
		return ""
	}
	return phrase.F("%d of %d", shown, all)
}
