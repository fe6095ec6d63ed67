package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fermata/pieces"
)

// Restored is what bringing saved work back came to.
type Restored struct {
	Piece  pieces.Snapshot
	Ref    string // what was brought back; it stays
	Path   string // the worktree that holds it now
	Branch string
	// Fresh is set when the piece's own worktree holds something else by now, so that a worktree of its own was made.
	Fresh bool
}

// Restore brings back what a piece's worktree held when it was removed: into the piece's worktree where that is gone or as
// it was then, else into a fresh one beside it. Nothing is ever written over. An empty ref is the last that was saved of
// the piece's own worktree. What was saved of a piece that is deleted gets a worktree of its own.
func (e *Engine) Restore(ctx context.Context, pieceID, ref string, by pieces.Actor) (Restored, error) {
	unlock, err := e.locks.lock(ctx, pieceID)
	if err != nil {
		return Restored{}, fmt.Errorf("restore piece %s: %w", pieceID, err)
	}
	defer unlock()
	s, err := e.Piece(ctx, pieceID)
	if isUnknown(err) {
		return e.restoreDeleted(ctx, pieceID, ref)
	}
	if err != nil {
		return Restored{}, err
	}
	if ref == "" {
		ref = s.Piece.SavedRef
	}
	if ref == "" {
		return Restored{}, refuse(nil, "Nothing was saved of this piece: its worktree held nothing that no commit has.")
	}
	if !strings.HasPrefix(ref, pieces.SavedRefs(pieceID)) {
		return Restored{}, refuse(nil, "%s is no saved work of this piece.", ref)
	}
	project, err := e.Project(ctx, s.Piece.ProjectID)
	if err != nil {
		return Restored{}, err
	}
	saved, err := e.Git.Saved(ctx, project.Path, ref)
	if err != nil {
		return Restored{}, refuse(err, "Fermata cannot read the saved work, and changed nothing: %v", err)
	}
	r, err := e.restoreInto(ctx, project, s, saved)
	if err != nil {
		return r, refuse(err, "Fermata could not bring the saved work back; it stays under %s: %v", ref, err)
	}
	e.furnish(ctx, project, r.Path)
	r.Piece, err = e.moveLocked(context.WithoutCancel(ctx), pieceID, pieces.OnWorktree, by, func(_ pieces.Snapshot, c *pieces.Change) error {
		if !r.Fresh {
			c.Piece.Worktree, c.Piece.WorktreeMissing = r.Path, false
		}
		c.Note = pieces.Say("Brought %s back into %s.", ref, r.Path)
		return nil
	})
	return r, err
}

// restoreInto finds a worktree for saved work, and brings it back there.
func (e *Engine) restoreInto(ctx context.Context, project pieces.Project, s pieces.Snapshot, saved pieces.Saved) (Restored, error) {
	p := s.Piece
	_, agents := pieces.SavedOf(saved.Ref)
	if !agents && p.Branch != "" && !pieces.LiveState(s.State()) {
		path := cmp.Or(p.Worktree, e.worktreePath(project, p.Branch))
		err := e.restoreOwn(ctx, project, p, path, saved)
		if err == nil || ctx.Err() != nil {
			return Restored{Ref: saved.Ref, Path: path, Branch: p.Branch}, err
		}
		e.Log.Info("saved work goes into a fresh worktree", "piece", p.ID, "err", err)
	}
	return e.restoreFresh(ctx, project, p, saved)
}

// restoreOwn brings saved work back into the piece's worktree, which is made again where it is gone, with its branch.
func (e *Engine) restoreOwn(ctx context.Context, project pieces.Project, p pieces.Piece, path string, saved pieces.Saved) error {
	tip, err := e.Git.BranchHead(ctx, project.Path, p.Branch)
	if err != nil {
		return err
	}
	if tip != "" && tip != saved.Base {
		return fmt.Errorf("the branch %s moved: %w", p.Branch, pieces.ErrOccupied)
	}
	err = e.Git.CheckWorktree(ctx, project.Path, path, p.Branch)
	switch {
	case !errors.Is(err, pieces.ErrWorktreeMissing):
	case tip == "":
		err = e.addWorktree(ctx, project, p, "", path, p.Branch, saved.Base)
	default:
		err = e.remakeWorktree(ctx, project, p, path, p.Branch)
	}
	if err != nil {
		return err
	}
	return e.Git.Restore(ctx, path, saved.Ref)
}

