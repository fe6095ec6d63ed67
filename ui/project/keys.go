package project

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"fermata/ui/kit/sheet"
)

// keyed is something that the window does, with its key.
type keyed struct {
	label string // of the menu
	key   *desktop.CustomShortcut
	do    func()
}

// keyed lists what the window's menu has, in its order.
func (p *Project) keyed() []keyed {
	const shift = fyne.KeyModifierShift
	var list []keyed
	add := func(label string, key fyne.KeyName, more fyne.KeyModifier, do func()) {
		if do != nil {
			list = append(list, keyed{label, &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault | more}, do})
		}
	}
	add("New draft", fyne.KeyN, 0, p.NewDraft)
	add("New piece", fyne.KeyN, shift, p.NewPiece)
	add("Search", fyne.KeyF, 0, p.o.Board.FocusSearch)
	if p.loop.now.Playing {
		add("Pause Loop", fyne.KeyL, 0, func() { p.loop.pause.Tapped(nil) })
	} else {
		add("Play Loop", fyne.KeyL, 0, func() { p.loop.play.Tapped(nil) })
	}
	add("Project settings…", fyne.KeyP, shift, p.ShowSettings)
	add("Sessions", fyne.KeyS, shift, p.o.OpenSessions)
	add("Settings", fyne.KeyComma, 0, p.o.OpenSettings)
	return list
}

// press does what a key stands for in the window's menu.
func (p *Project) press(pressed fyne.Shortcut) {
	for _, k := range p.keyed() {
		if k.key.ShortcutName() == pressed.ShortcutName() {
			k.do()
			return
		}
	}
}

// Keys gives a window's canvas the keys of its project: those of its menu, / searches, the arrows go from card to card,
// Ctrl+Enter and Ctrl with a number do what the open item's menu says, and Esc goes back one step, at last
// out of the item.
func (p *Project) Keys(c fyne.Canvas) {
	add := func(key fyne.KeyName, do func(fyne.Shortcut)) {
		c.AddShortcut(&desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault}, do)
	}
	for _, k := range p.keyed() {
		c.AddShortcut(k.key, p.press)
	}
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
