package inspector

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/kit"
)

// shortcutOf gives a choice its key: Ctrl+Enter for the one that answers the gate, Ctrl and a number for the others.
func shortcutOf(at int, c choice) *desktop.CustomShortcut {
	if c.kind == kit.Primary {
		return &desktop.CustomShortcut{KeyName: fyne.KeyReturn, Modifier: fyne.KeyModifierShortcutDefault}
	}
	if at >= 9 {
		return nil
	}
	return &desktop.CustomShortcut{KeyName: fyne.KeyName('1' + rune(at)), Modifier: fyne.KeyModifierShortcutDefault}
}

// menu lists the choices with their keys below a button.
func (g *gateBar) menu(below fyne.CanvasObject) {
	canvas := fyne.CurrentApp().Driver().CanvasForObject(below)
	if canvas == nil || g.busy != "" {
		return
	}
	items := make([]*fyne.MenuItem, len(g.list))
	for i, c := range g.list {
		items[i] = fyne.NewMenuItem(kit.Plain(c.label), func() { g.do(c) })
		if s := shortcutOf(i, c); s != nil {
			items[i].Shortcut = s
		}
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(below)
	widget.ShowPopUpMenuAtPosition(fyne.NewMenu("", items...), canvas, at.AddXY(0, below.Size().Height+kit.Step))
}

// press carries out what a key stands for; false when it stands for nothing now.
func (g *gateBar) press(s fyne.Shortcut) bool {
	if g.busy != "" {
		return false
	}
	for i, c := range g.list {
		if own := shortcutOf(i, c); own != nil && own.ShortcutName() == s.ShortcutName() {
			g.do(c)
			return true
		}
	}
	return false
}
