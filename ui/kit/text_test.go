package kit

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
)

func TestTextIsCutWhereItWasAsked(t *testing.T) {
	newScreen(t, 1)
	long := "feature/rework-the-login-form-so-that-it-remembers-people"
	for name, c := range map[string]struct {
		text  *Text
		first string
		last  string
	}{
		"end":    {Body(long).CutEnd(), "feature/", ellipsis},
		"middle": {Mono(long).CutMiddle(), "feature", "people"},
	} {
		c.text.Resize(fyne.NewSize(160, 20))
		got := c.text.Shown()
		if !strings.HasPrefix(got, c.first) || !strings.HasSuffix(got, c.last) || !strings.Contains(got, ellipsis) {
			t.Errorf("%s: shown %q, want %q … %q", name, got, c.first, c.last)
		}
		if wide := c.text.width(got).Width; wide > 160 {
			t.Errorf("%s: %q is %v wide, want at most 160", name, got, wide)
		}
		c.text.Resize(fyne.NewSize(1000, 20))
		if c.text.Shown() != long {
			t.Errorf("%s: with room enough %q is shown", name, c.text.Shown())
		}
	}
}

func TestTextWithoutACutClaimsItsWidth(t *testing.T) {
	newScreen(t, 1)
	whole, cut := Title("A title of some length"), Title("A title of some length").CutEnd()
	if whole.MinSize().Width != whole.Natural() || cut.MinSize().Width != cutWidth {
		t.Errorf("widths %v and %v, want %v and %v", whole.MinSize().Width, cut.MinSize().Width, whole.Natural(), cutWidth)
	}
}

func TestTextShowsUntrustedTextPlainly(t *testing.T) {
	newScreen(t, 1)
	text := Body("a\nb\u202Ec")
	if want := "a b‹U+202E›c"; text.Text() != want {
		t.Errorf("got %q, want %q", text.Text(), want)
	}
	text.Set("x\x1b[31my")
	if text.Text() != "xy" {
		t.Errorf("after Set: %q, want %q", text.Text(), "xy")
	}
}

func TestTextPicture(t *testing.T) {
	capture(t, "text", 420, 250, func() fyne.CanvasObject {
		return Column(Together,
			Heading("Rework the login form"),
			Title("Strategy"),
			Body("Four agents in two waves, 0123456789"),
			Body("Strong body text").Strong(),
			Caption("waits since 3 min"),
			Mono("src/login/form.go:112"),
			Body("A title that is much too long for the room it has got in this window here").CutEnd(),
			Mono("/home/someone/projects/fermata/pieces/engine/recovery_test.go").CutMiddle(),
			Body("invoice\u202Efdp.exe").In(ColorFailed),
		)
	}, shows(ColorText, ColorMuted, ColorFailed))
}
