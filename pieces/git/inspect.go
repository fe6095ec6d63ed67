package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"fermata/pieces"
)

// Inspect says which repository a path is in, with symlinks resolved. The error is ErrNotRepository when it is in none that
// has files checked out, and ErrNoCommit, with the repository still filled in, when there is nothing to start work from.
func (g *Git) Inspect(ctx context.Context, path string) (pieces.Repository, error) {
	if err := checkPath(path); err != nil {
		return pieces.Repository{}, fmt.Errorf("inspect: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return pieces.Repository{}, fmt.Errorf("inspect %s: %w: %w", path, ErrNotRepository, err)
	}
	if !info.IsDir() {
		return pieces.Repository{}, fmt.Errorf("inspect %s: %w: it is no folder", path, ErrNotRepository)
	}
	repo, err := g.inspect(ctx, path)
	if err != nil {
		return repo, fmt.Errorf("inspect %s: %w", path, err)
	}
	return repo, nil
}

func (g *Git) inspect(ctx context.Context, path string) (pieces.Repository, error) {
	top, err := g.top(ctx, path)
	if err != nil {
		return pieces.Repository{}, err
	}
	repo := pieces.Repository{Top: top}
	if repo.CommonDir, err = g.commonDir(ctx, top); err != nil {
		return repo, err
	}
	if repo.Main, err = g.mainTop(ctx, top, repo.CommonDir); err != nil {
		return repo, err
	}
	if repo.Branch, err = g.checkedOut(ctx, top); err != nil {
		return repo, err
	}
	repo.Head, err = g.resolve(ctx, top, "HEAD")
	if exitCode(err) == 1 {
		return repo, ErrNoCommit
	}
	return repo, err
}

// top is the top folder of the checkout that path is in, without symlinks.
func (g *Git) top(ctx context.Context, path string) (string, error) {
	top, err := g.line(ctx, path, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", noRepository(err)
	}
	return real(top), nil
}

// noRepository tells "this is no repository" from every other failure, such as one of permissions.
func noRepository(err error) error {
	var failed *Error
	if !errors.As(err, &failed) {
		return err
	}
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("git is not installed, or not on PATH: %w", err)
	}
	said := failed.Stderr
	if strings.Contains(said, "not a git repository") || strings.Contains(said, "must be run in a work tree") {
		return fmt.Errorf("%w: %w", ErrNotRepository, err)
	}
	return err
}

// commonDir is the git folder that all worktrees of the repository share, without symlinks.
func (g *Git) commonDir(ctx context.Context, dir string) (string, error) {
	if common, ok := plainGitDir(dir); ok {
		return common, nil
	}
	common, err := g.line(ctx, dir, "rev-parse", "--git-common-dir")
	if err != nil {
		return "", noRepository(err)
	}
	if !filepath.IsAbs(common) {
		common = filepath.Join(dir, common)
	}
	return real(common), nil
}

// mainTop is the top folder of the main checkout. A bare repository has none; then the checkout at hand stands for it.
func (g *Git) mainTop(ctx context.Context, top, common string) (string, error) {
	own, err := g.line(ctx, top, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return "", err
	}
	if real(own) == common {
		return top, nil
	}
	all, err := g.list(ctx, top)
	if err != nil {
		return "", err
	}
	// With a separate git folder or in a submodule git names the git folder itself as the main worktree.
	for _, w := range all {
		if w.Main && !w.Bare {
			if found, err := g.top(ctx, w.Path); err == nil {
				return found, nil
			}
		}
	}
	return top, nil
}

// checkedOut is the checked-out branch; empty when HEAD is detached.
func (g *Git) checkedOut(ctx context.Context, dir string) (string, error) {
	ref, err := g.line(ctx, dir, "symbolic-ref", "--quiet", "HEAD")
	if exitCode(err) == 1 {
		return "", nil
	}
	return strings.TrimPrefix(ref, "refs/heads/"), err
}

// resolve is the commit a revision names. Exit code 1 in the error: there is no such commit.
func (g *Git) resolve(ctx context.Context, dir, revision string) (string, error) {
	return g.line(ctx, dir, "rev-parse", "--verify", "--quiet", revision+"^{commit}")
}

// resolveAll are the commits that revisions name, in their order, asked at once; empty for one that names none.
func (g *Git) resolveAll(ctx context.Context, dir string, revisions ...string) ([]string, error) {
	asked := strings.Join(revisions, "^{commit}\n") + "^{commit}\n"
	out, err := g.run(ctx, call{dir: dir, stdin: asked, args: []string{"cat-file", "--batch-check=%(objectname)"}})
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != len(revisions) {
		return nil, fmt.Errorf("git cat-file: %d answers to %d questions", len(lines), len(revisions))
	}
	for i, line := range lines {
		if !objectID.MatchString(line) {
			lines[i] = "" // "… missing"
		}
	}
	return lines, nil
}

// Remotes lists the configured remotes with their URLs as configured, before insteadOf. Of several URLs of one remote, git
// fetches from the first, and so that is the one.
func (g *Git) Remotes(ctx context.Context, repo string) ([]pieces.Remote, error) {
	if err := checkPath(repo); err != nil {
		return nil, fmt.Errorf("list remotes: %w", err)
	}
	out, err := g.read(ctx, repo, "config", "--null", "--get-regexp", `^remote\..*\.url$`)
	if exitCode(err) == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list remotes of %s: %w", repo, err)
	}
	var remotes []pieces.Remote
	for entry := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		key, url, _ := strings.Cut(entry, "\n")
		name := strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".url")
		if !slices.ContainsFunc(remotes, func(r pieces.Remote) bool { return r.Name == name }) {
			remotes = append(remotes, pieces.Remote{Name: name, URL: url})
		}
	}
	return remotes, nil
}

// primary is the remote that stands for the repository's home: origin, else the only one; empty when that is not clear.
func primary(remotes []pieces.Remote) string {
	for _, r := range remotes {
		if r.Name == "origin" {
			return r.Name
		}
	}
	if len(remotes) == 1 {
		return remotes[0].Name
	}
	return ""
}

// DefaultBranch is the branch that work starts from when nobody said otherwise: the remote's HEAD, else the checked-out
// branch, else main or master.
func (g *Git) DefaultBranch(ctx context.Context, repo string) (string, error) {
	remotes, err := g.Remotes(ctx, repo)
	if err != nil {
		return "", fmt.Errorf("find default branch: %w", err)
	}
	if name := primary(remotes); name != "" && checkRemote(name) == nil {
		under := "refs/remotes/" + name + "/"
		target, err := g.line(ctx, repo, "symbolic-ref", "--quiet", under+"HEAD")
		if _, missing := g.resolve(ctx, repo, target); err == nil && target != "" && missing == nil {
			return strings.TrimPrefix(target, under), nil
		}
	}
	branch, err := g.checkedOut(ctx, repo)
	if err != nil {
		return "", fmt.Errorf("find default branch of %s: %w", repo, err)
	}
	if branch != "" {
		return branch, nil
	}
	for _, candidate := range []string{"main", "master"} {
		if _, err := g.resolve(ctx, repo, "refs/heads/"+candidate); err == nil {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("find default branch of %s: %w: HEAD is detached and there is no main or master", repo, ErrNoBranch)
}
