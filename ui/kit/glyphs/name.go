package glyphs

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// firstFamily is the family that Fyne asks for. A font that bears it is asked before all others, so an emoji is one in
// colour even where a font of the desktop has a black and white drawing of it.
const firstFamily = "sans-serif"

// preferred returns a copy of a font under the name of firstFamily, or the font itself when its names are not as expected.
func preferred(font []byte) []byte {
	names, at := table(font, "name")
	const header, record = 6, 12
	if len(names) < header {
		return font
	}
	changed := bytes.Clone(font)
	text := at + int(binary.BigEndian.Uint16(names[4:]))
	for i := range int(binary.BigEndian.Uint16(names[2:])) {
		row := at + header + i*record
		if row+record > at+len(names) {
			return font
		}
		if !isFamily(changed[row:]) {
			continue
		}
		want := []byte(firstFamily)
		if changed[row+1] != macintosh {
			want = utf16Bytes(firstFamily)
		}
		start := text + int(binary.BigEndian.Uint16(changed[row+10:]))
		had := int(binary.BigEndian.Uint16(changed[row+8:]))
		if had < len(want) || start+had > len(changed) {
			return font
		}
		copy(changed[start:], want)
		binary.BigEndian.PutUint16(changed[row+8:], uint16(len(want)))
	}
	return changed
}

const macintosh = 1 // the platform whose names are bytes

// isFamily says whether a name's record is that of the family, or of the typographic family, which comes first.
func isFamily(record []byte) bool {
	const family, typographic = 1, 16
	id := binary.BigEndian.Uint16(record[6:])
	return id == family || id == typographic
}

func utf16Bytes(s string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		out = binary.BigEndian.AppendUint16(out, unit)
	}
	return out
}

// table finds a table of a font and where it begins; it is nil when there is none.
func table(font []byte, tag string) ([]byte, int) {
	const header, entry = 12, 16
	if len(font) < header {
		return nil, 0
	}
	for at := header; at < header+int(binary.BigEndian.Uint16(font[4:]))*entry && at+entry <= len(font); at += entry {
		if string(font[at:at+4]) != tag {
			continue
		}
		start, size := int(binary.BigEndian.Uint32(font[at+8:])), int(binary.BigEndian.Uint32(font[at+12:]))
		if start+size > len(font) {
			return nil, 0
		}
		return font[start : start+size], start
	}
	return nil, 0
}
