package pieces_test

import (
	"strings"
	"testing"
	"time"

	. "fermata/pieces"
)

func noon() time.Time { return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) }

func defaults(changed ...string) map[string]string {
	all := map[string]string{}
	for _, s := range Settings() {
		all[s.Key] = s.Default
	}
	for _, c := range changed {
		key, value, _ := strings.Cut(c, "=")
		all[key] = value
	}
	return all
}

func keysOf(list []Noticeable) string {
	var keys []string
	for _, c := range list {
		keys = append(keys, c.Key+"/"+c.Fingerprint)
	}
	return strings.Join(keys, " ")
}

func TestEachChangeOfACueIsToldOnce(t *testing.T) {
	t.Parallel()
	a := func(fingerprint string) Noticeable {
		return Noticeable{Key: "a", Fingerprint: fingerprint, Group: RequiresApproval, Reason: string(GateSpecReady)}
	}
	b := Noticeable{Key: "b", Fingerprint: "1", Group: ReadyForReview, Reason: string(GateReviewWork)}
	watched := a("4")
	watched.Watched = true
	var n Notices
	for _, step := range []struct {
		what       string
		cues       []Noticeable
		settings   map[string]string
		at         time.Time
		tell, gone string
	}{
		{"what waited before is no news", []Noticeable{a("1")}, defaults(), noon(), "", ""},
		{"another one comes", []Noticeable{a("1"), b}, defaults(), noon(), "b/1", ""},
		{"nothing changed", []Noticeable{a("1"), b}, defaults(), noon(), "", ""},
		{"the first one changed", []Noticeable{a("2"), b}, defaults(), noon(), "a/2", ""},
		{"it changed again: its notification is replaced", []Noticeable{a("3"), b}, defaults(), noon(), "a/3", ""},
		{"it changed before the person's eyes", []Noticeable{watched, b}, defaults(), noon(), "", "a"},
		{"the person looked away", []Noticeable{a("4"), b}, defaults(), noon(), "", ""},
		{"both went", nil, defaults(), noon(), "", "b"},
		{"it came in quiet hours", []Noticeable{a("5")}, defaults(KeyNotifyQuiet + "=11:00-13:00"), noon(), "", ""},
		{"quiet hours ended", []Noticeable{a("5")}, defaults(), noon(), "", ""},
		{"its kind is off", []Noticeable{a("6")}, defaults(KeyNotifyRequired + "=false"), noon(), "", ""},
		{"it is as it was once: news again", []Noticeable{a("1")}, defaults(), noon(), "a/1", ""},
	} {
		tell, gone := n.Next(step.cues, step.settings, step.at)
		if got := keysOf(tell); got != step.tell || strings.Join(gone, " ") != step.gone {
			t.Errorf("%s: tells %q and takes away %q, want %q and %q", step.what, got, gone, step.tell, step.gone)
		}
	}
}

func TestEveryCueHasTheSwitchOfItsKind(t *testing.T) {
	t.Parallel()
	for key, gates := range map[string][]Gate{
		KeyNotifyRequired: {GateAnswerInterview, GateAgentWaiting, GateReviewSplit, GateSpecReady, GateStrategyReady, GatePlanReady, GateDependencyBlocked},
		KeyNotifyFailures: {
			GateSpecFailed, GateStrategyFailed, GatePlanFailed, GateAgentsFailed, GateWorkReviewFailed, GateReviewStepFailed,
			GateInterrupted, GateLimitReached, GateBudgetReached, GateStopFailed, GateWorktreeMissing,
		},
		KeyNotifyReview: {GateReviewWork, GateOpenPullRequest, GateConfirmDone},
		KeyNotifyMerge:  {GateMergePullRequest},
	} {
		for _, g := range gates {
			rule, ok := CueOf(g)
			if got := NoticeKey(rule.Group, string(g)); !ok || got != key {
				t.Errorf("%s has the switch %s, want %s", g, got, key)
			}
		}
	}
	if key := NoticeKey(RequiresApproval, string(SessionAwaitingInput)); key != KeyNotifyRequired {
		t.Errorf("a session's question has the switch %s", key)
	}
}

func TestQuietHoursPassMidnight(t *testing.T) {
	t.Parallel()
	at := func(clock string) time.Time {
		c, err := time.Parse("15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, c := range []struct {
		hours, clock string
		want         bool
	}{
		{"22:00-07:00", "21:59", false},
		{"22:00-07:00", "22:00", true},
		{"22:00-07:00", "00:00", true},
		{"22:00-07:00", "06:59", true},
		{"22:00-07:00", "07:00", false},
		{"12:30-13:00", "12:30", true},
		{"12:30-13:00", "13:00", false},
		{"", "03:00", false},
		{"night", "03:00", false},
	} {
		if got := Quiet(c.hours, at(c.clock)); got != c.want {
			t.Errorf("at %s, %q are quiet: %v", c.clock, c.hours, got)
		}
	}
}

func TestQuietHoursAreTwoTimes(t *testing.T) {
	t.Parallel()
	s, _ := SettingOf(KeyNotifyQuiet)
	for value, want := range map[string]string{" 22:00 - 7:00": "22:00-07:00", "": "", "00:00-23:59": "00:00-23:59"} {
		if got, err := s.Check(value); err != nil || got != want {
			t.Errorf("%q becomes %q, %v; want %q", value, got, err, want)
		}
	}
	for _, value := range []string{"22:00", "22-7", "24:00-07:00", "22:00-07:61", "08:00-08:00", "night"} {
		if got, err := s.Check(value); err == nil {
			t.Errorf("%q becomes %q", value, got)
		}
	}
}
