// Package assets embeds the pictures and fonts that the program carries with it.
package assets

import _ "embed"

// File names of the embedded files, for callers that must name what they hand on.
const (
	IconName          = "icon.png"
	IconSVGName       = "icon.svg"
	InterRegularName  = "Inter-Regular.otf"
	InterSemiBoldName = "Inter-SemiBold.otf"
	MonoRegularName   = "JetBrainsMono-Regular.ttf"
	MonoSemiBoldName  = "JetBrainsMono-SemiBold.ttf"
	InterLicenceName  = "Inter-OFL.txt"
	MonoLicenceName   = "JetBrainsMono-OFL.txt"
	EastAsianName     = "DroidSansFallback.ttf"
	EastAsianLicence  = "DroidSansFallback-Apache-2.0.txt"
)

// Icon is the program's icon, a PNG of 512×512 pixels rendered from IconSVG.
//
//go:embed icon.png
var Icon []byte

// IconSVG is the drawing of the program's icon: the fermata sign in paper white on copper.
//
//go:embed icon.svg
var IconSVG []byte

// The fonts carry no table of glyph substitutions (slim.py took it out): Fyne reads that table anew for every text that it
// measures or draws, and code is to be shown letter by letter, not with an arrow where it says "->".

//go:embed fonts/Inter-Regular.otf
var interRegular []byte

//go:embed fonts/Inter-SemiBold.otf
var interSemiBold []byte

//go:embed fonts/JetBrainsMono-Regular.ttf
var monoRegular []byte

//go:embed fonts/JetBrainsMono-SemiBold.ttf
var monoSemiBold []byte

//go:embed fonts/Inter-OFL.txt
var interLicence string

//go:embed fonts/JetBrainsMono-OFL.txt
var monoLicence string

//go:embed fonts/DroidSansFallback-Apache-2.0.txt
var eastAsianLicence string

// InterRegular is the sans font at weight 400, as OpenType.
func InterRegular() []byte { return interRegular }

// InterSemiBold is the sans font at weight 600, as OpenType.
func InterSemiBold() []byte { return interSemiBold }

// MonoRegular is JetBrains Mono at weight 400, as TrueType.
func MonoRegular() []byte { return monoRegular }

// MonoSemiBold is JetBrains Mono at weight 600, as TrueType.
func MonoSemiBold() []byte { return monoSemiBold }

// FontLicences are the licence texts that have to travel with the fonts, keyed by file name.
func FontLicences() map[string]string {
	return map[string]string{InterLicenceName: interLicence, MonoLicenceName: monoLicence, EastAsianLicence: eastAsianLicence}
}
