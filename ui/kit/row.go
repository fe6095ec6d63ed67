package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// Row is a line of a list, 32 high: something leading, a title, a caption, something trailing. It takes no taps
// itself: put it into a List, or into a Press.
type Row struct {
	widget.BaseWidget
	named

	title, caption    *Text
	leading, trailing fyne.CanvasObject
}

// NewRow makes a row; leading and trailing may be nil.
func NewRow(leading fyne.CanvasObject, title, caption string, trailing fyne.CanvasObject) *Row {
	r := &Row{title: Body(title).CutEnd(), caption: Caption(caption).CutEnd(), leading: leading, trailing: trailing}
	r.ExtendBaseWidget(r)
	return r
}

// SetText shows another title and caption.
func (r *Row) SetText(title, caption string) {
	r.title.Set(title)
	r.caption.Set(caption)
	r.Refresh()
}

// Title is the row's whole title.
func (r *Row) Title() string { return r.title.Text() }

// Strong draws the title in the bold weight, for what is new.
func (r *Row) Strong() *Row {
	r.title.Strong()
	return r
}

// Children are what stands before and behind the texts.
func (r *Row) Children() []fyne.CanvasObject {
	var children []fyne.CanvasObject
	for _, o := range []fyne.CanvasObject{r.leading, r.trailing} {
		if o != nil {
			children = append(children, o)
		}
	}
	return children
}

// CreateRenderer is for Fyne alone.
func (r *Row) CreateRenderer() fyne.WidgetRenderer {
	objects := append([]fyne.CanvasObject{r.title, r.caption}, r.Children()...)
	return newFace(r, r.measure, r.place, func() {}, objects...)
}

func (r *Row) measure() fyne.Size {
	size := fyne.NewSize(2*Together+cutWidth, RowHigh)
	for _, o := range r.Children() {
		least := o.MinSize()
		size.Width += least.Width + Together
		size.Height = max(size.Height, least.Height)
	}
	return size
}

func (r *Row) place(size fyne.Size) {
	left, right := Together, size.Width-Together
	if r.leading != nil {
		least := r.leading.MinSize()
		r.leading.Move(fyne.NewPos(left, middle(size.Height, least.Height)))
		r.leading.Resize(least)
		left += least.Width + Together
	}
	if r.trailing != nil {
		least := r.trailing.MinSize()
		right -= least.Width
		r.trailing.Move(fyne.NewPos(right, middle(size.Height, least.Height)))
		r.trailing.Resize(least)
		right -= Together
	}
	r.placeTexts(left, max(left, right), size.Height)
}

// placeTexts gives the title what it needs, and the caption the rest, on the title's baseline. A title that leaves the
// caption no room worth having takes it all.
func (r *Row) placeTexts(left, right, high float32) {
	room := right - left
	titleSize := r.title.MinSize()
	width := min(room, r.title.Natural())
	rest := room - width - Together
	r.caption.Hidden = r.caption.Text() == "" || rest < min(cutWidth, r.caption.Natural())
	if r.caption.Hidden {
		width = room
	}
	top := middle(high, titleSize.Height)
	r.title.Move(fyne.NewPos(left, top))
	r.title.Resize(fyne.NewSize(width, titleSize.Height))
	captionHigh := r.caption.MinSize().Height
	r.caption.Move(fyne.NewPos(left+width+Together, top+r.title.baseline()-r.caption.baseline()))
	r.caption.Resize(fyne.NewSize(max(0, rest), captionHigh))
}
