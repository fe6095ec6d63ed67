package board

import (
	"fmt"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

// all lists the ids of the cards that are shown, by column.
func all(b *Board) []string {
	var ids []string
	for _, c := range b.columns {
		ids = append(ids, names(b, c.phase)...)
	}
	return ids
}

func filled(t *testing.T) (*Board, *stage.Stage, fyne.Window) {
	t.Helper()
	s := stage.New(t)
	b := New()
	w := s.Open(b.Content(), 1280, 800)
	auto, keyed, old := at("auto", pieces.PhaseStrategy, pieces.Planning), at("keyed", pieces.PhaseReview, pieces.Idle), at("old", pieces.PhaseComplete, pieces.Idle)
	auto.Piece.Config.Lane = pieces.LaneAuto
	keyed.Piece.Source, old.Piece.Archived = &pieces.Source{Key: "SUP-12"}, true
	b.Show(noon, []pieces.Draft{{ID: "d", Title: "Draft", Lane: pieces.LaneManual}}, []pieces.Snapshot{at("spec", pieces.PhaseSpec, pieces.Idle), auto, keyed, old}, nil)
	return b, s, w
}

func TestFiltersNarrowTheBoard(t *testing.T) {
	b, s, w := filled(t)
	for _, c := range []struct {
		what string
		do   func()
		want string
	}{
		{"nothing", func() {}, "[d spec auto keyed]"},
		{"a title", func() { s.Type(w, "board:search", "SPE") }, "[spec]"},
		{"a key", func() { s.Type(w, "board:search", "sup") }, "[keyed]"},
		{"a lane", func() { b.bar.clear(); b.bar.lane.SetSelected("Auto") }, "[auto]"},
		{"what needs me", func() { b.bar.clear(); b.bar.what.SetSelected("Needs me") }, "[spec keyed]"},
		{"what runs", func() { b.bar.what.SetSelected("Running") }, "[auto]"},
		{"what is archived", func() { b.bar.clear(); b.bar.archive.SetChecked(true) }, "[d spec auto keyed old]"},
	} {
		c.do()
		if got := fmt.Sprint(all(b)); got != c.want {
			t.Errorf("by %s it shows %s, want %s", c.what, got, c.want)
		}
	}
}

func TestASearchIsToldAndWhatItFindsIsShown(t *testing.T) {
	b, s, w := filled(t)
	var asked []string
	b.OnSearch(func(text string) { asked = append(asked, text) })
	s.Type(w, "board:search", "bucket")
	if !slices.Contains(asked, "bucket") || len(all(b)) != 0 || !stage.Has(w, "board:clear") {
		t.Fatalf("asked %q, shown %v", asked, all(b))
	}
	b.Found("buck", []string{"spec"})
	if len(all(b)) != 0 {
		t.Error("the answer to an earlier search is shown")
	}
	b.Found("bucket", []string{"auto", "elsewhere"})
	if got := fmt.Sprint(all(b)); got != "[auto]" {
		t.Errorf("found %s", got)
	}
	b.Found("bucket", nil)
	s.Tap(w, "board:clear")
	if len(all(b)) != 4 || b.bar.entry.Text != "" {
		t.Errorf("after all is shown again: %v, %q", all(b), b.bar.entry.Text)
	}
}

func TestArrowsMoveBetweenCardsAndEnterOpens(t *testing.T) {
	b, _, w := filled(t)
	opened, deleted := "", ""
	b.OnOpen(func(id string) { opened = id })
	b.OnDelete(func(id string) { deleted = id })
	at := func() string {
		p, _ := w.Canvas().Focused().(*kit.Press)
		if p == nil {
			return ""
		}
		return p.Name()
	}
	if !b.Arrow(fyne.KeyDown) || at() != "card:d" {
		t.Fatalf("the first arrow goes to %q", at())
	}
	for _, c := range []struct {
		key  fyne.KeyName
		want string
	}{
		{fyne.KeyRight, "card:spec"},
		{fyne.KeyRight, "card:auto"},
		{fyne.KeyRight, "card:keyed"},
		{fyne.KeyRight, "card:keyed"},
		{fyne.KeyUp, "card:keyed"},
		{fyne.KeyLeft, "card:auto"},
	} {
		stage.Press(w, c.key)
		if at() != c.want {
			t.Errorf("%s goes to %q, want %q", c.key, at(), c.want)
		}
	}
	stage.Press(w, fyne.KeyReturn)
	stage.Press(w, fyne.KeyDelete)
	if opened != "auto" || deleted != "auto" {
		t.Errorf("opened %q, deletes %q", opened, deleted)
	}
	test.Type(w.Canvas().Focused(), "/")
	if at() != "" || w.Canvas().Focused() != fyne.Focusable(b.bar.entry) || b.bar.entry.Text != "" {
		t.Errorf("a slash leads to %T with %q", w.Canvas().Focused(), b.bar.entry.Text)
	}
}

func TestFocusStaysOnACardThatScrollsAway(t *testing.T) {
	s := stage.New(t)
	b := New()
	w := s.Open(b.Content(), 1280, 600)
	var list []pieces.Snapshot
	for i := range 200 {
		list = append(list, at(fmt.Sprint("p", i), pieces.PhaseSpec, pieces.Interviewing))
	}
	b.Show(noon, nil, list, nil)
	b.Arrow(fyne.KeyDown)
	for range 120 {
		stage.Press(w, fyne.KeyDown)
	}
	if p, _ := w.Canvas().Focused().(*kit.Press); p == nil || p.Name() != "card:p120" {
		t.Errorf("after 120 steps the focus is on %v", p)
	}
	b.columns[1].reveal(0)
	if p, _ := w.Canvas().Focused().(*kit.Press); p == nil || p.Name() != "card:p120" {
		t.Errorf("a card that scrolled away was given to another item: %v", p.Name())
	}
}

func TestACardIsDroppedWhereItIsAccepted(t *testing.T) {
	b, s, w := filled(t)
	var dropped []string
	b.OnDrop(func(id string, d pieces.Drop) {
		dropped = append(dropped, id+" "+string(d.Action)+fmt.Sprint(d.Release))
	})
	middle := func(at int) fyne.Position {
		x, y, wide, high := kit.Rect(b.columns[at].body)
		return fyne.NewPos(x+wide/2, y+high/2)
	}
	drag := func(id string, to int, name string) {
		c := b.cards[id]
		c.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{AbsolutePosition: middle(0)}})
		c.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{AbsolutePosition: middle(to)}})
		if name != "" {
			s.Keep(w, name)
		}
		c.DragEnd()
	}
	drag("spec", 2, "")
	drag("spec", 3, "")
	drag("spec", 1, "")
	drag("d", 1, "")
	drag("d", 4, "")
	if want := []string{"spec approveSpecfalse", "d true"}; !slices.Equal(dropped, want) {
		t.Errorf("dropped %q, want %q", dropped, want)
	}
	for _, c := range b.columns {
		if c.plate.ground.Visible() {
			t.Error("what a drop means is still said after it")
		}
	}
	c := b.cards["spec"]
	c.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{AbsolutePosition: middle(3)}})
	if got := b.columns[3].plate.words.Text(); got != "Strategy comes first." {
		t.Errorf("a column that accepts nothing says %q", got)
	}
	if got := b.columns[2].plate.words.Text(); got != "Drop here: Approve spec" {
		t.Errorf("a column that accepts it says %q", got)
	}
	s.Keep(w, "board-drag")
	c.DragEnd()
}

