package audit

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestEveryChangedByteIsFound(t *testing.T) {
	t.Parallel()
	path := bookAt(t)
	b := open(t, path, 0)
	c := call(1)
	c.Cards = []Card{{Title: "Allow it?", Answer: "denied", Note: "äö"}}
	if err := b.Append(c); err != nil {
		t.Fatal(err)
	}
	fill(t, b, 2)
	b.Close()
	text := read(t, path)
	ends := []int{bytes.IndexByte(text, '\n')}
	ends = append(ends, ends[0]+1+bytes.IndexByte(text[ends[0]+1:], '\n'), len(text)-1)
	for i := range text {
		row, _ := slices.BinarySearch(ends, i)
		for _, change := range []func(byte) byte{func(c byte) byte { return c ^ 1 }, func(c byte) byte { return c ^ 0x20 }, func(byte) byte { return '\n' }} {
			touched := bytes.Clone(text)
			touched[i] = change(text[i])
			if touched[i] == text[i] {
				continue
			}
			write(t, path, touched)
			r := verify(t, path)
			if i == len(text)-1 {
				// Without its newline a row is not whole.
				if r.Torn == 0 || r.Rows != 2 {
					t.Fatalf("the last newline changed to %q: %+v", touched[i], r)
				}
				continue
			}
			if r.Break == nil || r.Break.Row != row+1 || r.Rows != row || r.Break.Line != row+1 || r.Break.File != "audit.jsonl" {
				t.Fatalf("byte %d of row %d changed from %q to %q: %+v %v", i, row+1, text[i], touched[i], r, r.Break)
			}
		}
	}
}

func TestRowsTakenOutPutInOrMovedAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(lines []string) []string
		row    int
		why    string
	}{
		"the first":        {func(l []string) []string { return l[1:] }, 1, "row 2 stands in its place"},
		"one":              {func(l []string) []string { return slices.Delete(l, 4, 5) }, 5, "row 6 stands in its place"},
		"several":          {func(l []string) []string { return slices.Delete(l, 2, 7) }, 3, "row 8 stands in its place"},
		"a double":         {func(l []string) []string { return slices.Insert(l, 3, l[2]) }, 4, "row 3 stands there again"},
		"two changed over": {func(l []string) []string { l[5], l[6] = l[6], l[5]; return l }, 6, "row 7 stands in its place"},
		"an empty line":    {func(l []string) []string { return slices.Insert(l, 3, "") }, 4, "it cannot be read"},
		"another's row":    {func(l []string) []string { l[7] = forged(l[7]); return l }, 8, "it does not continue the row before it"},
		"a resealed row":   {func(l []string) []string { l[7] = resealed(l[7], "get_piece", "list_cues"); return l }, 9, "it does not continue the row before it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := bookAt(t)
			b := open(t, path, 0)
			fill(t, b, 10)
			b.Close()
			lines := strings.Split(strings.TrimSuffix(string(read(t, path)), "\n"), "\n")
			write(t, path, []byte(strings.Join(c.change(lines), "\n")+"\n"))
			r := verify(t, path)
			if r.Break == nil || r.Break.Row != c.row || r.Break.Why != c.why {
				t.Errorf("verify: %+v %v", r, r.Break)
			}
		})
	}
}

// resealed is a line that was changed by someone who knows how a row is sealed.
func resealed(line, old, changed string) string {
	body, _, _ := strings.Cut(line, sealBegins)
	body = strings.Replace(body, old, changed, 1)
	return body + sealBegins + hashOf([]byte(body+"}")) + sealEnds
}

// forged is a row with the same number and another row before it.
func forged(line string) string {
	_, rest, _ := strings.Cut(line, `"prev":"`)
	return resealed(line, rest[:len(noHash)], hashOf([]byte("another")))
}

func TestFilePutAsideAndTakenAwayIsFound(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 3} {
		path := bookAt(t)
		b := open(t, path, 2000)
		fill(t, b, 50)
		if err := os.Remove(segment(path, n)); err != nil {
			t.Fatal(err)
		}
		r := verify(t, path)
		if r.Break == nil || r.Break.Row != r.Rows+1 || !strings.HasSuffix(r.Break.Why, "stands in its place") || r.Break.Line != 1 {
			t.Errorf("without file %d: %+v %v", n, r, r.Break)
		}
	}
}

func TestBreakStaysFoundWhenTheBookGoesOn(t *testing.T) {
	t.Parallel()
	path := bookAt(t)
	b := open(t, path, 0)
	fill(t, b, 5)
	b.Close()
	write(t, path, append(read(t, path), "what is this\n"...))
	b = open(t, path, 0)
	fill(t, b, 2)
	if r := verify(t, path); r.Break == nil || r.Break.Row != 6 || r.Break.Why != "it cannot be read" {
		t.Errorf("verify: %+v %v", r, r.Break)
	}
	rows, err := b.Last(3)
	if err != nil || rows[0].N != 7 || rows[2].Note != "A line of the book is damaged: it cannot be read" {
		t.Errorf("read %+v %v", rows, err)
	}
}
