package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"fermata/pieces"
)

// FileDraft files a draft into the Backlog. A resend with an id that was filed before files nothing: it returns the draft,
// or the piece that it was released into. One on the Loop's lane starts at once when the Loop plays and has room for it.
func (e *Engine) FileDraft(ctx context.Context, n NewDraft) (Filed, error) {
	filed, err := e.fileDraft(ctx, n)
	if err == nil && !filed.Existed {
		e.offer(ctx, filed.Draft, false)
	}
	return filed, err
}

func (e *Engine) fileDraft(ctx context.Context, n NewDraft) (Filed, error) {
	chosen := n.ID != ""
	if !chosen {
		n.ID = e.NewID()
	}
	// A piece of this id may be about to be made: by an earlier call, or by a Loop that is quicker than this one.
	unlock, err := e.locks.lock(ctx, n.ID)
	if err != nil {
		return Filed{}, fmt.Errorf("file draft %s: %w", n.ID, err)
	}
	defer unlock()
	if chosen {
		filed, found, err := e.filed(ctx, n.ID)
		if found || err != nil {
			return filed, err
		}
	}
	if strings.TrimSpace(n.Spec) == "" && strings.TrimSpace(n.Seed) == "" {
		return Filed{}, refuse(nil, "A draft needs a spec or a seed.")
	}
	if _, err := e.Project(ctx, n.ProjectID); err != nil {
		return Filed{}, err
	}
	now := e.Now()
	d := pieces.Draft{
		ID: n.ID, ProjectID: n.ProjectID, Title: pieces.TitleOf(n.Spec, n.Title, n.Seed), Seed: n.Seed, Spec: n.Spec,
		Lane: n.Lane, Refine: n.Refine, Model: n.Model, RunAt: n.RunAt, CreatedAt: now, UpdatedAt: now,
	}
	if d.Lane == "" {
		d.Lane = pieces.LaneManual
	}
	if d.Refine == "" {
		d.Refine = pieces.RefineIfGaps
	}
	if d.Attachments, err = e.keepFiles(d.ID, nil, n.Attach); err != nil {
		return Filed{}, err
	}
	skipped, err := e.addDraft(ctx, d, n.DependsOn)
	if err != nil {
		e.dropFiles(d.ID, nil, d.Attachments)
	}
	if refusal := (*Refusal)(nil); errors.As(err, &refusal) {
		return Filed{}, err
	}
	if err != nil {
		if errors.Is(err, pieces.ErrExists) { // the same call, a moment earlier
			filed, _, err := e.filed(ctx, d.ID)
			return filed, err
		}
		return Filed{}, fmt.Errorf("file draft: %w", err)
	}
	d, err = e.Draft(ctx, d.ID)
	return Filed{Draft: d, Skipped: skipped}, err
}

// filed finds what an earlier call with the same id made.
func (e *Engine) filed(ctx context.Context, id string) (Filed, bool, error) {
	d, err := e.Store.Draft(ctx, id)
	if err == nil {
		return Filed{Draft: d, Existed: true}, true, nil
	}
	if !errors.Is(err, pieces.ErrNotFound) {
		return Filed{}, false, err
	}
	s, err := e.Piece(ctx, id)
	if errors.Is(err, pieces.ErrNotFound) {
		return Filed{}, false, nil
	}
	return Filed{Existed: true, Released: &s}, err == nil, err
}

// UpdateDraft changes a draft. A spec with a title heading renames it; clearing both spec and seed is refused.
// Moving it to the lane of a Loop that plays starts it when there is room: the draft is then a piece of its id.
func (e *Engine) UpdateDraft(ctx context.Context, id string, edit DraftEdit) (pieces.Draft, error) {
	d, err := e.updateDraft(ctx, id, edit)
	if err == nil && edit.Lane != nil {
		e.offer(ctx, d, true)
	}
	return d, err
}

