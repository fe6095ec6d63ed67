package git

import (
	"context"
	"fmt"
	"strings"
)

// savedBy signs the commits that hold saved work; they are nobody's own.
var savedBy = []string{
	"GIT_AUTHOR_NAME=" + fallbackName, "GIT_AUTHOR_EMAIL=" + fallbackEmail,
	"GIT_COMMITTER_NAME=" + fallbackName, "GIT_COMMITTER_EMAIL=" + fallbackEmail,
}

// The messages tell the commits that hold saved work from those they lie on.
const (
	savedStaged = "Saved by Fermata: what was staged"
	savedFiles  = "Saved by Fermata: the files of the worktree"
)

// Save keeps what would be lost with a worktree under a hidden ref (refs/fermata/…), and gives the commit it then points to.
//
// The commit's tree is the files as they are, changed and untracked ones included; of the ignored ones only those that
// .worktreeinclude names and that differ from the main checkout's. Its parent is HEAD, so that commits that were not pushed are held too; where something is staged, a commit with that lies in between. With unpushed commits and nothing else, it is HEAD itself. The files and the index are not
// touched. Empty: nothing would be lost. The ref must be new.
func (g *Git) Save(ctx context.Context, worktree, ref string) (string, error) {
	err := checkHidden(ref)
	if err == nil {
		err = g.ownTop(ctx, worktree)
	}
	var commit string
	if err == nil {
		commit, err = g.save(ctx, worktree, ref)
	}
	if err != nil {
		return "", fmt.Errorf("save work in %s: %w", worktree, err)
	}
	return commit, nil
}

func (g *Git) save(ctx context.Context, worktree, ref string) (string, error) {
	if err := g.noneNested(ctx, worktree); err != nil {
		return "", err
	}
	c, err := g.content(ctx, worktree)
	if err != nil {
		return "", err
	}
	if c.clean() {
		s, err := g.status(ctx, worktree)
		if err != nil {
			return "", err
		}
		unpushed, err := g.unpushed(ctx, worktree, s)
		if err != nil || len(unpushed) == 0 {
			return "", err
		}
	}
	commit, err := g.saveCommits(ctx, worktree, c)
	if err != nil {
		return "", err
	}
	if err := g.hold(ctx, worktree, ref, commit); err != nil {
		return "", err
	}
	return commit, nil
}

// saveCommits writes the commits on top of HEAD; HEAD itself when its tree says all.
func (g *Git) saveCommits(ctx context.Context, worktree string, c content) (string, error) {
	commit := c.head
	var err error
	if c.staged != "" && c.staged != c.base {
		if commit, err = g.commitTree(ctx, worktree, c.staged, commit, savedStaged); err != nil {
			return "", err
		}
	}
	if c.files == c.base && commit == c.head {
		return commit, nil
	}
	return g.commitTree(ctx, worktree, c.files, commit, savedFiles)
}

func (g *Git) commitTree(ctx context.Context, worktree, tree, parent, message string) (string, error) {
	out, err := g.run(ctx, call{
		dir: worktree, env: savedBy, write: true, stdin: message + "\n",
		args: []string{"commit-tree", "--no-gpg-sign", "-p", parent, "-F", "-", tree},
	})
	return strings.TrimSpace(out), err
}

// hold makes a new ref and reads it back: what follows a save removes the original.
func (g *Git) hold(ctx context.Context, worktree, ref, commit string) error {
	_, err := g.run(ctx, call{
		dir: worktree, set: noHooks, write: true,
		// The empty old value says that the ref must not exist.
		args: []string{"update-ref", "--no-deref", "-m", "fermata: save", ref, commit, strings.Repeat("0", len(commit))},
	})
	if err != nil {
		return err
	}
	held, err := g.resolve(ctx, worktree, ref)
	if err != nil {
		return err
	}
	if held != commit {
		return fmt.Errorf("ref %s holds %s instead of %s", ref, held, commit)
	}
	return nil
}
