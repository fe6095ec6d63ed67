package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// Names of the theme's own colours, beside those that Fyne knows. A widget resolves them in the desktop's variant.
const (
	ColorBackground fyne.ThemeColorName = theme.ColorNameBackground
	ColorSurface    fyne.ThemeColorName = "surface"
	ColorRaised     fyne.ThemeColorName = "raised"
	ColorBorder     fyne.ThemeColorName = "border"
	ColorText       fyne.ThemeColorName = theme.ColorNameForeground
	ColorMuted      fyne.ThemeColorName = "muted"
	ColorAccent     fyne.ThemeColorName = "accent"
	ColorOnAccent   fyne.ThemeColorName = theme.ColorNameForegroundOnPrimary

	ColorSpec     fyne.ThemeColorName = "spec"
	ColorStrategy fyne.ThemeColorName = "strategy"
	ColorAgents   fyne.ThemeColorName = "agents"
	ColorReview   fyne.ThemeColorName = "review"
	ColorDone     fyne.ThemeColorName = "done"

	ColorNeedsYou fyne.ThemeColorName = "needsYou"
	ColorFailed   fyne.ThemeColorName = "failed"
)

// PhaseColor names the colour of a phase by its key on the rail. Keys that have no colour of their own are muted.
func PhaseColor(key string) fyne.ThemeColorName {
	switch key {
	case "spec":
		return ColorSpec
	case "strategy":
		return ColorStrategy
	case "agents":
		return ColorAgents
	case "review":
		return ColorReview
	case "complete", "done":
		return ColorDone
	}
	return ColorMuted
}

// shade is one colour in both variants.
type shade struct{ light, dark color.NRGBA }

// palette gives every colour that differs from Fyne's own theme.
var palette = map[fyne.ThemeColorName]shade{
	ColorBackground: {opaque(0xF6F5F2), opaque(0x171614)},
	ColorSurface:    {opaque(0xFFFFFF), opaque(0x1F1E1B)},
	ColorRaised:     {opaque(0xFBFAF8), opaque(0x282622)},
	ColorBorder:     {opaque(0xE2E0DA), opaque(0x37342E)},
	ColorText:       {opaque(0x1E1C19), opaque(0xECE9E2)},
	ColorMuted:      {opaque(0x6B675F), opaque(0xA09A8E)},
	ColorAccent:     {opaque(0xA8491F), opaque(0xE58B5C)},
	ColorOnAccent:   {opaque(0xFFFFFF), opaque(0x171614)},

	ColorSpec:     {opaque(0x2F66B0), opaque(0x7FAEEB)},
	ColorStrategy: {opaque(0x7050B0), opaque(0xB39AF0)},
	ColorAgents:   {opaque(0x875C0C), opaque(0xE0B050)},
	ColorReview:   {opaque(0x1A716B), opaque(0x66C7BE)},
	ColorDone:     {opaque(0x33723F), opaque(0x86C993)},
	ColorNeedsYou: {opaque(0xA8491F), opaque(0xE58B5C)},
	ColorFailed:   {opaque(0xB3261E), opaque(0xF2877F)},

	theme.ColorNameButton:              {opaque(0xFFFFFF), opaque(0x282622)},
	theme.ColorNameDisabled:            {opaque(0xA6A299), opaque(0x6B665C)},
	theme.ColorNameDisabledButton:      {opaque(0xEFEDE8), opaque(0x22201D)},
	theme.ColorNameError:               {opaque(0xB3261E), opaque(0xF2877F)},
	theme.ColorNameFocus:               {veil(0xA8491F, 0x55), veil(0xE58B5C, 0x55)},
	theme.ColorNameForegroundOnError:   {opaque(0xFFFFFF), opaque(0x171614)},
	theme.ColorNameForegroundOnSuccess: {opaque(0xFFFFFF), opaque(0x171614)},
	theme.ColorNameForegroundOnWarning: {opaque(0xFFFFFF), opaque(0x171614)},
	theme.ColorNameHeaderBackground:    {opaque(0xF6F5F2), opaque(0x171614)},
	theme.ColorNameHover:               {veil(0x1E1C19, 0x0F), veil(0xECE9E2, 0x14)},
	theme.ColorNameHyperlink:           {opaque(0xA8491F), opaque(0xE58B5C)},
	theme.ColorNameInputBackground:     {opaque(0xFFFFFF), opaque(0x1F1E1B)},
	theme.ColorNameInputBorder:         {opaque(0xBDB9B0), opaque(0x5C574D)},
	theme.ColorNameMenuBackground:      {opaque(0xFBFAF8), opaque(0x282622)},
	theme.ColorNameOverlayBackground:   {opaque(0xFFFFFF), opaque(0x1F1E1B)},
	theme.ColorNamePlaceHolder:         {opaque(0x6B675F), opaque(0xA09A8E)},
	theme.ColorNamePressed:             {veil(0x1E1C19, 0x1F), veil(0xECE9E2, 0x24)},
	theme.ColorNamePrimary:             {opaque(0xA8491F), opaque(0xE58B5C)},
	theme.ColorNameScrollBar:           {veil(0x6B675F, 0x90), veil(0xA09A8E, 0x90)},
	theme.ColorNameScrollBarBackground: {veil(0, 0), veil(0, 0)},
	theme.ColorNameSelection:           {veil(0xA8491F, 0x2A), veil(0xE58B5C, 0x3A)},
	theme.ColorNameSeparator:           {opaque(0xE2E0DA), opaque(0x37342E)},
	theme.ColorNameShadow:              {veil(0, 0), veil(0, 0)},
	theme.ColorNameSuccess:             {opaque(0x33723F), opaque(0x86C993)},
	theme.ColorNameWarning:             {opaque(0x875C0C), opaque(0xE0B050)},
}

// tintAlpha is how strongly a pill's colour shows in its ground; more would take the word below a contrast of 4.5:1.
const tintAlpha = 0x18

func opaque(rgb uint32) color.NRGBA { return veil(rgb, 0xFF) }

func veil(rgb uint32, alpha uint8) color.NRGBA {
	return color.NRGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: alpha}
}

// colorFor resolves a colour as w sees it.
func colorFor(w fyne.Widget, name fyne.ThemeColorName) color.Color {
	return theme.ColorForWidget(name, w)
}

// tintFor resolves the transparent ground that belongs to a colour.
func tintFor(w fyne.Widget, name fyne.ThemeColorName) color.Color {
	c := color.NRGBAModel.Convert(colorFor(w, name)).(color.NRGBA)
	c.A = tintAlpha
	return c
}
