package kit

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/kit/patch"
)

// Diff shows the lines of a diff with their numbers, in one column or as they were beside as they are. A line is chosen by
// a click, or with the arrow keys and Enter.
type Diff struct {
	widget.TextGrid
	named

	// OnEscape is called for Esc; nil leaves the key alone.
	OnEscape func()

	choose func(line int)
	lines  []patch.Line
	marks  map[int]bool
	split  bool

	rows    []diffRow
	columns int // that there is room for; only two columns care
	half    int // where the right side begins
	at      int // the line under the cursor; -1 before one is
	focused bool
	scroll  *container.Scroll
}

// diffRow is one row on the screen: the lines it is part of, -1 where there is none.
type diffRow struct{ left, right int }

var (
	_ fyne.Focusable = (*Diff)(nil)
	_ fyne.Tappable  = (*Diff)(nil)
)

// NewDiff makes an empty diff with a stable name that scrolls by itself. Choose is called with the place of a chosen line
// in those that are shown; nil makes a diff that is only read.
func NewDiff(name string, choose func(line int)) *Diff {
	d := &Diff{named: named{name}, choose: choose, at: -1}
	d.Scroll = container.ScrollBoth
	d.ExtendBaseWidget(d)
	return d
}

// NewSmallDiff makes a diff that is only read and as high as its lines.
func NewSmallDiff(lines []patch.Line) *Diff {
	d := NewDiff("", nil)
	d.Scroll = container.ScrollHorizontalOnly
	d.SetLines(lines)
	return d
}

// SetLines shows other lines from their beginning.
func (d *Diff) SetLines(lines []patch.Line) {
	d.lines, d.marks, d.at = lines, nil, -1
	if d.scroll != nil {
		d.scroll.ScrollToTop()
	}
	d.draw()
}

// SetMarks marks lines by their places, such as those that somebody has said something about.
func (d *Diff) SetMarks(marks map[int]bool) {
	d.marks = marks
	d.draw()
}

// SetSplit chooses whether the lines as they were stand beside those as they are.
func (d *Diff) SetSplit(split bool) {
	if split == d.split {
		return
	}
	d.split = split
	d.draw()
	d.reveal()
}

// Split says whether they do.
func (d *Diff) Split() bool { return d.split }

// CreateRenderer is for Fyne alone.
func (d *Diff) CreateRenderer() fyne.WidgetRenderer {
	d.ExtendBaseWidget(d)
	r := d.TextGrid.CreateRenderer()
	if scroll, ok := r.Objects()[0].(*container.Scroll); ok {
		d.scroll = scroll
	}
	return r
}

// MinSize is all rows where they do not scroll.
func (d *Diff) MinSize() fyne.Size {
	size := d.TextGrid.MinSize()
	if d.Scroll == container.ScrollHorizontalOnly {
		size.Height = float32(len(d.rows))*d.cell().Height + Together
	}
	return size
}

// Resize wraps the lines anew where two columns share the width.
func (d *Diff) Resize(size fyne.Size) {
	columns := int(size.Width / d.cell().Width)
	if changed := columns != d.columns; changed {
		d.columns = columns
		if d.split {
			d.draw()
		}
	}
	d.TextGrid.Resize(size)
}

// cell is the size of one character, as the grid rounds it.
func (d *Diff) cell() fyne.Size {
	size := fyne.MeasureText("M", themeSize(d, theme.SizeNameText), fyne.TextStyle{Monospace: true})
	return fyne.NewSize(float32(math.Round(float64(size.Width))), float32(math.Round(float64(size.Height))))
}

const (
	leastHalf   = 24   // columns of one of two sides at least
	lineRunes   = 2000 // that one line shows
	tabWidth    = 4
	markRune    = '●'
	dividerRune = '│'
)

func (d *Diff) draw() {
	d.rows = d.rows[:0]
	d.Rows = nil
	wide := d.numberWidth()
	if d.split {
		d.half = max(leastHalf, (d.columns-1)/2)
		for _, p := range patch.Pairs(d.lines) {
			d.drawPair(p, wide)
		}
	} else {
		for i, l := range d.lines {
			numbers := number(l.Old, wide) + " " + number(l.New, wide)
			if wide == 0 {
				numbers = ""
			}
			d.add(diffRow{i, i}, d.cells(i, numbers, sign(l.Kind)+d.shown(i)))
		}
	}
	d.Refresh()
}

