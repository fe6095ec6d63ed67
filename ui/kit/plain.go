package kit

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	plainLength = 240 // runes that one line of untrusted text may have
	maxMarks    = 3   // combining marks that one letter may carry
	ellipsis    = "…"

	joiner     = '\u200D'
	lastLetter = '\u2000' // beyond it come the symbols that emoji are made of
	keycap     = '\u20E3'
)

// joined are what can stand behind a joiner in the emoji that there are drawings of: families, couples, and flags.
const joined = "👨👩👧👦❤💋🌈🗨"

// unjoined leaves out the emoji that s begins with when it would not be drawn as one with that before it, but beside it in
// pieces: the first of them tells what is meant.
func unjoined(s string) (rest string, parted bool) {
	r, size := utf8.DecodeRuneInString(s)
	if strings.ContainsRune(joined, r) || !unicode.Is(unicode.So, r) && r != maleSign && r != femaleSign {
		return s, false
	}
	s = s[size:]
	for {
		r, size := utf8.DecodeRuneInString(s)
		if r != variation && (r < firstSkin || r > lastSkin) {
			return s, true
		}
		s = s[size:]
	}
}

// The signs that change the look of the emoji before them: the way it is drawn, and the colour of its skin.
const (
	variation = '\uFE0F'
	firstSkin = '\U0001F3FB'
	lastSkin  = '\U0001F3FF'

	femaleSign, maleSign = '♀', '♂'
)

// Plain makes one harmless line of an untrusted text: line breaks become spaces, control characters and terminal
// sequences go, marks that reorder or hide text become visible, and what is too long is shortened in the middle.
func Plain(s string) string {
	line := strings.Join(strings.Fields(PlainLines(s)), " ")
	return MiddleCut(line, plainLength)
}

// PlainLines does the same for a text of several lines: line breaks and tabs stay, and it is not shortened.
func PlainLines(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	marks := 0
	before := ' '
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if skip := escapeLength(s); skip > 0 {
			s = s[skip:]
			continue
		}
		s = s[size:]
		if rest, parted := unjoined(s); r == joiner && before > lastLetter && parted {
			s = rest
			continue
		}
		if r == keycap {
			continue // the digit before it says as much, and has no cap to stand on
		}
		if unicode.In(r, unicode.Mn, unicode.Me) {
			marks++
		} else {
			marks = 0
		}
		if marks <= maxMarks {
			writePlain(&out, before, r)
		}
		before = r
	}
	return out.String()
}

// writePlain writes one rune, or what makes it visible, or nothing. The rune before it tells a joiner that builds an
// emoji from one that only makes two equal looking names differ.
func writePlain(out *strings.Builder, before, r rune) {
	switch {
	case r == '\n' || r == '\t':
		out.WriteRune(r)
	case r == '\u2028' || r == '\u2029' || r == '\u0085' || r == '\v' || r == '\f':
		out.WriteByte('\n')
	case r == joiner && before > lastLetter:
		out.WriteRune(r)
	case hides(r):
		fmt.Fprintf(out, "‹U+%04X›", r)
	case unicode.IsControl(r):
	default:
		out.WriteRune(r)
	}
}

// hides says whether a rune changes what a person reads without being seen itself: bidirectional marks, blanks without
// width, and the tag characters that can carry a hidden message.
func hides(r rune) bool {
	switch r {
	case '\u00AD', '\u034F', '\u061C', '\u115F', '\u1160', '\u180E', '\u3164':
		return true
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}

// escapeLength measures the terminal sequence that s begins with, in bytes: colours, cursor moves, titles.
func escapeLength(s string) int {
	if len(s) < 2 || s[0] != '\x1b' {
		return 0
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x7e {
				return i
			}
		}
		return len(s)
	case ']':
		line, _, _ := strings.Cut(s, "\n")
		if end := strings.IndexByte(line, '\a'); end >= 0 {
			return end + 1
		}
		if end := strings.Index(line, "\x1b\\"); end >= 0 {
			return end + 2
		}
		return 2
	}
	return 0
}

// MiddleCut shortens s to at most n characters by leaving out its middle: the end of a path or a branch tells most.
func MiddleCut(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	if n < 1 {
		return ""
	}
	head := (n - 1) / 2
	tail := n - 1 - head
	return string(runes[:head]) + ellipsis + string(runes[len(runes)-tail:])
}

// Program makes one short harmless line of a program's name and version, so that neither hides the other by its length. It is
// empty when the name says nothing.
func Program(name, version string) string {
	const longName, longVersion = 60, 24 // characters
	name = MiddleCut(Plain(name), longName)
	if name == "" {
		return ""
	}
	return strings.TrimSpace(name + " " + MiddleCut(Plain(version), longVersion))
}

// endCut shortens s to at most n characters by leaving out its end.
func endCut(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	if n < 1 {
		return ""
	}
	return strings.TrimRight(string(runes[:n-1]), " ") + ellipsis
}
