package app

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"fermata/assets"
	"fermata/pieces"
	"fermata/ui"
	"fermata/ui/kit"
)

// scaleVariable is where Fyne reads how large it draws, each time that a theme is set.
const scaleVariable = "FYNE_SCALE"

// look draws the windows as the settings say. It is called on the main goroutine.
type look struct {
	app  fyne.App
	log  *slog.Logger
	base float64 // how large the person wants every Fyne program
	now  ui.Look
}

// newLook sets the variable once while the process is still alone: C code that reads the environment on other threads may
// then see either value of it, but never a list that moves.
func newLook(a fyne.App, log *slog.Logger) *look {
	l := &look{app: a, log: log, base: 1}
	if set, err := strconv.ParseFloat(os.Getenv(scaleVariable), 64); err == nil && set > 0 {
		l.base = set
	} else if set := a.Settings().Scale(); set > 0 {
		l.base = float64(set)
	}
	l.scale(ui.Look{TextSize: 100})
	return l
}

// wear draws the windows in another way, if it is another.
func (l *look) wear(wanted ui.Look) {
	if wanted == l.now {
		return
	}
	l.now = wanted
	l.scale(wanted)
	var variant []fyne.ThemeVariant
	switch wanted.Theme {
	case pieces.ThemeLight:
		variant = append(variant, theme.VariantLight)
	case pieces.ThemeDark:
		variant = append(variant, theme.VariantDark)
	}
	l.app.Settings().SetTheme(kit.NewTheme(kit.Fonts{
		Regular: assets.InterRegular(), Bold: assets.InterSemiBold(), Mono: assets.MonoRegular(), MonoBold: assets.MonoSemiBold(),
	}, variant...))
}

func (l *look) scale(wanted ui.Look) {
	if err := os.Setenv(scaleVariable, fmt.Sprintf("%.2f", l.base*float64(wanted.TextSize)/100)); err != nil {
		l.log.Warn("set the size of the text", "err", err)
	}
}

// environment returns the environment that children get: as it is when this is called, which is before a look changes it.
func environment() func() []string {
	was, set := os.LookupEnv(scaleVariable)
	return func() []string {
		env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, scaleVariable+"=") })
		if set {
			env = append(env, scaleVariable+"="+was)
		}
		return env
	}
}
