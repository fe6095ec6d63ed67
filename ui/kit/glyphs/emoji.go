package glyphs

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// The box of an emoji in units of Fyne's emoji font, of which an em has 1000: its drawings fill 64 by 64 of their own units.
const (
	boxLow  = -150
	boxHigh = 850
	boxWide = 1000
)

// squared returns a copy of an emoji font in which every drawing has the same square for its outline, or the font itself
// when it is not as expected. Text is drawn with the drawings, but each is scaled into what its outline takes: one that is
// narrow, such as a traffic light, comes out as a sliver of a corner.
func squared(font []byte) []byte {
	drawn, count := drawings(font), 0
	if outlines, _ := table(font, "CFF "); outlines == nil {
		return font
	}
	if profile, _ := table(font, "maxp"); len(profile) >= 6 {
		count = int(binary.BigEndian.Uint16(profile[4:]))
	}
	if count < 2 || len(drawn) == 0 {
		return font
	}
	return replaced(font, "CFF ", boxes(count, func(glyph int) bool {
		return slices.ContainsFunc(drawn, func(r [2]int) bool { return r[0] <= glyph && glyph <= r[1] })
	}))
}

// drawings are the first and the last glyph of each part of the SVG table.
func drawings(font []byte) (ranges [][2]int) {
	svg, _ := table(font, "SVG ")
	if len(svg) < 6 {
		return nil
	}
	list := int(binary.BigEndian.Uint32(svg[2:]))
	if list+2 > len(svg) {
		return nil
	}
	const entry = 12
	for i := range int(binary.BigEndian.Uint16(svg[list:])) {
		at := list + 2 + i*entry
		if at+entry > len(svg) {
			return nil
		}
		ranges = append(ranges, [2]int{int(binary.BigEndian.Uint16(svg[at:])), int(binary.BigEndian.Uint16(svg[at+2:]))})
	}
	return ranges
}

// boxes is a table of outlines: the box for each glyph that is drawn, and nothing for the others.
func boxes(count int, drawn func(glyph int) bool) []byte {
	const moveTo, acrossTo, upTo, end = 21, 6, 7, 14
	box := append(number(boxWide), number(0)...) // the advance comes first
	box = append(append(box, number(boxLow)...), moveTo)
	box = append(append(box, number(boxWide)...), acrossTo)
	box = append(append(box, number(boxHigh-boxLow)...), upTo)
	box = append(append(box, number(-boxWide)...), acrossTo, end)
	none := append(number(boxWide), end)
	programs := make([][]byte, count)
	for glyph := range programs {
		programs[glyph] = none
		if drawn(glyph) {
			programs[glyph] = box
		}
	}
	const (
		opCharset, opGlyphs, opPrivate = 15, 17, 18
		dictionary                     = 4*5 + 3 // bytes: four numbers and three operators
	)
	header, name, empty := []byte{1, 0, 4, 4}, index([]byte("Emoji")), []byte{0, 0}
	charset := []byte{2, 0, 1, byte((count - 2) >> 8), byte(count - 2)} // all glyphs have the names from the first on
	glyphs := index(programs...)
	at := len(header) + len(name) + len(index(make([]byte, dictionary))) + 2*len(empty)
	var top []byte
	top = append(append(top, long(at)...), opCharset)
	top = append(append(top, long(at+len(charset))...), opGlyphs)
	top = append(append(append(top, long(0)...), long(at+len(charset)+len(glyphs))...), opPrivate)
	return slices.Concat(header, name, index(top), empty, empty, charset, glyphs)
}

// number is a number of a glyph's program, and long one of a dictionary.
func number(n int) []byte { return binary.BigEndian.AppendUint16([]byte{28}, uint16(int16(n))) }

func long(n int) []byte { return binary.BigEndian.AppendUint32([]byte{29}, uint32(n)) }

// index is a list of byte strings as an outline table has them.
func index(items ...[]byte) []byte {
	const offsetSize = 4
	out := append(binary.BigEndian.AppendUint16(nil, uint16(len(items))), offsetSize)
	offset := uint32(1)
	out = binary.BigEndian.AppendUint32(out, offset)
	for _, item := range items {
		offset += uint32(len(item))
		out = binary.BigEndian.AppendUint32(out, offset)
	}
	return append(out, slices.Concat(items...)...)
}

// replaced returns a copy of a font with another content of one table, and without the signature that it breaks.
func replaced(font []byte, tag string, content []byte) []byte {
	const header, entry = 12, 16
	var rows, body []byte
	kept := 0
	for i := range int(binary.BigEndian.Uint16(font[4:])) {
		row := bytes.Clone(font[header+i*entry : header+(i+1)*entry])
		name := string(row[:4])
		if name == "DSIG" {
			continue
		}
		part, _ := table(font, name)
		if name == tag {
			part = content
			binary.BigEndian.PutUint32(row[4:], checksum(content))
		}
		binary.BigEndian.PutUint32(row[8:], uint32(len(body))) // from the end of the rows, whose number is not known yet
		binary.BigEndian.PutUint32(row[12:], uint32(len(part)))
		rows = append(rows, row...)
		body = append(body, part...)
		body = append(body, make([]byte, -len(body)&3)...)
		kept++
	}
	for i := range kept {
		at := rows[i*entry+8:]
		binary.BigEndian.PutUint32(at, binary.BigEndian.Uint32(at)+uint32(header+kept*entry))
	}
	head := bytes.Clone(font[:header])
	binary.BigEndian.PutUint16(head[4:], uint16(kept))
	return slices.Concat(head, rows, body)
}

func checksum(b []byte) (sum uint32) {
	b = append(bytes.Clone(b), make([]byte, -len(b)&3)...)
	for ; len(b) > 0; b = b[4:] {
		sum += binary.BigEndian.Uint32(b)
	}
	return sum
}
