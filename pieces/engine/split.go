package engine

import (
	"context"
	"errors"
	"fmt"

	"fermata/pieces"
)

// SplitReview is the person's answer to split proposals of a piece. Proposals without an answer go on waiting.
type SplitReview struct {
	PieceID string
	Answers []pieces.SplitAnswer
	By      pieces.Actor
}

// ProposeSplit adds a proposal of the person's own to a piece at its strategy.
func (e *Engine) ProposeSplit(ctx context.Context, id string, p pieces.ProposedSplit, by pieces.Actor) (pieces.Snapshot, error) {
	if err := pieces.CheckSplits([]pieces.ProposedSplit{p}); err != nil {
		return pieces.Snapshot{}, refuse(err, "Nothing was proposed: %v.", err)
	}
	s, err := e.move(ctx, id, pieces.OnSplitProposed, by, func(s pieces.Snapshot, c *pieces.Change) error {
		if n := len(s.Piece.Splits.Proposals); n >= pieces.MaxSplits {
			return refuse(nil, "%d proposals wait already; answer them first.", n)
		}
		c.Piece.Splits = s.Piece.Splits.Propose(p, pieces.SplitByPerson, e.Now(), e.NewID())
		c.Note = pieces.Quote(p.Title)
		return nil
	})
	if errors.Is(err, pieces.ErrStale) {
		return s, refuse(err, "A piece can be split while its strategy waits for you; this one is in %s.", station(s))
	}
	return s, err
}

// ReviewSplit carries out what the person decided about split proposals: what is accepted becomes pieces of their own, all of
// them and the original's change in one transaction, or nothing is done.
func (e *Engine) ReviewSplit(ctx context.Context, r SplitReview) (pieces.Snapshot, error) {
	s, parts, err := e.reviewSplit(ctx, r)
	if err != nil {
		return s, err
	}
	// What was written has to be followed, also when its caller is gone by now.
	free := context.WithoutCancel(ctx)
	for _, p := range parts {
		now, err := e.Piece(free, p.Piece.ID)
		if err != nil {
			return s, err
		}
		if err := e.lineUp(free, now); err != nil {
			return s, err
		}
	}
	if err := e.lineUp(free, s); err != nil {
		return s, err
	}
	return e.Piece(free, r.PieceID)
}

// lineUp brings a piece in line with what it waits on, and lets it go on where nothing holds it.
func (e *Engine) lineUp(ctx context.Context, s pieces.Snapshot) error {
	if s.DependencyMove() != "" {
		return e.bringInLine(ctx, s.Piece.ID)
	}
	e.follow(s)
	return nil
}

func (e *Engine) reviewSplit(ctx context.Context, r SplitReview) (pieces.Snapshot, []pieces.Change, error) {
	unlock, err := e.locks.lock(ctx, r.PieceID)
	if err != nil {
		return pieces.Snapshot{}, nil, fmt.Errorf("split piece %s: %w", r.PieceID, err)
	}
	defer unlock()
	s, err := e.Piece(ctx, r.PieceID)
	if err != nil {
		return s, nil, err
	}
	if _, ok := pieces.Next(s.State(), s.Piece.Before, pieces.OnSplitReviewed, s.Facts()); !ok || s.Piece.Archived {
		return s, nil, refuse(pieces.ErrStale, "No split proposal waits for an answer: the piece is in %s.", station(s))
	}
	if s.Piece.WorktreeMissing {
		return s, nil, refuse(pieces.ErrWorktreeMissing, "The piece's worktree is missing; open its workspace first, which makes it again.")
	}
	start, err := e.Setting(ctx, pieces.KeyStartSplits)
	if err != nil {
		return s, nil, err
	}
	plan, err := pieces.DecideSplits(s.Piece, r.Answers, start == "true", e.Now(), e.NewID)
	if err != nil {
		return s, nil, refuse(err, "That proposal no longer waits: the strategy changed meanwhile. Nothing was split.")
	}
	c := pieces.Change{Piece: plan.Original, From: s.State(), Trigger: pieces.OnSplitReviewed, By: r.By, Note: plan.Note}
	parts, err := e.splitOff(ctx, s, plan, &c, r.By)
	if err == nil {
		_, err = e.Store.Split(context.WithoutCancel(ctx), c, parts)
	}
	if err != nil {
		e.dropWorktrees(ctx, parts)
		return s, nil, fmt.Errorf("split piece %s: %w", r.PieceID, err)
	}
	s, err = e.Piece(context.WithoutCancel(ctx), r.PieceID)
	return s, parts, err
}

