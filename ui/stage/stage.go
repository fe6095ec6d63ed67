// Package stage is a screen for tests of the rooms: a window system in memory, and a pump whose outcomes the test itself
// carries onto the main goroutine.
package stage

import (
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"fermata/assets"
	"fermata/ui/kit"
	"fermata/ui/kit/glyphs"
	"fermata/ui/pump"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
)

// patience is how long a test waits for something that happens off its goroutine: long, for a busy machine under the
// race detector.
const patience = time.Minute

// fonts shows Fyne the same fonts as in the app, once in a process.
var fonts = sync.OnceValue(func() error {
	return glyphs.Prepare(filepath.Join(os.TempDir(), fmt.Sprintf("fermata-stage-%d", os.Getuid())))
})

// queued is more than any room ever brings at once.
const queued = 4096

// Stage is the screen. The goroutine of the test is its main goroutine.
type Stage struct {
	App  fyne.App
	Pump *pump.Pump

	tb testing.TB
	// keeping looks at each picture that is kept; nil for most.
	keeping func(w fyne.Window, name string)
	owners  []func(take func(...any))
	queue   chan func()
}

// New starts a screen with Fermata's theme in the light variant, or in the one that is given.
func New(tb testing.TB, variant ...fyne.ThemeVariant) *Stage {
	tb.Helper()
	if err := fonts(); err != nil {
		tb.Fatal(err)
	}
	variant = append(variant, theme.VariantLight)
	app := watch(tb, test.NewApp())
	fyne.SetCurrentApp(app)
	tb.Cleanup(app.Quit)
	tb.Cleanup(func() { // the last but that, when all that was started has ended
		for _, stack := range app.driver.astray() {
			tb.Errorf("a widget was touched off Fyne's goroutine:\n%s", stack)
		}
	})
	s := &Stage{App: app, tb: tb, queue: make(chan func(), queued)}
	s.Wear(variant[0])
	s.Pump = &pump.Pump{Do: func(f func()) { s.queue <- f }}
	tb.Cleanup(s.Pump.Wait)
	return s
}

// Wear changes the theme's variant, also of the windows that are open.
func (s *Stage) Wear(variant fyne.ThemeVariant) {
	s.App.Settings().SetTheme(kit.NewTheme(kit.Fonts{
		Regular: assets.InterRegular(), Bold: assets.InterSemiBold(), Mono: assets.MonoRegular(), MonoBold: assets.MonoSemiBold(),
	}, variant))
}

// Open shows an object in a window of a size.
func (s *Stage) Open(o fyne.CanvasObject, width, height float32) fyne.Window {
	w := s.App.NewWindow("Stage")
	w.SetPadded(false)
	w.SetContent(kit.NewTips(o))
	w.Resize(fyne.NewSize(width, height))
	s.tb.Cleanup(w.Close)
	Settle(w)
	return w
}

// Settle lays a window out again after heights have changed, as a real canvas does at each frame.
func Settle(w fyne.Window) {
	size := w.Canvas().Size()
	w.Resize(size.AddWidthHeight(1, 1))
	w.Resize(size)
}

// Until runs what the pump brings until the condition holds.
func (s *Stage) Until(what string, holds func() bool) {
	s.tb.Helper()
	late := time.After(patience)
	for !holds() {
		select {
		case f := <-s.queue:
			f()
		case <-late:
			s.tb.Fatalf("wait until %s", what)
		}
	}
}

// Drain runs what the pump has brought so far.
func (s *Stage) Drain() {
	for {
		select {
		case f := <-s.queue:
			f()
		default:
			return
		}
	}
}

// Find gives a visible named widget of a window: of what lies over the content, when something does.
func Find(w fyne.Window, name string) (fyne.CanvasObject, bool) {
	root := w.Content()
	if top := w.Canvas().Overlays().Top(); top != nil {
		root = top
	}
	return kit.Find(root, name)
}

// Has says whether a named widget can be seen.
func Has(w fyne.Window, name string) bool {
	_, found := Find(w, name)
	return found
}

// Tap clicks the middle of a named widget as the pointer would: something that lies over it takes the click.
func (s *Stage) Tap(w fyne.Window, name string) {
	s.tb.Helper()
	Settle(w)
	o, found := Find(w, name)
	if !found {
		s.tb.Fatalf("click %q: there are %q", name, kit.Names(w.Content()))
	}
	if s.App.Driver().CanvasForObject(o) != w.Canvas() {
		// The window system in memory knows places in the newest window only.
		test.Tap(o.(fyne.Tappable))
		return
	}
	x, y, wide, high := kit.Rect(o)
	test.TapCanvas(w.Canvas(), fyne.NewPos(x+wide/2, y+high/2))
}

// Type clears a named entry and types into it.
func (s *Stage) Type(w fyne.Window, name, text string) {
	s.tb.Helper()
	o, found := Find(w, name)
	if !found {
		s.tb.Fatalf("type into %q: there are %q", name, kit.Names(w.Content()))
	}
	f := o.(fyne.Focusable)
	w.Canvas().Focus(f)
	if e, ok := o.(interface{ SetText(string) }); ok {
		e.SetText("")
	}
	test.Type(f, text)
}

// Press sends keys to the focused widget.
func Press(w fyne.Window, keys ...fyne.KeyName) {
	for _, key := range keys {
		f := w.Canvas().Focused()
		if f == nil {
			continue
		}
		if d, ok := f.(desktop.Keyable); ok {
			d.KeyDown(&fyne.KeyEvent{Name: key})
		}
		f.TypedKey(&fyne.KeyEvent{Name: key})
	}
}

// Keep writes two pictures of a window into the folder that FERMATA_PICTURES names, if it names one: as it is, and with
// text of twice the size in the same room.
func (s *Stage) Keep(w fyne.Window, name string) {
	s.tb.Helper()
	if s.keeping != nil {
		s.keeping(w, name)
	}
	folder := os.Getenv("FERMATA_PICTURES")
	if folder == "" {
		return
	}
	Settle(w)
	s.write(w, filepath.Join(folder, name+".png"))
	canvas, scales := w.Canvas().(test.WindowlessCanvas)
	if !scales {
		return
	}
	const twice = 2
	size, scale := w.Canvas().Size(), canvas.Scale()
	canvas.SetScale(scale * twice)
	useful := size.Min(fyne.NewSize(720, 480)) // windows are made for no less
	w.Resize(fyne.NewSize(size.Width/twice, size.Height/twice).Max(useful).Max(w.Content().MinSize()))
	Settle(w)
	s.write(w, filepath.Join(folder, name+"-200.png"))
	canvas.SetScale(scale)
	w.Resize(size)
	Settle(w)
}

func (s *Stage) write(w fyne.Window, path string) {
	s.tb.Helper()
	file, err := os.Create(path)
	if err != nil {
		s.tb.Fatal(err)
	}
	if err := errors.Join(png.Encode(file, Picture(w)), file.Close()); err != nil {
		s.tb.Fatal(err)
	}
}

// Both runs a test of pictures in the light and in the dark variant; where no pictures are kept, in the light one alone.
func Both(t *testing.T, draw func(t *testing.T, word string, s *Stage)) {
	t.Helper()
	variants := map[string]fyne.ThemeVariant{"light": theme.VariantLight}
	if os.Getenv("FERMATA_PICTURES") != "" {
		variants["dark"] = theme.VariantDark
	}
	for word, variant := range variants {
		t.Run(word, func(t *testing.T) { draw(t, word, New(t, variant)) })
	}
}
