package piecestest

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// GitHub is a server on loopback that speaks the part of GitHub's REST API that Fermata uses, for one repository. It
// answers below / and below /api/v3/, as GitHub and GitHub Enterprise do. It is safe for concurrent use.
type GitHub struct {
	Token string // the only accepted one

	opts     GitHubOptions
	server   *loopback
	requests book[GitHubRequest]

	mu        sync.Mutex
	pulls     []*Pull
	refusals  []refusal
	outage    *refusal
	remaining int
}

// GitHubOptions choose the repository. The zero value is acme/app with the default branch main and no git behind it.
type GitHubOptions struct {
	Owner, Repo   string
	DefaultBranch string
	Token         string
	// Bare is the path of the bare repository that pushes reach. With it, branches are checked to be there, commits are
	// real, and Merge merges. Without it every branch is taken as pushed.
	Bare string
}

// Pull is a pull request.
type Pull struct {
	Number             int
	Title, Body        string
	Head, Base         string // branches
	SHA                string // of the head, when it was last read
	Draft              bool
	Closed             bool
	Merged             bool
	MergeSHA           string
	Checks             []Check
	Statuses           []CommitStatus
	CreatedAt, EndedAt time.Time
}

// Check is one check run of a pull request's head.
type Check struct {
	Name       string
	Status     string // "queued", "in_progress" or "completed"
	Conclusion string // "success", "failure", …; empty until completed
}

// CommitStatus is one status of the older kind.
type CommitStatus struct {
	Context string
	State   string // "pending", "success", "failure" or "error"
}

// GitHubRequest is one request as the server answered it.
type GitHubRequest struct {
	Seq         int // from 1
	Method      string
	Path        string // without /api/v3
	Query       string
	IfNoneMatch string
	Body        string
	Status      int // of the answer
}

type refusal struct {
	status  int
	message string
}

// NewGitHub starts a GitHub for the test and ends it with the test.
func NewGitHub(tb testing.TB, opts GitHubOptions) *GitHub {
	tb.Helper()
	g, err := StartGitHub(opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(g.Close)
	return g
}

// StartGitHub starts a GitHub that the caller closes.
func StartGitHub(opts GitHubOptions) (*GitHub, error) {
	if opts.Owner == "" {
		opts.Owner = "acme"
	}
	if opts.Repo == "" {
		opts.Repo = "app"
	}
	if opts.DefaultBranch == "" {
		opts.DefaultBranch = "main"
	}
	if opts.Token == "" {
		opts.Token = "ghp_scripted"
	}
	g := &GitHub{Token: opts.Token, opts: opts, remaining: rateLimit}
	server, err := listen(g.handler())
	if err != nil {
		return nil, fmt.Errorf("start github: %w", err)
	}
	g.server = server
	return g, nil
}

// URL is the API's base URL, without a slash at the end.
func (g *GitHub) URL() string { return g.server.url }

// Close ends the server.
func (g *GitHub) Close() { g.server.close() }

// Requests returns the answered requests, in the order of their answers.
func (g *GitHub) Requests() []GitHubRequest { return g.requests.all() }

// Wait returns the first answered request, past or to come, that the function takes.
func (g *GitHub) Wait(ctx context.Context, take func(GitHubRequest) bool) (GitHubRequest, error) {
	return g.requests.wait(ctx, take)
}

// Pulls returns copies of the pull requests in the order of their numbers.
func (g *GitHub) Pulls() []Pull {
	g.mu.Lock()
	defer g.mu.Unlock()
	var pulls []Pull
	for _, p := range g.pulls {
		g.refresh(p)
		c := *p
		c.Checks, c.Statuses = slices.Clone(p.Checks), slices.Clone(p.Statuses)
		pulls = append(pulls, c)
	}
	return pulls
}

// Merge merges an open pull request as a person would on the web: with a merge commit on the base branch, when there is a
// repository behind.
func (g *GitHub) Merge(number int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, err := g.openPull(number)
	if err != nil {
		return fmt.Errorf("merge pull request %d: %w", number, err)
	}
	g.refresh(p)
	p.MergeSHA = fakeSHA("merge of " + p.SHA)
	if g.opts.Bare != "" {
		if p.MergeSHA, err = g.mergeBranches(p); err != nil {
			return fmt.Errorf("merge pull request %d: %w", number, err)
		}
	}
	p.Closed, p.Merged, p.EndedAt = true, true, time.Now().UTC()
	return nil
}

// ClosePull closes an open pull request without merging it.
func (g *GitHub) ClosePull(number int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, err := g.openPull(number)
	if err != nil {
		return fmt.Errorf("close pull request %d: %w", number, err)
	}
	g.refresh(p)
	p.Closed, p.EndedAt = true, time.Now().UTC()
	return nil
}

// SetChecks replaces the check runs of a pull request's head.
func (g *GitHub) SetChecks(number int, checks ...Check) error {
	return g.change(number, func(p *Pull) { p.Checks = checks })
}

// SetStatuses replaces the statuses of a pull request's head.
func (g *GitHub) SetStatuses(number int, statuses ...CommitStatus) error {
	return g.change(number, func(p *Pull) { p.Statuses = statuses })
}

// Refuse makes the next attempt to open a pull request end with the status and message. Calls add up.
func (g *GitHub) Refuse(status int, message string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refusals = append(g.refusals, refusal{status, message})
}

// SetOutage makes every request end with the status and message until it is called with status 0.
func (g *GitHub) SetOutage(status int, message string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.outage = nil
	if status != 0 {
		g.outage = &refusal{status, message}
	}
}

func (g *GitHub) change(number int, apply func(*Pull)) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if number < 1 || number > len(g.pulls) {
		return fmt.Errorf("change pull request %d: there is none", number)
	}
	apply(g.pulls[number-1])
	return nil
}

