package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"fermata/pieces"
)

// Who commits where git knows nobody.
const (
	fallbackName  = "Fermata"
	fallbackEmail = "fermata@localhost"
)

// Commit commits all that is in the worktree, untracked files included, and gives the new commit; empty when there was
// nothing to commit. It makes sure first that the worktree is on branch, runs the repository's hooks and signs as the
// person configured, all under a time limit. A merge that waits is concluded; while files still hold conflict marks the
// error is a *ConflictError. Repositories inside the worktree are left out.
func (g *Git) Commit(ctx context.Context, worktree, branch, message string) (string, error) {
	if err := errors.Join(checkPath(worktree), checkBranch(branch)); err != nil {
		return "", fmt.Errorf("commit: %w", err)
	}
	id, err := g.commit(ctx, worktree, branch, message)
	if err != nil {
		return "", fmt.Errorf("commit in %s: %w", worktree, err)
	}
	return id, nil
}

func (g *Git) commit(ctx context.Context, worktree, branch, message string) (string, error) {
	if err := g.onBranch(ctx, worktree, branch); err != nil {
		return "", err
	}
	if err := g.noMarks(ctx, worktree); err != nil {
		return "", err
	}
	if err := g.stage(ctx, worktree); err != nil {
		return "", err
	}
	if nothing, err := g.nothingStaged(ctx, worktree); err != nil || nothing {
		return "", err
	}
	before, err := g.resolve(ctx, worktree, "HEAD")
	if err != nil && exitCode(err) != 1 {
		return "", err
	}
	identity, err := g.identity(ctx, worktree)
	if err != nil {
		return "", err
	}
	_, err = g.run(ctx, call{
		dir: worktree, set: identity, write: true, stdin: message + "\n", limit: g.limits.commit,
		args: []string{"commit", "--quiet", "--allow-empty-message", "-F", "-"},
	})
	return g.committed(ctx, worktree, branch, before, err)
}

// committed asks git what came of a commit. HEAD is believed more than the exit code: signing has been seen to fail in
// silence, and a hook that hangs after the commit takes nothing back.
func (g *Git) committed(ctx context.Context, worktree, branch, before string, failed error) (string, error) {
	if ctx.Err() != nil {
		return "", failed
	}
	after, err := g.resolve(ctx, worktree, "refs/heads/"+branch)
	if err == nil && after != before && (before == "" || g.contains(ctx, worktree, after, before)) {
		return after, nil
	}
	switch {
	case errors.Is(failed, context.DeadlineExceeded):
		return "", fmt.Errorf("%w; a hook or the signing of commits may be waiting for an answer", failed)
	case failed != nil:
		return "", failed
	}
	return "", errors.New("git reported success, but the branch has no new commit")
}

// stage adds all files but the repositories inside.
func (g *Git) stage(ctx context.Context, worktree string) error {
	paths, err := g.ownPaths(ctx, worktree)
	if err != nil {
		return err
	}
	_, err = g.run(ctx, call{
		dir: worktree, write: true, limit: g.limits.commit, stdin: paths,
		args: []string{"add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"},
	})
	return err
}

// nothingStaged says whether a commit would be empty. The merge of a branch whose changes are all here already is none.
func (g *Git) nothingStaged(ctx context.Context, worktree string) (bool, error) {
	merging, err := g.merging(ctx, worktree)
	if err != nil || merging {
		return false, err
	}
	return g.test(ctx, worktree, "diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=none")
}

// identity gives the settings that stand in for a name and an address that nobody configured.
func (g *Git) identity(ctx context.Context, worktree string) ([]string, error) {
	var set []string
	for _, part := range []struct{ key, value string }{{"user.name", fallbackName}, {"user.email", fallbackEmail}} {
		value, err := g.line(ctx, worktree, "config", "--get", part.key)
		if err != nil && exitCode(err) != 1 {
			return nil, err
		}
		known := strings.TrimSpace(value) != "" || part.key == "user.email" && g.variable("EMAIL") != ""
		if !known {
			set = append(set, "-c", part.key+"="+part.value)
		}
	}
	return set, nil
}

// variable is the last value of an environment variable as git inherits it.
func (g *Git) variable(name string) string {
	value := ""
	for _, entry := range g.environ() {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// noMarks makes sure that no file that git calls conflicted still holds the marks of the conflict.
func (g *Git) noMarks(ctx context.Context, worktree string) error {
	files, err := g.unmerged(ctx, worktree)
	if err != nil {
		return err
	}
	var marked []string
	for _, file := range files {
		if hasMarks(filepath.Join(worktree, file)) {
			marked = append(marked, file)
		}
	}
	if len(marked) > 0 {
		return &ConflictError{Files: marked}
	}
	return nil
}

func hasMarks(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if line := lines.Text(); strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") {
			return true
		}
	}
	return false
}

// Commits lists what is on HEAD and not on base, newest first.
func (g *Git) Commits(ctx context.Context, worktree, base string) ([]pieces.Commit, error) {
	err := errors.Join(checkRevision(base), g.ownTop(ctx, worktree))
	var commits []pieces.Commit
	if err == nil {
		commits, err = g.commits(ctx, worktree, base)
	}
	if err != nil {
		return nil, fmt.Errorf("list commits of %s: %w", worktree, err)
	}
	return commits, nil
}

func (g *Git) commits(ctx context.Context, worktree, base string) ([]pieces.Commit, error) {
	out, err := g.read(ctx, worktree, "log", "-z", "--no-show-signature", "--no-color", "--encoding=UTF-8",
		"--format=%H%x00%s%x00%an%x00%ct", base+"..HEAD", "--")
	if err != nil {
		return nil, err
	}
	var commits []pieces.Commit
	for rest := fields(out); len(rest) >= 4; rest = rest[4:] {
		seconds, err := strconv.ParseInt(rest[3], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read time of commit %s: %w", rest[0], err)
		}
		commits = append(commits, pieces.Commit{
			ID: rest[0], Subject: strings.ToValidUTF8(rest[1], "\uFFFD"), Author: rest[2], At: time.Unix(seconds, 0),
		})
	}
	return commits, nil
}
