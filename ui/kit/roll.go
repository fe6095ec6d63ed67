package kit

import (
	"maps"
	"slices"
	"sort"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// RollLine says what stands at one place of a Roll.
type RollLine struct {
	Kind string // lines of one kind are drawn by objects of one make
	Key  string // a line keeps its object as long as each Set has this key; one without a key takes any object of its kind
	High float32
}

// Roll is a column of lines, each with a height of its own, inside a scroll that may hold other things too. However long it is,
// it keeps objects only for what can be seen and a little more: the rows of a thousand pieces would take more memory than all
// the rest of the app. Fyne's list has a scroll of its own, and measures every row anew for each height that it is given.
type Roll struct {
	widget.BaseWidget

	lines []RollLine
	gap   float32
	tops  []float32 // where each line begins; one more for the end
	make  func(kind string) fyne.CanvasObject
	fill  func(i int, o fyne.CanvasObject)
	view  func() (from, to float32)
	plane *fyne.Container
	shown map[int]rolled
	spare map[string][]fyne.CanvasObject // by kind
	worn  worn                           // by the spare ones, which are in no window
}

// rolled is the object of a line.
type rolled struct {
	RollLine
	o fyne.CanvasObject
}

// NewRoll makes a roll without lines, with a gap after each. create makes an object of a kind, fill lets it show the line i, and
// view says which part of the roll can be seen, from its top; nothing can when to is not below from.
func NewRoll(gap float32, create func(kind string) fyne.CanvasObject, fill func(i int, o fyne.CanvasObject), view func() (from, to float32)) *Roll {
	r := &Roll{gap: gap, tops: []float32{0}, make: create, fill: fill, view: view, shown: map[int]rolled{}, spare: map[string][]fyne.CanvasObject{}}
	r.plane = container.New(plane{r})
	r.ExtendBaseWidget(r)
	return r
}

// CreateRenderer is for Fyne alone.
func (r *Roll) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.plane) }

// Children are the objects of the lines that have one, in their order.
func (r *Roll) Children() []fyne.CanvasObject { return r.plane.Objects }

// Resize gives the lines their width.
func (r *Roll) Resize(size fyne.Size) {
	r.BaseWidget.Resize(size)
	r.Bring()
}

// Set lays out other lines and fills those that have objects.
func (r *Roll) Set(lines []RollLine) {
	keyed := map[string]rolled{}
	for _, row := range r.shown {
		if row.Key == "" {
			r.put(row)
		} else {
			keyed[row.Key] = row
		}
	}
	clear(r.shown)
	r.lines, r.tops = lines, r.tops[:1]
	for i, l := range lines {
		r.tops = append(r.tops, r.tops[i]+l.High+r.gap)
		if row, there := keyed[l.Key]; there && row.Kind == l.Kind {
			r.shown[i] = rolled{l, row.o}
			delete(keyed, l.Key)
		}
	}
	for _, row := range keyed {
		if hasFocus(row.o) {
			fyne.CurrentApp().Driver().CanvasForObject(row.o).Unfocus() // it stands for another line from now on
		}
		r.put(row)
	}
	r.bring(true)
}

// Refill fills the objects that there are anew.
func (r *Roll) Refill() { r.bring(true) }

// Bring makes objects for what can be seen now. Its owner calls it when the scroll has moved or grown.
func (r *Roll) Bring() { r.bring(false) }

// Span is where the line i begins and ends, from the roll's top.
func (r *Roll) Span(i int) (from, to float32) { return r.tops[i], r.tops[i+1] - r.gap }

// High is what all the lines need.
func (r *Roll) High() float32 { return max(0, r.tops[len(r.tops)-1]-r.gap) }

// bring makes objects for what can be seen and gives the others back. It fills the new ones, or all.
func (r *Roll) bring(all bool) {
	from, to := r.view()
	if to <= from || r.Size().Width <= 0 {
		return
	}
	// Half a view more on both sides, so that a scroll begins with what is there.
	more := (to - from) / 2
	first := max(0, sort.Search(len(r.tops), func(i int) bool { return r.tops[i] > from-more })-1)
	last := min(len(r.lines), sort.Search(len(r.tops), func(i int) bool { return r.tops[i] >= to+more }))
	for i, row := range r.shown {
		if (i < first || i >= last) && !hasFocus(row.o) {
			r.put(row)
			delete(r.shown, i)
		}
	}
	fresh := map[int]bool{}
	for i := first; i < last; i++ {
		if _, there := r.shown[i]; !there {
			r.shown[i] = rolled{r.lines[i], r.take(r.lines[i].Kind)}
			fresh[i] = true
		}
	}
	order := slices.Sorted(maps.Keys(r.shown))
	objects := make([]fyne.CanvasObject, len(order))
	for n, i := range order {
		o := r.shown[i].o
		objects[n] = o
		if all || fresh[i] {
			r.fill(i, o)
		}
		top, end := r.Span(i)
		o.Move(fyne.NewPos(0, top))
		o.Resize(fyne.NewSize(r.Size().Width, end-top))
	}
	if !slices.Equal(objects, r.plane.Objects) {
		r.plane.Objects = objects
		r.plane.Refresh()
	}
}

// hasFocus says whether keys go to an object; its line keeps it then, though it is scrolled away.
func hasFocus(o fyne.CanvasObject) bool {
	c := fyne.CurrentApp().Driver().CanvasForObject(o)
	if c == nil || c.Focused() == nil {
		return false
	}
	f, ok := o.(fyne.Focusable)
	return ok && c.Focused() == f
}

func (r *Roll) take(kind string) fyne.CanvasObject {
	if r.worn.changed() {
		clear(r.spare)
	}
	spare := r.spare[kind]
	if len(spare) == 0 {
		return r.make(kind)
	}
	o := spare[len(spare)-1]
	r.spare[kind] = spare[:len(spare)-1]
	return o
}

func (r *Roll) put(row rolled) { r.spare[row.Kind] = append(r.spare[row.Kind], row.o) }

// plane is as high as all the lines; they are placed where they are brought.
type plane struct{ r *Roll }

// MinSize is the height of all lines.
func (p plane) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(RowHigh, p.r.High()) }

// Layout does nothing: bring has placed the lines.
func (plane) Layout([]fyne.CanvasObject, fyne.Size) {}

// Moved is the content of a scroll that tells of each scrolling, whoever did it, and of each change of the scroll's size.
type Moved struct {
	composite
	told func()
}

// NewMoved lets told know.
func NewMoved(content fyne.CanvasObject, told func()) *Moved {
	m := &Moved{composite: composite{body: content}, told: told}
	m.ExtendBaseWidget(m)
	return m
}

// Move is called by the scroll whenever it has moved or changed.
func (m *Moved) Move(to fyne.Position) {
	m.composite.Move(to)
	m.told()
}

// Refresh lays the content out anew.
func (m *Moved) Refresh() { m.body.Refresh() }
