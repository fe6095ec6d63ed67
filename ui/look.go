package ui

import (
	"strconv"

	"fyne.io/fyne/v2"

	"fermata/pieces"
	"fermata/ui/phrase"
)

// Look is how the windows are drawn.
type Look struct {
	Theme    string // one of pieces.ThemeSystem, ThemeLight and ThemeDark
	TextSize int    // in percent of what the screen asks for
	Language string // of the texts: one of pieces.LanguageDesktop, LanguageEnglish and LanguageGerman
}

// LookOf reads the look out of the settings.
func LookOf(values map[string]string) Look {
	percent, err := strconv.Atoi(values[pieces.KeyTextSize])
	if err != nil || percent <= 0 {
		percent = 100
	}
	return Look{Theme: values[pieces.KeyTheme], TextSize: percent, Language: values[pieces.KeyLanguage]}
}

// zoom is by how much larger than usual everything is drawn.
func (l Look) zoom() float32 {
	if l.TextSize == 0 {
		return 1
	}
	return float32(l.TextSize) / 100
}

// wear draws the windows in another way. They keep their room on the screen when their text grows, as far as they are
// useful in it: a window that grew with its text would leave the screen.
func (s *Shell) wear(look Look) {
	if look == s.look {
		return
	}
	was := s.look
	s.look = look
	if was.Language != look.Language {
		s.speak()
	}
	before := make([]fyne.Size, len(s.windows))
	for i, w := range s.windows {
		before[i] = w.Canvas().Size()
	}
	s.Wear(look)
	if was.zoom() == look.zoom() {
		return
	}
	for i, w := range s.windows {
		w.Resize(times(before[i], was.zoom()/look.zoom()).Max(before[i].Min(useful())))
	}
}

// speak makes the look's language that of the texts: of what is drawn from now on, so of the tray at once and of a window
// at the latest when it is opened anew.
func (s *Shell) speak() {
	if err := phrase.Use(s.look.Language); err != nil {
		s.Log.Error("speak another language", "language", s.look.Language, "err", err)
	}
	if s.tray != nil {
		s.tray.Again()
	}
}

func times(size fyne.Size, factor float32) fyne.Size {
	return fyne.NewSize(size.Width*factor, size.Height*factor)
}

// No window is made smaller than is useful, whatever was remembered.
const (
	leastWide = 480
	leastHigh = 360
)

// useful is the least size in which a window shows what it has to; a smaller one may be made smaller by the person alone.
func useful() fyne.Size { return fyne.NewSize(720, 480) }

// remembered is the size that a window had when it was last closed, or the one it is made for. It is kept as it is at the
// usual size of text.
func (s *Shell) remembered(r room) fyne.Size {
	kept := s.App.Preferences().FloatListWithFallback("window."+r.key, nil)
	if len(kept) == 2 {
		return times(fyne.NewSize(float32(kept[0]), float32(kept[1])), 1/s.look.zoom()).Max(fyne.NewSize(leastWide, leastHigh))
	}
	return times(r.size, 1/s.look.zoom()).Max(r.size.Min(useful()))
}

func (s *Shell) remember(w *window) {
	size := times(w.Canvas().Size(), s.look.zoom())
	s.App.Preferences().SetFloatList("window."+w.key, []float64{float64(size.Width), float64(size.Height)})
}
