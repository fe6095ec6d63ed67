package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fermata/pieces"
	"fermata/pieces/prompts"
)

// remoteOf says where a project's branches are pushed: origin, or the only remote there is.
func (e *Engine) remoteOf(ctx context.Context, p pieces.Project) (pieces.Remote, error) {
	list, err := e.Git.Remotes(ctx, p.Path)
	if err != nil {
		return pieces.Remote{}, err
	}
	for _, r := range list {
		if r.Name == "origin" || len(list) == 1 {
			return r, nil
		}
	}
	if len(list) == 0 {
		return pieces.Remote{}, refuse(nil, "The repository %s has no remote to push to. Add one with `git remote add origin URL`.", p.Path)
	}
	var names []string
	for _, r := range list {
		names = append(names, r.Name)
	}
	return pieces.Remote{}, refuse(nil, "The repository %s has the remotes %s, and none is called origin, so Fermata does not know where to push.", p.Path, strings.Join(names, ", "))
}

// createPR pushes the branch and opens the pull request. Whatever fails leaves the piece where it was, and says why.
func (e *Engine) createPR(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	s, err := e.move(ctx, r.PieceID, pieces.Trigger(pieces.CreatePR), r.By, nil)
	if err != nil {
		return Result{}, err
	}
	done := make(chan struct{})
	var end pieces.Snapshot
	var endErr error
	e.spawn("create pull request", func(ctx context.Context) error {
		defer close(done)
		end, endErr = e.openPR(ctx, s, r)
		return endErr
	})
	select {
	case <-done:
		res := Result{Piece: end}
		if s.Facts().Feedback {
			res.Message = feedbackGoesOn().String()
		}
		return res, endErr
	case <-ctx.Done():
		return Result{}, fmt.Errorf("create pull request: %w", context.Cause(ctx))
	}
}

func (e *Engine) openPR(ctx context.Context, s pieces.Snapshot, r Request) (pieces.Snapshot, error) {
	pr, cost, err := e.pushAndOpen(ctx, s, r)
	if err != nil && e.ctx.Err() != nil {
		return s, errQuitting
	}
	free := context.WithoutCancel(ctx)
	if err != nil {
		words := pieces.Say("The pull request was not opened: %v", err)
		_, merr := e.move(free, s.Piece.ID, pieces.OnPRFailed, pieces.ByFermata, func(_ pieces.Snapshot, c *pieces.Change) error {
			c.Piece.Failure, c.Note = words.String(), words
			c.Piece.CostUSD += cost
			return nil
		})
		if merr != nil {
			return s, merr
		}
		return s, refuse(err, "%s", words)
	}
	end, err := e.prOpened(free, s.Piece.ID, pr, cost)
	if err != nil || !s.Facts().Feedback || end.Piece.Activity == pieces.Changing {
		return end, err
	}
	// The feedback session ended after the push and before there was a pull request that it could have pushed to.
	if err := e.pushLate(free, s.Piece.ID); err != nil {
		return end, err
	}
	return e.Piece(free, s.Piece.ID)
}

func (e *Engine) prOpened(ctx context.Context, id string, pr pieces.PullRequest, cost float64) (pieces.Snapshot, error) {
	return e.move(ctx, id, pieces.OnPROpened, pieces.ByFermata, func(_ pieces.Snapshot, c *pieces.Change) error {
		now := e.Now()
		c.Piece.PR, c.Note = &pr, pieces.Quote(pr.URL)
		c.Piece.CostUSD += cost
		if c.Piece.CompletedAt == nil {
			c.Piece.CompletedAt = &now
		}
		return nil
	})
}

func (e *Engine) pushAndOpen(ctx context.Context, s pieces.Snapshot, r Request) (pieces.PullRequest, float64, error) {
	project, remote, err := e.pushBranch(ctx, s.Piece)
	if err != nil {
		return pieces.PullRequest{}, 0, err
	}
	title, body, cost, err := e.prText(ctx, s, r)
	if err != nil {
		return pieces.PullRequest{}, cost, err
	}
	pr, err := e.Forge.Open(ctx, pieces.PullRequestSpec{
		RemoteURL: remote.URL, Head: s.Piece.Branch, Base: project.Branch, Title: title, Body: body, Draft: r.IsDraft,
	})
	return pr, cost, err
}

// pushBranch pushes the piece's branch to where its pull request is, or will be; it is never forced.
func (e *Engine) pushBranch(ctx context.Context, p pieces.Piece) (pieces.Project, pieces.Remote, error) {
	project, err := e.Project(ctx, p.ProjectID)
	if err != nil {
		return project, pieces.Remote{}, err
	}
	remote, err := e.remoteOf(ctx, project)
	if err != nil {
		return project, remote, err
	}
	dir := p.Worktree
	if dir == "" || p.WorktreeMissing {
		dir = project.Path
	}
	return project, remote, e.Git.Push(ctx, dir, remote.Name, p.Branch)
}

