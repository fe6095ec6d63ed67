package kit

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"fermata/ui/kit/patch"
)

func diffLines() []patch.Line {
	return []patch.Line{
		{Kind: patch.Hunk, Text: "@@ -1,2 +1,2 @@"},
		{Kind: patch.Context, Old: 1, New: 1, Text: "same"},
		{Kind: patch.Deleted, Old: 2, Text: "old " + strings.Repeat("long ", 30)},
		{Kind: patch.Added, New: 2, Text: "new\tx\u202e"},
	}
}

func shownDiff(t *testing.T, choose func(int)) *Diff {
	t.Helper()
	d := NewDiff("d", choose)
	show(t, d, 632, 432)
	d.SetLines(diffLines())
	return d
}

func TestDiffNumbersItsLinesAndHidesNothing(t *testing.T) {
	d := shownDiff(t, nil)
	rows := strings.Split(d.Text(), "\n")
	if len(rows) != 4 || rows[1] != "   1   1  same" || !strings.HasPrefix(rows[2], "   2     -old long") {
		t.Errorf("it shows\n%s", d.Text())
	}
	if !strings.HasPrefix(rows[3], "       2 +new x") || strings.Contains(rows[3], "\u202e") {
		t.Errorf("the added line is %q", rows[3])
	}
	d.SetMarks(map[int]bool{3: true})
	if !strings.HasPrefix(strings.Split(d.Text(), "\n")[3], "●") {
		t.Error("a mark is not shown")
	}
}

func TestDiffSetsReplacedLinesBesideOneAnotherWithAllTheirText(t *testing.T) {
	d := shownDiff(t, nil)
	d.SetSplit(true)
	left := ""
	for i, row := range strings.Split(d.Text(), "\n") {
		if l, r, ok := strings.Cut(row, "│"); ok {
			left += strings.TrimPrefix(strings.TrimSpace(l), "2 -")
			if i == 2 && (!strings.Contains(l, "-old") || !strings.Contains(r, "+new")) {
				t.Errorf("the row is %q", row)
			}
		}
	}
	if got := strings.Count(strings.ReplaceAll(left, " ", ""), "long"); got != 30 {
		t.Errorf("%d of 30 words are shown:\n%s", got, d.Text())
	}
}

func TestDiffIsChosenFromByKeyAndClick(t *testing.T) {
	var chosen []int
	d := shownDiff(t, func(line int) { chosen = append(chosen, line) })
	d.FocusGained()
	for _, key := range []fyne.KeyName{fyne.KeyReturn, fyne.KeyUp, fyne.KeyReturn, fyne.KeyEnd, fyne.KeyReturn, fyne.KeyUp, fyne.KeySpace} {
		d.TypedKey(&fyne.KeyEvent{Name: key})
	}
	d.Tapped(&fyne.PointEvent{Position: d.PositionForCursorLocation(0, 2)}) // where a hunk begins is no line
	d.Tapped(&fyne.PointEvent{Position: d.PositionForCursorLocation(3, 2).AddXY(0, 1)})
	d.SetSplit(true)
	d.Tapped(&fyne.PointEvent{Position: d.PositionForCursorLocation(2, d.half+4).AddXY(0, 1)})
	want := []int{1, 1, 3, 2, 3, 3}
	if len(chosen) != len(want) {
		t.Fatalf("chosen were %v", chosen)
	}
	for i := range want {
		if chosen[i] != want[i] {
			t.Fatalf("chosen were %v, want %v", chosen, want)
		}
	}
}
