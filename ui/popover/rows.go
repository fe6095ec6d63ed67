package popover

import (
	"sort"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/kit"
)

// roll is a list whose rows have heights of their own. It keeps objects for what can be seen and a little more, however long
// it is; Fyne's list measures every row anew for each height that it is given.
type roll struct {
	widget.BaseWidget

	tops  []float32 // where each row begins; one more for the end
	kinds []string
	make  func(kind string) fyne.CanvasObject
	fill  func(i int, o fyne.CanvasObject)

	scroll *container.Scroll
	plane  *fyne.Container
	shown  map[int]fyne.CanvasObject
	spare  map[string][]fyne.CanvasObject
}

func newRoll(create func(kind string) fyne.CanvasObject, fill func(i int, o fyne.CanvasObject)) *roll {
	r := &roll{tops: []float32{0}, make: create, fill: fill, shown: map[int]fyne.CanvasObject{}, spare: map[string][]fyne.CanvasObject{}}
	r.plane = container.New(plane{r})
	r.scroll = container.NewVScroll(r.plane)
	r.scroll.OnScrolled = func(fyne.Position) { r.bring(false) }
	r.ExtendBaseWidget(r)
	return r
}

// CreateRenderer is for Fyne alone.
func (r *roll) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.scroll) }

// Children is the scroll with the rows that exist.
func (r *roll) Children() []fyne.CanvasObject { return []fyne.CanvasObject{r.scroll} }

// Resize gives the rows their width.
func (r *roll) Resize(size fyne.Size) {
	r.BaseWidget.Resize(size)
	r.bring(false)
}

// set lays out other rows: of each its kind and its height.
func (r *roll) set(kinds []string, high func(i int) float32) {
	for i, o := range r.shown {
		r.put(i, o)
	}
	clear(r.shown)
	r.kinds = kinds
	r.tops = r.tops[:1]
	for i := range kinds {
		r.tops = append(r.tops, r.tops[i]+high(i))
	}
	r.scroll.Refresh()
	r.bring(true)
}

// high is what all the rows need.
func (r *roll) high() float32 { return r.tops[len(r.tops)-1] }

// refill fills the rows that exist anew.
func (r *roll) refill() { r.bring(true) }

// bring makes objects for what can be seen and gives the others back. It fills the new ones, or all.
func (r *roll) bring(all bool) {
	view := r.scroll.Size()
	if view.Width <= 0 || view.Height <= 0 {
		return
	}
	// Half a view more on both sides, so that a scroll begins with what is there.
	from, to := r.scroll.Offset.Y-view.Height/2, r.scroll.Offset.Y+view.Height*3/2
	first := max(0, sort.Search(len(r.tops), func(i int) bool { return r.tops[i] > from })-1)
	last := min(len(r.kinds), sort.Search(len(r.tops), func(i int) bool { return r.tops[i] >= to }))
	for i, o := range r.shown {
		if i < first || i >= last {
			r.put(i, o)
			delete(r.shown, i)
		}
	}
	changed := false
	for i := first; i < last; i++ {
		o, there := r.shown[i]
		if !there {
			o = r.take(r.kinds[i])
			r.shown[i] = o
			changed = true
		}
		if !there || all {
			r.fill(i, o)
		}
		o.Move(fyne.NewPos(0, r.tops[i]))
		o.Resize(fyne.NewSize(view.Width, r.tops[i+1]-r.tops[i]))
	}
	if !changed && len(r.plane.Objects) == len(r.shown) {
		return
	}
	r.plane.Objects = r.plane.Objects[:0]
	for i := first; i < last; i++ {
		r.plane.Objects = append(r.plane.Objects, r.shown[i])
	}
	r.plane.Refresh()
}

func (r *roll) take(kind string) fyne.CanvasObject {
	spare := r.spare[kind]
	if len(spare) == 0 {
		return r.make(kind)
	}
	o := spare[len(spare)-1]
	r.spare[kind] = spare[:len(spare)-1]
	return o
}

func (r *roll) put(i int, o fyne.CanvasObject) {
	kind := r.kinds[i]
	r.spare[kind] = append(r.spare[kind], o)
}

// reveal scrolls until a row can be seen, with the heading before the first.
func (r *roll) reveal(i int) {
	if i < 0 || i >= len(r.kinds) {
		return
	}
	view, y := r.scroll.Size().Height, r.scroll.Offset.Y
	top := r.tops[i]
	if i == 1 {
		top = 0
	}
	switch {
	case top < y:
		y = top
	case r.tops[i+1] > y+view:
		y = r.tops[i+1] - view
	default:
		return
	}
	r.scroll.ScrollToOffset(fyne.NewPos(0, y))
	r.bring(false)
}

// plane is as high as all the rows; they are placed where they are brought.
type plane struct{ r *roll }

// MinSize is the height of all rows.
func (p plane) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(kit.RowHigh, p.r.high()) }

// Layout does nothing: bring has placed the rows.
func (plane) Layout([]fyne.CanvasObject, fyne.Size) {}
