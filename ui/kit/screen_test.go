package kit

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fermata/assets"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
)

// newScreen starts Fyne's test app with the theme in a variant.
func newScreen(t *testing.T, variant fyne.ThemeVariant) fyne.App {
	t.Helper()
	app := test.NewApp()
	t.Cleanup(app.Quit)
	app.Settings().SetTheme(NewTheme(Fonts{
		Regular: assets.InterRegular(), Bold: assets.InterSemiBold(),
		Mono: assets.MonoRegular(), MonoBold: assets.MonoSemiBold(),
	}, variant))
	return app
}

// show puts an object into a window of the light variant.
func show(t *testing.T, o fyne.CanvasObject, width, height float32) fyne.Window {
	t.Helper()
	newScreen(t, theme.VariantLight)
	return open(t, o, width, height)
}

func open(t *testing.T, o fyne.CanvasObject, width, height float32) fyne.Window {
	t.Helper()
	ground := canvas.NewRectangle(theme.Color(ColorBackground))
	w := test.NewWindow(NewTips(container.NewStack(ground, Pad(Groups, o))))
	w.SetPadded(false)
	w.Resize(fyne.NewSize(width, height))
	t.Cleanup(w.Close)
	settle(w)
	return w
}

// settle lays the window out again after heights have changed, as Fyne's real canvas does at each frame.
func settle(w fyne.Window) {
	size := w.Canvas().Size()
	w.Resize(size.AddWidthHeight(1, 1))
	w.Resize(size)
}

// capture draws what make makes in both variants, hands each picture to check, and keeps it as a file in the folder
// that FERMATA_PICTURES names.
func capture(t *testing.T, name string, width, height float32, make func() fyne.CanvasObject, check func(t *testing.T, pic image.Image, variant fyne.ThemeVariant)) {
	t.Helper()
	for word, variant := range map[string]fyne.ThemeVariant{"light": theme.VariantLight, "dark": theme.VariantDark} {
		t.Run(word, func(t *testing.T) {
			newScreen(t, variant)
			w := open(t, make(), width, height)
			pic := w.Canvas().Capture()
			keep(t, name+"-"+word, pic)
			check(t, pic, variant)
			w.Canvas().(test.WindowlessCanvas).SetScale(2)
			settle(w)
			keep(t, name+"-"+word+"-200", w.Canvas().Capture())
		})
	}
}

func keep(t *testing.T, name string, pic image.Image) {
	t.Helper()
	folder := os.Getenv("FERMATA_PICTURES")
	if folder == "" {
		return
	}
	file, err := os.Create(filepath.Join(folder, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := png.Encode(file, pic); err != nil {
		t.Fatal(err)
	}
}

// shows checks that each named colour of the theme is somewhere in the picture.
func shows(names ...fyne.ThemeColorName) func(*testing.T, image.Image, fyne.ThemeVariant) {
	return func(t *testing.T, pic image.Image, variant fyne.ThemeVariant) {
		t.Helper()
		for _, name := range names {
			want := NewTheme(Fonts{}, variant).Color(name, variant)
			if !has(pic, want) {
				t.Errorf("the picture has no pixel in the colour %q", name)
			}
		}
	}
}

func has(pic image.Image, want color.Color) bool {
	wr, wg, wb, _ := want.RGBA()
	bounds := pic.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			r, g, b, _ := pic.At(x, y).RGBA()
			if near(r, wr) && near(g, wg) && near(b, wb) {
				return true
			}
		}
	}
	return false
}

func near(a, b uint32) bool {
	const most = 3 << 8
	return a-b < most || b-a < most
}

// press sends a key to the focused widget.
func press(w fyne.Window, keys ...fyne.KeyName) {
	for _, key := range keys {
		if focused := w.Canvas().Focused(); focused != nil {
			focused.TypedKey(&fyne.KeyEvent{Name: key})
		}
	}
}