// drawPair draws two lines beside one another, in as many rows as the longer one takes.
func (d *Diff) drawPair(p patch.Pair, wide int) {
	if p.Left == p.Right {
		if k := d.lines[p.Left].Kind; k == patch.Hunk || k == patch.Note {
			d.add(diffRow{p.Left, p.Left}, d.cells(p.Left, "", " "+d.shown(p.Left)))
			return
		}
	}
	room := d.half - wide - 3
	side := func(i int, old bool) (parts []string, numbers string) {
		if i < 0 {
			return nil, number(0, wide)
		}
		numbers = number(d.lines[i].New, wide)
		if old {
			numbers = number(d.lines[i].Old, wide)
		}
		return inParts(d.shown(i), room), numbers
	}
	left, was := side(p.Left, true)
	right, is := side(p.Right, false)
	for n := range max(len(left), len(right)) {
		if n > 0 {
			was, is = number(0, wide), number(0, wide)
		}
		l, r := " ", " "
		if n < len(left) {
			l = d.sign(p.Left, n) + left[n]
		}
		if n < len(right) {
			r = d.sign(p.Right, n) + right[n]
		}
		cells := d.cells(p.Left, was, l)
		other := d.cells(p.Right, is, r)
		if n > 0 {
			cells[0].Rune, other[0].Rune = ' ', ' '
		}
		blank := widget.TextGridCell{Rune: ' ', Style: d.style(p.Left, false)}
		for len(cells) < d.half {
			cells = append(cells, blank)
		}
		cells = append(cells[:d.half], widget.TextGridCell{Rune: dividerRune, Style: diffStyle{text: ColorBorder}})
		d.add(diffRow{p.Left, p.Right}, append(cells, other...))
	}
}

// sign stands before the first row of a line.
func (d *Diff) sign(line, part int) string {
	if part > 0 {
		return " "
	}
	return sign(d.lines[line].Kind)
}

func sign(k patch.Kind) string {
	switch k {
	case patch.Added:
		return "+"
	case patch.Deleted:
		return "-"
	default:
		return " "
	}
}

func (d *Diff) add(row diffRow, cells []widget.TextGridCell) {
	style := d.style(row.left, false)
	if d.split && row.left != row.right {
		style = d.style(row.right, false)
	}
	d.rows = append(d.rows, row)
	d.Rows = append(d.Rows, widget.TextGridRow{Cells: cells, Style: style})
}

// cells are a mark, the numbers and a text of one line; a line of -1 is one that is not there.
func (d *Diff) cells(line int, numbers, text string) []widget.TextGridCell {
	mark := ' '
	if line >= 0 && d.marks[line] {
		mark = markRune
	}
	style, muted := d.style(line, false), d.style(line, true)
	cells := []widget.TextGridCell{{Rune: mark, Style: diffStyle{text: ColorNeedsYou, ground: muted.ground}}}
	for _, r := range numbers {
		cells = append(cells, widget.TextGridCell{Rune: r, Style: muted})
	}
	if numbers != "" {
		cells = append(cells, widget.TextGridCell{Rune: ' ', Style: muted})
	}
	for _, r := range text {
		cells = append(cells, widget.TextGridCell{Rune: r, Style: style})
	}
	return cells
}

// shown is a line as it is drawn: harmless, with blanks for tabs, and cut where it is endless.
func (d *Diff) shown(line int) string {
	l := d.lines[line]
	words := strings.ReplaceAll(PlainLines(l.Text), "\n", "␤")
	runes := []rune(expand(words))
	if len(runes) > lineRunes {
		runes = append(runes[:lineRunes:lineRunes], '…')
	}
	return string(runes)
}

// expand writes tabs as blanks up to the next stop, which the grid does not do by itself.
func expand(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	at := 0
	for _, r := range line {
		if r != '\t' {
			b.WriteRune(r)
			at++
			continue
		}
		n := tabWidth - at%tabWidth
		b.WriteString(strings.Repeat(" ", n))
		at += n
	}
	return b.String()
}

func inParts(s string, room int) []string {
	runes := []rune(s)
	var parts []string
	for len(runes) > room {
		parts = append(parts, string(runes[:room]))
		runes = runes[room:]
	}
	return append(parts, string(runes))
}

func (d *Diff) numberWidth() int {
	most := 0
	for _, l := range d.lines {
		most = max(most, l.Old, l.New)
	}
	if most == 0 {
		return 0
	}
	return max(3, len(fmt.Sprint(most)))
}

func number(n, wide int) string {
	if n == 0 {
		return strings.Repeat(" ", wide)
	}
	return fmt.Sprintf("%*d", wide, n)
}

// diffStyle colours cells in the theme's colours of the moment they are drawn.
type diffStyle struct{ text, ground fyne.ThemeColorName }

