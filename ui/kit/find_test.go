package kit

import (
	"fmt"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

func TestFindSeesThroughContainersAndWidgets(t *testing.T) {
	newScreen(t, 1)
	button := func(name string) *Button { return NewButton(name, name, Normal, nil) }
	for name, root := range map[string]fyne.CanvasObject{
		"container": container.NewVBox(button("x")),
		"scroll":    container.NewVScroll(button("x")),
		"split":     container.NewHSplit(widget.NewLabel("a"), button("x")),
		"tabs":      container.NewAppTabs(container.NewTabItem("one", button("x")), container.NewTabItem("two", button("y"))),
		"doc tabs":  container.NewDocTabs(container.NewTabItem("one", button("x"))),
		"surface":   NewSurface(button("x")),
		"press":     NewPress("p", NewRow(nil, "t", "", button("x")), nil),
		"row":       NewRow(button("x"), "t", "", nil),
		"empty":     NewEmpty("Nothing yet.", button("x")),
		"error bar": NewErrorBar("e", Problem{}, button("x")),
		"field":     NewField("f", button("x"), ""),
		"tips":      NewTips(button("x")),
		"card":      widget.NewCard("", "", button("x")),
		"form":      widget.NewForm(widget.NewFormItem("l", button("x"))),
		"override":  container.NewThemeOverride(button("x"), NewTheme(Fonts{})),
	} {
		t.Run(name, func(t *testing.T) {
			w := test.NewWindow(root)
			defer w.Close()
			if o, found := Find(root, "x"); !found || o.(Named).Name() != "x" {
				t.Error("x was not found")
			}
			if _, found := Find(root, "y"); found {
				t.Error("y was found, though it cannot be seen")
			}
		})
	}
}

func TestFindLeavesOutWhatIsHidden(t *testing.T) {
	newScreen(t, 1)
	box := container.NewVBox(NewButton("x", "x", Normal, nil))
	box.Hide()
	if _, found := Find(container.NewStack(box), "x"); found {
		t.Error("a hidden button was found")
	}
}

func TestNamesAreInTheOrderOfDrawing(t *testing.T) {
	newScreen(t, 1)
	root := container.NewVBox(NewButton("a", "", Normal, nil), NewEntry("b"), NewButton("", "no name", Normal, nil), NewCheck("c", "", nil))
	if got, want := Names(root), []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
}

func TestRectIsWhereAClickHits(t *testing.T) {
	pressed := false
	b := NewButton("deep", "Deep", Normal, func() { pressed = true })
	w := show(t, container.NewVScroll(NewSurface(Column(Pane, Heading("Above"), b))), 300, 200)
	o, _ := Find(w.Content(), "deep")
	x, y, wide, high := Rect(o)
	test.TapCanvas(w.Canvas(), fyne.NewPos(x+wide/2, y+high/2))
	if !pressed {
		t.Errorf("a click into %v,%v %v×%v did not press the button", x, y, wide, high)
	}
}

func TestListFindsTheRowsThatCanBeSeen(t *testing.T) {
	opened, times := -1, 0
	l := NewList("pieces", func() int { return 1000 },
		func() fyne.CanvasObject { return NewRow(NewStateDot(StateIdle, ""), "", "", nil) },
		func(id int, o fyne.CanvasObject) {
			row := o.(*Row)
			row.SetName(fmt.Sprintf("piece.%d", id))
			row.SetText(fmt.Sprintf("Piece %d", id), "3 min")
		},
		func(id int) { opened = id; times++ })
	w := show(t, l, 300, 232)
	if _, found := Find(w.Content(), "piece.3"); !found {
		t.Fatalf("piece.3 was not found among %v", Names(w.Content()))
	}
	if _, found := Find(w.Content(), "piece.50"); found {
		t.Error("piece.50 was found before the list was scrolled")
	}
	l.ScrollTo(50)
	o, found := Find(w.Content(), "piece.50")
	if _, old := Find(w.Content(), "piece.3"); !found || old {
		t.Fatalf("after scrolling to 50 there are %v", Names(w.Content()))
	}
	x, y, wide, high := Rect(o)
	test.TapCanvas(w.Canvas(), fyne.NewPos(x+wide/2, y+high/2))
	test.TapCanvas(w.Canvas(), fyne.NewPos(x+wide/2, y+high/2))
	if opened != 50 || times != 2 {
		t.Errorf("row %d was opened, %d times, want 50, twice", opened, times)
	}
	l.ScrollToTop()
	w.Canvas().Focus(l)
	press(w, fyne.KeyUp, fyne.KeyReturn)
	if opened == 50 {
		t.Error("Enter opened no row")
	}
	keep(t, "list-light", w.Canvas().Capture())
}
