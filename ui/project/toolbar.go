package project

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// toolbar is the layout of the window's first line: the project's name, path and branch, and what can be done with it. The
// menu at its end lists all that with its keys; where the line is too narrow for the name, what is seldom needed is there alone.
type toolbar struct {
	p    *Project
	more *kit.Button
	rare []*kit.Button // what may be in the menu alone
	wide bool          // they have room beside it
}

const (
	toolbarHigh float32 = 44
	nameLeast   float32 = 160
	pathLeast   float32 = 64
	copyIcon    float32 = 20 // room of the mark behind the path
)

func newToolbar(p *Project) *fyne.Container {
	t := &toolbar{p: p}
	t.rare = append(t.rare, kit.NewButton("projectSettings", "Project settings…", kit.Quiet, p.ShowSettings))
	if p.o.OpenSessions != nil {
		t.rare = append(t.rare, kit.NewButton("sessions", "Sessions", kit.Quiet, p.o.OpenSessions))
	}
	if p.o.OpenSettings != nil {
		t.rare = append(t.rare, kit.NewButton("settings", "Settings", kit.Quiet, p.o.OpenSettings))
	}
	t.more = kit.NewButton("projectMore", "", kit.Quiet, t.menu).WithIcon(theme.MoreHorizontalIcon())
	t.wide = true
	tools := kit.Line(kit.Together, p.newDraft, kit.NewButton("newPiece", "New piece", kit.Normal, p.NewPiece), p.loop.buttons)
	for _, b := range t.rare {
		tools.Add(b)
	}
	tools.Add(t.more)
	return container.New(t, p.title, p.path, p.branch, tools)
}

// menu lists what the bar has no room for.
func (t *toolbar) menu() {
	canvas := fyne.CurrentApp().Driver().CanvasForObject(t.more)
	if canvas == nil {
		return
	}
	list := t.p.keyed()
	items := make([]*fyne.MenuItem, len(list))
	for i, k := range list {
		items[i] = fyne.NewMenuItem(phrase.Of(k.label), k.do)
		items[i].Shortcut = k.key
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(t.more)
	widget.ShowPopUpMenuAtPosition(fyne.NewMenu("", items...), canvas, at.AddXY(0, t.more.Size().Height+kit.Step))
}

// fold leaves what is seldom needed to the menu, or shows it beside that.
func (t *toolbar) fold(on bool) {
	for _, b := range t.rare {
		show(b, !on)
	}
	t.wide = !on
}

// MinSize is one line, with the texts cut and the menu.
func (t *toolbar) MinSize(o []fyne.CanvasObject) fyne.Size {
	wide := o[3].MinSize().Width
	if t.wide {
		for _, b := range t.rare {
			wide -= b.MinSize().Width + kit.Together
		}
	}
	return fyne.NewSize(nameLeast+wide+3*kit.Groups, toolbarHigh)
}

// Layout gives the name and the branch what they need, and the path the rest.
func (t *toolbar) Layout(o []fyne.CanvasObject, size fyne.Size) {
	title, path, branch, tools := o[0], o[1], o[2], o[3]
	whole := measured(t.p.title.Text(), theme.SizeNameSubHeadingText, fyne.TextStyle{Bold: true})
	t.fold(false)
	if size.Width-tools.MinSize().Width-3*kit.Groups < min(whole, nameLeast) {
		t.fold(true)
	}
	tail := tools.MinSize()
	tools.Move(fyne.NewPos(size.Width-tail.Width-kit.Groups+kit.Step, 0))
	tools.Resize(fyne.NewSize(tail.Width, size.Height))
	room := max(0, size.Width-tail.Width-3*kit.Groups)
	name := min(max(room/2, nameLeast), room, whole)
	from := min(t.p.branch.Natural(), room-name-kit.Groups)
	x := kit.Groups - kit.Step
	put := func(o fyne.CanvasObject, width float32) {
		high := o.MinSize().Height
		o.Move(fyne.NewPos(x, (size.Height-high)/2))
		o.Resize(fyne.NewSize(width, high))
		x += width + kit.Groups
	}
	put(title, name)
	rest := room - name - max(0, from) - 2*kit.Groups
	show(path, rest >= pathLeast)
	if rest >= pathLeast {
		put(path, min(rest, measured(t.p.place, theme.SizeNameText, fyne.TextStyle{Monospace: true})+copyIcon))
	}
	told := from > 0 && from >= min(pathLeast, t.p.branch.Natural())
	show(branch, told)
	if told {
		put(branch, from)
	}
}

func measured(s string, size fyne.ThemeSizeName, style fyne.TextStyle) float32 {
	return fyne.MeasureText(s, theme.Size(size), style).Width + 1
}