// openPull finds an open pull request; the lock is held.
func (g *GitHub) openPull(number int) (*Pull, error) {
	if number < 1 || number > len(g.pulls) {
		return nil, fmt.Errorf("there is none")
	}
	if p := g.pulls[number-1]; !p.Closed {
		return p, nil
	}
	return nil, fmt.Errorf("it is closed")
}

// refresh reads where an open pull request's head stands now; a deleted branch keeps the last commit.
func (g *GitHub) refresh(p *Pull) {
	if p.Closed {
		return
	}
	if sha, ok := g.branch(p.Head); ok {
		p.SHA = sha
	}
}

// branch is the commit of a branch; false when it was not pushed.
func (g *GitHub) branch(name string) (string, bool) {
	if g.opts.Bare == "" {
		return fakeSHA(name), true
	}
	sha, err := runGit(g.opts.Bare, "rev-parse", "--verify", "--quiet", "refs/heads/"+name+"^{commit}")
	return sha, err == nil
}

// commitsBetween says whether head has commits that base lacks.
func (g *GitHub) commitsBetween(base, head string) bool {
	if g.opts.Bare == "" {
		return base != head
	}
	count, err := runGit(g.opts.Bare, "rev-list", "--count", "refs/heads/"+base+"..refs/heads/"+head)
	return err == nil && count != "0"
}

func (g *GitHub) mergeBranches(p *Pull) (string, error) {
	base := "refs/heads/" + p.Base
	tree, err := runGit(g.opts.Bare, "merge-tree", "--write-tree", base, p.SHA)
	if err != nil {
		return "", err
	}
	message := fmt.Sprintf("Merge pull request #%d from %s/%s\n\n%s", p.Number, g.opts.Owner, p.Head, p.Title)
	sha, err := runGit(g.opts.Bare, "-c", "user.name=GitHub", "-c", "user.email=noreply@example.com",
		"commit-tree", tree, "-p", base, "-p", p.SHA, "-m", message)
	if err != nil {
		return "", err
	}
	_, err = runGit(g.opts.Bare, "update-ref", base, sha)
	return sha, err
}

func fakeSHA(of string) string {
	sum := sha1.Sum([]byte(of))
	return hex.EncodeToString(sum[:])
}
