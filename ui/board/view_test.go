package board

import (
	"testing"

	"fermata/pieces"
	"fermata/ui/stage"
)

func TestTheViewBeginsAtTheStartOfAColumn(t *testing.T) {
	for _, wide := range []float32{330, 470, 660, 900} {
		s := stage.New(t)
		b := New()
		w := s.Open(b.Content(), wide, 600)
		b.Show(noon, []pieces.Draft{{ID: "d", Title: "Draft", Seed: "x"}}, []pieces.Snapshot{
			at("a", pieces.PhaseSpec, pieces.Idle), at("b", pieces.PhaseAgents, pieces.Idle), at("c", pieces.PhaseReview, pieces.Idle), at("e", pieces.PhaseComplete, pieces.Idle),
		}, nil)
		stage.Settle(w)
		for _, id := range []string{"b", "e", "c", "d", "e", "a"} {
			b.Select(id)
			n, _, _ := b.find(id)
			from, view := b.scroll.Offset.X, b.scroll.Size().Width
			left := b.columns[n].body.Position().X
			right := left + b.columns[n].body.Size().Width
			if left < from-0.5 || right > from+view+0.5 {
				t.Errorf("%v wide: %s stands from %v to %v, and the view from %v to %v", wide, id, left, right, from, from+view)
			}
			starts := false
			for _, c := range b.columns {
				x := c.body.Position().X
				starts = starts || x > from-0.5 && x < from+0.5
			}
			if !starts {
				t.Errorf("%v wide: the view that shows %s begins at %v, within a column", wide, id, from)
			}
		}
	}
}
