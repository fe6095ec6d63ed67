package assets

import _ "embed"

//go:embed fonts/DroidSansFallback.ttf.gz
var eastAsian []byte

// EastAsian is a font with every Hangul syllable, Kana and the 20,902 common ideographs, as TrueType compressed with
// gzip. It is there on Linux alone: macOS and Windows always come with such fonts.
func EastAsian() []byte { return eastAsian }
