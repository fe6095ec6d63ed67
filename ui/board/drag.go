package board

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// drag is a card on its way to another column. While it lasts each column says what dropping the card there does, or why
// it accepts none.
type drag struct {
	b *Board

	id    string // empty: nothing is dragged
	over  *column
	drops map[*column]pieces.Drop
	title *kit.Text
	ghost *kit.Surface
	layer *fyne.Container
}

const ghostWide float32 = 184

func newDrag(b *Board) *drag {
	d := &drag{b: b, title: kit.Body("").Strong().CutEnd()}
	d.ghost = kit.NewSurface(d.title).Inset(kit.Together).In(kit.ColorRaised, kit.ColorAccent)
	d.ghost.Hide()
	d.layer = container.NewWithoutLayout(d.ghost)
	return d
}

// of says whether the item of an id is dragged.
func (d *drag) of(id string) bool { return d.id != "" && d.id == id }

// moved follows the pointer, which is at a place in the window.
func (d *drag) moved(id string, at fyne.Position) {
	if d.id == "" && !d.begin(id) {
		return
	}
	home := fyne.CurrentApp().Driver().AbsolutePositionForObject(d.layer)
	d.ghost.Move(at.Subtract(home).AddXY(-ghostWide/4, -kit.Groups))
	over := d.columnAt(at)
	if over == d.over {
		return
	}
	for _, c := range []*column{d.over, over} {
		if c != nil {
			c.plate.show(d.drops[c], c == over)
		}
	}
	d.over = over
}

func (d *drag) begin(id string) bool {
	at, row, ok := d.b.find(id)
	if !ok {
		return false
	}
	d.id, d.over, d.drops = id, nil, map[*column]pieces.Drop{}
	it := d.b.columns[at].items[row]
	for _, c := range d.b.columns {
		var drop pieces.Drop
		if it.draft != nil {
			drop = pieces.DropDraft(*it.draft, c.phase)
		} else {
			drop = pieces.DropPiece(*it.piece, c.phase)
		}
		d.drops[c] = drop
		c.plate.show(drop, false)
	}
	d.title.Set(d.b.faceOf(it).title)
	d.ghost.Resize(fyne.NewSize(ghostWide, 2*kit.Groups))
	d.ghost.Show()
	return true
}

func (d *drag) columnAt(at fyne.Position) *column {
	for _, c := range d.b.columns {
		x, y, w, h := kit.Rect(c.body)
		if at.X >= x && at.X < x+w && at.Y >= y && at.Y < y+h {
			return c
		}
	}
	return nil
}

// end drops the card where the pointer is.
func (d *drag) end() {
	id, over := d.id, d.over
	if id == "" {
		return
	}
	drop := d.drops[over]
	d.id, d.over, d.drops = "", nil, nil
	d.ghost.Hide()
	for _, c := range d.b.columns {
		c.plate.hide()
	}
	d.b.prune()
	if over != nil && drop.Accepts() {
		d.b.dropped(id, drop)
	}
}

// plate says at a column what dropping the card there does.
type plate struct {
	words  *kit.Paragraph
	ground *kit.Surface
	holder *fyne.Container
}

func newPlate() *plate {
	p := &plate{words: kit.NewNote("")}
	p.ground = kit.NewSurface(kit.Column(0, p.words)).Inset(kit.Together)
	p.ground.Hide()
	p.holder = container.New(plateLayout{}, p.ground)
	return p
}

func (p *plate) hide() { p.ground.Hide() }

// show says what a drop means; the one under the pointer stands out. The card's own column says nothing.
func (p *plate) show(d pieces.Drop, over bool) {
	if !d.Accepts() && d.Reason.Empty() {
		p.hide()
		return
	}
	words, ink, stroke := phrase.Said(d.Reason), kit.ColorMuted, kit.ColorBorder
	if d.Accepts() {
		words, ink, stroke = phrase.Of("Drop here: ")+phrase.Of(d.Label), kit.ColorText, kit.ColorAccent
	}
	fill := kit.ColorSurface
	if over {
		fill = kit.ColorRaised
		if !d.Accepts() {
			ink, stroke = kit.ColorFailed, kit.ColorFailed
		} else {
			ink = kit.ColorAccent
		}
	}
	p.words.In(ink)
	p.words.Set(words)
	p.ground.In(fill, stroke)
	p.ground.Show()
	p.holder.Refresh()
}

// plateLayout puts the plate below the column's heading, as high as its words need.
type plateLayout struct{}

// MinSize is nothing: a column is not made larger by what is said over it.
func (plateLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.Size{} }

// Layout gives it the column's width.
func (plateLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, plateTop))
	o[0].Resize(fyne.NewSize(size.Width, max(kit.CardHigh, o[0].MinSize().Height)))
}
