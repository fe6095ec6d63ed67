package forge

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/go-github/v75/github"

	"fermata/pieces"
)

// tally counts the checks of a commit.
type tally struct {
	passed, failed, running int
}

// String says in one line how the checks stand; empty without checks.
func (t tally) String() string {
	all := t.passed + t.failed + t.running
	switch {
	case all == 0:
		return ""
	case t.failed == 1:
		return "1 check failed"
	case t.failed > 1:
		return fmt.Sprintf("%d checks failed", t.failed)
	case t.passed == 0:
		return "checks running"
	case all == 1:
		return "1 check passed"
	}
	return fmt.Sprintf("%d of %d checks passed", t.passed, all)
}

// readChecks asks for the check runs and the statuses of the head, which are two ways of telling the same thing. Their
// line is a sum of both, so when one of them changed the other is read as well.
func (f *Forge) readChecks(ctx context.Context, c *client, r Remote, now *seen, p *pieces.PullRequest) error {
	at := "commits/" + now.sha + "/"
	runs, statuses := &github.ListCheckRunsResults{}, &github.CombinedStatus{}
	parts := []struct {
		path    string
		tag     *string
		into    any
		changed bool
	}{
		{path: at + "check-runs?filter=latest&per_page=100", tag: &now.runs, into: runs},
		{path: at + "status?per_page=100", tag: &now.statuses, into: statuses},
	}
	some, all := false, true
	for i := range parts {
		part := &parts[i]
		var err error
		if part.changed, err = f.optional(ctx, c, r, part.path, part.tag, part.into); err != nil {
			return err
		}
		some, all = some || part.changed, all && part.changed
	}
	if !some {
		return nil
	}
	for i := range parts {
		part := &parts[i]
		if all || part.changed || *part.tag == "" {
			continue
		}
		*part.tag = ""
		if _, err := f.optional(ctx, c, r, part.path, part.tag, part.into); err != nil {
			return err
		}
	}
	p.Checks = count(runs, statuses).String()
	return nil
}

// optional reads what a token with few rights may not see; then it is as if there were nothing and had never been.
func (f *Forge) optional(ctx context.Context, c *client, r Remote, path string, tag *string, v any) (changed bool, err error) {
	changed, err = f.get(ctx, c, r, path, tag, v)
	if code := status(err); code == http.StatusForbidden || code == http.StatusNotFound || code == http.StatusUnprocessableEntity {
		changed, err = *tag != "", nil
		*tag = ""
	}
	return changed, err
}

func count(runs *github.ListCheckRunsResults, statuses *github.CombinedStatus) tally {
	var t tally
	for _, run := range runs.CheckRuns {
		switch {
		case run.GetStatus() != "completed":
			t.running++
		case passed(run.GetConclusion()):
			t.passed++
		default:
			t.failed++
		}
	}
	for _, s := range statuses.Statuses {
		switch s.GetState() {
		case "success":
			t.passed++
		case "pending":
			t.running++
		default:
			t.failed++
		}
	}
	return t
}

// passed counts as GitHub does: a skipped or neutral check stands in nobody's way.
func passed(conclusion string) bool {
	return conclusion == "success" || conclusion == "neutral" || conclusion == "skipped"
}
