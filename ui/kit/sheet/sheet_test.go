package sheet_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"fermata/ui/kit"
	"fermata/ui/kit/sheet"
	"fermata/ui/stage"
)

func TestSheetTakesTapsAndFocusAndGivesThemBack(t *testing.T) {
	s := stage.New(t)
	layer := sheet.NewLayer()
	taps := 0
	below := kit.NewButton("below", "Below", kit.Normal, func() { taps++ })
	w := s.Open(container.NewStack(below, layer), 600, 400)
	w.Canvas().Focus(below)
	inside := kit.NewButton("inside", "Inside", kit.Normal, func() { taps += 10 })
	layer.Ask(sheet.Sheet{Body: inside, Width: 300, First: inside})
	if w.Canvas().Focused() != fyne.Focusable(inside) {
		t.Errorf("the focus is on %v", w.Canvas().Focused())
	}
	x, y, _, _ := kit.Rect(below)
	test.TapCanvas(w.Canvas(), fyne.NewPos(x+3, y+3))
	if taps != 0 {
		t.Error("a tap beside the sheet reached what is below")
	}
	w.Canvas().FocusNext()
	if w.Canvas().Focused() != fyne.Focusable(inside) {
		t.Error("the Tab key left the sheet")
	}
	s.Tap(w, "inside")
	layer.Close()
	if taps != 10 || layer.Open() || w.Canvas().Focused() != fyne.Focusable(below) {
		t.Errorf("after closing: %d taps, open %v, focus on %v", taps, layer.Open(), w.Canvas().Focused())
	}
}

func TestNamesOfASheetAreFoundFromTheContent(t *testing.T) {
	s := stage.New(t)
	layer := sheet.NewLayer()
	w := s.Open(container.NewStack(layer), 600, 400)
	layer.Ask(sheet.Sheet{Body: kit.NewButton("inside", "Inside", kit.Normal, nil), Width: 300})
	o, found := kit.Find(w.Content(), "inside")
	if !found {
		t.Fatal("the button of the sheet is not found")
	}
	if x, y, _, _ := kit.Rect(o); x < 100 || y < 24 {
		t.Errorf("the button is at %v, %v, which is not in the middle", x, y)
	}
}

func TestSheetKeepsItsButtonsInsideASmallWindow(t *testing.T) {
	s := stage.New(t)
	layer := sheet.NewLayer()
	w := s.Open(container.NewStack(layer), 300, 200)
	column := kit.Column(kit.Together)
	for range 30 {
		column.Add(kit.Body("line"))
	}
	answer := kit.NewButton("answer", "Answer", kit.Primary, nil)
	layer.Ask(sheet.Sheet{Title: "Many lines", Body: column, Buttons: []*kit.Button{answer}, Width: 600})
	stage.Settle(w)
	top := w.Canvas().Overlays().Top()
	whole := top.(interface{ Children() []fyne.CanvasObject }).Children()[0]
	x, y, wide, high := kit.Rect(whole)
	if x < 0 || y < 0 || x+wide > 300 || y+high > 200 {
		t.Errorf("the sheet is at %v, %v and %v by %v", x, y, wide, high)
	}
	bx, by, bwide, bhigh := kit.Rect(answer)
	if bx < x || by < y || bx+bwide > x+wide || by+bhigh > y+high {
		t.Errorf("the button is at %v, %v and %v by %v, outside of the sheet", bx, by, bwide, bhigh)
	}
}

func TestTheTabKeyScrollsToWhatItComesTo(t *testing.T) {
	s := stage.New(t)
	layer := sheet.NewLayer()
	w := s.Open(container.NewStack(layer), 400, 200)
	column := kit.Column(kit.Together)
	var last *kit.Entry
	for range 12 {
		last = kit.NewEntry("")
		column.Add(last)
	}
	answer := kit.NewButton("answer", "Answer", kit.Primary, nil)
	layer.Ask(sheet.Sheet{Title: "Many fields", Body: column, Buttons: []*kit.Button{answer}, Width: 300})
	stage.Settle(w)
	w.Canvas().FocusPrevious()
	if w.Canvas().Focused() != fyne.Focusable(last) {
		t.Fatalf("the focus is on %v", w.Canvas().Focused())
	}
	_, y, _, high := kit.Rect(last)
	_, bottom, _, _ := kit.Rect(answer)
	if y < 24 || y+high > bottom {
		t.Errorf("the field with the focus is at %v to %v, out of sight between 24 and %v", y, y+high, bottom)
	}
}
