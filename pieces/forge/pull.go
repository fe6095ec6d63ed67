package forge

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/go-github/v75/github"

	"fermata/pieces"
)

// Open opens a pull request for a branch that was pushed. When there is an open one for the branch already, that is the
// result: GitHub may also have opened it on a request whose answer was lost.
func (f *Forge) Open(ctx context.Context, s pieces.PullRequestSpec) (pieces.PullRequest, error) {
	r, err := ParseRemote(s.RemoteURL)
	if err != nil {
		return pieces.PullRequest{}, err
	}
	c, err := f.client(ctx, r)
	if err != nil {
		return pieces.PullRequest{}, err
	}
	made, _, err := c.PullRequests.Create(ctx, r.Owner, r.Name, &github.NewPullRequest{
		Title: &s.Title, Head: &s.Head, Base: &s.Base, Body: &s.Body, Draft: &s.Draft,
	})
	if err == nil {
		return f.pull(r, made), nil
	}
	if mayExist(err) {
		if found, ferr := f.find(ctx, c, r, s.Head); ferr == nil && found != nil && found.State == pieces.PullRequestOpen {
			return *found, nil
		}
	}
	return pieces.PullRequest{}, c.explain("opening a pull request in "+r.String(), err)
}

// mayExist says whether the pull request may be there although GitHub did not say so.
func mayExist(err error) bool {
	code := status(err)
	if code == http.StatusUnprocessableEntity {
		return strings.Contains(strings.ToLower(err.Error()), "already exists")
	}
	var limit *github.RateLimitError
	return code >= http.StatusInternalServerError || code == 0 && !errors.As(err, &limit)
}

// Find looks for the pull request of a branch: the open one, else the newest; nil when there is none.
func (f *Forge) Find(ctx context.Context, remoteURL, head string) (*pieces.PullRequest, error) {
	r, err := ParseRemote(remoteURL)
	if err != nil {
		return nil, err
	}
	c, err := f.client(ctx, r)
	if err != nil {
		return nil, err
	}
	found, err := f.find(ctx, c, r, head)
	return found, c.explain("the pull requests of "+r.String(), err)
}

func (f *Forge) find(ctx context.Context, c *client, r Remote, head string) (*pieces.PullRequest, error) {
	list, err := again(ctx, func() ([]*github.PullRequest, error) {
		list, _, err := c.PullRequests.List(ctx, r.Owner, r.Name, &github.PullRequestListOptions{
			State: "all", Head: r.Owner + ":" + head, Sort: "created", Direction: "desc",
			ListOptions: github.ListOptions{PerPage: 100},
		})
		return list, err
	})
	if err != nil {
		return nil, err
	}
	var best *github.PullRequest
	for _, p := range list {
		// A server that does not know the filter by head sends them all.
		if p.GetHead().GetRef() == head && (best == nil || better(p, best)) {
			best = p
		}
	}
	if best == nil {
		return nil, nil
	}
	found := f.pull(r, best)
	return &found, nil
}

// better prefers an open pull request, then the newer one.
func better(a, b *github.PullRequest) bool {
	if open := a.GetState() == "open"; open != (b.GetState() == "open") {
		return open
	}
	return a.GetNumber() > b.GetNumber()
}

// pull is a pull request as the domain has it.
func (f *Forge) pull(r Remote, p *github.PullRequest) pieces.PullRequest {
	return pieces.PullRequest{
		Number: p.GetNumber(), URL: p.GetHTMLURL(), State: state(p), Title: p.GetTitle(), Head: p.GetHead().GetRef(),
		Base: p.GetBase().GetRef(), Draft: p.GetDraft(), Repo: r.String(), Host: r.Host, ReadAt: f.now(),
	}
}

func state(p *github.PullRequest) pieces.PullRequestState {
	switch {
	case p.GetMerged() || p.MergedAt != nil:
		return pieces.PullRequestMerged
	case p.GetState() == "closed":
		return pieces.PullRequestClosed
	}
	return pieces.PullRequestOpen
}

// again repeats a read that failed on the way or inside GitHub. Nothing that changes something is ever repeated.
func again[T any](ctx context.Context, read func() (T, error)) (T, error) {
	pace := backoff.NewExponentialBackOff()
	pace.InitialInterval = 200 * time.Millisecond
	return backoff.Retry(ctx, func() (T, error) {
		out, err := read()
		if err != nil && !passing(err) {
			return out, backoff.Permanent(err)
		}
		return out, err
	}, backoff.WithBackOff(pace), backoff.WithMaxTries(3))
}

// passing says whether an error may be gone at the next try.
func passing(err error) bool {
	switch status(err) {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case 0:
		var limit *github.RateLimitError
		var abuse *github.AbuseRateLimitError
		return !errors.As(err, &limit) && !errors.As(err, &abuse)
	}
	return false
}
