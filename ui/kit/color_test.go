package kit

import (
	"image/color"
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

func TestTextStandsOutFromEveryGround(t *testing.T) {
	t.Parallel()
	grounds := []fyne.ThemeColorName{ColorBackground, ColorSurface, ColorRaised}
	texts := []fyne.ThemeColorName{
		ColorText, ColorMuted, ColorAccent, ColorSpec, ColorStrategy, ColorAgents, ColorReview, ColorDone,
		ColorNeedsYou, ColorFailed,
	}
	for _, variant := range []fyne.ThemeVariant{theme.VariantLight, theme.VariantDark} {
		th := NewTheme(Fonts{}, variant)
		for _, text := range texts {
			for _, ground := range grounds {
				fg, bg := th.Color(text, variant), th.Color(ground, variant)
				if c := contrast(fg, bg); c < 4.5 {
					t.Errorf("variant %d: %s on %s has a contrast of %.2f, want 4.5", variant, text, ground, c)
				}
				tint := fg.(color.NRGBA)
				tint.A = tintAlpha
				if c := contrast(fg, over(bg, tint)); c < 4.5 {
					t.Errorf("variant %d: a pill in %s on %s has a contrast of %.2f, want 4.5", variant, text, ground, c)
				}
			}
		}
		if c := contrast(th.Color(ColorOnAccent, variant), th.Color(ColorAccent, variant)); c < 4.5 {
			t.Errorf("variant %d: a primary button's label has a contrast of %.2f, want 4.5", variant, c)
		}
	}
}

func TestPhaseColorIsMutedForUnknownKeys(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]fyne.ThemeColorName{
		"spec": ColorSpec, "strategy": ColorStrategy, "agents": ColorAgents, "review": ColorReview,
		"complete": ColorDone, "backlog": ColorMuted, "": ColorMuted,
	} {
		if got := PhaseColor(key); got != want {
			t.Errorf("PhaseColor(%q) = %q, want %q", key, got, want)
		}
	}
}

func contrast(a, b color.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (math.Max(la, lb) + 0.05) / (math.Min(la, lb) + 0.05)
}

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		x := float64(v) / 0xffff
		if x <= 0.03928 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}