// prText takes the client's title and body, or has them written from the diff. Where Claude Code cannot write them, the
// piece's name and its commits serve: a pull request must not hang on its prose.
func (e *Engine) prText(ctx context.Context, s pieces.Snapshot, r Request) (title, body string, cost float64, err error) {
	if r.HasTitle || r.HasBody {
		title, body = r.Title, r.Body
		if strings.TrimSpace(title) == "" {
			title = s.Piece.Name
		}
		return title, body, 0, nil
	}
	if s.Piece.Worktree == "" || s.Piece.WorktreeMissing {
		return s.Piece.Name, "", 0, nil
	}
	d := prompts.Data{Piece: s.Piece.Name}
	if d.Spec, err = e.text(ctx, s.Piece.ID, pieces.ArtifactSpec); err != nil {
		return "", "", 0, err
	}
	if d.Commits, err = e.Git.Commits(ctx, s.Piece.Worktree, s.Piece.Base.Commit); err != nil {
		return "", "", 0, fmt.Errorf("read the commits: %w", err)
	}
	diff, err := e.Git.Diff(ctx, s.Piece.Worktree, s.Piece.Base.Commit, reviewDiffLimit)
	if err != nil {
		return "", "", 0, fmt.Errorf("read the diff: %w", err)
	}
	d.Diff, d.Cut = diff.Patch, diff.Cut
	var answer struct{ Title, Body string }
	cost, err = e.askFor(ctx, s, pieces.SessionPRText, "pullRequest", prompts.PullRequest, d, &answer)
	if ctx.Err() != nil {
		return "", "", cost, context.Cause(ctx)
	}
	if err != nil || strings.TrimSpace(answer.Title) == "" {
		e.Log.Warn("write pull request text", "piece", s.Piece.ID, "err", err)
		return s.Piece.Name, plainBody(d.Commits), cost, nil
	}
	return oneLine(answer.Title), answer.Body, cost, nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func plainBody(commits []pieces.Commit) string {
	var b strings.Builder
	for _, c := range commits {
		fmt.Fprintf(&b, "- %s\n", c.Subject)
	}
	return b.String()
}

// poll looks now and then at what changes outside: usage limits that ended, open pull requests, all pieces of a project
// together, and worktrees.
func (e *Engine) poll(ctx context.Context) {
	tick := time.NewTicker(e.PollEvery)
	defer tick.Stop()
	for first := true; ; first = false {
		if err := e.resumeAfterLimits(ctx); err != nil && ctx.Err() == nil {
			e.Log.Warn("resume after a usage limit", "err", err)
		}
		if err := e.readPullRequests(ctx); err != nil && ctx.Err() == nil {
			e.Log.Warn("read pull requests", "err", err)
		}
		if !first { // the start has just looked for them
			if err := e.checkLiveWorktrees(ctx); err != nil && ctx.Err() == nil {
				e.Log.Warn("check worktrees", "err", err)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// checkLiveWorktrees notes which pieces that are still worked on lost their worktree or got it back.
func (e *Engine) checkLiveWorktrees(ctx context.Context) error {
	list, err := e.Store.Checkouts(ctx)
	if err != nil {
		return err
	}
	return e.checkWorktrees(ctx, slices.DeleteFunc(list, func(c pieces.Checkout) bool { return c.Archived || c.Phase == pieces.PhaseComplete }))
}

func (e *Engine) readPullRequests(ctx context.Context) error {
	list, err := e.Pieces(ctx, pieces.PieceFilter{IncludeArchived: true, OpenPullRequest: true})
	if err != nil {
		return err
	}
	byProject := map[string][]pieces.Snapshot{}
	for _, s := range list {
		byProject[s.Piece.ProjectID] = append(byProject[s.Piece.ProjectID], s)
	}
	for id, open := range byProject {
		project, err := e.Project(ctx, id)
		if err != nil {
			return err
		}
		remote, err := e.remoteOf(ctx, project)
		if err != nil {
			e.Log.Warn("read pull requests", "project", project.Name, "err", err)
			continue
		}
		prs := make([]pieces.PullRequest, len(open))
		for i, s := range open {
			prs[i] = *s.Piece.PR
		}
		for i, pr := range e.Forge.Read(ctx, remote.URL, prs) {
			if err := e.prRead(ctx, open[i], pr); err != nil {
				return err
			}
		}
	}
	return nil
}

// prRead writes what changed of a pull request. One that was merged releases its piece's worktree when it is clean.
func (e *Engine) prRead(ctx context.Context, s pieces.Snapshot, pr pieces.PullRequest) error {
	old := *s.Piece.PR
	same := old.State == pr.State && old.Checks == pr.Checks && old.Title == pr.Title && old.PollNote == pr.PollNote && old.ETag == pr.ETag
	if same {
		return nil
	}
	s, err := e.move(ctx, s.Piece.ID, pieces.OnPRRead, pieces.ByFermata, func(now pieces.Snapshot, c *pieces.Change) error {
		pr.PushNote = noteOf(now.Piece.PR) // which a push may have written since the piece was read
		c.Piece.PR = &pr
		c.Quiet = old.State == pr.State
		c.Note = pieces.Quote(string(pr.State))
		return nil
	})
	if errors.Is(err, pieces.ErrStale) {
		return nil // it moved in this moment; the next reading finds it
	}
	if err != nil {
		return err
	}
	if pr.State == pieces.PullRequestMerged && old.State != pr.State {
		return e.releaseMerged(ctx, s.Piece)
	}
	return nil
}

func noteOf(pr *pieces.PullRequest) string {
	if pr == nil {
		return ""
	}
	return pr.PushNote
}

func (e *Engine) releaseMerged(ctx context.Context, p pieces.Piece) error {
	unlock, err := e.locks.lock(ctx, p.ID)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := e.Piece(ctx, p.ID)
	if p = s.Piece; err != nil || p.Worktree == "" || p.WorktreeMissing || p.Activity == pieces.Changing || s.Facts().CodeReviewing {
		return err // what a feedback session or a code review works in is released once it ended
	}
	status, err := e.Git.Status(ctx, p.Worktree)
	if err != nil || status.Dirty() {
		return nil //nolint:nilerr // a worktree that cannot be read or holds changes stays where it is
	}
	if err := e.releaseLocked(ctx, p, pieces.ByFermata, pieces.Say("The pull request was merged; the clean worktree was released.")); err != nil {
		e.Log.Warn("a merged piece's worktree stays", "piece", p.ID, "err", err)
	}
	return nil
}