func (d *Diff) style(line int, muted bool) diffStyle {
	s := diffStyle{text: ColorText}
	if line < 0 {
		return s
	}
	switch d.lines[line].Kind {
	case patch.Hunk, patch.Note:
		s.text = ColorMuted
	case patch.Added:
		s = diffStyle{ColorDone, ColorDone}
	case patch.Deleted:
		s = diffStyle{ColorFailed, ColorFailed}
	case patch.Context:
	}
	if d.focused && line == d.at {
		s.ground = ColorAccent
	}
	if muted {
		s.text = ColorMuted
	}
	return s
}

// Style is the mono face.
func (diffStyle) Style() fyne.TextStyle { return fyne.TextStyle{Monospace: true} }

// TextColor is the colour of the text.
func (s diffStyle) TextColor() color.Color { return theme.Color(s.text) }

// BackgroundColor tints what was added and deleted, and the line under the cursor.
func (s diffStyle) BackgroundColor() color.Color {
	if s.ground == "" {
		return color.Transparent
	}
	c := color.NRGBAModel.Convert(theme.Color(s.ground)).(color.NRGBA)
	c.A = 0x18
	if s.ground == ColorAccent {
		c.A = 0x40
	}
	return c
}

// Tapped chooses the line below the pointer.
func (d *Diff) Tapped(ev *fyne.PointEvent) {
	if d.choose == nil {
		return
	}
	d.takeFocus()
	y, x := ev.Position.Y, ev.Position.X
	if d.scroll != nil {
		y, x = y+d.scroll.Offset.Y, x+d.scroll.Offset.X
	}
	row := int(y / d.cell().Height)
	if row < 0 || row >= len(d.rows) {
		return
	}
	line := d.rows[row].left
	if d.split && int(x/d.cell().Width) > d.half || line < 0 {
		line = d.rows[row].right
	}
	if d.choosable(line) {
		d.moveTo(line)
		d.open()
	}
}

func (d *Diff) takeFocus() {
	if c := fyne.CurrentApp().Driver().CanvasForObject(d); c != nil {
		c.Focus(d)
	}
}

func (d *Diff) open() {
	if d.choosable(d.at) {
		d.choose(d.at)
	}
}

func (d *Diff) choosable(line int) bool {
	if d.choose == nil || line < 0 || line >= len(d.lines) {
		return false
	}
	k := d.lines[line].Kind
	return k != patch.Hunk && k != patch.Note
}

// moveTo puts the cursor on a line and brings it into view.
func (d *Diff) moveTo(line int) {
	if !d.choosable(line) {
		return
	}
	d.at = line
	d.draw()
	d.reveal()
}

// step moves the cursor by some lines, as far as there are any.
func (d *Diff) step(by int) {
	if len(d.lines) == 0 {
		return
	}
	one := 1
	if by < 0 {
		one = -1
	}
	at := min(max(d.at+by, 0), len(d.lines)-1)
	for at >= 0 && at < len(d.lines) && !d.choosable(at) {
		at += one
	}
	d.moveTo(at)
}

// reveal scrolls so that the cursor can be seen.
func (d *Diff) reveal() {
	if d.scroll == nil || d.at < 0 {
		return
	}
	high := d.cell().Height
	for row, r := range d.rows {
		if r.left != d.at && r.right != d.at {
			continue
		}
		y := float32(row) * high
		offset := d.scroll.Offset
		switch {
		case y < offset.Y:
			offset.Y = y
		case y+high > offset.Y+d.Size().Height:
			offset.Y = y + high - d.Size().Height
		default:
			return
		}
		d.scroll.ScrollToOffset(offset)
		d.Refresh()
		return
	}
}

// TypedKey moves the cursor, and chooses its line with Enter or Space.
func (d *Diff) TypedKey(ev *fyne.KeyEvent) {
	page := max(1, int(d.Size().Height/d.cell().Height)-1)
	switch ev.Name {
	case fyne.KeyDown:
		d.step(1)
	case fyne.KeyUp:
		d.step(-1)
	case fyne.KeyPageDown:
		d.step(page)
	case fyne.KeyPageUp:
		d.step(-page)
	case fyne.KeyHome:
		d.step(-len(d.lines))
	case fyne.KeyEnd:
		d.step(len(d.lines))
	case fyne.KeyEscape:
		if d.OnEscape != nil {
			d.OnEscape()
			return
		}
		GoBack(d)
	default:
		if activates(ev) {
			d.open()
		}
	}
}

// TypedRune does nothing.
func (d *Diff) TypedRune(rune) {}

// FocusGained shows the cursor.
func (d *Diff) FocusGained() {
	d.focused = true
	if d.at < 0 {
		d.step(1)
		return
	}
	d.draw()
}

// FocusLost hides the cursor.
func (d *Diff) FocusLost() {
	d.focused = false
	d.draw()
}
