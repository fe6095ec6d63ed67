package pieces

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// failures are the gates at which work failed or was stopped by something else than the person.
var failures = map[Gate]bool{
	GateSpecFailed: true, GateStrategyFailed: true, GatePlanFailed: true, GateAgentsFailed: true, GateWorkReviewFailed: true,
	GateReviewStepFailed: true, GateInterrupted: true, GateLimitReached: true, GateBudgetReached: true, GateStopFailed: true,
	GateWorktreeMissing: true,
}

// NoticeKey names the setting that says whether a cue is notified. The reason is its gate's key, or a session's state.
func NoticeKey(group CueGroup, reason string) string {
	switch {
	case group == ReadyForReview:
		return KeyNotifyReview
	case group == ReadyToMerge:
		return KeyNotifyMerge
	case failures[Gate(reason)]:
		return KeyNotifyFailures
	}
	return KeyNotifyRequired
}

// Noticeable is a cue as notifications see it.
type Noticeable struct {
	Key         string // of what it is about: the same for all its cues, one after another
	Fingerprint string
	Group       CueGroup
	Reason      string
	Watched     bool // the person looks at it already
}

// Notices remembers what was notified, so that each change of a cue is told once. The zero value is ready: what waits at
// the first reading is no news.
type Notices struct {
	seen  map[string]string // by key, the last fingerprint; nil before the first reading
	shown map[string]bool   // the keys whose notification may still be on the screen
}

// Next compares a reading with the one before. It returns which of the cues to notify of now, in their order, and the keys
// whose notification has no cue any more, sorted. A cue that comes while its kind is turned off, in quiet hours or before the
// person's eyes is not told of later either.
func (n *Notices) Next(cues []Noticeable, settings map[string]string, now time.Time) (tell []Noticeable, gone []string) {
	first := n.seen == nil
	before := n.seen
	n.seen = make(map[string]string, len(cues))
	if n.shown == nil {
		n.shown = map[string]bool{}
	}
	old := n.shown
	n.shown = map[string]bool{}
	for _, c := range cues {
		n.seen[c.Key] = c.Fingerprint
		if before[c.Key] == c.Fingerprint {
			if old[c.Key] {
				n.shown[c.Key] = true
			}
			continue
		}
		if !first && !c.Watched && settings[NoticeKey(c.Group, c.Reason)] == "true" && !Quiet(settings[KeyNotifyQuiet], now) {
			n.shown[c.Key] = true
			tell = append(tell, c)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(old)) {
		if !n.shown[key] {
			gone = append(gone, key)
		}
	}
	return tell, gone
}

// Quiet says whether a time lies in the quiet hours, by its own clock. Hours that are empty or no hours are never quiet.
func Quiet(quiet string, t time.Time) bool {
	h, ok := parseHours(quiet)
	if !ok {
		return false
	}
	at := t.Hour()*60 + t.Minute()
	if h.from < h.to {
		return h.from <= at && at < h.to
	}
	return h.from <= at || at < h.to
}

// hours is a part of each day, in minutes since midnight; it may pass midnight.
type hours struct{ from, to int }

// String writes the hours in their one spelling.
func (h hours) String() string {
	return fmt.Sprintf("%02d:%02d-%02d:%02d", h.from/60, h.from%60, h.to/60, h.to%60)
}

// parseHours reads "22:00-07:00"; ok is false for anything else, and for hours without a length.
func parseHours(s string) (h hours, ok bool) {
	from, to, ok := strings.Cut(s, "-")
	if !ok {
		return h, false
	}
	for into, part := range map[*int]string{&h.from: from, &h.to: to} {
		t, err := time.Parse("15:04", strings.TrimSpace(part))
		if err != nil {
			return h, false
		}
		*into = t.Hour()*60 + t.Minute()
	}
	return h, h.from != h.to
}
