package kit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"fermata/ui/phrase"
)

const (
	markdownBytes = 64 << 10 // what is longer is cut, so that a document cannot stop the screen
	markdownDepth = 8        // how deep lists and quotes are drawn as such
)

// Markdown shows a document that nobody vouches for. It hides nothing: HTML and comments are shown as they are written,
// addresses stand beside or below their links, pictures are named and never loaded. No link opens by itself.
//
// Fyne can parse Markdown too, but it drops HTML and bare addresses, which an agent would still read.
type Markdown struct {
	composite

	blocks *fyne.Container
	open   func(address string)
	source string
}

// NewMarkdown makes a document, at most about 80 characters wide. Open is called for a press on the address of a
// link to the web; nil draws links as text.
func NewMarkdown(source string, open func(address string)) *Markdown {
	m := &Markdown{open: open, blocks: container.New(&column{gap: Together, widest: readable})}
	m.body = m.blocks
	m.ExtendBaseWidget(m)
	m.Set(source)
	return m
}

// Set shows another document.
func (m *Markdown) Set(source string) {
	if source == m.source {
		return
	}
	m.source = source
	cut := len(source) > markdownBytes
	if cut {
		source = source[:markdownBytes]
		for !utf8.ValidString(source[max(0, len(source)-utf8.UTFMax):]) && len(source) > markdownBytes-utf8.UTFMax {
			source = source[:len(source)-1]
		}
	}
	d := document{source: []byte(source), open: m.open}
	parser := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
	m.blocks.Objects = d.blocks(parser.Parse(text.NewReader(d.source)), 0)
	if cut {
		left := phrase.F("… %d more bytes are not shown …", len(m.source)-len(source))
		m.blocks.Objects = append(m.blocks.Objects, NewNote(left))
	}
	m.blocks.Refresh()
	m.Refresh()
}

// document turns what was parsed into objects.
type document struct {
	source []byte
	open   func(string)
	links  []string // addresses that wait for their line below the block
}

// blocks draws the children of a node.
func (d *document) blocks(parent ast.Node, depth int) []fyne.CanvasObject {
	var objects []fyne.CanvasObject
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if o := d.block(n, depth); o != nil {
			objects = append(objects, o)
			objects = append(objects, d.pressable()...)
		}
	}
	return objects
}

func (d *document) block(n ast.Node, depth int) fyne.CanvasObject {
	switch n := n.(type) {
	case *ast.Heading:
		return d.rich(n, headingStyle(n.Level))
	case *ast.Paragraph, *ast.TextBlock:
		return d.rich(n, inlineStyle())
	case *ast.ThematicBreak:
		return Divider()
	case *ast.List:
		return d.list(n, depth)
	case *ast.Blockquote:
		if depth >= markdownDepth {
			return NewParagraph(d.words(n))
		}
		return NewSurface(Column(Together, d.blocks(n, depth+1)...)).Inset(Together).In(ColorBackground, ColorBorder)
	case *east.Table:
		return NewCode(d.table(n))
	case *ast.HTMLBlock:
		return NewCode(d.html(n))
	}
	if lines := d.lines(n); lines != "" {
		return NewCode(lines)
	}
	return nil
}

// list draws each item with its mark before it.
func (d *document) list(list *ast.List, depth int) fyne.CanvasObject {
	if depth >= markdownDepth {
		return NewParagraph(d.words(list))
	}
	items := Column(Step)
	number := list.Start
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		mark := "•"
		if list.IsOrdered() {
			mark = fmt.Sprintf("%d.", number)
			number++
		}
		item := Column(Step, d.blocks(n, depth+1)...)
		items.Add(container.New(&beside{gap: Together}, container.New(topLeft{}, Body(mark).In(ColorMuted)), item))
	}
	return items
}

// lines is the text of a block as it is written.
func (d *document) lines(n ast.Node) string {
	if n.Type() != ast.TypeBlock {
		return ""
	}
	return string(n.Lines().Value(d.source))
}

// html is a block of HTML as it is written.
func (d *document) html(n *ast.HTMLBlock) string {
	if !n.HasClosure() {
		return d.lines(n)
	}
	return d.lines(n) + string(n.ClosureLine.Value(d.source))
}

// words is the text at and below a node without any form.
func (d *document) words(n ast.Node) string {
	var words strings.Builder
	for _, seg := range d.inline(n, inlineStyle()) {
		words.WriteString(seg.Textual())
	}
	if words.Len() > 0 {
		return words.String()
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		words.WriteString(d.words(child) + "\n")
	}
	return words.String() + d.lines(n)
}

// table lines the cells up in columns.
func (d *document) table(n ast.Node) string {
	var rows [][]string
	var widths []int
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			word := Plain(d.words(cell))
			if len(cells) == len(widths) {
				widths = append(widths, 0)
			}
			widths[len(cells)] = max(widths[len(cells)], utf8.RuneCountInString(word))
			cells = append(cells, word)
		}
		rows = append(rows, cells)
	}
	var out strings.Builder
	for _, cells := range rows {
		for i, word := range cells {
			out.WriteString(word + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(word)+2))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// rich draws the inline nodes below a block as wrapped text.
func (d *document) rich(n ast.Node, style widget.RichTextStyle) fyne.CanvasObject {
	segments := d.inline(n, style)
	if len(segments) == 0 {
		return nil
	}
	for _, seg := range segments {
		if words, ok := seg.(*widget.TextSegment); ok {
			words.Text = wrappable(words.Text)
		}
	}
	return unpadded(wrapped(fyne.TextWrapWord, segments...))
}

func inlineStyle() widget.RichTextStyle {
	return widget.RichTextStyle{ColorName: ColorText, SizeName: theme.SizeNameText, Inline: true}
}

func headingStyle(level int) widget.RichTextStyle {
	style := inlineStyle()
	style.TextStyle.Bold = true
	switch level {
	case 1:
		style.SizeName = theme.SizeNameHeadingText
	case 2:
		style.SizeName = theme.SizeNameSubHeadingText
	}
	return style
}
