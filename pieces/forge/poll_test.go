package forge

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"fermata/pieces"
)

func TestSecondLookCostsNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.put("GET /pulls/1", ok(t, pull(1, "Title", "open", "abc", false)))
	s.put("GET /commits/abc/check-runs", ok(t, runs("success", "success", "")))
	s.put("GET /commits/abc/status", ok(t, statuses("success")))
	f := s.forge()
	first := f.Read(t.Context(), remote, []pieces.PullRequest{open(1)})
	if p := first[0]; p.Title != "Title" || p.Checks != "3 of 4 checks passed" || p.PollNote != "" || p.ReadAt.IsZero() || p.ETag == "" {
		t.Errorf("%+v", p)
	}
	s.take()
	second := f.Read(t.Context(), remote, first)
	if asked := s.take(); !reflect.DeepEqual(asked, []string{"GET /pulls/1 304", "GET /commits/abc/check-runs 304", "GET /commits/abc/status 304"}) {
		t.Errorf("asked %v", asked)
	}
	if second[0].ReadAt = first[0].ReadAt; second[0] != first[0] {
		t.Errorf("%+v became %+v", first[0], second[0])
	}
	// One half of the checks changed: the other is needed for the sum, and both tags are good afterwards.
	s.put("GET /commits/abc/check-runs", ok(t, runs("success", "success", "failure")))
	third := f.Read(t.Context(), remote, second)
	if third[0].Checks != "1 check failed" {
		t.Errorf("%+v", third[0])
	}
	s.take()
	f.Read(t.Context(), remote, third)
	if asked := strings.Join(s.take(), ", "); strings.Contains(asked, "200") {
		t.Errorf("asked %v", asked)
	}
}

func TestNewHeadHasNewChecks(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	f := s.forge()
	s.put("GET /pulls/1", ok(t, pull(1, "Title", "open", "abc", false)))
	s.put("GET /commits/abc/check-runs", ok(t, runs("failure")))
	s.put("GET /commits/abc/status", ok(t, statuses()))
	prs := f.Read(t.Context(), remote, []pieces.PullRequest{open(1)})
	s.put("GET /pulls/1", ok(t, pull(1, "Title", "open", "def", false)))
	s.put("GET /commits/def/check-runs", ok(t, runs("failure")))
	s.put("GET /commits/def/status", ok(t, statuses("failure")))
	if prs = f.Read(t.Context(), remote, prs); prs[0].Checks != "2 checks failed" {
		t.Errorf("%+v", prs[0])
	}
}

func TestStatesAreRead(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.put("GET /pulls/1", ok(t, pull(1, "a", "closed", "abc", true)))
	s.put("GET /pulls/2", ok(t, pull(2, "b", "closed", "abc", false)))
	f := s.forge()
	prs := f.Read(t.Context(), remote, []pieces.PullRequest{open(1), open(2), open(3)})
	if prs[0].State != pieces.PullRequestMerged || prs[1].State != pieces.PullRequestClosed {
		t.Errorf("%+v", prs)
	}
	// The one that is not there does not lose the others, and stays as it was.
	if p := prs[2]; p.State != pieces.PullRequestOpen || p.Title != "before" || !strings.Contains(p.PollNote, "pull request #3 of acme/app") {
		t.Errorf("%+v", p)
	}
	s.take()
	f.Read(t.Context(), remote, prs)
	if asked := s.take(); len(asked) != 2 {
		t.Errorf("a merged one was asked about: %v", asked)
	}
}

func TestTokenWithoutRightsForChecksStillReadsTheState(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.put("GET /pulls/1", ok(t, pull(1, "Title", "open", "abc", false)))
	s.put("GET /commits/abc/check-runs", answer{status: 403, body: `{"message":"Resource not accessible by personal access token"}`})
	s.put("GET /commits/abc/status", ok(t, statuses("success", "success")))
	f := s.forge()
	prs := f.Read(t.Context(), remote, []pieces.PullRequest{open(1)})
	if prs[0].Checks != "2 of 2 checks passed" || prs[0].PollNote != "" {
		t.Errorf("%+v", prs[0])
	}
	if prs = f.Read(t.Context(), remote, prs); prs[0].Checks != "2 of 2 checks passed" {
		t.Errorf("%+v", prs[0])
	}
}

