package pieces

import "strings"

// Limits of what people and clients may write, in characters (runes).
const (
	MaxTitle = 300
	MaxText  = 2_000     // guidance, messages, answers, notes
	MaxSpec  = 1_000_000 // specs, seeds, briefs
)

// SpecTitle returns the text of a spec's title heading (its first level-one heading), or "" when it has none.
func SpecTitle(spec string) string {
	fenced := false
	for line := range strings.Lines(spec) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# "); ok {
			if title := oneLine(strings.TrimRight(strings.TrimSpace(rest), "# ")); title != "" {
				return title
			}
		}
	}
	return ""
}

// TitleOf names a draft: the spec's title heading, then the given title, then the seed's first line.
func TitleOf(spec, title, seed string) string {
	for _, t := range []string{SpecTitle(spec), oneLine(title), oneLine(firstLine(seed)), oneLine(firstLine(spec))} {
		if t != "" {
			return cut(t, MaxTitle)
		}
	}
	return "Untitled"
}

func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if t := strings.TrimSpace(line); t != "" {
			return t
		}
	}
	return ""
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n])
}

// NeedsSpecStep says whether releasing the draft runs the spec step, or takes the supplied spec as it is.
func (d Draft) NeedsSpecStep() bool {
	return strings.TrimSpace(d.Spec) == "" || d.Refine != RefineNone
}

// ChecksSpec says whether the spec step first looks whether the supplied spec has gaps, and leaves one alone that has none.
func (d Draft) ChecksSpec() bool {
	return strings.TrimSpace(d.Spec) != "" && d.Refine == RefineIfGaps
}
