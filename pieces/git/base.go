package git

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fermata/pieces"
)

// source is where a base branch comes from.
type source struct {
	remote string // empty: nowhere, the branch is local only
	merge  string // the branch's full ref on the remote
}

// tracking is the ref that holds what was last seen of the remote's branch.
func (s source) tracking() string {
	return "refs/remotes/" + s.remote + "/" + strings.TrimPrefix(s.merge, "refs/heads/")
}

// fetched is the outcome of the last fetch of one branch.
type fetched struct {
	began time.Time
	err   error
}

// Base says which commit work on top of a branch starts from; an empty branch means the default one.
//
// The branch is fetched from its upstream first, into its remote-tracking ref only: no branch, tag or HEAD of the person's
// moves. When that is not possible, Note says why in git's words, and the base is the local branch, unless what was last
// seen of the remote's already contains it.
func (g *Git) Base(ctx context.Context, repo, branch string) (pieces.Base, error) {
	if branch == "" {
		var err error
		if branch, err = g.DefaultBranch(ctx, repo); err != nil {
			return pieces.Base{}, err
		}
	}
	if err := errors.Join(checkPath(repo), checkBranch(branch)); err != nil {
		return pieces.Base{}, fmt.Errorf("find base: %w", err)
	}
	base := pieces.Base{Branch: branch}
	from, err := g.source(ctx, repo, branch)
	if err != nil {
		return base, fmt.Errorf("find base %s: %w", branch, err)
	}
	if from.remote == "" {
		base.Note = "no remote to fetch from"
	} else if err := g.fetch(ctx, repo, from); err != nil {
		if ctx.Err() != nil {
			return base, fmt.Errorf("find base %s: %w", branch, err)
		}
		base.Note = err.Error()
	} else {
		base.Fetched = true
	}
	if err := g.pick(ctx, repo, from, &base); err != nil {
		return base, fmt.Errorf("find base %s of %s: %w", branch, repo, err)
	}
	return base, nil
}

// source reads the branch's upstream; without one, the branch of the same name on the primary remote.
func (g *Git) source(ctx context.Context, repo, branch string) (source, error) {
	remotes, err := g.Remotes(ctx, repo)
	if err != nil {
		return source{}, err
	}
	out, err := g.read(ctx, repo, "for-each-ref", "--format=%(upstream:remotename)%00%(upstream:remoteref)", "refs/heads/"+branch)
	if err != nil {
		return source{}, err
	}
	from := source{remote: primary(remotes), merge: "refs/heads/" + branch}
	first, _, _ := strings.Cut(out, "\n")
	if remote, merge, _ := strings.Cut(first, "\x00"); remote != "" && remote != "." && strings.HasPrefix(merge, "refs/heads/") {
		from = source{remote: remote, merge: merge}
	}
	if checkRemote(from.remote) != nil || checkRef(from.merge) != nil {
		return source{}, nil
	}
	return from, nil
}

// fetch asks the remote for one branch. Callers that come while a fetch runs share the next one instead of queueing a
// fetch each: with an unreachable remote that would add up the time limits.
func (g *Git) fetch(ctx context.Context, repo string, from source) error {
	asked := time.Now()
	common, err := g.commonDir(ctx, repo)
	if err != nil {
		return err
	}
	release, err := g.lock(ctx, common+"\x00fetch")
	if err != nil {
		return err
	}
	defer release()
	key := common + "\x00" + from.tracking()
	if last := g.lastFetch(key); last != nil && last.began.After(asked) {
		return last.err
	}
	last := &fetched{began: time.Now()}
	_, last.err = g.run(ctx, call{
		dir: repo, set: noHooks, write: true, limit: g.limits.fetch,
		args: []string{
			"fetch", "--quiet", "--no-tags", "--no-prune", "--no-write-fetch-head", "--no-recurse-submodules",
			// Without an empty refmap git would also update what remote.<name>.fetch says, in a mirror the branches themselves.
			"--refmap=", "--", from.remote, "+" + from.merge + ":" + from.tracking(),
		},
	})
	// A caller who gave up says nothing about the remote.
	if ctx.Err() == nil {
		g.keepFetch(key, last)
	}
	return last.err
}

func (g *Git) lastFetch(key string) *fetched {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fetches[key]
}

func (g *Git) keepFetch(key string, last *fetched) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fetches[key] = last
}

// pick chooses between the remote-tracking ref and the local branch, and reads the commit.
func (g *Git) pick(ctx context.Context, repo string, from source, base *pieces.Base) error {
	local := "refs/heads/" + base.Branch
	localID, err := g.resolve(ctx, repo, local)
	if err != nil && exitCode(err) != 1 {
		return err
	}
	base.Ref, base.Commit = local, localID
	if from.remote != "" {
		trackingID, err := g.resolve(ctx, repo, from.tracking())
		if err != nil && exitCode(err) != 1 {
			return err
		}
		if err == nil && (base.Fetched || g.contains(ctx, repo, trackingID, localID)) {
			base.Ref, base.Commit = from.tracking(), trackingID
		}
	}
	if base.Commit == "" {
		return g.noBase(ctx, repo, base.Note)
	}
	at, err := g.line(ctx, repo, "show", "--no-patch", "--no-show-signature", "--format=%ct", base.Commit, "--")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return fmt.Errorf("read time of commit %s: %w", base.Commit, err)
	}
	base.CommittedAt = time.Unix(seconds, 0)
	return nil
}

// contains says whether commit holds all of old; an old that is not there is held by anything.
func (g *Git) contains(ctx context.Context, repo, commit, old string) bool {
	if old == "" {
		return true
	}
	yes, err := g.test(ctx, repo, "merge-base", "--is-ancestor", old, commit)
	return err == nil && yes
}

// noBase tells a repository without any commit from one without this branch.
func (g *Git) noBase(ctx context.Context, repo, note string) error {
	if _, err := g.resolve(ctx, repo, "HEAD"); exitCode(err) == 1 {
		return ErrNoCommit
	}
	if note == "" {
		return ErrNoBranch
	}
	return fmt.Errorf("%w (%s)", ErrNoBranch, note)
}
