package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// FillSubmodules checks out the submodules that git leaves empty in a new worktree, with those inside them, and lists the
// folders that it filled. What the main checkout has of them is taken from there; only the rest is fetched, as far as git's
// rules for protocols let it. The repository's configuration stays as it is. Submodules that the person turned off stay empty.
func (g *Git) FillSubmodules(ctx context.Context, worktree string) ([]string, error) {
	err := checkPath(worktree)
	if err == nil && gone(filepath.Join(worktree, ".gitmodules")) {
		return nil, nil // as in nearly every repository, which no process has to say
	}
	if err == nil {
		err = g.ownTop(ctx, worktree)
	}
	var filled []string
	if err == nil {
		filled, err = g.fillSubmodules(ctx, worktree)
	}
	if err != nil {
		return filled, fmt.Errorf("check out submodules in %s: %w", worktree, err)
	}
	return filled, nil
}

func (g *Git) fillSubmodules(ctx context.Context, worktree string) ([]string, error) {
	names, err := g.moduleNames(ctx, worktree)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	recorded, err := g.gitlinks(ctx, worktree)
	if err != nil {
		return nil, err
	}
	var empty []string
	for _, path := range recorded {
		if names[path] != "" && !checkedOutAt(worktree, path) {
			empty = append(empty, path)
		}
	}
	if len(empty) == 0 {
		return nil, nil
	}
	for _, path := range empty {
		if err := g.seed(ctx, worktree, names[path]); err != nil {
			return nil, err
		}
	}
	err = g.updateModules(ctx, worktree, empty)
	return slices.DeleteFunc(empty, func(path string) bool { return !checkedOutAt(worktree, path) }), err
}

func checkedOutAt(worktree, path string) bool {
	_, err := os.Lstat(filepath.Join(worktree, path, ".git"))
	return err == nil
}

// moduleNames are the names that .gitmodules gives to its paths.
func (g *Git) moduleNames(ctx context.Context, worktree string) (map[string]string, error) {
	file := filepath.Join(worktree, ".gitmodules")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	out, err := g.read(ctx, worktree, "config", "-z", "--file", file, "--get-regexp", `^submodule\..*\.path$`)
	if exitCode(err) == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, entry := range fields(out) {
		key, path, _ := strings.Cut(entry, "\n")
		names[path] = strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
	}
	return names, nil
}

// gitlinks lists the paths at which the worktree records a commit of another repository.
func (g *Git) gitlinks(ctx context.Context, worktree string) ([]string, error) {
	out, err := g.read(ctx, worktree, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range fields(out) {
		if info, path, _ := strings.Cut(entry, "\t"); strings.HasPrefix(info, "160000 ") {
			found = append(found, path)
		}
	}
	return found, nil
}

// seed copies what the main checkout has of a submodule to where git looks for this worktree's, so that nothing has to be
// fetched. Where the main checkout has nothing, nothing is done.
func (g *Git) seed(ctx context.Context, worktree, name string) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil // git itself refuses such a name
	}
	common, err := g.commonDir(ctx, worktree)
	if err != nil {
		return err
	}
	own, err := g.line(ctx, worktree, "rev-parse", "--path-format=absolute", "--git-dir")
	if err != nil {
		return err
	}
	from, to := filepath.Join(common, "modules", name), filepath.Join(own, "modules", name)
	if _, err := os.Stat(filepath.Join(from, "HEAD")); err != nil {
		return nil //nolint:nilerr // the main checkout does not have it
	}
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	url, err := g.line(ctx, from, "--git-dir="+from, "config", "--get", "remote.origin.url")
	if err != nil {
		return nil //nolint:nilerr // it is no clone of anything, so git is left to make one
	}
	if err := g.copyModule(ctx, worktree, from, to, url); err != nil {
		return errors.Join(err, removeAll(to))
	}
	return nil
}

// mainBranches is where a worktree's submodule keeps the branches that the main checkout's submodule has: what they hold is not
// lost with the worktree, just as what is on a remote.
const mainBranches = "refs/remotes/main-checkout/"

// copyModule clones a submodule's repository with hard links, and makes it the clone of url that it would have been.
func (g *Git) copyModule(ctx context.Context, worktree, from, to, url string) error {
	steps := []call{
		{dir: worktree, args: []string{"clone", "--quiet", "--mirror", "--local", "--", from, to}},
		{dir: to, args: []string{"config", "core.bare", "false"}},
		{dir: to, args: []string{"config", "--unset-all", "remote.origin.mirror"}},
		{dir: to, args: []string{"config", "remote.origin.url", url}},
		{dir: to, args: []string{"config", "--replace-all", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"}},
	}
	for i, s := range steps {
		s.write, s.set, s.limit = true, noHooks, g.limits.tree
		if i > 0 {
			s.args = append([]string{"--git-dir=" + to}, s.args...)
		}
		if _, err := g.run(ctx, s); err != nil {
			return err
		}
	}
	refs, err := g.read(ctx, to, "--git-dir="+to, "for-each-ref", "--format=create "+mainBranches+"%(refname:lstrip=2) %(objectname)%0adelete %(refname)", "refs/heads")
	if err != nil {
		return err
	}
	stash, err := g.read(ctx, to, "--git-dir="+to, "for-each-ref", "--format=delete %(refname)", "refs/stash")
	if err != nil || refs+stash == "" {
		return err
	}
	_, err = g.run(ctx, call{dir: to, write: true, set: noHooks, stdin: refs + stash, args: []string{"--git-dir=" + to, "update-ref", "--no-deref", "--stdin"}})
	return err
}

// updateModules brings submodules to the commits that the worktree records.
func (g *Git) updateModules(ctx context.Context, worktree string, paths []string) error {
	args := []string{"submodule", "--quiet", "update", "--recursive", "--"}
	for _, path := range paths {
		args = append(args, ":(top,literal)"+path)
	}
	// Activating them for this call alone writes nothing into the configuration that all worktrees share.
	set := append([]string{"-c", "submodule.active=."}, noHooks...)
	_, err := g.run(ctx, call{dir: worktree, set: set, write: true, limit: g.limits.tree, args: args})
	return err
}

// inStep lists the submodules that are checked out at the commit that the worktree records.
func (g *Git) inStep(ctx context.Context, worktree string) ([]string, error) {
	modules, err := g.submodules(ctx, worktree)
	if err != nil || len(modules) == 0 {
		return nil, err
	}
	out, err := g.read(ctx, worktree, "diff", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=dirty")
	if err != nil {
		return nil, err
	}
	differ := fields(out)
	return slices.DeleteFunc(modules, func(path string) bool { return slices.Contains(differ, path) }), nil
}

// follow brings the submodules that were in step before the worktree moved on to what it records now: one left behind would
// look changed, and be committed so.
func (g *Git) follow(ctx context.Context, worktree string, before []string) error {
	if len(before) == 0 {
		return nil
	}
	now, err := g.submodules(ctx, worktree)
	if err != nil {
		return err
	}
	there := slices.DeleteFunc(before, func(path string) bool { return !slices.Contains(now, path) })
	if len(there) == 0 {
		return nil
	}
	return g.updateModules(ctx, worktree, there)
}
