package kit

import (
	"math"
	"testing"
	"time"
)

func TestAgeIsRelative(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]string{
		-time.Hour:               "now",
		0:                        "now",
		59 * time.Second:         "now",
		time.Minute:              "1 min",
		3*time.Minute + 50e9:     "3 min",
		59*time.Minute + 59e9:    "59 min",
		2 * time.Hour:            "2 h",
		23*time.Hour + 59*60*1e9: "23 h",
		5 * day:                  "5 d",
		59 * day:                 "59 d",
		90 * day:                 "3 mo",
		800 * day:                "2 y",
	} {
		if got := Age(now.Add(-ago), now); got != want {
			t.Errorf("Age of %v = %q, want %q", ago, got, want)
		}
	}
	if got := Age(time.Time{}, now); got != "" {
		t.Errorf("Age of no time = %q, want nothing", got)
	}
}

func TestMoneyHasTwoDecimals(t *testing.T) {
	t.Parallel()
	for usd, want := range map[float64]string{
		0: "$0.00", 0.3: "$0.30", 12: "$12.00", 0.005: "$0.01", 0.004: "$0.00", -0.001: "$0.00", -1.5: "-$1.50",
		1234.567: "$1234.57", math.Inf(1): "–",
	} {
		if got := Money(usd); got != want {
			t.Errorf("Money(%v) = %q, want %q", usd, got, want)
		}
	}
}

func TestBytesAreReadable(t *testing.T) {
	for n, want := range map[int64]string{-1: "0 B", 0: "0 B", 999: "999 B", 1000: "1.0 kB", 1_440_000: "1.4 MB", 999_999: "1.0 MB", 250_000_000: "250 MB", 3_200_000_000: "3.2 GB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
