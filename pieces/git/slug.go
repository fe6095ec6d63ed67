package git

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxSlug = 60 // bytes of a branch's last part
	maxKey  = 24 // bytes of it that a tracker's key may take
)

// reserved are the names that Windows keeps for devices; a branch becomes a file and a folder there.
var reserved = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)

// slug makes the part of a branch's name that tells the title: letters and digits of any script in lower case, everything
// else a single '-'. It is never empty, has no dot, and is at most limit bytes long.
func slug(title string, limit int) string {
	s := shorten(joined(strings.ToLower(norm.NFC.String(title))), limit)
	switch {
	case s == "":
		return "piece"
	case reserved.MatchString(s):
		return s + "-x"
	}
	return s
}

// keyPart makes a tracker's key, such as ENG-123 or owner/repo#45, fit for a branch; empty when nothing of it is.
func keyPart(key string) string {
	return shorten(joined(norm.NFC.String(key)), maxKey)
}

// joined joins the runs of letters and digits with '-'.
func joined(s string) string {
	var b strings.Builder
	inside, gap := false, false
	for _, r := range s {
		// A mark belongs to the letter before it, in scripts that write vowels so. An emoji's variation selector is none.
		mark := inside && unicode.In(r, unicode.Mn, unicode.Mc) && !unicode.Is(unicode.Variation_Selector, r)
		if !mark && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			inside, gap = false, true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(r)
		inside, gap = true, false
	}
	return norm.NFC.String(b.String())
}

// shorten cuts s to at most limit bytes, between runes and without a '-' at the end.
func shorten(s string, limit int) string {
	if len(s) > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		s = s[:limit]
	}
	return strings.Trim(s, "-")
}
