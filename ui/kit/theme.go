package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// Distances of the grid, in Fyne's units.
const (
	Step     float32 = 4  // the grid itself
	Together float32 = 8  // between things that belong together
	Groups   float32 = 16 // between groups
	Pane     float32 = 24 // round a pane
	RowHigh  float32 = 32 // height of a list row
	CardHigh float32 = 72 // height of a card
	Radius   float32 = 6
)

// Fonts are the files of the theme's fonts, as TrueType or OpenType. One that is nil leaves Fyne's own in its place.
type Fonts struct {
	Regular, Bold, Mono, MonoBold []byte
}

// Theme is Fermata's theme: its colours, sizes and fonts; icons are Fyne's.
type Theme struct {
	fonts  map[fyne.TextStyle]fyne.Resource
	forced *fyne.ThemeVariant
}

var _ fyne.Theme = (*Theme)(nil)

// NewTheme makes the theme. It follows the desktop's variant unless one is given, which then stays.
func NewTheme(fonts Fonts, variant ...fyne.ThemeVariant) *Theme {
	t := &Theme{fonts: map[fyne.TextStyle]fyne.Resource{}}
	if len(variant) > 0 {
		t.forced = &variant[0]
	}
	t.add(fyne.TextStyle{}, "fermata-regular", fonts.Regular)
	t.add(fyne.TextStyle{Bold: true}, "fermata-bold", fonts.Bold)
	t.add(fyne.TextStyle{Monospace: true}, "fermata-mono", fonts.Mono)
	t.add(fyne.TextStyle{Bold: true, Monospace: true}, "fermata-mono-bold", fonts.MonoBold)
	return t
}

func (t *Theme) add(style fyne.TextStyle, name string, data []byte) {
	if data != nil {
		t.fonts[style] = fyne.NewStaticResource(name, data)
	}
}

// Color resolves a colour's name; names that are not Fermata's go to Fyne's own theme.
func (t *Theme) Color(name fyne.ThemeColorName, variant fyne.ThemeVariant) color.Color {
	if t.forced != nil {
		variant = *t.forced
	}
	s, ours := palette[name]
	if !ours {
		return theme.DefaultTheme().Color(name, variant)
	}
	if variant == theme.VariantDark {
		return s.dark
	}
	return s.light
}

// Font gives the font of a style. Italics are drawn upright: the type has two weights and no slant.
func (t *Theme) Font(style fyne.TextStyle) fyne.Resource {
	key := fyne.TextStyle{Bold: style.Bold, Monospace: style.Monospace}
	if font, ours := t.fonts[key]; ours && !style.Symbol {
		return font
	}
	return theme.DefaultTheme().Font(style)
}

// Icon gives Fyne's icon of that name.
func (t *Theme) Icon(name fyne.ThemeIconName) fyne.Resource {
	return theme.DefaultTheme().Icon(name)
}

// sizes are the theme's sizes, on the grid of 4.
var sizes = map[fyne.ThemeSizeName]float32{
	theme.SizeNameCaptionText:        11,
	theme.SizeNameText:               13,
	theme.SizeNameSubHeadingText:     15,
	theme.SizeNameHeadingText:        20,
	theme.SizeNamePadding:            Step,
	theme.SizeNameInnerPadding:       Together,
	theme.SizeNameLineSpacing:        Step,
	theme.SizeNameInlineIcon:         16,
	theme.SizeNameInputBorder:        1,
	theme.SizeNameInputRadius:        Radius,
	theme.SizeNameSelectionRadius:    Step,
	theme.SizeNameSeparatorThickness: 1,
	theme.SizeNameScrollBar:          12,
	theme.SizeNameScrollBarSmall:     4,
	theme.SizeNameScrollBarRadius:    2,
}

// Size gives a size of the theme, in Fyne's units.
func (t *Theme) Size(name fyne.ThemeSizeName) float32 {
	if size, ours := sizes[name]; ours {
		return size
	}
	return theme.DefaultTheme().Size(name)
}
