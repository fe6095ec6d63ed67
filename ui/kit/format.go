package kit

import (
	"fmt"
	"math"
	"time"

	"fermata/ui/phrase"
)

const day = 24 * time.Hour

// Age says how long ago t was, as "now", "3 min", "2 h", "5 d", "3 mo" or "2 y". A zero time has no age and gives "",
// a time to come gives "now".
func Age(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return phrase.Of("now")
	case d < time.Hour:
		return phrase.F("%d min", d/time.Minute)
	case d < day:
		return phrase.F("%d h", d/time.Hour)
	case d < 60*day:
		return phrase.F("%d d", d/day)
	case d < 365*day:
		return phrase.F("%d mo", d/(30*day))
	}
	return phrase.F("%d y", d/(365*day))
}

// Exact writes a time out for the tip that belongs to its age, in the place's own time.
func Exact(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format(phrase.Of("2 January 2006, 15:04:05"))
}

// Money writes an amount in US dollars with two decimals. An amount that is no number is written as a dash.
func Money(usd float64) string {
	if math.IsNaN(usd) || math.IsInf(usd, 0) {
		return "–"
	}
	cents := math.Round(usd * 100)
	if cents < 0 {
		return fmt.Sprintf("-$%.2f", -cents/100)
	}
	return fmt.Sprintf("$%.2f", math.Abs(cents)/100)
}

// Bytes writes an amount of storage as people read it, such as "1.4 MB". A thousand makes the next unit.
func Bytes(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	amount, at := float64(max(0, n)), 0
	for amount >= 999.5 && at < len(units)-1 {
		amount, at = amount/1000, at+1
	}
	if at == 0 || amount >= 99.5 {
		return fmt.Sprintf("%.0f %s", amount, units[at])
	}
	return fmt.Sprintf("%.1f %s", amount, units[at])
}
