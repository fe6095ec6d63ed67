package kit

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlainMakesOneHarmlessLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"empty":              {"", ""},
		"ordinary":           {"Fix the login form", "Fix the login form"},
		"lines":              {"a\nb\r\n\tc ", "a b c"},
		"line separator":     {"a\u2028b\u0085c", "a b c"},
		"controls":           {"a\x00b\x07c\x7f", "abc"},
		"colours":            {"\x1b[31mred\x1b[0m", "red"},
		"a terminal's title": {"\x1b]0;owned\adone", "done"},
		"title not ended":    {"\x1b]0;text", "0;text"},
		"bare escape":        {"a\x1b", "a"},
		"sequence in utf8":   {"\x1b[é", "é"},
		"right to left":      {"user\u202Egnp.exe", "user‹U+202E›gnp.exe"},
		"isolate":            {"\u2066a\u2069", "‹U+2066›a‹U+2069›"},
		"no width":           {"ad\u200Bmin", "ad‹U+200B›min"},
		"joiner in a word":   {"ad\u200Dmin", "ad‹U+200D›min"},
		"joiner of a family": {"👩\u200D👧", "👩\u200D👧"},
		"joiner of a job":    {"👩🏽\u200D🚀 and 🏃\u200D♀\uFE0F.", "👩🏽 and 🏃."},
		"joiner of letters":  {"語\u200D漢", "語\u200D漢"},
		"keycap":             {"1\uFE0F\u20E3", "1\uFE0F"},
		"tag characters":     {"a\U000E0041", "a‹U+E0041›"},
		"bad utf8":           {"a\xffb", "a\uFFFDb"},
		"stacked marks":      {"e" + strings.Repeat("\u0301", 50), "e\u0301\u0301\u0301"},
		"arabic":             {"مرحبا", "مرحبا"},
	} {
		if got := Plain(c.in); got != c.want {
			t.Errorf("%s: Plain(%q) = %q, want %q", name, c.in, got, c.want)
		}
	}
}

func TestPlainIsShortenedInTheMiddle(t *testing.T) {
	t.Parallel()
	got := Plain("start" + strings.Repeat("x", 1000) + "end")
	if n := utf8.RuneCountInString(got); n != plainLength {
		t.Errorf("%d characters, want %d", n, plainLength)
	}
	if !strings.HasPrefix(got, "start") || !strings.HasSuffix(got, "end") {
		t.Errorf("got %q, want both ends kept", got)
	}
}

func TestPlainLinesKeepsLinesAndTabs(t *testing.T) {
	t.Parallel()
	if got, want := PlainLines("a\n\tb\r\n\u202Ec"), "a\n\tb\n‹U+202E›c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMiddleCutKeepsBothEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdef", 5, "ab…ef"},
		{"abcdef", 4, "a…ef"},
		{"abcdef", 1, "…"},
		{"abcdef", 0, ""},
		{"äöüß", 3, "ä…ß"},
	} {
		if got := MiddleCut(c.in, c.n); got != c.want {
			t.Errorf("MiddleCut(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func FuzzPlainIsStable(f *testing.F) {
	f.Add("a\u202Eb\x1b[1m\nc")
	f.Fuzz(func(t *testing.T, s string) {
		once := Plain(s)
		if strings.ContainsAny(once, "\n\r\x1b\x00") || !utf8.ValidString(once) {
			t.Errorf("Plain(%q) = %q holds a control character", s, once)
		}
		if twice := Plain(once); twice != once {
			t.Errorf("Plain(Plain(%q)) = %q, want %q", s, twice, once)
		}
	})
}

func TestProgramKeepsNameAndVersion(t *testing.T) {
	long := strings.Repeat("n", 10_000)
	for want, given := range map[string][2]string{
		"claude-code 2.1": {"claude-code", "2.1"},
		"claude-code":     {" claude-code\n", ""},
		"":                {"\x1b \n", "2.1"},
		strings.Repeat("n", 29) + "…" + strings.Repeat("n", 30) + " " + strings.Repeat("n", 11) + "…" + strings.Repeat("n", 12): {long, long},
	} {
		if got := Program(given[0], given[1]); got != want {
			t.Errorf("%.20q is %q, want %q", given, got, want)
		}
	}
}
