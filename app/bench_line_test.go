//go:build bench

package app

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// kibibytes is an amount of memory.
type kibibytes int64

// String writes the amount as people read it.
func (k kibibytes) String() string { return fmt.Sprintf("%.1fMiB", float64(k)/1024) }

// printRatio prints the one line of a bench: the median of ours, by that of a baseline taken in turn with it, so that
// whatever else the machine did fell on both. The limit is a promise for a quiet machine and is not held here.
func printRatio[T time.Duration | kibibytes](tb testing.TB, name string, limit float64, ours, bare []T) {
	tb.Helper()
	a, b := median(ours), median(bare)
	if a <= 0 || b <= 0 {
		tb.Fatalf("bench %s: nothing was measured: %v and %v", name, ours, bare)
	}
	fmt.Printf("bench %s ratio %.2f limit %.3g (%v / %v)\n", name, float64(a)/float64(b), limit, a, b)
}

func median[T time.Duration | kibibytes](samples []T) T {
	if len(samples) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(samples))[len(samples)/2]
}

// printTail prints the one line of a bench that a person waits for: what ninety-nine of a hundred stay within, and the median.
// The limit is a promise for an idle machine and is not held here.
func printTail(tb testing.TB, name string, limit time.Duration, samples []time.Duration) {
	tb.Helper()
	if len(samples) == 0 {
		tb.Fatalf("bench %s: nothing was measured", name)
	}
	sorted := slices.Sorted(slices.Values(samples))
	tail := sorted[(len(sorted)*99+99)/100-1]
	const digits = 100 * time.Microsecond
	fmt.Printf("bench %s p99 %v limit %v (p50 %v of %d)\n", name, tail.Round(digits), limit, median(samples).Round(digits), len(samples))
}
