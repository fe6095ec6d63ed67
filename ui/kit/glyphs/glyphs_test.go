package glyphs

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"fermata/assets"
	"fermata/ui/kit"
)

// folder is where the fonts of all tests are: what Fyne found once, it reads later.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "fermata-glyphs-"); err != nil {
		panic(err)
	}
	// A desktop without fonts, wherever the test runs.
	for _, v := range []string{"HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"} {
		os.Setenv(v, filepath.Join(folder, "home"))
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// drawn is the picture of a text in a style.
func drawn(t *testing.T, text string, style fyne.TextStyle) image.Image {
	t.Helper()
	line := canvas.NewText(text, theme.Color(theme.ColorNameForeground))
	line.TextSize, line.TextStyle = 32, style
	w := test.NewWindow(line)
	defer w.Close()
	w.SetPadded(false)
	w.Resize(fyne.NewSize(200, 60))
	return w.Canvas().Capture()
}

func equal(a, b image.Image) bool {
	return bytes.Equal(a.(*image.NRGBA).Pix, b.(*image.NRGBA).Pix)
}

// TestLettersOfAllScriptsAreDrawn compares each letter with what is drawn where no font has one, and with its neighbour:
// two letters that look the same are both none.
func TestLettersOfAllScriptsAreDrawn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the system's own fonts are drawn")
	}
	if err := Prepare(folder); err != nil {
		t.Fatal(err)
	}
	app := test.NewApp()
	t.Cleanup(app.Quit)
	app.Settings().SetTheme(kit.NewTheme(kit.Fonts{
		Regular: assets.InterRegular(), Bold: assets.InterSemiBold(), Mono: assets.MonoRegular(), MonoBold: assets.MonoSemiBold(),
	}, theme.VariantLight))
	for _, style := range []fyne.TextStyle{{}, {Bold: true}, {Monospace: true}, {Bold: true, Monospace: true}} {
		none := drawn(t, "\U000F0000", style)
		replaced := drawn(t, "\uFFFD", style)
		for script, pair := range map[string][2]string{
			"Hangul": {"한", "국"}, "Hiragana": {"か", "な"}, "Katakana": {"カ", "ナ"}, "Kanji": {"語", "漢"},
			"emoji": {"🎉", "🚀"}, "Greek": {"λ", "Ω"}, "Cyrillic": {"ж", "Я"},
		} {
			a, b := drawn(t, pair[0], style), drawn(t, pair[1], style)
			if equal(a, none) || equal(a, replaced) || equal(a, b) {
				t.Errorf("%s in the style %+v is drawn as the sign of no letter", script, style)
			}
		}
	}
	if !coloured(drawn(t, "🎉", fyne.TextStyle{})) {
		t.Error("an emoji has no colour")
	}
	// What is drawn of a narrow sign is as high as of a wide one, and not a corner of it.
	for _, sign := range []string{"🎉", "🚦", "👍", "🇩🇪"} {
		if high := coveredRows(drawn(t, sign, fyne.TextStyle{})); high < 20 || high > 40 {
			t.Errorf("%s is %d pixels high in a text of 32", sign, high)
		}
	}
}

// coveredRows counts the rows of a picture in which something differs from its corner.
func coveredRows(pic image.Image) (rows int) {
	ground := pic.At(0, 0)
	for y := range pic.Bounds().Dy() {
		for x := range pic.Bounds().Dx() {
			if pic.At(x, y) != ground {
				rows++
				break
			}
		}
	}
	return rows
}

func coloured(pic image.Image) bool {
	for y := range pic.Bounds().Dy() {
		for x := range pic.Bounds().Dx() {
			const clearly = 0x4000
			r, g, b, _ := pic.At(x, y).RGBA()
			if max(r, g, b)-min(r, g, b) > clearly {
				return true
			}
		}
	}
	return false
}

func TestFontsAreWrittenOnceAndMendedWhenTheyAreCutOff(t *testing.T) {
	t.Parallel()
	if !searchable {
		t.Skip("no folder is searched here")
	}
	own, emoji := t.TempDir(), bytes.Repeat([]byte("emoji"), 10)
	if err := fill(own, emoji); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(own, emojiFile)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(own, emoji); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("the font was written again: %v", err)
	}
	if err := os.WriteFile(path, []byte("em"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := fill(own, emoji); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, emoji) {
		t.Errorf("the font that was cut off holds %q: %v", got, err)
	}
	if left, _ := filepath.Glob(filepath.Join(own, "half-*")); len(left) > 0 {
		t.Errorf("halves are left: %v", left)
	}
}

func TestOurEastAsianFontIsSeenAsOne(t *testing.T) {
	t.Parallel()
	if !searchable {
		t.Skip("no folder is searched here")
	}
	content, err := unzipped(assets.EastAsian()).read()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "font.ttf")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if left := lacks(path, []rune{'한', 'か', '語', 'अ'}); string(left) != "अ" {
		t.Errorf("the font lacks %q", string(left))
	}
	if left := lacks(os.Args[0], []rune{'한'}); len(left) != 1 {
		t.Error("a file that is no font has a letter")
	}
}

func TestFontsWithOddNamesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, font := range [][]byte{nil, []byte("short"), make([]byte, 12), append([]byte{0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, "name\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\xff\xff"...)} {
		if got := preferred(font); !bytes.Equal(got, font) {
			t.Errorf("preferred(%q) = %q", font, got)
		}
		if got := squared(font); !bytes.Equal(got, font) {
			t.Errorf("squared(%q) = %q", font, got)
		}
	}
}
