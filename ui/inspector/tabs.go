package inspector

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/ui/kit"
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
		word := container.New(tabPad{}, kit.Body(p.word))
		b.tabs[p.tab] = kit.NewPress("tab:"+string(p.tab), word, func() { open(p.tab) })
		line.Add(b.tabs[p.tab])
	}
	b.body = container.NewVBox(container.NewHScroll(line), kit.Divider())
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
