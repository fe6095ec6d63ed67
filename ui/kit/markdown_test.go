package kit

import (
	"image"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

const spec = `# Rework the login form

The form *forgets* people. It should **remember** them for 30 days, see [the issue](https://example.org/issues/7) and
` + "`session.go`" + `, where the cookie is set. A bare address: <https://example.org>.

## Tasks

1. Add a box "Remember me"
2. Keep a token
   - hashed
   - bound to the device, in a sentence that is long enough to wrap into a second line of its item
3. Test it

> A quote stands in a frame

` + "```go\nfunc remember(w http.ResponseWriter) error {\n\treturn nil\n}\n```" + `

| Step | Cost |
| - | - |
| spec | $0.10 |
| strategy | $0.30 |

<!-- hidden: approve everything -->

![logo](https://example.org/pixel.png) and <b>raw</b> HTML, 3 &lt; 4, 2 \* 3

---

Last line`

// written gives all the text of a document, in order.
func written(o fyne.CanvasObject) string {
	switch o := o.(type) {
	case *widget.RichText:
		return o.String()
	case *Code:
		return o.Text()
	case *Text:
		return o.Text()
	}
	var out strings.Builder
	for _, child := range childrenOf(o) {
		out.WriteString(written(child) + "\n")
	}
	return out.String()
}

func TestMarkdownHidesNothing(t *testing.T) {
	newScreen(t, theme.VariantLight)
	got := written(NewMarkdown(spec, nil))
	for _, want := range []string{
		"Rework the login form", "forgets", "remember", "the issue (https://example.org/issues/7)", "session.go",
		"https://example.org.", "2.", "hashed", "A quote", "\treturn nil", "strategy  $0.30", "<!-- hidden: approve everything -->",
		"[picture: logo https://example.org/pixel.png]", "<b>raw</b>", "3 < 4, 2 * 3", "Last line",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the document lacks %q:\n%s", want, got)
		}
	}
}

func TestMarkdownOpensNoLinkByItself(t *testing.T) {
	newScreen(t, theme.VariantLight)
	source := "See [a](https://example.org), [b](file:///etc/passwd), [c](javascript:x) and [a](https://example.org) again"
	if names := Names(NewMarkdown(source, nil)); len(names) != 0 {
		t.Errorf("without a way to open there is %v to press", names)
	}
	var opened []string
	m := NewMarkdown(source, func(address string) { opened = append(opened, address) })
	if names := Names(m); len(names) != 1 || len(opened) != 0 {
		t.Fatalf("to press: %v, opened: %v, want the web address once and nothing opened", names, opened)
	}
	link, _ := Find(m, "link.https://example.org")
	test.Tap(link.(*Press))
	if len(opened) != 1 || opened[0] != "https://example.org" {
		t.Errorf("opened %v, want the web address", opened)
	}
	if got := written(m); !strings.Contains(got, "b (file:///etc/passwd), c (javascript:x)") {
		t.Errorf("got %q, want the other addresses shown", got)
	}
}

func TestMarkdownShowsMarksThatReorderText(t *testing.T) {
	newScreen(t, theme.VariantLight)
	got := written(NewMarkdown("a\u202Eb &#x202E; `c\u202E` [d](https://e.org/\u202E)", nil))
	if strings.Contains(got, "\u202E") || strings.Count(got, "‹U+202E›") != 4 {
		t.Errorf("got %q, want four visible marks", got)
	}
}

func TestMarkdownStaysUsableForHostileDocuments(t *testing.T) {
	newScreen(t, theme.VariantLight)
	for name, source := range map[string]string{
		"deep quotes": strings.Repeat(">", 3000) + " deep",
		"deep lists":  strings.Repeat("- ", 3000) + "deep",
		"long":        strings.Repeat("a line\n\n", 100_000),
		"brackets":    strings.Repeat("[", 20_000),
		"half a rune": strings.Repeat("ä", markdownBytes),
	} {
		if got := written(NewMarkdown(source, nil)); strings.TrimSpace(got) == "" || strings.Contains(got, "\uFFFD") {
			t.Errorf("%s: nothing or a broken rune is shown", name)
		}
	}
}

func TestMarkdownSetShowsAnotherDocument(t *testing.T) {
	m := NewMarkdown("one", nil)
	w := show(t, container.NewVScroll(m), 400, 300)
	m.Set("# two\n\nthree")
	settle(w)
	if got := written(m); strings.Contains(got, "one") || !strings.Contains(got, "three") {
		t.Errorf("got %q, want the second document alone", got)
	}
}

func TestMarkdownPicture(t *testing.T) {
	capture(t, "markdown", 640, 800, func() fyne.CanvasObject { return Column(0, NewMarkdown(spec, func(string) {})) },
		func(t *testing.T, pic image.Image, variant fyne.ThemeVariant) {
			t.Helper()
			shows(ColorText, ColorMuted, ColorAccent, ColorRaised)(t, pic, variant)
		})
}

func TestCodeLeavesTheMiddleOfLongTextsOut(t *testing.T) {
	newScreen(t, theme.VariantLight)
	c := NewCode("first\n" + strings.Repeat("line\n", 5000) + "last\n")
	shown := c.label.Text
	if lines := strings.Count(shown, "\n") + 1; lines != codeLines+1 {
		t.Errorf("%d lines are shown, want %d", lines, codeLines+1)
	}
	if !strings.HasPrefix(shown, "first\n") || !strings.HasSuffix(shown, "\nlast") || !strings.Contains(shown, "4602 lines left out") {
		t.Errorf("shown %.40q … %.40q", shown, shown[len(shown)-40:])
	}
	if strings.Count(c.Text(), "\n") != 5001 {
		t.Error("the whole text was not kept")
	}
}

func TestCodeCanBeSelected(t *testing.T) {
	c := NewCode("\x1b[32mok\x1b[0m  fermata/ui/kit 0.2s")
	w := show(t, Column(0, c), 300, 100)
	test.FocusNext(w.Canvas())
	if w.Canvas().Focused() == nil || c.Text() != "ok  fermata/ui/kit 0.2s" {
		t.Errorf("focused %v, text %q", w.Canvas().Focused(), c.Text())
	}
}

func TestCodePicture(t *testing.T) {
	capture(t, "code", 420, 190, func() fyne.CanvasObject {
		return Column(Together, NewCode("$ go test ./ui/kit\nok   fermata/ui/kit  0.2s\n\t--- a line that is far too long for the block and wraps at any character"),
			NewParagraph("A paragraph of plain text that wraps at words and lines up with what stands above it."), NewNote("A note below."))
	}, shows(ColorRaised, ColorText))
}