func (e *Engine) updateDraft(ctx context.Context, id string, edit DraftEdit) (pieces.Draft, error) {
	unlock, err := e.locks.lock(ctx, id)
	if err != nil {
		return pieces.Draft{}, fmt.Errorf("update draft %s: %w", id, err)
	}
	defer unlock()
	d, err := e.Draft(ctx, id)
	if err != nil {
		return d, err
	}
	was := d
	set(&d.Seed, edit.Seed)
	set(&d.Spec, edit.Spec)
	set(&d.Model, edit.Model)
	set(&d.RunAt, edit.RunAt)
	set(&d.Lane, edit.Lane)
	set(&d.Refine, edit.Refine)
	if strings.TrimSpace(d.Spec) == "" && strings.TrimSpace(d.Seed) == "" {
		return d, refuse(nil, "A draft has to keep a spec or a seed.")
	}
	if edit.Title != nil && strings.TrimSpace(*edit.Title) != "" {
		d.Title = pieces.TitleOf("", *edit.Title, "")
	}
	if edit.Spec != nil && pieces.SpecTitle(*edit.Spec) != "" {
		d.Title = pieces.SpecTitle(*edit.Spec)
	}
	d.UpdatedAt = e.Now()
	has, added, err := e.changeFiles(was, edit)
	if err != nil {
		return d, err
	}
	d.Attachments = has
	if d.ReleasedBy, err = e.keepRelease(ctx, was, d); err == nil {
		err = e.Store.SaveDraft(ctx, d)
	}
	if err != nil {
		e.dropFiles(id, was.Attachments, added)
		return d, fmt.Errorf("update draft %s: %w", id, err)
	}
	e.dropFiles(id, has, detached(was.Attachments, has))
	return e.Draft(ctx, id)
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// CancelDraft deletes a draft. A released draft is a piece and is not touched: its id is unknown here.
func (e *Engine) CancelDraft(ctx context.Context, id string) error {
	unlock, err := e.locks.lock(ctx, id)
	if err != nil {
		return fmt.Errorf("cancel draft %s: %w", id, err)
	}
	defer unlock()
	d, err := e.Draft(ctx, id)
	if err != nil {
		return err
	}
	if err := e.Store.DeleteDraft(ctx, id); err != nil {
		return unknown("draftId", err)
	}
	e.dropFiles(id, nil, d.Attachments)
	return nil
}

// ReleaseDraft starts a draft: it makes the piece with the same id, its branch and its worktree. A resend returns the piece
// and starts nothing. A draft that its dependencies hold is a HeldError: it starts by itself once they are met.
func (e *Engine) ReleaseDraft(ctx context.Context, id, model string, by pieces.Actor) (pieces.Snapshot, error) {
	s, released, err := e.release(ctx, id, model, by)
	if err == nil && released {
		e.follow(s)
	}
	return s, err
}

func (e *Engine) release(ctx context.Context, id, model string, by pieces.Actor) (pieces.Snapshot, bool, error) {
	unlock, err := e.locks.lock(ctx, id)
	if err != nil {
		return pieces.Snapshot{}, false, fmt.Errorf("release draft %s: %w", id, err)
	}
	defer unlock()
	d, err := e.Draft(ctx, id)
	if errors.Is(err, pieces.ErrNotFound) {
		s, pieceErr := e.Piece(ctx, id)
		if errors.Is(pieceErr, pieces.ErrNotFound) {
			return s, false, err
		}
		return s, false, pieceErr
	}
	if err != nil {
		return pieces.Snapshot{}, false, err
	}
	if by == pieces.ByFermata && d.Lane != pieces.LaneLoop {
		return pieces.Snapshot{}, false, fmt.Errorf("release draft %s: it left the Loop's lane: %w", id, pieces.ErrStale)
	}
	stored := d
	if model != "" {
		d.Model = model
	}
	held, err := e.hold(ctx, stored, d, by)
	if err != nil {
		return pieces.Snapshot{}, false, err
	}
	if held != nil {
		return pieces.Snapshot{}, false, held
	}
	project, err := e.Project(ctx, d.ProjectID)
	if err != nil {
		return pieces.Snapshot{}, false, err
	}
	p, err := e.newPiece(ctx, d)
	if err != nil {
		return pieces.Snapshot{}, false, err
	}
	if err := e.makeWorktree(ctx, project, &p); err != nil {
		return pieces.Snapshot{}, false, err
	}
	// From here on a client that hangs up must not leave a worktree without its piece, or a piece that nothing follows.
	ctx = context.WithoutCancel(ctx)
	c := pieces.Change{Piece: p, From: pieces.State{Phase: pieces.PhaseBacklog, Activity: pieces.Idle}, Trigger: pieces.OnReleased, By: by}
	if d.NeedsSpecStep() {
		c.Trigger = pieces.OnSpecAsked
	}
	to, _ := pieces.Next(c.From, "", c.Trigger, pieces.Facts{})
	c.Piece.Phase, c.Piece.Activity = to.Phase, to.Activity
	if strings.TrimSpace(d.Spec) != "" {
		c.Artifacts = append(c.Artifacts, pieces.Artifact{PieceID: id, Kind: pieces.ArtifactSpec, Content: d.Spec, UpdatedAt: e.Now()})
	}
	if _, err := e.Store.Release(ctx, d.Version, c); err != nil {
		if w, known, rerr := e.recordOf(ctx, id, p.Worktree); rerr == nil && known {
			if rerr := e.removeWorktree(ctx, w, ""); rerr != nil {
				e.Log.Warn("a worktree of a draft that was not released stays", "path", w.Path, "err", rerr)
			}
		}
		return pieces.Snapshot{}, false, fmt.Errorf("release draft %s: %w", id, err)
	}
	s, err := e.Piece(ctx, id)
	return s, err == nil, err
}

func (e *Engine) newPiece(ctx context.Context, d pieces.Draft) (pieces.Piece, error) {
	set, err := e.Settings(ctx)
	if err != nil {
		return pieces.Piece{}, err
	}
	now := e.Now()
	return pieces.Piece{
		ID: d.ID, ProjectID: d.ProjectID, Name: d.Title, Seed: d.Seed, Attachments: d.Attachments, RunAt: d.RunAt, CreatedAt: now, UpdatedAt: now,
		Play: d.Lane == pieces.LaneAuto,
		Config: pieces.Config{
			Lane: d.Lane, Depth: pieces.DepthBalanced, Refine: d.Refine, Model: d.Model,
			PermissionProfile: pieces.Profile(set[pieces.KeyPermissionProfile]),
			AgentsAtOnce:      atoi(set[pieces.KeyAgentsAtOnce], 3), BudgetUSD: atof(set[pieces.KeyBudgetUSD]), ResumeAfterLimit: true,
		},
	}, nil
}
