package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"fermata/pieces"
)

// RegisterProject makes a directory a project: the repository it lies in. When the repository, or a project's folder above
// it, is registered already, that project comes back unchanged with already set.
func (e *Engine) RegisterProject(ctx context.Context, path string) (p pieces.Project, already bool, err error) {
	if !filepath.IsAbs(path) {
		return p, false, refuse(nil, "The path has to be absolute: %s", path)
	}
	known, err := e.ProjectFor(ctx, "", path)
	if err != nil {
		return p, false, err
	}
	repo, inspectErr := e.Git.Inspect(ctx, path)
	if known != nil && (inspectErr != nil || sameOrInside(known.Path, repo.Top) || repo.Main == known.Path) {
		return *known, true, nil
	}
	if inspectErr != nil || repo.Head == "" {
		return p, false, refuse(inspectErr, "%s is not a git repository with at least one commit. Run `git init` there, make a first commit, and call register_project again.", path)
	}
	top := repo.Main
	if top == "" {
		top = repo.Top
	}
	branch, err := e.Git.DefaultBranch(ctx, top)
	if err != nil {
		return p, false, refuse(err, "Fermata cannot tell which branch of %s pieces start from: %v", top, err)
	}
	p = pieces.Project{ID: e.NewID(), Name: filepath.Base(top), Path: top, Branch: branch, CreatedAt: e.Now()}
	if err := e.Store.AddProject(ctx, p); err != nil {
		if !errors.Is(err, pieces.ErrExists) {
			return p, false, fmt.Errorf("register project %s: %w", top, err)
		}
		// Another call registered it in the same moment.
		if known, err := e.ProjectFor(ctx, "", top); err == nil && known != nil {
			return *known, true, nil
		}
		return p, false, fmt.Errorf("register project %s: %w", top, err)
	}
	e.examineNew(p.ID)
	return p, false, nil
}

// ProjectFor finds a project: by its id when that is given (an unknown one is a Refusal), else the one that contains cwd.
// The innermost registered folder wins; a worktree of a registered repository belongs to it wherever it lies. It is nil
// when no project contains cwd.
func (e *Engine) ProjectFor(ctx context.Context, projectID, cwd string) (*pieces.Project, error) {
	if projectID != "" {
		p, err := e.Project(ctx, projectID)
		if err != nil {
			return nil, err
		}
		return &p, nil
	}
	if cwd == "" || !filepath.IsAbs(cwd) {
		return nil, nil
	}
	list, err := e.Projects(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if p := innermost(list, resolve(cwd)); p != nil {
		return p, nil
	}
	repo, err := e.Git.Inspect(ctx, cwd)
	if repo.Main == "" {
		return nil, nil //nolint:nilerr // a directory that is in no repository is in no project: not an error of the call
	}
	if err == nil {
		for i := range list {
			if resolve(list[i].Path) == resolve(repo.Main) {
				return &list[i], nil
			}
		}
	}
	return nil, nil
}

func innermost(list []pieces.Project, cwd string) *pieces.Project {
	var best *pieces.Project
	for i := range list {
		if sameOrInside(resolve(list[i].Path), cwd) && (best == nil || len(list[i].Path) > len(best.Path)) {
			best = &list[i]
		}
	}
	return best
}

// resolve follows symlinks of the part of a path that exists.
func resolve(path string) string {
	path = filepath.Clean(path)
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(resolve(dir), filepath.Base(path))
}

func sameOrInside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
