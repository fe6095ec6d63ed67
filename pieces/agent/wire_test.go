package agent

import (
	"strings"
	"testing"
)

func TestOverlongLinesAreSkippedAndTornOnesDropped(t *testing.T) {
	t.Parallel()
	const longest = 200_000
	long := strings.Repeat("x", longest)
	var got []int
	skipped := 0
	readLines(strings.NewReader("a\n"+long+"\n\n"+long[2:]+"\nlast\ntorn"), longest,
		func(line []byte) { got = append(got, len(line)) }, func() { skipped++ })
	if skipped != 1 || len(got) != 4 || got[0] != 2 || got[1] != 1 || got[2] != longest-1 || got[3] != 5 {
		t.Errorf("lines of %v bytes, %d skipped", got, skipped)
	}
}
