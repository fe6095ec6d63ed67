package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

func TestPressTakesClickEnterAndSpaceAndLeavesInnerButtonsTheirs(t *testing.T) {
	opened, stopped := 0, 0
	stop := NewButton("stop", "Stop", Normal, func() { stopped++ })
	p := NewPress("piece.1", NewRow(nil, "Login form", "3 min", stop), func() { opened++ })
	w := show(t, Column(0, p), 400, 80)
	x, y, _, h := Rect(p)
	test.TapCanvas(w.Canvas(), fyne.NewPos(x+20, y+h/2))
	if opened != 1 || stopped != 0 {
		t.Fatalf("opened %d, stopped %d after a click on the row, want 1 and 0", opened, stopped)
	}
	bx, by, bw, bh := Rect(stop)
	test.TapCanvas(w.Canvas(), fyne.NewPos(bx+bw/2, by+bh/2))
	if opened != 1 || stopped != 1 {
		t.Fatalf("opened %d, stopped %d after a click on the button, want 1 and 1", opened, stopped)
	}
	w.Canvas().Focus(p)
	press(w, fyne.KeyEnter, fyne.KeySpace)
	if opened != 3 {
		t.Errorf("opened %d after Enter and Space, want 3", opened)
	}
}

func TestRowPicture(t *testing.T) {
	capture(t, "row", 480, 260, func() fyne.CanvasObject {
		selected := NewPress("s", NewRow(NewStateDot(StateRunning, ""), "Rework the login form", "agents run", Caption("3 min")), nil)
		selected.SetSelected(true)
		focused := NewPress("f", NewRow(NewStateDot(StateWaiting, ""), "Export to CSV", "strategy waits for you", NewLetterPill(ColorStrategy, "S", "Strategy")), nil)
		focused.FocusGained()
		hovered := NewPress("h", NewRow(NewStateDot(StateFailed, ""), "A piece whose title is so long that nothing else has room in its row", "caption", Caption("2 h")), nil)
		hovered.MouseIn(nil)
		return NewSurface(Column(0,
			selected, focused, hovered, Divider(),
			NewRow(NewStateDot(StateDone, ""), "Update the readme", "merged", NewButton("o", "Open", Normal, nil)),
			NewRow(nil, "No icon", "", nil).Strong(),
		)).Inset(Step)
	}, shows(ColorSurface, ColorText, ColorAccent))
}

func TestRowGivesTheCaptionWhatTheTitleLeaves(t *testing.T) {
	short := NewRow(nil, "Short", "caption", nil)
	long := NewRow(nil, "A title that needs more than the whole width of its row and then some", "caption", nil)
	show(t, Column(0, short, long), 240, 120)
	if short.caption.Hidden || short.title.Shown() != "Short" {
		t.Errorf("short title: %q, caption hidden %v, want both shown", short.title.Shown(), short.caption.Hidden)
	}
	if !long.caption.Hidden || long.title.Shown() == long.Title() {
		t.Errorf("long title: %q, caption hidden %v, want it cut and alone", long.title.Shown(), long.caption.Hidden)
	}
	if short.MinSize().Height != RowHigh {
		t.Errorf("a row is %v high, want %v", short.MinSize().Height, RowHigh)
	}
}