func TestCardsSayWhatTheyWaitForAndWhereTheyCameFrom(t *testing.T) {
	waits := at("w", pieces.PhaseSpec, pieces.Waiting)
	waits.Piece.Source = &pieces.Source{Key: "SUP-12"}
	waits.Dependencies = []pieces.Dependency{{Name: "Met", Standing: pieces.Met}, {Name: "Login"}, {Name: "Other"}}
	if f := faceOfPiece(waits, noon); f.word != "Waits on Login and 1 more" || f.source != "SUP-12" || f.lane != "Manual" {
		t.Errorf("a piece that waits: %+v", f)
	}
	open := at("o", pieces.PhaseComplete, pieces.Idle)
	open.Piece.PR = &pieces.PullRequest{Number: 42, State: pieces.PullRequestOpen, Checks: "3 of 4 checks passed"}
	if f := faceOfPiece(open, noon); f.note != "#42 open, 3 of 4 checks passed" || f.word != "Ready to merge" {
		t.Errorf("a pull request: %+v", f)
	}
	reviewed := at("r", pieces.PhaseReview, pieces.Idle)
	for state, note := range map[pieces.CodeReviewState]string{pieces.CodeReviewRunning: "Code review runs", pieces.CodeReviewFailed: "Code review failed", pieces.CodeReviewDone: ""} {
		reviewed.Piece.CodeReview.State = state
		if f := faceOfPiece(reviewed, noon); f.note != note {
			t.Errorf("a code review that is %s: %+v", state, f)
		}
	}
	offered := pieces.Draft{Lane: pieces.LaneLoop, Offered: true}
	if f := faceOfDraft(offered, waits.Dependencies[1:2], noon); f.word != "Waits on Login" {
		t.Errorf("a draft that a playing Loop would start: %+v", f)
	}
	held := pieces.Draft{ReleasedBy: pieces.ByPerson}
	if f := faceOfDraft(held, waits.Dependencies[1:2], noon); f.word != "Waits on Login" {
		t.Errorf("a held draft: %+v", f)
	}
}
