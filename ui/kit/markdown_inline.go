package kit

import (
	"net/url"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"fermata/ui/phrase"
)

// inline turns the inline nodes below n into segments of one style.
func (d *document) inline(n ast.Node, style widget.RichTextStyle) []widget.RichTextSegment {
	var segments []widget.RichTextSegment
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if child.Type() == ast.TypeInline {
			segments = merge(segments, d.span(child, style))
		}
	}
	return segments
}

// merge appends segments, joining texts of one style: Fyne's text grows slow with the number of its segments.
func merge(segments, more []widget.RichTextSegment) []widget.RichTextSegment {
	for _, seg := range more {
		text, isText := seg.(*widget.TextSegment)
		if isText && len(segments) > 0 {
			if last, ok := segments[len(segments)-1].(*widget.TextSegment); ok && last.Style == text.Style {
				last.Text += text.Text
				continue
			}
		}
		segments = append(segments, seg)
	}
	return segments
}

func (d *document) span(n ast.Node, style widget.RichTextStyle) []widget.RichTextSegment {
	switch n := n.(type) {
	case *ast.Text:
		return plainSegment(unescaped(n.Segment.Value(d.source))+lineEnd(n), style)
	case *ast.String:
		return plainSegment(string(n.Value), style)
	case *ast.CodeSpan:
		style.TextStyle.Monospace = true
		return plainSegment(d.raw(n), style)
	case *ast.Emphasis:
		// The type has no slant, so both kinds of emphasis are drawn in the bold weight.
		style.TextStyle.Bold = true
		return d.inline(n, style)
	case *ast.Link:
		return d.link(textual(d.inline(n, style)), string(n.Destination), style)
	case *ast.AutoLink:
		return d.link(string(n.Label(d.source)), string(n.URL(d.source)), style)
	case *ast.Image:
		style.ColorName = ColorMuted
		return plainSegment(phrase.Of("[picture: ")+textual(d.inline(n, style))+" "+string(n.Destination)+"]", style)
	case *ast.RawHTML:
		style.TextStyle.Monospace = true
		style.ColorName = ColorMuted
		return plainSegment(string(n.Segments.Value(d.source)), style)
	}
	return d.inline(n, style)
}

// link shows a link's text. Where it leads stands behind it, unless the text says just that or the address gets a line
// of its own below the block, where it can be pressed: Fyne's own links do not wrap.
func (d *document) link(label, address string, style widget.RichTextStyle) []widget.RichTextSegment {
	shown := Plain(label)
	target, err := url.Parse(address)
	web := err == nil && target.Host != "" && (target.Scheme == "https" || target.Scheme == "http")
	if web && d.open != nil {
		if !slices.Contains(d.links, target.String()) {
			d.links = append(d.links, target.String())
		}
		style.ColorName = ColorAccent
		return plainSegment(shown, style)
	}
	segments := plainSegment(shown, style)
	if shown == Plain(address) {
		return segments
	}
	style.ColorName = ColorMuted
	return append(segments, plainSegment(" ("+Plain(address)+")", style)...)
}

// pressable makes a line for each link that was met since it was last called.
func (d *document) pressable() []fyne.CanvasObject {
	if len(d.links) == 0 {
		return nil
	}
	lines := Column(0)
	for _, address := range d.links {
		line := newText(address, theme.SizeNameCaptionText, ColorAccent, fyne.TextStyle{}).CutMiddle()
		lines.Add(NewPress("link."+address, Pad(Step, line), func() { d.open(address) }))
	}
	d.links = nil
	return []fyne.CanvasObject{lines}
}

// raw is the text below an inline node as it is written.
func (d *document) raw(n ast.Node) string {
	var out strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			out.Write(t.Segment.Value(d.source))
		}
	}
	return strings.ReplaceAll(out.String(), "\n", " ")
}

// unescaped resolves entities and backslashes.
func unescaped(raw []byte) string {
	return string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(raw))))
}

func lineEnd(n *ast.Text) string {
	switch {
	case n.HardLineBreak():
		return "\n"
	case n.SoftLineBreak():
		return " "
	}
	return ""
}

func plainSegment(s string, style widget.RichTextStyle) []widget.RichTextSegment {
	if s == "" {
		return nil
	}
	return []widget.RichTextSegment{&widget.TextSegment{Text: PlainLines(s), Style: style}}
}

func textual(segments []widget.RichTextSegment) string {
	var out strings.Builder
	for _, s := range segments {
		out.WriteString(s.Textual())
	}
	return out.String()
}
