package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"fermata/pieces"
)

// MoveProject points a project to where its repository was moved or renamed to. The folder has to be the same repository:
// it has every commit that the project's pieces started from, and the base branch. Its worktrees find it again; nothing
// else on disk is touched. Only the person does this, in the app.
func (e *Engine) MoveProject(ctx context.Context, id, path string) (pieces.Project, error) {
	unlock, err := e.locks.lock(ctx, "project "+id)
	if err != nil {
		return pieces.Project{}, fmt.Errorf("move project %s: %w", id, err)
	}
	defer unlock()
	p, err := e.Project(ctx, id)
	if err != nil {
		return p, err
	}
	if path = strings.TrimSpace(path); !filepath.IsAbs(path) {
		return p, refuse(nil, "The path has to be absolute: %s", path)
	}
	repo, err := e.Git.Inspect(ctx, path)
	if err != nil {
		return p, refuse(err, "%s is not a git repository with at least one commit.", path)
	}
	top := repo.Main
	if top == "" {
		top = repo.Top
	}
	if top == p.Path {
		return p, nil
	}
	list, err := e.Store.Pieces(ctx, pieces.PieceFilter{ProjectID: id, IncludeArchived: true})
	if err != nil {
		return p, fmt.Errorf("list pieces: %w", err)
	}
	if s, busy := firstBusy(list); busy {
		return p, refuse(pieces.ErrStale, "“%s” is busy. Stop it or let it end, then move the project.", s.Piece.Name)
	}
	if old, err := e.Git.Inspect(ctx, p.Path); err == nil && old.CommonDir != repo.CommonDir {
		return p, refuse(nil, "The repository is still at %s. Add %s as a project of its own.", p.Path, top)
	}
	if err := e.sameRepository(ctx, top, p, list); err != nil {
		return p, err
	}
	p.Path, p.Name = top, filepath.Base(top)
	if err := e.Store.MoveProject(ctx, p); err != nil {
		if errors.Is(err, pieces.ErrExists) {
			return p, refuse(err, "%s is registered already, as another project.", top)
		}
		return p, fmt.Errorf("move project %s: %w", id, err)
	}
	e.examineNew(id)
	return p, nil
}

func (e *Engine) sameRepository(ctx context.Context, top string, p pieces.Project, list []pieces.Snapshot) error {
	if _, err := e.Git.Base(ctx, top, p.Branch); err != nil {
		return refuse(err, "%s has no branch %s, so it is not the repository of this project.", top, p.Branch)
	}
	var commits []string
	for _, s := range list {
		if c := s.Piece.Base.Commit; c != "" {
			commits = append(commits, c)
		}
	}
	if err := e.Git.Adopt(ctx, top, commits); err != nil {
		return refuse(err, "%s is not the repository of this project: %v", top, err)
	}
	return nil
}

func firstBusy(list []pieces.Snapshot) (pieces.Snapshot, bool) {
	for _, s := range list {
		if !s.Undeletable().Empty() {
			return s, true
		}
	}
	return pieces.Snapshot{}, false
}

// RemoveProjectEffect says in plain words what removing a project from the list does, and binds the words to it.
func (e *Engine) RemoveProjectEffect(ctx context.Context, id string) (pieces.Effect, error) {
	p, err := e.Project(ctx, id)
	if err != nil {
		return pieces.Effect{}, err
	}
	list, err := e.Store.Pieces(ctx, pieces.PieceFilter{ProjectID: id, IncludeArchived: true})
	if err != nil {
		return pieces.Effect{}, fmt.Errorf("list pieces: %w", err)
	}
	drafts, err := e.Store.Drafts(ctx, id)
	if err != nil {
		return pieces.Effect{}, fmt.Errorf("list drafts: %w", err)
	}
	lines := []pieces.Sentence{
		pieces.Say("Fermata forgets the project with %s and %s: their documents, history and sessions. That cannot be taken back.", count(len(list), "piece"), count(len(drafts), "draft")),
		pieces.Say("Nothing on disk is touched: the repository %s, its branches and the worktrees stay as they are.", p.Path),
	}
	return pieces.Effect{Lines: lines, Fingerprint: fmt.Sprintf("remove %s %d %d", id, len(list), len(drafts))}, nil
}

// RemoveProject takes a project off the list with its pieces and drafts. Nothing on disk is touched, and the records of
// its worktrees are kept. Only the person does this, in the app; bound is the fingerprint of the effect that was confirmed.
func (e *Engine) RemoveProject(ctx context.Context, id, bound string) error {
	unlock, err := e.locks.lock(ctx, "project "+id)
	if err != nil {
		return fmt.Errorf("remove project %s: %w", id, err)
	}
	defer unlock()
	now, err := e.RemoveProjectEffect(ctx, id)
	if err != nil {
		return err
	}
	if now.Fingerprint != bound {
		return fmt.Errorf("remove project %s: what would be forgotten changed: %w", id, pieces.ErrStale)
	}
	list, err := e.Pieces(ctx, pieces.PieceFilter{ProjectID: id, IncludeArchived: true})
	if err != nil {
		return err
	}
	if s, busy := firstBusy(list); busy {
		return refuse(pieces.ErrStale, "“%s” is busy. Stop it or let it end, then remove the project.", s.Piece.Name)
	}
	drafts, err := e.Drafts(ctx, id)
	if err != nil {
		return err
	}
	if err := e.Store.DeleteProject(ctx, id); err != nil {
		return fmt.Errorf("remove project %s: %w", id, err)
	}
	for _, s := range list {
		e.dropFiles(s.Piece.ID, nil, s.Piece.Attachments)
	}
	for _, d := range drafts {
		e.dropFiles(d.ID, nil, d.Attachments)
	}
	return nil
}
