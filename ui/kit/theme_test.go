package kit

import (
	"image"
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

func TestThemeFollowsTheDesktopUnlessForced(t *testing.T) {
	t.Parallel()
	follows, dark := NewTheme(Fonts{}), NewTheme(Fonts{}, theme.VariantDark)
	if follows.Color(ColorText, theme.VariantLight) == follows.Color(ColorText, theme.VariantDark) {
		t.Error("the theme does not follow the variant")
	}
	if dark.Color(ColorText, theme.VariantLight) != follows.Color(ColorText, theme.VariantDark) {
		t.Error("the forced variant did not stay")
	}
	if dark.Color("noSuchColor", theme.VariantLight) == nil {
		t.Error("an unknown colour has no value")
	}
}

func TestSizesOfTheThemeStandOnTheGrid(t *testing.T) {
	t.Parallel()
	th := NewTheme(Fonts{})
	for _, name := range []fyne.ThemeSizeName{
		theme.SizeNamePadding, theme.SizeNameInnerPadding, theme.SizeNameLineSpacing, theme.SizeNameInlineIcon,
	} {
		if got := float64(th.Size(name)); math.Mod(got, float64(Step)) != 0 {
			t.Errorf("size %s = %v, want a multiple of %v", name, got, Step)
		}
	}
	if th.Size(theme.SizeNameSeparatorThickness) != 1 || th.Size(theme.SizeNameInputBorder) != 1 {
		t.Error("borders are not one pixel wide")
	}
}

func TestFontsFallBackToFynes(t *testing.T) {
	t.Parallel()
	th := NewTheme(Fonts{Regular: []byte("regular"), MonoBold: []byte("mono bold")})
	bold := fyne.TextStyle{Bold: true}
	for _, c := range []struct {
		style fyne.TextStyle
		want  string
	}{
		{fyne.TextStyle{}, "fermata-regular"},
		{fyne.TextStyle{Italic: true}, "fermata-regular"},
		{bold, theme.DefaultTheme().Font(bold).Name()},
		{fyne.TextStyle{Monospace: true, Bold: true}, "fermata-mono-bold"},
	} {
		if got := th.Font(c.style).Name(); got != c.want {
			t.Errorf("Font(%+v) = %s, want %s", c.style, got, c.want)
		}
	}
}

func TestCodeIsDrawnWithoutLigatures(t *testing.T) {
	newScreen(t, theme.VariantLight)
	apart, joined := Mono("<!-- => !="), Mono("abcd ef gh")
	w := open(t, Column(Together, apart), 200, 60)
	whole := w.Canvas().Capture()
	w = open(t, Column(Together, Line(0, Mono("<"), Mono("!"), Mono("-"), Mono("-"), Mono(" "), Mono("="), Mono(">"), Mono(" "), Mono("!"), Mono("="))), 200, 60)
	single := w.Canvas().Capture()
	if apart.Natural() != joined.Natural() {
		t.Errorf("widths %v and %v, want equal", apart.Natural(), joined.Natural())
	}
	if a, b := ink(whole), ink(single); math.Abs(a-b) > 0.02*b {
		t.Errorf("drawn together the letters have %.0f of ink, letter by letter %.0f", a, b)
	}
}

// ink measures how much of a picture is dark.
func ink(pic image.Image) float64 {
	sum := 0.0
	bounds := pic.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			sum += 1 - luminance(pic.At(x, y))
		}
	}
	ground := float64(bounds.Dx()*bounds.Dy()) * (1 - luminance(pic.At(0, 0)))
	return sum - ground
}