// splitOff gives each new piece its branch and worktree, and writes down who waits on whom. On an error it returns what it
// made so far.
func (e *Engine) splitOff(ctx context.Context, s pieces.Snapshot, plan pieces.SplitPlan, c *pieces.Change, by pieces.Actor) ([]pieces.Change, error) {
	if len(plan.Parts) == 0 {
		return nil, nil
	}
	project, err := e.Project(ctx, s.Piece.ProjectID)
	if err != nil {
		return nil, err
	}
	var parts []pieces.Change
	for _, o := range plan.Parts {
		now := e.Now()
		p := pieces.Piece{
			ID: o.ID, ProjectID: s.Piece.ProjectID, Name: o.Title, RunAt: s.Piece.RunAt, CreatedAt: now, UpdatedAt: now,
			Config: s.Piece.Config, Play: o.Play, Splits: o.Splits,
		}
		p.Config.Lane, p.Config.Refine = o.Lane, pieces.RefineNone
		if err := e.makeWorktree(ctx, project, &p); err != nil {
			return parts, err
		}
		part := pieces.Change{Piece: p, From: pieces.State{Phase: pieces.PhaseBacklog, Activity: pieces.Idle}, Trigger: pieces.OnReleased, By: by}
		part.Note = pieces.Say("Split off from “%s”", s.Piece.Name)
		to, _ := pieces.Next(part.From, "", part.Trigger, pieces.Facts{})
		part.Piece.Phase, part.Piece.Activity = to.Phase, to.Activity
		artifact(&part, pieces.ArtifactSpec, "", o.Spec)
		link := pieces.Link{ItemID: s.Piece.ID, BlockerID: o.ID, Name: o.Title, Origin: pieces.OriginSplit, CreatedAt: now}
		if o.Proposal.Direction == pieces.SplitFollowUp {
			link.ItemID, link.BlockerID, link.Name = o.ID, s.Piece.ID, s.Piece.Name
			part.Links = append(part.Links, link)
		} else {
			c.Links = append(c.Links, link)
		}
		parts = append(parts, part)
	}
	spec, err := e.text(ctx, s.Piece.ID, pieces.ArtifactSpec)
	if err != nil {
		return parts, err
	}
	artifact(c, pieces.ArtifactSpec, "", pieces.WithoutParts(spec, plan.Parts))
	return parts, nil
}

// dropWorktrees takes the worktrees of pieces away that were not made after all; nothing was written in them yet.
func (e *Engine) dropWorktrees(ctx context.Context, parts []pieces.Change) {
	ctx = context.WithoutCancel(ctx)
	for _, p := range parts {
		w, known, err := e.recordOf(ctx, p.Piece.ID, p.Piece.Worktree)
		if err == nil && known {
			err = e.removeWorktree(ctx, w, "")
		}
		if err != nil {
			e.Log.Warn("a worktree of a piece that was not split off stays", "path", p.Piece.Worktree, "err", err)
		}
	}
}

// StartAnyway lets a piece go on that its split holds: the links stay and hold nothing any more.
func (e *Engine) StartAnyway(ctx context.Context, id string, by pieces.Actor) (pieces.Snapshot, error) {
	s, err := e.move(ctx, id, pieces.OnSplitStarted, by, func(s pieces.Snapshot, c *pieces.Change) error {
		reason, blockers := s.SplitHold()
		if len(blockers) == 0 {
			return pieces.ErrStale
		}
		c.IgnoreLinks, c.Note = blockers, reason
		c.Piece.Splits = s.Piece.Splits.StartedAnyway(e.Now(), s.SplitBlockers())
		return nil
	})
	if errors.Is(err, pieces.ErrStale) {
		return s, refuse(err, "No split holds this piece now.")
	}
	if err != nil {
		return s, err
	}
	if err := e.lineUp(context.WithoutCancel(ctx), s); err != nil {
		return s, err
	}
	return e.Piece(context.WithoutCancel(ctx), id)
}

// acceptSplits answers the gate as Auto-split does: every proposal becomes a piece.
func (e *Engine) acceptSplits(ctx context.Context, id string) error {
	s, err := e.Piece(ctx, id)
	if err != nil || !s.AppliesSplits() {
		return err
	}
	_, err = e.ReviewSplit(ctx, SplitReview{PieceID: id, Answers: s.Piece.Splits.AcceptAll(), By: pieces.ByFermata})
	return err
}

// followAutoSplit lets the Auto pieces go on that stopped before Auto-split was turned on; the Loop sees its own.
func (e *Engine) followAutoSplit(ctx context.Context) error {
	list, err := e.Pieces(ctx, pieces.PieceFilter{})
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.AppliesSplits() {
			e.autoplay(s)
		}
	}
	return nil
}
