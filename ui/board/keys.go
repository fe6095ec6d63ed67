package board

import "fyne.io/fyne/v2"

// FocusSearch puts the focus into the search.
func (b *Board) FocusSearch() {
	if c := b.canvas(); c != nil && b.bar.body.Visible() {
		c.Focus(b.bar.entry)
	}
}

// Arrow goes from the open item, or else the first one, to its neighbour; false for another key and an empty board.
func (b *Board) Arrow(key fyne.KeyName) bool {
	switch key {
	case fyne.KeyUp, fyne.KeyDown, fyne.KeyLeft, fyne.KeyRight:
	default:
		return false
	}
	if _, _, ok := b.find(b.selected); ok {
		return b.focusOn(b.selected)
	}
	return b.focusFirst()
}

func (b *Board) canvas() fyne.Canvas { return fyne.CurrentApp().Driver().CanvasForObject(b.body) }

func (b *Board) typedRune(r rune) {
	if r == '/' {
		b.FocusSearch()
	}
}

// key takes what a card's keys mean on the board.
func (c *card) key(ev *fyne.KeyEvent) bool {
	switch ev.Name {
	case fyne.KeyUp:
		return c.b.step(c.id, 0, -1)
	case fyne.KeyDown:
		return c.b.step(c.id, 0, 1)
	case fyne.KeyLeft:
		return c.b.step(c.id, -1, 0)
	case fyne.KeyRight:
		return c.b.step(c.id, 1, 0)
	case fyne.KeyDelete:
		if c.b.isPiece(c.id) {
			c.b.remove(c.id)
		}
		return true
	case fyne.KeyEscape:
		if canvas := c.b.canvas(); canvas != nil {
			canvas.Unfocus()
		}
		c.b.open("")
		return true
	default:
		return false
	}
}

// step moves the focus to the neighbour of a card: in its column, or in the next column that has one.
func (b *Board) step(id string, columns, rows int) bool {
	at, row, ok := b.find(id)
	if !ok {
		return true
	}
	for columns != 0 {
		at += columns
		if at < 0 || at >= len(b.columns) {
			return true
		}
		if n := len(b.columns[at].items); n > 0 {
			row = min(row, n-1)
			break
		}
	}
	row += rows
	if row >= 0 && row < len(b.columns[at].items) {
		b.focusOn(b.columns[at].items[row].id)
	}
	return true
}

func (b *Board) focusFirst() bool {
	for _, c := range b.columns {
		if len(c.items) > 0 {
			return b.focusOn(c.items[0].id)
		}
	}
	return false
}

// focusOn brings a card onto the screen and gives it the focus.
func (b *Board) focusOn(id string) bool {
	b.reveal(id)
	card, canvas := b.cards[id], b.canvas()
	if card == nil || canvas == nil {
		return false
	}
	canvas.Focus(card.press)
	return true
}
