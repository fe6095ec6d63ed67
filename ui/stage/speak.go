package stage

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
)

// Speak draws the windows of a test in another language. A test that does so is not parallel: the language is one for the
// process.
func Speak(tb testing.TB, language string) {
	tb.Helper()
	tb.Setenv("LANG", os.Getenv("LANG")) // refuses a parallel test
	if err := phrase.Use(language); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := phrase.Use(pieces.LanguageEnglish); err != nil {
			tb.Error(err)
		}
	})
}

// Own says what the person, Claude Code, clients and tools wrote in what a test shows: each takes values, whose texts all
// count. It matters to Marked alone.
func (s *Stage) Own(owner func(take func(...any))) { s.owners = append(s.owners, owner) }

// Marked runs what draws the pictures of a room with every text of the catalogue between brackets, and fails the test where a
// picture shows a text outside of them that is not one of the stage's Own. written are more of those.
func Marked(t *testing.T, draw func(t *testing.T, word string, s *Stage), written ...any) {
	t.Helper()
	t.Setenv("LANG", os.Getenv("LANG")) // refuses a parallel test
	if err := phrase.Mark(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := phrase.Use(pieces.LanguageEnglish); err != nil {
			t.Error(err)
		}
	})
	s := New(t)
	marks, told := 0, map[string]bool{}
	s.keeping = func(w fyne.Window, name string) {
		own := writings(written)
		for _, owner := range s.owners {
			owner(func(values ...any) { own += writings(values) })
		}
		is := writingsOf(own)
		for _, text := range Texts(w) {
			marks += strings.Count(text, phrase.MarkOpen)
			if left := is.unmarked(text); left != "" && !told[left] {
				told[left] = true
				t.Errorf("%s: no catalogue has %q of %q", name, left, text)
			}
		}
	}
	draw(t, "marked", s)
	if marks == 0 {
		t.Error("nothing was drawn with marked texts")
	}
}

// mine is what was written, and each line of it.
type mine struct {
	all   string
	lines map[string]bool
}

func writingsOf(own string) mine {
	own = numbers.ReplaceAllString(own, "0")
	m := mine{own, map[string]bool{}}
	for line := range strings.Lines(own) {
		m.lines[strings.Trim(line, trimmed)] = true
	}
	return m
}

// wrote says whether a part of a text was written by others.
func (m mine) wrote(part string) bool {
	if strings.ContainsAny(part, " ./-") || strings.ToLower(part) == part {
		return strings.Contains(m.all, part)
	}
	return m.lines[part]
}

// trimmed is what may stand around a fact.
const trimmed = "\"'“”„():.,;·•–…→/-+#<>%?! \n"

// unmarked is the first part of a text that stands outside of the brackets and that nobody wrote; empty when there is none. A capital word alone has to be all of a line, since Fermata's own labels are such; all else
// may be part of one, as a paragraph is of a text. Numbers are all the same.
func (m mine) unmarked(text string) string {
	for outside := range strings.SplitSeq(text, phrase.MarkOpen) {
		if _, after, closed := strings.Cut(outside, phrase.MarkClose); closed {
			outside = after
		}
		outside = strings.Trim(numbers.ReplaceAllString(strings.Join(strings.Fields(outside), " "), "0"), trimmed)
		if m.wrote(outside) {
			continue
		}
		for _, part := range between.Split(outside, -1) {
			if part = strings.Trim(part, trimmed); letters.MatchString(part) && !m.wrote(part) {
				return part
			}
		}
	}
	return ""
}

var (
	letters = regexp.MustCompile(`\pL{3}`) // more than a unit of measure
	numbers = regexp.MustCompile(`\d+`)
	between = regexp.MustCompile(` · |, |: |['”] \(|…`) // what stands between facts
)

// writings are all texts that values hold, one a line.
func writings(values []any) string {
	var b strings.Builder
	seen := map[any]bool{}
	var take func(v reflect.Value)
	take = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			// Each line of it, and all of it as one.
			for line := range strings.Lines(v.String() + "\n" + strings.Join(strings.Fields(v.String()), " ")) {
				b.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
			}
		case reflect.Pointer:
			if !v.IsNil() && !seen[v.Pointer()] {
				seen[v.Pointer()] = true
				take(v.Elem())
			}
		case reflect.Interface:
			if !v.IsNil() {
				take(v.Elem())
			}
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				take(v.Index(i))
			}
		case reflect.Map:
			for at := v.MapRange(); at.Next(); {
				take(at.Key())
				take(at.Value())
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[pieces.Sentence]() {
				take(v.FieldByName("Facts")) // its words are the catalogue's
				return
			}
			for i := range v.NumField() {
				take(v.Field(i))
			}
		default:
		}
	}
	take(reflect.ValueOf(values))
	return b.String()
}

// Texts are the texts of a window that are shown, each as it was meant: shortened ones whole.
func Texts(w fyne.Window) []string {
	root := w.Content()
	if top := w.Canvas().Overlays().Top(); top != nil {
		root = top
	}
	return textsIn(root)
}

func textsIn(o fyne.CanvasObject) []string {
	if o == nil || !o.Visible() {
		return nil
	}
	var below []fyne.CanvasObject
	switch o := o.(type) {
	case *kit.Text:
		return []string{o.Text()}
	case *kit.Paragraph:
		return []string{o.Text()}
	case *canvas.Text:
		return []string{o.Text}
	case *fyne.Container:
		below = o.Objects
	case fyne.Widget:
		below = test.WidgetRenderer(o).Objects()
	}
	var all []string
	for _, child := range below {
		all = append(all, textsIn(child)...)
	}
	return all
}

// Translated fails the test when a window does not show the texts, or shows an English one that the catalogue has in the
// language that is spoken. What the person named so is their own, and stays as it is.
func Translated(tb testing.TB, w fyne.Window, own []string, want ...string) {
	tb.Helper()
	texts := Texts(w)
	for _, text := range texts {
		if said := phrase.Of(text); said != text && !slices.Contains(own, text) {
			tb.Errorf("the window says %q, which is %q", text, said)
		}
	}
	for _, text := range want {
		if !slices.Contains(texts, text) {
			tb.Errorf("the window does not say %q: it says %q", text, texts)
		}
	}
}