func TestLookingLeavesThePersonTheirShare(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, n := range []string{"1", "2"} {
		s.put("GET /pulls/"+n, ok(t, pull(1, "Title", "closed", "abc", false)))
	}
	s.put("GET /pulls", ok(t, []any{}))
	s.remaining = 2000
	now := time.Now()
	f := New(Options{
		APIURL: func() string { return s.URL }, HTTP: s.Client(), Now: func() time.Time { return now },
		Token: func(context.Context, string) (string, error) { return "secret", nil },
	})
	prs := f.Read(t.Context(), remote, []pieces.PullRequest{open(1), open(2)})
	if prs[0].PollNote != "" || !strings.Contains(prs[1].PollNote, "1999 of 5000") || len(s.take()) != 1 {
		t.Errorf("%+v", prs)
	}
	if prs = f.Read(t.Context(), remote, prs); prs[0].PollNote == "" || len(s.take()) != 0 {
		t.Errorf("asked before the reset: %+v", prs)
	}
	if _, err := f.Find(t.Context(), remote, "x"); err != nil || len(s.take()) != 1 {
		t.Errorf("the person was refused: %v", err)
	}
	now = now.Add(2 * time.Hour)
	s.mu.Lock()
	s.remaining, s.reset = 5000, now.Add(time.Hour)
	s.mu.Unlock()
	if prs = f.Read(t.Context(), remote, prs); prs[0].PollNote != "" || prs[1].PollNote != "" {
		t.Errorf("after the reset: %+v", prs)
	}
}

func TestLookingStopsWhenItIsHopeless(t *testing.T) {
	t.Parallel()
	wait := answer{
		status: 403, header: map[string]string{"Retry-After": "90"},
		body: `{"message":"slow down","documentation_url":"https://docs.github.com/rest#secondary-rate-limits"}`,
	}
	for name, c := range map[string]struct {
		a    answer
		want string
	}{
		"token": {answer{status: 401, body: `{"message":"Bad credentials"}`}, "refused the token"},
		"wait":  {wait, "wait"},
	} {
		s := newServer(t)
		s.put("GET /pulls/1", c.a)
		prs := s.forge().Read(t.Context(), remote, []pieces.PullRequest{open(1), open(2)})
		if asked := s.take(); len(asked) != 1 {
			t.Errorf("%s: asked %v", name, asked)
		}
		for _, p := range prs {
			if !strings.Contains(p.PollNote, c.want) || p.Title != "before" {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

func TestLookingWithoutATokenSaysSo(t *testing.T) {
	t.Parallel()
	prs := New(Options{}).Read(t.Context(), remote, []pieces.PullRequest{open(1)})
	if len(prs) != 1 || prs[0].PollNote != ErrNoToken.Error() {
		t.Errorf("%+v", prs)
	}
	if prs = New(Options{}).Read(t.Context(), "/a/path", prs); !strings.Contains(prs[0].PollNote, "names no repository") {
		t.Errorf("%+v", prs)
	}
	s := newServer(t)
	url := s.URL
	s.Close()
	f := New(Options{APIURL: func() string { return url }, Token: func(context.Context, string) (string, error) { return "x", nil }})
	if prs = f.Read(t.Context(), remote, prs); !strings.Contains(prs[0].PollNote, "could not be reached") {
		t.Errorf("%+v", prs)
	}
}

func TestChecksInOneLine(t *testing.T) {
	t.Parallel()
	cases := map[string]tally{
		"":                     {},
		"checks running":       {running: 2},
		"1 of 3 checks passed": {passed: 1, running: 2},
		"4 of 4 checks passed": {passed: 4},
		"1 check passed":       {passed: 1},
		"1 check failed":       {passed: 3, failed: 1, running: 1},
		"2 checks failed":      {failed: 2},
	}
	for want, c := range cases {
		if got := c.String(); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
	got := tally{}
	for _, c := range []string{"success", "neutral", "skipped", "failure", "cancelled", "timed_out", "action_required"} {
		if passed(c) {
			got.passed++
		} else {
			got.failed++
		}
	}
	if got != (tally{passed: 3, failed: 4}) {
		t.Errorf("%+v", got)
	}
}
