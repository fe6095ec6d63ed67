package kit

import (
	"testing"

	"fyne.io/fyne/v2"
)

func TestPillPicture(t *testing.T) {
	capture(t, "pill", 520, 190, func() fyne.CanvasObject {
		phases, states, dots := Line(Together), Line(Together), Line(Groups)
		for _, key := range []string{"backlog", "spec", "strategy", "agents", "review", "complete"} {
			phases.Add(NewLetterPill(PhaseColor(key), string(key[0]-32), key))
		}
		for state, word := range []string{"Idle", "Running", "Paused", "Needs you", "Failed", "Done"} {
			s := State(state)
			states.Add(NewPill(s.Color(), s.Icon(), word))
			dots.Add(NewStateDot(s, word))
		}
		return Column(Groups, phases, states, dots,
			NewProgress(2, 4, "agents"), NewProgress(0, 3, "checks").In(ColorReview))
	}, shows(ColorSpec, ColorAgents, ColorFailed, ColorDone))
}

func TestPillShowsIconOrLetter(t *testing.T) {
	newScreen(t, 1)
	p := NewLetterPill(ColorSpec, "S", "Spec")
	withLetter := p.MinSize().Width
	p.Set(ColorFailed, StateFailed.Icon(), "Failed")
	if p.Word() != "Failed" || p.picture.Hidden || !p.letter.Hidden {
		t.Errorf("word %q, icon hidden %v, want the icon and its word", p.Word(), p.picture.Hidden)
	}
	p.SetLetter(ColorSpec, "S", "Spec")
	if p.MinSize().Width != withLetter || !p.picture.Hidden {
		t.Error("the letter did not come back")
	}
}

func TestEveryStateHasADrawingOfItsOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for s := StateIdle; s <= StateDone; s++ {
		name := s.Icon().Name()
		if seen[name] || len(s.Icon().Content()) == 0 {
			t.Errorf("state %d has no drawing of its own", s)
		}
		seen[name] = true
	}
}

func TestProgressSaysItsCountAndStaysInside(t *testing.T) {
	for _, c := range []struct {
		done, total int
		words       string
		part        float32
	}{
		{2, 4, "2 of 4 agents", 0.5},
		{0, 0, "0 of 0 agents", 0},
		{9, 4, "4 of 4 agents", 1},
		{-1, 4, "0 of 4 agents", 0},
	} {
		p := NewProgress(c.done, c.total, "agents")
		show(t, p, 300, 80)
		if p.Words() != c.words {
			t.Errorf("words %q, want %q", p.Words(), c.words)
		}
		if got := p.level.Size().Width / p.track.Size().Width; got != c.part {
			t.Errorf("%s: the bar is filled to %v, want %v", c.words, got, c.part)
		}
	}
}

func TestEmptyHasASentenceAndAnAction(t *testing.T) {
	started := false
	e := NewEmpty("Nothing waits for you.", NewButton("empty.new", "New piece", Primary, func() { started = true }))
	w := show(t, e, 500, 300)
	b, found := Find(w.Content(), "empty.new")
	if !found {
		t.Fatal("the action is not there")
	}
	b.(*Button).Tapped(nil)
	if !started {
		t.Error("the action did nothing")
	}
}

func TestEmptyPicture(t *testing.T) {
	capture(t, "empty", 520, 240, func() fyne.CanvasObject {
		return NewEmpty("No piece is on the rail yet. Write down what should change, and Fermata works out the rest with you.",
			NewButton("empty.new", "New piece", Primary, nil))
	}, shows(ColorMuted, ColorAccent))
}
