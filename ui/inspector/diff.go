package inspector

import (
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"fermata/ui/kit"
)

// diffView shows the unified diff of one file, line by line in its colours.
type diffView struct {
	grid    *widget.TextGrid
	path    *kit.Copyable
	missing *kit.Paragraph
	body    *fyne.Container
	lines   []string
}

func newDiffView() *diffView {
	d := &diffView{grid: widget.NewTextGrid(), path: kit.NewCopyable("diffPath", ""), missing: kit.NewParagraph("").In(kit.ColorMuted)}
	d.grid.Scroll = container.ScrollBoth
	head := kit.Pad(kit.Together, kit.Column(kit.Step, d.path, d.missing))
	d.body = container.NewBorder(head, nil, nil, nil, container.NewPadded(d.grid))
	return d
}

// show draws a file's part of a diff.
func (d *diffView) show(path string, lines []string, cut bool) {
	d.path.Set(path)
	show(d.path, path != "")
	d.missing.Set("")
	switch {
	case path == "":
	case len(lines) == 0 && cut:
		d.missing.Set("This file's changes lie beyond what is shown of a diff this large.")
	case len(lines) == 0:
		d.missing.Set("There is no text to show for this file.")
	}
	show(d.missing, d.missing.Text() != "")
	d.lines = shownLines(lines)
	d.grid.Rows = d.rows()
	d.grid.Refresh()
}

// shownLines leaves out the header that the file list says already, and makes every line harmless.
func shownLines(lines []string) []string {
	var shown []string
	body := false
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "@@"):
			body = true
		case !body && !strings.HasPrefix(line, "Binary") && !strings.HasPrefix(line, "old mode") && !strings.HasPrefix(line, "new mode"):
			continue
		}
		shown = append(shown, strings.ReplaceAll(kit.PlainLines(line), "\n", "␤"))
	}
	return shown
}

const lineRunes = 2000 // that one line of the diff shows

func (d *diffView) rows() []widget.TextGridRow {
	rows := make([]widget.TextGridRow, len(d.lines))
	for i, line := range d.lines {
		runes := []rune(expand(line))
		if len(runes) > lineRunes {
			runes = append(runes[:lineRunes:lineRunes], '…')
		}
		cells := make([]widget.TextGridCell, 0, len(runes))
		for _, r := range runes {
			cells = append(cells, widget.TextGridCell{Rune: r})
		}
		rows[i] = widget.TextGridRow{Cells: cells, Style: lineStyleOf(line)}
	}
	return rows
}

const tabWidth = 4

// expand writes tabs as blanks up to the next stop, which the grid does not do by itself. The mark before the line does
// not count.
func expand(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	at := -1
	for _, r := range line {
		if r != '\t' {
			b.WriteRune(r)
			at++
			continue
		}
		n := tabWidth - max(0, at)%tabWidth
		b.WriteString(strings.Repeat(" ", n))
		at += n
	}
	return b.String()
}

// lineStyle colours a line in the theme's colours of the moment it is drawn.
type lineStyle struct{ name fyne.ThemeColorName }

func lineStyleOf(line string) widget.TextGridStyle {
	switch {
	case strings.HasPrefix(line, "@@"):
		return lineStyle{kit.ColorMuted}
	case strings.HasPrefix(line, "+"):
		return lineStyle{kit.ColorDone}
	case strings.HasPrefix(line, "-"):
		return lineStyle{kit.ColorFailed}
	}
	return lineStyle{kit.ColorText}
}

// Style is the mono face.
func (lineStyle) Style() fyne.TextStyle { return fyne.TextStyle{Monospace: true} }

// TextColor is the line's colour.
func (s lineStyle) TextColor() color.Color { return theme.Color(s.name) }

// BackgroundColor tints what was added and deleted.
func (s lineStyle) BackgroundColor() color.Color {
	if s.name != kit.ColorDone && s.name != kit.ColorFailed {
		return color.Transparent
	}
	const tint = 0x18
	c := color.NRGBAModel.Convert(theme.Color(s.name)).(color.NRGBA)
	c.A = tint
	return c
}
