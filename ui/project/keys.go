package project

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"fermata/ui/kit/sheet"
)

// Keys gives a window's canvas the keys of its project: Ctrl+N files a draft, Ctrl+F and / search, the arrows go from card
// to card, Ctrl+Enter and Ctrl with a number do what the open item's menu says, and Esc goes back
// one step, at last out of the item.
func (p *Project) Keys(c fyne.Canvas) {
	add := func(key fyne.KeyName, do func(fyne.Shortcut)) {
		c.AddShortcut(&desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault}, do)
	}
	add(fyne.KeyN, func(fyne.Shortcut) { p.NewDraft() })
	add(fyne.KeyF, func(fyne.Shortcut) { p.o.Board.FocusSearch() })
	c.SetOnTypedRune(func(r rune) {
		if r == '/' {
			p.o.Board.FocusSearch()
		}
	})
	choose := func(s fyne.Shortcut) {
		if !p.sheets.Open() {
			p.o.Inspector.Press(s)
		}
	}
	add(fyne.KeyReturn, choose)
	for n := '1'; n <= '9'; n++ {
		add(fyne.KeyName(n), choose)
	}
	before := c.OnTypedKey()
	c.SetOnTypedKey(func(ev *fyne.KeyEvent) {
		if c.Overlays().Top() != nil {
			if ev.Name == fyne.KeyEscape {
				sheet.Escape(c)
			}
			return
		}
		if ev.Name == fyne.KeyEscape && p.o.Inspector.Back() {
			return
		}
		if ev.Name == fyne.KeyEscape && p.opened != "" {
			p.ShowPiece("")
			return
		}
		if p.o.Board.Arrow(ev.Name) {
			return
		}
		if before != nil {
			before(ev)
		}
	})
}
