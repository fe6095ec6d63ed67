package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/phrase"
)

// Entry is Fyne's entry with a stable name.
type Entry struct {
	widget.Entry
	named

	// OnEscape is called for Esc; nil leaves the key alone.
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

// TypedKey hands Esc to OnEscape and every other key to the entry.
func (e *Entry) TypedKey(key *fyne.KeyEvent) {
	if key.Name == fyne.KeyEscape && e.OnEscape != nil {
		e.OnEscape()
		return
	}
	e.Entry.TypedKey(key)
}

// FocusGained shows the cursor.
func (e *Entry) FocusGained() {
	e.Entry.FocusGained()
	revealFocused(e)
}

// Check is Fyne's check box with a stable name; Enter turns it like Space.
type Check struct {
	widget.Check
	named

	// OnEscape is called for Esc; nil leaves the key alone.
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

// FocusGained shows the focus.
func (c *Check) FocusGained() {
	c.Check.FocusGained()
	revealFocused(c)
}

// TypedKey turns the box with Enter, and hands Esc to OnEscape; Space reaches Fyne's check box as a rune.
func (c *Check) TypedKey(key *fyne.KeyEvent) {
	if key.Name == fyne.KeyEscape && c.OnEscape != nil {
		c.OnEscape()
		return
	}
	if !c.Disabled() && (key.Name == fyne.KeyReturn || key.Name == fyne.KeyEnter) {
		c.SetChecked(!c.Checked)
		return
	}
	c.Check.TypedKey(key)
}