// restoreFresh brings saved work back into a worktree and branch made for it, or into the one that holds it already.
func (e *Engine) restoreFresh(ctx context.Context, project pieces.Project, p pieces.Piece, saved pieces.Saved) (Restored, error) {
	r := Restored{Ref: saved.Ref, Fresh: true}
	list, err := e.Store.Worktrees(ctx, p.ID)
	if err != nil {
		return r, fmt.Errorf("read worktrees: %w", err)
	}
	for _, w := range list {
		if w.TaskID != "" || w.Path == p.Worktree || w.Branch == p.Branch {
			continue
		}
		if e.Git.Restore(ctx, w.Path, saved.Ref) == nil {
			r.Path, r.Branch = w.Path, w.Branch
			return r, nil
		}
	}
	unlock, err := e.locks.lock(ctx, "repository "+project.Path)
	if err != nil {
		return r, err
	}
	defer unlock()
	if r.Branch, err = e.Git.FreeBranch(ctx, project.Path, p.Name+" restored", ""); err != nil {
		return r, err
	}
	r.Path = e.worktreePath(project, r.Branch)
	if err := e.addWorktree(ctx, project, p, "", r.Path, r.Branch, saved.Base); err != nil {
		return r, err
	}
	return r, e.Git.Restore(ctx, r.Path, saved.Ref)
}

// SavedWork is one saved ref with the piece that it belongs to.
type SavedWork struct {
	Ref     string
	PieceID string
	Piece   string // its name; empty when the piece is deleted
	Agent   bool   // the worktree was an agent's
	At      time.Time
	Expired bool // older than saved work is promised to stay; it is still there
}

// SavedWork lists what was saved before worktrees were removed, oldest first: of one piece, or of all when pieceID is empty.
func (e *Engine) SavedWork(ctx context.Context, pieceID string) ([]SavedWork, error) {
	if pieceID != "" {
		s, err := e.Piece(ctx, pieceID)
		if err != nil {
			return nil, err
		}
		project, err := e.Project(ctx, s.Piece.ProjectID)
		if err != nil {
			return nil, err
		}
		return e.savedIn(ctx, project, pieces.SavedRefs(pieceID), map[string]string{pieceID: s.Piece.Name})
	}
	all, err := e.Store.Pieces(ctx, pieces.PieceFilter{IncludeArchived: true})
	if err != nil {
		return nil, fmt.Errorf("list pieces: %w", err)
	}
	names := map[string]string{}
	for _, s := range all {
		names[s.Piece.ID] = s.Piece.Name
	}
	projects, err := e.Projects(ctx)
	if err != nil {
		return nil, err
	}
	var list []SavedWork
	for _, p := range projects {
		more, err := e.savedIn(ctx, p, pieces.AllSavedRefs, names)
		if err != nil {
			return nil, refuse(err, "Fermata cannot read what is saved in %s: %v", p.Path, err)
		}
		list = append(list, more...)
	}
	return list, nil
}

func (e *Engine) savedIn(ctx context.Context, project pieces.Project, prefix string, names map[string]string) ([]SavedWork, error) {
	refs, err := e.Git.SavedRefs(ctx, project.Path, prefix)
	if err != nil {
		return nil, err
	}
	list := make([]SavedWork, len(refs))
	for i, ref := range refs {
		id, agent := pieces.SavedOf(ref)
		list[i] = SavedWork{Ref: ref, PieceID: id, Piece: names[id], Agent: agent, At: pieces.SavedAt(ref), Expired: pieces.SavedExpired(ref, e.Now())}
	}
	slices.SortStableFunc(list, func(a, b SavedWork) int { return a.At.Compare(b.At) })
	return list, nil
}
