package stage

import (
	"os"
	"slices"
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
