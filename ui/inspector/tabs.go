package inspector

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// pageNames are the words of the tabs, in their order.
var pageNames = []struct {
	tab  tab
	word string
}{
	{tabOverview, "Overview"},
	{tabSpec, "Spec"},
	{tabStrategy, "Strategy"},
	{tabAgents, "Agents"},
	{tabSessions, "Sessions"},
	{tabReview, "Review"},
	{tabHistory, "History"},
}

// tabBar chooses the page.
type tabBar struct {
	tabs map[tab]*kit.Press
	body fyne.CanvasObject
}

func newTabBar(open func(tab)) *tabBar {
	b := &tabBar{tabs: map[tab]*kit.Press{}}
	line := kit.Line(0)
	for _, p := range pageNames {
		word := container.New(tabPad{}, kit.Body(phrase.Of(p.word)))
		b.tabs[p.tab] = kit.NewPress("tab:"+string(p.tab), word, func() { open(p.tab) })
		line.Add(b.tabs[p.tab])
	}
	b.body = kit.Column(0, container.NewHScroll(container.New(layout.NewCustomPaddedLayout(0, 0, kit.Step, kit.Step), line)), kit.Divider())
	return b
}

func (b *tabBar) show(selected tab) {
	for t, press := range b.tabs {
		press.SetSelected(t == selected)
	}
}

// tabPad is the room round a tab's word.
type tabPad struct{}

// MinSize is the word and its room.
func (tabPad) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(o[0].MinSize().Width+2*kit.Together, kit.RowHigh)
}

// Layout puts the word into the middle.
func (tabPad) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(kit.Together, 0))
	o[0].Resize(fyne.NewSize(size.Width-2*kit.Together, size.Height))
}

// pageFrame holds the page of a tab, under the name "page:" and the tab, so that tests see when it is there.
type pageFrame struct {
	widget.BaseWidget

	tab  tab
	body *fyne.Container
}

func newPageFrame() *pageFrame {
	f := &pageFrame{body: container.New(onlyShown{})}
	f.ExtendBaseWidget(f)
	return f
}

// CreateRenderer is for Fyne alone.
func (f *pageFrame) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(f.body) }

// Children is the page.
func (f *pageFrame) Children() []fyne.CanvasObject { return []fyne.CanvasObject{f.body} }

// Name says which page is shown.
func (f *pageFrame) Name() string { return "page:" + string(f.tab) }

func (f *pageFrame) show(t tab, content fyne.CanvasObject) {
	if f.tab == t && content.Visible() && slices.Contains(f.body.Objects, content) {
		return
	}
	f.tab = t
	for _, o := range f.body.Objects {
		o.Hide()
	}
	content.Show()
	if !slices.Contains(f.body.Objects, content) {
		f.body.Add(content)
	}
	f.body.Refresh()
}

// onlyShown gives all the room to what is shown. The pages that are not stay in the window, where a change of theme reaches
// them, but cost no layout: one of them may hold a long transcript.
type onlyShown struct{}

func (onlyShown) MinSize(objects []fyne.CanvasObject) (least fyne.Size) {
	for _, o := range objects {
		if o.Visible() {
			least = least.Max(o.MinSize())
		}
	}
	return least
}

func (onlyShown) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		if o.Visible() {
			o.Move(fyne.Position{})
			o.Resize(size)
		}
	}
}
