package popover

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"fermata/ui/kit"
	"fermata/ui/phrase"
)

const (
	workHigh  float32 = 28
	workShown         = 3 // pieces that are seen at once; more are scrolled
	listLeast float32 = headingHigh + cueHigh
)

// showWork draws the line and a bar for each piece that runs.
func (p *Popover) showWork(m Model) {
	state, line := kit.StateRunning, m.Line
	if line == "" {
		state, line = kit.StateIdle, phrase.Of("Nothing runs")
	}
	p.line.Set(state, line)
	p.work.Objects = nil
	for _, w := range m.Work {
		bar := kit.NewProgress(0, 0, "")
		bar.SetPart(w.Part, w.Words)
		title := kit.Body(w.Title).CutEnd()
		press := kit.NewPress("work:"+w.PieceID, container.New(workRow{}, title, bar), func() { p.o.Actions.OpenPiece(w.ProjectID, w.PieceID) })
		press.OnKey = p.escapeKey
		p.work.Add(press)
	}
	p.work.Refresh()
}

// workRow puts a piece's name before its bar.
type workRow struct{}

// MinSize is fixed in height.
func (workRow) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(4*kit.RowHigh, workHigh) }

// Layout gives each half of the width.
func (workRow) Layout(o []fyne.CanvasObject, size fyne.Size) {
	const side = kit.Groups - kit.Step
	half := (size.Width - 2*side - kit.Together) / 2
	put(o[0], side, 0, half, size.Height)
	put(o[1], side+half+kit.Together, 0, half, size.Height)
}

// footLayout is the running line above the pieces that run.
type footLayout struct{ p *Popover }

// MinSize grows with the pieces, up to those that are seen at once.
func (f *footLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	n := len(f.p.model.Work)
	high := float32(min(n, workShown)) * workHigh
	if n > workShown {
		high += workHigh / 2 // half of one more, to show that there is more
	}
	return fyne.NewSize(0, kit.RowHigh+high+kit.Step)
}

// Layout places the line and what is below it.
func (f *footLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	const side = kit.Groups - kit.Step
	put(o[0], side, 0, size.Width-2*side, kit.RowHigh)
	put(o[2], 0, 0, size.Width, 1)
	put(o[1], 0, kit.RowHigh, size.Width, max(0, size.Height-kit.RowHigh-kit.Step))
}

// stack gives the list what the other parts leave, and the form up to most of it.
type stack struct{ p *Popover }

// MinSize is what all parts need at least.
func (s *stack) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := fyne.NewSize(Width-2, 0)
	for _, part := range o {
		switch {
		case !part.Visible():
		case part == o[2]:
			size.Height += listLeast
		case part == o[3]:
		default:
			size.Height += part.MinSize().Height
		}
	}
	return size
}

// Layout places the parts from the top: head, problem, list, form, foot.
func (s *stack) Layout(o []fyne.CanvasObject, size fyne.Size) {
	head, problem, list, form, foot := o[0], o[1], o[2], o[3], o[4]
	head.Resize(fyne.NewSize(size.Width, head.MinSize().Height))
	y := head.MinSize().Height
	if problem.Visible() {
		problem.Resize(fyne.NewSize(size.Width-2*kit.Together, problem.MinSize().Height))
		high := problem.MinSize().Height
		put(problem, kit.Together, y, size.Width-2*kit.Together, high)
		y += high + kit.Together
	}
	footHigh := foot.MinSize().Height
	bottom := size.Height - footHigh
	put(foot, 0, bottom, size.Width, footHigh)
	if form.Visible() {
		inner := s.p.detail.form
		inner.Resize(fyne.NewSize(size.Width-2*(kit.Groups-kit.Step), 0))
		inner.Resize(fyne.NewSize(inner.Size().Width, inner.MinSize().Height))
		high := min(inner.MinSize().Height+2*(kit.Groups-kit.Step)+1, max(0, bottom-y-listLeast))
		put(form, 0, bottom-high, size.Width, high)
		bottom -= high
	}
	put(list, 0, y, size.Width, max(0, bottom-y))
}

// centered puts an object into the middle of its height.
func centered(o fyne.CanvasObject) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(0, 0, kit.Step, kit.Step), o)
}
