// Package patch reads a diff as git writes it into lines that can be shown beside one another.
package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"fermata/ui/phrase"
)

// Kind says what a line is.
type Kind int

// The kinds of line.
const (
	Context Kind = iota
	Added
	Deleted
	Hunk // where the next lines stand
	Note // what there is to say of a file without lines
)

// Line is one line of a file's diff.
type Line struct {
	Kind     Kind
	Old, New int // its number in the file as it was and as it is; 0 where it is not there
	Text     string
}

// File is what a diff says of one file.
type File struct {
	Path  string // as it is now; of a deleted file as it was
	Lines []Line
}

// Read reads a diff. One that was cut ends within a file: of that file the lines that are there are read.
func Read(diff string, cut bool) ([]File, error) {
	if cut {
		diff = mend(diff)
	}
	parsed, _, err := gitdiff.Parse(strings.NewReader(diff))
	var files []File
	for _, f := range parsed {
		files = append(files, fileOf(f))
	}
	if err != nil && cut {
		return files, nil // what the cut left of the last file's header is no file
	}
	if err != nil {
		err = fmt.Errorf("read the diff: %w", err)
	}
	return files, err
}

// mend makes the last hunk say the lengths that it has.
func mend(diff string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(diff, "\n")+"\n", "\n")
	lines = lines[:len(lines)-1]
	at := len(lines) - 1
	for at >= 0 && !strings.HasPrefix(lines[at], "@@ ") && !strings.HasPrefix(lines[at], "diff --git ") {
		at--
	}
	if at < 0 || !strings.HasPrefix(lines[at], "@@ ") {
		return diff
	}
	var oldStart, newStart, was, is int
	fields := strings.Fields(lines[at])
	if len(fields) < 4 {
		return diff
	}
	if _, err := fmt.Sscanf(fields[1], "-%d", &oldStart); err != nil {
		return diff
	}
	if _, err := fmt.Sscanf(fields[2], "+%d", &newStart); err != nil {
		return diff
	}
	for _, l := range lines[at+1:] {
		switch l[0] {
		case '+':
			is++
		case '-':
			was++
		case '\\':
		default:
			was++
			is++
		}
	}
	if was+is == 0 {
		return strings.Join(lines[:at], "")
	}
	lines[at] = fmt.Sprintf("@@ -%d,%d +%d,%d @@\n", oldStart, was, newStart, is)
	return strings.Join(lines, "")
}

func fileOf(f *gitdiff.File) File {
	out := File{Path: f.NewName}
	if out.Path == "" {
		out.Path = f.OldName
	}
	note := func(words string) { out.Lines = append(out.Lines, Line{Kind: Note, Text: words}) }
	if f.OldMode != f.NewMode && f.OldMode != 0 && f.NewMode != 0 {
		note(phrase.F("The mode changed from %o to %o.", f.OldMode.Perm(), f.NewMode.Perm()))
	}
	if f.IsBinary {
		note(phrase.Of("The file is binary."))
	}
	for _, h := range f.TextFragments {
		was, is := int(h.OldPosition), int(h.NewPosition)
		head := fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldPosition, h.OldLines, h.NewPosition, h.NewLines)
		out.Lines = append(out.Lines, Line{Kind: Hunk, Text: strings.TrimSpace(head + " " + h.Comment)})
		for _, l := range h.Lines {
			line := Line{Text: strings.TrimSuffix(l.Line, "\n")}
			if l.Op != gitdiff.OpAdd {
				line.Old = was
				was++
			}
			if l.Op != gitdiff.OpDelete {
				line.New = is
				is++
			}
			switch l.Op {
			case gitdiff.OpAdd:
				line.Kind = Added
			case gitdiff.OpDelete:
				line.Kind = Deleted
			case gitdiff.OpContext:
			}
			out.Lines = append(out.Lines, line)
			if l.NoEOL() {
				note(phrase.Of("No line break at the end of the file."))
			}
		}
	}
	return out
}

// Pair is one row of two files beside one another, as places in the lines; -1 where one has nothing there.
type Pair struct{ Left, Right int }

// Pairs sets the lines as they were beside those as they are. What is no line of a file stands on both sides.
func Pairs(lines []Line) []Pair {
	var pairs []Pair
	var was, is []int
	flush := func() {
		for i := range max(len(was), len(is)) {
			p := Pair{-1, -1}
			if i < len(was) {
				p.Left = was[i]
			}
			if i < len(is) {
				p.Right = is[i]
			}
			pairs = append(pairs, p)
		}
		was, is = nil, nil
	}
	for i, l := range lines {
		switch l.Kind {
		case Deleted:
			if len(is) > 0 {
				flush()
			}
			was = append(was, i)
		case Added:
			is = append(is, i)
		default:
			flush()
			pairs = append(pairs, Pair{i, i})
		}
	}
	flush()
	return pairs
}

// Replaced is the diff of one text that takes the place of another: the fewest lines that go and come. Of two long texts that
// differ in much, only the lines that both begin and end with are told apart.
func Replaced(before, after string) []Line {
	was, is := split(before), split(after)
	first := 0
	for first < len(was) && first < len(is) && was[first] == is[first] {
		first++
	}
	last := 0
	for last < len(was)-first && last < len(is)-first && was[len(was)-1-last] == is[len(is)-1-last] {
		last++
	}
	var lines []Line
	add := func(kind Kind, texts []string) {
		for _, s := range texts {
			lines = append(lines, Line{Kind: kind, Text: s})
		}
	}
	add(Context, was[:first])
	goes, comes := was[first:len(was)-last], is[first:len(is)-last]
	for _, both := range common(goes, comes) {
		add(Deleted, goes[:both.was])
		add(Added, comes[:both.is])
		add(Context, goes[both.was:both.was+1])
		goes, comes = goes[both.was+1:], comes[both.is+1:]
	}
	add(Deleted, goes)
	add(Added, comes)
	add(Context, was[len(was)-last:])
	return slices.Clip(lines)
}

// mostPairs bounds how many pairs of lines are compared, for a diff to be there at once.
const mostPairs = 1 << 20

// shared is a line of both texts: how many lines of each stand between it and the shared line before it.
type shared struct{ was, is int }

// common finds the longest row of lines that both texts have in the same order; none where that would take long.
func common(was, is []string) []shared {
	if len(was)*len(is) > mostPairs {
		return nil
	}
	// longest[i*wide+j] is how many lines was[i:] and is[j:] have in common.
	wide := len(is) + 1
	longest := make([]int32, (len(was)+1)*wide)
	for i := len(was) - 1; i >= 0; i-- {
		for j := len(is) - 1; j >= 0; j-- {
			if was[i] == is[j] {
				longest[i*wide+j] = longest[(i+1)*wide+j+1] + 1
			} else {
				longest[i*wide+j] = max(longest[(i+1)*wide+j], longest[i*wide+j+1])
			}
		}
	}
	var row []shared
	var since shared
	for i, j := 0, 0; i < len(was) && j < len(is); {
		switch {
		case was[i] == is[j]:
			row = append(row, since)
			since = shared{}
			i, j = i+1, j+1
		case longest[(i+1)*wide+j] >= longest[i*wide+j+1]:
			since.was++
			i++
		default:
			since.is++
			j++
		}
	}
	return row
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
