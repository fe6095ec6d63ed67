package home_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
	. "fermata/ui/home"
	"fermata/ui/kit"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// crowded has so many cues: half of them ask for approval, the others are ready for review.
func crowded(cues int) Model {
	m := Model{Projects: model.Projects, Work: model.Work}
	for i := range cues {
		c := Cue{PieceID: fmt.Sprint("x", i), ProjectID: "m", Group: pieces.RequiresApproval, Label: "Spec ready", Title: fmt.Sprint("Piece ", i), Project: "muse", Age: "3 min"}
		if i >= cues/2 {
			c.Group, c.Label = pieces.ReadyForReview, "Ready for review"
		}
		m.Cues = append(m.Cues, c)
	}
	return m
}

// rows are the names of the rows of cues that exist, in their order.
func (w *world) rows() []string {
	return slices.DeleteFunc(kit.Names(w.w.Content()), func(name string) bool { return !strings.HasPrefix(name, "cue:") })
}

func (w *world) scroll() *container.Scroll { return w.home.Content().(*container.Scroll) }

// scrollTo scrolls as a person does.
func (w *world) scrollTo(y float32) {
	w.scroll().Scrolled(&fyne.ScrollEvent{Scrolled: fyne.Delta{DY: w.scroll().Offset.Y - y}})
}

// inView fails unless each place of the window that shows a cue has its row, and few more than those exist.
func (w *world) inView(what string) {
	w.Helper()
	view := w.scroll().Size().Height
	at := map[string]float32{}
	for _, name := range w.rows() {
		o, _ := stage.Find(w.w, name)
		_, y, _, _ := kit.Rect(o)
		at[name] = y
	}
	seen := 0
	for name, y := range at {
		if y > -kit.RowHigh && y < view {
			seen++
		}
		if y < -view || y > 2*view {
			w.Errorf("%s: the row %s exists at %v of a window %v high", what, name, y, view)
		}
	}
	if least := int(view/(kit.RowHigh+kit.Step)) - 4; seen < least {
		w.Errorf("%s: %d rows can be seen, want %d at least", what, seen, least)
	}
}

func TestOfAThousandCuesOnlyTheRowsThatAreSeenExist(t *testing.T) {
	w := open(t, stage.New(t), 860, 600)
	w.home.Show(crowded(1000))
	stage.Settle(w.w)
	if rows := w.rows(); len(rows) == 0 || rows[0] != "cue:x0" {
		t.Fatalf("rows %q", rows)
	}
	w.scrollTo(9000)
	w.inView("scrolled by the person")
	w.scroll().ScrollToOffset(fyne.NewPos(0, 20_000))
	w.inView("scrolled by the app")
	w.w.Resize(fyne.NewSize(860, 1400))
	w.inView("in a higher window")
	w.scrollTo(500_000)
	for _, name := range []string{"cue:x999", "work:p4", "project:c"} {
		w.Tap(w.w, name)
	}
	if want := []string{"piece m x999", "piece m p4", "project c"}; !slices.Equal(w.done, want) {
		t.Errorf("at the end of the page it opened %q, want %q", w.done, want)
	}
}

func TestEachRowShowsTheCueThatItOpensAfterScrollingAndAfterAReading(t *testing.T) {
	w := open(t, stage.New(t), 860, 600)
	m := crowded(300)
	w.home.Show(m)
	stage.Settle(w.w)
	for _, y := range []float32{0, 3000, 700, 8000} {
		w.scrollTo(y)
		for _, name := range w.rows() {
			o, _ := stage.Find(w.w, name)
			if said := strings.Join(texts(o), "\n"); !strings.Contains(said, "Piece "+strings.TrimPrefix(name, "cue:x")+"\n") {
				t.Fatalf("the row %s says %q", name, said)
			}
		}
		m.Cues = slices.Delete(slices.Clone(m.Cues), 0, 7)
		m.Cues[len(m.Cues)/2].Failed = true
		w.home.Show(m)
		stage.Settle(w.w)
	}
	w.inView("after all that")
}

func TestTheFocusStaysOnItsCueAndGoesWithIt(t *testing.T) {
	w := open(t, stage.New(t), 860, 600)
	m := crowded(300)
	w.home.Show(m)
	stage.Settle(w.w)
	o, found := stage.Find(w.w, "cue:x3")
	if !found {
		t.Fatalf("rows %q", w.rows())
	}
	w.w.Canvas().Focus(o.(fyne.Focusable))
	w.scrollTo(6000)
	stage.Press(w.w, fyne.KeyReturn)
	m.Cues = slices.Delete(slices.Clone(m.Cues), 0, 2)
	w.home.Show(m)
	stage.Press(w.w, fyne.KeyReturn)
	if want := []string{"piece m x3", "piece m x3"}; !slices.Equal(w.done, want) {
		t.Fatalf("Enter opened %q, want %q", w.done, want)
	}
	m.Cues = slices.Delete(slices.Clone(m.Cues), 0, 2) // the cue with the focus is answered elsewhere
	w.home.Show(m)
	stage.Press(w.w, fyne.KeyReturn)
	if len(w.done) != 2 {
		t.Errorf("Enter opened %q after its cue had gone", w.done[2:])
	}
}

func TestTabGoesThroughAllCuesThoughFewHaveRows(t *testing.T) {
	const cues = 120
	w := open(t, stage.New(t), 860, 600)
	w.home.Show(crowded(cues))
	stage.Settle(w.w)
	focused := func() string {
		if named, ok := w.w.Canvas().Focused().(kit.Named); ok {
			return named.Name()
		}
		return ""
	}
	first, found := stage.Find(w.w, "cue:x0")
	if !found {
		t.Fatalf("rows %q", w.rows())
	}
	w.w.Canvas().Focus(first.(fyne.Focusable))
	for i := range cues {
		if want := fmt.Sprint("cue:x", i); focused() != want {
			t.Fatalf("Tab came to %q, want %q", focused(), want)
		}
		w.w.Canvas().FocusNext()
	}
	if focused() != "work:p4" {
		t.Errorf("after the last cue Tab came to %q", focused())
	}
}

func TestOfAThousandPiecesThatRunOnlyTheRowsThatAreSeenExist(t *testing.T) {
	w := open(t, stage.New(t), 860, 600)
	m := Model{Projects: model.Projects, Cues: model.Cues}
	for i := range 1000 {
		m.Work = append(m.Work, Work{PieceID: fmt.Sprint("r", i), ProjectID: "m", Words: "Agents are running", Title: fmt.Sprint("Piece ", i), Project: "muse", Age: "now"})
	}
	w.home.Show(m)
	stage.Settle(w.w)
	rows := func() (names []string) {
		for _, name := range kit.Names(w.w.Content()) {
			if strings.HasPrefix(name, "work:") {
				names = append(names, name)
			}
		}
		return names
	}
	if n := len(rows()); n == 0 || n > 100 {
		t.Errorf("%d rows exist", n)
	}
	w.scrollTo(500_000)
	if n := len(rows()); n == 0 || n > 100 {
		t.Errorf("%d rows exist at the end", n)
	}
	w.Tap(w.w, "work:r999")
	w.Tap(w.w, "project:c")
	if want := []string{"piece m r999", "project c"}; !slices.Equal(w.done, want) {
		t.Errorf("at the end of the page it opened %q, want %q", w.done, want)
	}
}
