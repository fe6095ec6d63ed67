package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/phrase"
)

// Entry is Fyne's entry with a stable name.
type Entry struct {
	widget.Entry
	named

	// OnEscape is called for Esc; nil takes the focus away, so that what was typed stays and the next Esc is the window's.
	OnEscape func()
}

// NewEntry makes an entry of one line.
func NewEntry(name string) *Entry {
	e := &Entry{named: named{name}}
	e.Wrapping = fyne.TextWrap(fyne.TextTruncateClip)
	e.ExtendBaseWidget(e)
	return e
}

// NewMultiEntry makes an entry of several lines that wraps at words and shows at least rows of them.
func NewMultiEntry(name string, rows int) *Entry {
	e := &Entry{named: named{name}}
	e.MultiLine = true
	e.Wrapping = fyne.TextWrapWord
	e.SetMinRowsVisible(rows)
	e.ExtendBaseWidget(e)
	return e
}

// NewPasswordEntry makes an entry that hides what is typed.
func NewPasswordEntry(name string) *Entry {
	e := &Entry{named: named{name}}
	e.Password = true
	e.Wrapping = fyne.TextWrap(fyne.TextTruncateClip)
	e.ExtendBaseWidget(e)
	return e
}

// SetPlaceHolder shows a text of the catalogue where nothing is written.
func (e *Entry) SetPlaceHolder(text string) { e.Entry.SetPlaceHolder(phrase.Of(text)) }

// AcceptsTab is false: the Tab key leaves an entry of several lines too, which a person without a mouse could not leave otherwise.
func (e *Entry) AcceptsTab() bool { return false }

// FocusGained brings the entry into view.
func (e *Entry) FocusGained() {
	e.Entry.FocusGained()
	RevealFocused(e)
}

// TypedShortcut hands the keys of the window on to it, which Fyne keeps from it while an entry has the focus: those with a
// letter or a comma that the entry itself has no use for.
func (e *Entry) TypedShortcut(s fyne.Shortcut) {
	e.Entry.TypedShortcut(s)
	custom, ok := s.(*desktop.CustomShortcut)
	if !ok || custom.KeyName != fyne.KeyComma && (len(custom.KeyName) != 1 || custom.KeyName < fyne.KeyA || custom.KeyName > fyne.KeyZ) {
		return
	}
	if c, ok := fyne.CurrentApp().Driver().CanvasForObject(e).(fyne.Shortcutable); ok {
		c.TypedShortcut(s)
	}
}

func (e *Entry) escape() {
	if e.OnEscape != nil {
		e.OnEscape()
		return
	}
	if c := fyne.CurrentApp().Driver().CanvasForObject(e); c != nil {
		c.Unfocus()
	}
}

// TypedKey hands Esc to OnEscape and every other key to the entry.
func (e *Entry) TypedKey(key *fyne.KeyEvent) {
	if key.Name == fyne.KeyEscape {
		e.escape()
		return
	}
	e.Entry.TypedKey(key)
}

// Check is Fyne's check box with a stable name; Enter turns it like Space.
type Check struct {
	widget.Check
	named
	held

	// OnEscape is called for Esc; nil leaves the key to the window.
	OnEscape func()
}

// NewCheck makes a check box with a label of the catalogue.
func NewCheck(name, label string, changed func(bool)) *Check {
	c := &Check{named: named{name}}
	c.Text = Plain(phrase.Of(label))
	c.OnChanged = changed
	c.ExtendBaseWidget(c)
	return c
}

// FocusGained brings the box into view.
func (c *Check) FocusGained() {
	c.Check.FocusGained()
	RevealFocused(c)
}

// DragEnd turns the box when the pointer that moved over it is let go there.
func (c *Check) DragEnd() {
	if ev := c.click(c.Size()); ev != nil {
		c.Tapped(ev)
	}
}

// TypedKey turns the box with Enter, and hands Esc to OnEscape; Space reaches Fyne's check box as a rune.
func (c *Check) TypedKey(key *fyne.KeyEvent) {
	if escaped(c, key, c.OnEscape) {
		return
	}
	if !c.Disabled() && (key.Name == fyne.KeyReturn || key.Name == fyne.KeyEnter) {
		c.SetChecked(!c.Checked)
		return
	}
	c.Check.TypedKey(key)
}
