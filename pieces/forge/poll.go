package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v75/github"

	"fermata/pieces"
)

const (
	// kept is the share of the rate limit, in percent, that looking things up leaves to the person and their agents.
	kept = 40
	// restAfterAbuse is how long look-ups rest when GitHub asks for it without a time.
	restAfterAbuse = time.Minute
)

// Read looks at pull requests of one repository again and gives them in the same order. What did not change costs nothing
// of the rate limit. One that cannot be read stays as it was, with the reason in PollNote. Merged ones are final and are
// not asked about.
func (f *Forge) Read(ctx context.Context, remoteURL string, prs []pieces.PullRequest) []pieces.PullRequest {
	out := append([]pieces.PullRequest{}, prs...)
	r, err := ParseRemote(remoteURL)
	var c *client
	if err == nil {
		c, err = f.client(ctx, r)
	}
	for i := range out {
		if out[i].State == pieces.PullRequestMerged {
			continue
		}
		if err == nil {
			err = c.resting(f.now())
		}
		if err != nil {
			out[i].PollNote = note(err)
			continue
		}
		next, failed := f.readOne(ctx, c, r, out[i])
		if failed != nil {
			out[i].PollNote = note(c.explain(fmt.Sprintf("pull request #%d of %s", out[i].Number, r), failed))
			if hopeless(ctx, failed) {
				err = c.explain("the pull requests of "+r.String(), failed)
			}
			continue
		}
		out[i] = next
	}
	return out
}

// hopeless says whether the next pull request would fail in the same way.
func hopeless(ctx context.Context, err error) bool {
	code := status(err)
	return ctx.Err() != nil || code == 0 || code == http.StatusUnauthorized || code >= http.StatusInternalServerError
}

func note(err error) string {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "The last look was cut off"
	}
	return err.Error()
}

// seen is what is remembered of the last answers, kept in the value's ETag: one tag for the pull request, and two for the
// checks of the commit that its head was.
type seen struct {
	pull, sha, runs, statuses string
}

func readSeen(s string) seen {
	parts := strings.Split(s, "\n")
	if len(parts) != 4 {
		return seen{}
	}
	return seen{parts[0], parts[1], parts[2], parts[3]}
}

func (s seen) String() string { return strings.Join([]string{s.pull, s.sha, s.runs, s.statuses}, "\n") }

// readOne asks about one pull request and, while it is open, about its checks.
func (f *Forge) readOne(ctx context.Context, c *client, r Remote, p pieces.PullRequest) (pieces.PullRequest, error) {
	last := readSeen(p.ETag)
	now := last
	var got github.PullRequest
	changed, err := f.get(ctx, c, r, "pulls/"+strconv.Itoa(p.Number), &now.pull, &got)
	if err != nil {
		return p, err
	}
	if changed {
		next := f.pull(r, &got)
		next.Checks, p = p.Checks, next
		now.sha = got.GetHead().GetSHA()
	}
	if now.sha != last.sha {
		p.Checks, now.runs, now.statuses = "", "", ""
	}
	if p.State == pieces.PullRequestOpen && now.sha != "" {
		if err := f.readChecks(ctx, c, r, &now, &p); err != nil {
			return p, err
		}
	}
	p.ETag, p.ReadAt, p.PollNote = now.String(), f.now(), ""
	return p, nil
}

// get reads one path of the repository into v if it changed since the tag, which then becomes that of what there is now.
// What did not change leaves v alone.
func (f *Forge) get(ctx context.Context, c *client, r Remote, path string, tag *string, v any) (changed bool, err error) {
	return again(ctx, func() (bool, error) {
		req, err := c.NewRequest(http.MethodGet, "repos/"+r.String()+"/"+path, nil)
		if err != nil {
			return false, err
		}
		if *tag != "" {
			req.Header.Set("If-None-Match", *tag)
		}
		resp, err := c.Do(ctx, req, v)
		if resp == nil || resp.Response == nil {
			return false, err
		}
		c.watch(f.now(), resp, err)
		if resp.StatusCode == http.StatusNotModified {
			return false, nil
		}
		if err == nil {
			*tag = resp.Header.Get("ETag")
		}
		return err == nil, err
	})
}

// watch stops the look-ups until the limit is renewed, once they have used their share of it.
func (c *client) watch(now time.Time, resp *github.Response, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var abuse *github.AbuseRateLimitError
	if errors.As(err, &abuse) {
		c.until = now.Add(restAfterAbuse)
		if abuse.RetryAfter != nil {
			c.until = now.Add(*abuse.RetryAfter)
		}
		c.why = "GitHub asked to wait"
		return
	}
	rate := resp.Rate
	if rate.Limit > 0 && rate.Remaining*100 < rate.Limit*kept && rate.Reset.After(now) {
		c.until = rate.Reset.Time
		c.why = fmt.Sprintf("%d of %d requests of GitHub's rate limit are left, and are kept for you", rate.Remaining, rate.Limit)
	}
}

// resting says why nothing is looked up just now.
func (c *client) resting(now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !now.Before(c.until) {
		return nil
	}
	return &Error{Sentence: fmt.Sprintf("%s; the next look is after %s", c.why, clock(c.until))}
}
