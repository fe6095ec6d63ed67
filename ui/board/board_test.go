package board

import (
	"fmt"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func at(id string, p pieces.Phase, a pieces.Activity) pieces.Snapshot {
	return pieces.Snapshot{Piece: pieces.Piece{ID: id, Name: id, Phase: p, Activity: a, Branch: "fermata/x", UpdatedAt: noon}}
}

func names(b *Board, phase pieces.Phase) []string {
	for _, c := range b.columns {
		if c.phase == phase {
			var ids []string
			for _, o := range c.cards.Objects {
				ids = append(ids, o.(*card).id)
			}
			return ids
		}
	}
	return nil
}

func TestColumnsAreThoseOfTheRail(t *testing.T) {
	s := stage.New(t)
	b := New()
	s.Open(b.Content(), 1280, 800)
	b.Show(noon, []pieces.Draft{{ID: "d", Title: "Draft", Seed: "x"}}, []pieces.Snapshot{
		at("a", pieces.PhaseSpec, pieces.Idle), at("b", pieces.PhaseReview, pieces.Idle), at("c", pieces.PhaseComplete, pieces.Idle),
	}, nil)
	for phase, want := range map[pieces.Phase]string{
		pieces.PhaseBacklog: "[d]", pieces.PhaseSpec: "[a]", pieces.PhaseStrategy: "[]", pieces.PhaseAgents: "[]",
		pieces.PhaseReview: "[b]", pieces.PhaseComplete: "[c]",
	} {
		if got := fmt.Sprint(names(b, phase)); got != want {
			t.Errorf("%s shows %s, want %s", phase, got, want)
		}
	}
}

func TestWhatNeedsThePersonComesFirst(t *testing.T) {
	s := stage.New(t)
	b := New()
	s.Open(b.Content(), 1280, 800)
	b.Show(noon, nil, []pieces.Snapshot{at("works", pieces.PhaseSpec, pieces.Interviewing), at("waits", pieces.PhaseSpec, pieces.Idle)}, nil)
	if got := fmt.Sprint(names(b, pieces.PhaseSpec)); got != "[waits works]" {
		t.Errorf("the column shows %s", got)
	}
}

func TestCardsStayTheSameObjects(t *testing.T) {
	s := stage.New(t)
	b := New()
	s.Open(b.Content(), 1280, 800)
	b.Show(noon, nil, []pieces.Snapshot{at("a", pieces.PhaseSpec, pieces.Interviewing)}, nil)
	before := b.cards["a"]
	b.Show(noon, nil, []pieces.Snapshot{at("a", pieces.PhaseStrategy, pieces.Idle)}, nil)
	if b.cards["a"] != before || fmt.Sprint(names(b, pieces.PhaseStrategy)) != "[a]" {
		t.Error("a piece that moved got another card, which loses the focus")
	}
	b.Show(noon, nil, nil, nil)
	if len(b.cards) != 0 {
		t.Errorf("cards of items that are gone are kept: %v", b.cards)
	}
}

func TestOnlyCardsNearTheViewAreMade(t *testing.T) {
	s := stage.New(t)
	b := New()
	w := s.Open(b.Content(), 1280, 800)
	var list []pieces.Snapshot
	for i := range 2000 {
		list = append(list, at(fmt.Sprint("p", i), pieces.PhaseComplete, pieces.Idle))
	}
	b.Show(noon, nil, list, nil)
	stage.Settle(w)
	top := names(b, pieces.PhaseComplete)
	if len(top) > 20 || top[0] != "p1999" || len(b.cards) != len(top) {
		t.Errorf("at the top %d cards are made from %s on, and %d kept", len(top), top[0], len(b.cards))
	}
	b.Select("p0")
	end := names(b, pieces.PhaseComplete)
	if end[len(end)-1] != "p0" || len(b.cards) != len(end) {
		t.Errorf("at the end the last card is %s, and %d are kept", end[len(end)-1], len(b.cards))
	}
	if made := len(b.cards) + len(b.spare); made > 2*len(top) {
		t.Errorf("%d cards were made for a view of %d", made, len(top))
	}
	b.Show(noon, nil, list[:3], nil)
	if got := names(b, pieces.PhaseComplete); fmt.Sprint(got) != "[p2 p1 p0]" {
		t.Errorf("a column that became short shows %v", got)
	}
}

func TestEmptyBoardOffersADraft(t *testing.T) {
	s := stage.New(t)
	b := New()
	asked := false
	b.OnNewDraft(func() { asked = true })
	w := s.Open(b.Content(), 1280, 800)
	b.Show(noon, nil, nil, nil)
	s.Tap(w, "emptyNewDraft")
	if !asked {
		t.Error("the action of the empty board does nothing")
	}
}

func TestEveryStateHasWords(t *testing.T) {
	for _, st := range pieces.Stations() {
		s := at("x", st.Phase, st.Activity)
		state, words := stateOf(s)
		if words == "" {
			t.Errorf("%v has no words", st.State)
		}
		if cue, ok := pieces.CueOf(s.Gate()); ok && words != cue.Label {
			t.Errorf("%v says %q, and its cue says %q", st.State, words, cue.Label)
		}
		if pieces.LiveState(st.State) != (state == kit.StateRunning) && s.Gate() == pieces.GateNone {
			t.Errorf("%v is drawn as %v", st.State, state)
		}
	}
}

func TestUntrustedNamesAreOnePlainLine(t *testing.T) {
	s := stage.New(t)
	b := New()
	s.Open(b.Content(), 1280, 800)
	evil := at("a", pieces.PhaseSpec, pieces.Idle)
	evil.Piece.Name = "fine\n\x1b[31mred\u202Egnp.exe"
	b.Show(noon, nil, []pieces.Snapshot{evil}, nil)
	if got := b.cards["a"].title.Text(); got != "fine red‹U+202E›gnp.exe" {
		t.Errorf("the card says %q", got)
	}
}

func TestADraftThatIsHeldSaysThatItWaits(t *testing.T) {
	d := pieces.Draft{ID: "d", Spec: "# Title", Refine: pieces.RefineNone}
	if f := faceOfDraft(d, nil, noon); f.word != "Spec" {
		t.Errorf("a draft that nobody released says %q", f.word)
	}
	d.ReleasedBy = pieces.ByClient
	if f := faceOfDraft(d, nil, noon); f.word != "Waiting for a dependency" {
		t.Errorf("a held draft says %q", f.word)
	}
}
