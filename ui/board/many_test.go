package board

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"fermata/pieces"
	"fermata/ui/stage"
)

// many is a board of 2,000 pieces in a window, in the columns of a project that has been worked in for long.
func many(t *testing.T) (*Board, *stage.Stage, fyne.Window, []pieces.Snapshot) {
	t.Helper()
	s := stage.New(t)
	b := New()
	w := s.Open(b.Content(), 1180, 700)
	var list []pieces.Snapshot
	for i := range 2000 {
		phase := []pieces.Phase{pieces.PhaseAgents, pieces.PhaseAgents, pieces.PhaseReview, pieces.PhaseComplete}[i%4]
		list = append(list, at(fmt.Sprint("p", i), phase, pieces.Idle))
	}
	b.Show(noon, nil, list, nil)
	stage.Settle(w)
	return b, s, w, list
}

// touched are the ids of the cards of which some part is drawn anew for what do does, in order.
func touched(b *Board, s *stage.Stage, do func()) []string {
	parts := s.Touched(do)
	owner := map[fyne.CanvasObject]*card{}
	for _, c := range b.cards {
		own(owner, c, c)
	}
	var ids []string
	for _, o := range parts {
		if c := owner[o]; c != nil && !slices.Contains(ids, c.id) {
			ids = append(ids, c.id)
		}
	}
	slices.Sort(ids)
	return ids
}

func own(owner map[fyne.CanvasObject]*card, c *card, o fyne.CanvasObject) {
	owner[o] = c
	var parts []fyne.CanvasObject
	switch o := o.(type) {
	case *fyne.Container:
		parts = o.Objects
	case fyne.Widget:
		parts = test.WidgetRenderer(o).Objects()
	}
	for _, part := range parts {
		own(owner, c, part)
	}
}

// TestAFullBoardMakesTheCardsOfItsView opens a board with 2,000 pieces: a view has room for seven cards in each of the three
// columns that have some, and one is kept ready below.
func TestAFullBoardMakesTheCardsOfItsView(t *testing.T) {
	b, _, _, _ := many(t)
	const columns, room = 3, 11
	if made := len(b.cards) + len(b.spare); made > columns*room {
		t.Errorf("%d cards were made, want no more than %d in each of %d columns", made, room, columns)
	}
}

func TestAChangeTouchesItsOwnCardAlone(t *testing.T) {
	b, s, _, list := many(t)
	seen := names(b, pieces.PhaseAgents)[2]
	next := slices.Clone(list)
	rename := func(id, name string) {
		for i := range next {
			if next[i].Piece.ID == id {
				next[i].Piece.Name = name
			}
		}
	}
	show := func() { b.Show(noon, nil, next, nil) }
	if ids := touched(b, s, show); len(ids) > 0 {
		t.Errorf("a reading without a change draws %v anew", ids)
	}
	if ids := touched(b, s, func() { b.bar.entry.SetText("p") }); len(ids) > 0 {
		t.Errorf("a letter of the search that every piece has draws %v anew", ids)
	}
	b.bar.entry.SetText("")
	rename(seen, "Another name")
	if ids := touched(b, s, show); fmt.Sprint(ids) != fmt.Sprint([]string{seen}) {
		t.Errorf("a change of %s draws %v anew", seen, ids)
	}
	rename("p800", "Another name") // far below
	if ids := touched(b, s, show); len(ids) > 0 {
		t.Errorf("a change of a piece that is not on the screen draws %v anew", ids)
	}
	gone := slices.IndexFunc(next, func(s pieces.Snapshot) bool { return s.Piece.ID == "p801" })
	next = slices.Delete(next, gone, gone+1)
	if ids := touched(b, s, show); len(ids) > 0 {
		t.Errorf("a piece that leaves, far below the view, draws %v anew", ids)
	}
	next = next[1:] // the first of a column: all below it move up
	if ids := touched(b, s, show); !strings.Contains(fmt.Sprint(ids), seen) {
		t.Errorf("a piece that leaves above others draws only %v anew", ids)
	}
}

func TestATickDrawsOnlyTheCardsWhoseAgeChanged(t *testing.T) {
	b, s, _, list := many(t)
	seen := names(b, pieces.PhaseReview)[1]
	for i := range list {
		if list[i].Piece.ID == seen {
			list[i].Piece.UpdatedAt = noon.Add(2 * time.Minute)
		} else {
			list[i].Piece.UpdatedAt = noon.Add(-48 * time.Hour)
		}
	}
	b.Show(noon.Add(2*time.Minute), nil, list, nil)
	if ids := touched(b, s, func() { b.Show(noon.Add(3*time.Minute), nil, list, nil) }); fmt.Sprint(ids) != fmt.Sprint([]string{seen}) {
		t.Errorf("a minute later %v are drawn anew, want %s alone", ids, seen)
	}
}

// TestAStepOfTheWheelTouchesTheCardThatComes scrolls a column by one card: those that stay in the view are not drawn anew, and
// no other column is.
func TestAStepOfTheWheelTouchesTheCardThatComes(t *testing.T) {
	b, s, _, _ := many(t)
	c := b.columns[3]
	for range 3 {
		c.scroll.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -pitch)})
	}
	before := names(b, pieces.PhaseAgents)
	ids := touched(b, s, func() { c.scroll.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -pitch)}) })
	after := names(b, pieces.PhaseAgents)
	if after[0] == before[0] {
		t.Fatal("it did not scroll")
	}
	if len(ids) != 1 || !slices.Contains(after, ids[0]) || slices.Contains(before, ids[0]) {
		t.Errorf("a step draws %v anew; before it there were %v, and after it %v", ids, before, after)
	}
}
