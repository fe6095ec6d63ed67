package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"fermata/pieces"
)

// makeWorktree gives a new piece its base, branch and worktree. It is recorded before it is made, so that a crash between
// the two leaves a record of nothing rather than a folder that nobody knows.
func (e *Engine) makeWorktree(ctx context.Context, project pieces.Project, p *pieces.Piece) error {
	unlock, err := e.locks.lock(ctx, "repository "+project.Path)
	if err != nil {
		return fmt.Errorf("make worktree: %w", err)
	}
	defer unlock()
	cannot := func(err error) error {
		return refuse(err, "Fermata could not make a worktree in %s, so nothing was started: %v", project.Path, err)
	}
	if p.Base, err = e.Git.Base(ctx, project.Path, project.Branch); err != nil {
		return cannot(err)
	}
	key := ""
	if p.Source != nil {
		key = p.Source.Key
	}
	if p.Branch, err = e.Git.FreeBranch(ctx, project.Path, p.Name, key); err != nil {
		return cannot(err)
	}
	p.Worktree = e.worktreePath(project, p.Branch)
	if err := e.addWorktree(ctx, project, *p, "", p.Worktree, p.Branch, p.Base.Commit); err != nil {
		return cannot(err)
	}
	return nil
}

func (e *Engine) addWorktree(ctx context.Context, project pieces.Project, p pieces.Piece, taskID, path, branch, commit string) error {
	w := pieces.WorktreeRecord{
		Path: path, ProjectID: project.ID, PieceID: p.ID, TaskID: taskID, Repo: project.Path, Branch: branch, CreatedAt: e.Now(),
	}
	if err := e.Store.RecordWorktree(ctx, w); err != nil {
		return fmt.Errorf("record worktree %s: %w", path, err)
	}
	if err := e.Git.AddWorktree(ctx, project.Path, path, branch, commit); err != nil {
		if ferr := e.Store.ForgetWorktree(context.WithoutCancel(ctx), path); ferr != nil {
			e.Log.Error("forget worktree", "path", path, "err", ferr)
		}
		return err
	}
	return nil
}

// folderOf names a project's folder under the worktree root: its name for people, and its id since two may share a name.
func folderOf(p pieces.Project) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || ('a' <= r && r <= 'z') || ('A' <= r && r <= 'Z') || ('0' <= r && r <= '9') {
			return r
		}
		return '-'
	}, p.Name)
	return strings.Trim(name, ".-") + "-" + short(p.ID)
}

func short(id string) string { return id[:min(8, len(id))] }

// removeWorktree takes a recorded worktree away after everything that would be lost was saved under the ref saved
// (empty when nothing would be). Only a path in our own records is touched, and git checks the rest again.
func (e *Engine) removeWorktree(ctx context.Context, w pieces.WorktreeRecord, saved string) error {
	if err := e.unused(w.Path); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // a folder that is gone must not stay in our records because the run was stopped meanwhile
	if err := e.Git.RemoveWorktree(ctx, w.Repo, w.Path, e.WorktreeRoot, saved); err != nil {
		return err
	}
	return e.Store.ForgetWorktree(ctx, w.Path)
}

// recordOf finds our record of a path of a piece.
func (e *Engine) recordOf(ctx context.Context, pieceID, path string) (pieces.WorktreeRecord, bool, error) {
	list, err := e.Store.Worktrees(ctx, pieceID)
	if err != nil {
		return pieces.WorktreeRecord{}, false, fmt.Errorf("read worktrees of %s: %w", pieceID, err)
	}
	for _, w := range list {
		if w.Path == path {
			return w, true, nil
		}
	}
	return pieces.WorktreeRecord{}, false, nil
}

func atoi(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return otherwise
	}
	return n
}

// atof reads a setting that was checked when it was written; an absent one is 0, no limit.
func atof(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return f
}
