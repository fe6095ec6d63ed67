package engine

import (
	"context"
	"fmt"

	"fermata/pieces"
)

// homecoming is what became of the commits of a feedback session that is over.
type homecoming struct {
	open   bool   // there is an open pull request that they belong in
	pushed bool   // they were not in it, and are now
	note   string // why they are not; empty when they are
}

// write writes it into the piece.
func (h homecoming) write(c *pieces.Change) {
	pr := c.Piece.PR
	if !h.open || pr == nil {
		return
	}
	now := *pr
	now.PushNote = h.note
	c.Piece.PR = &now
	if h.pushed {
		c.Note = pieces.Say("Pushed to pull request #%d.", now.Number)
	}
}

// bringHome pushes what a feedback session committed, where the piece's pull request is open. What a session committed that
// did not come to its end, for a cause, is left for the person to look at and push.
func (e *Engine) bringHome(ctx context.Context, id string, cause error) homecoming {
	s, err := e.Piece(ctx, id)
	if err != nil || !s.Facts().PROpen {
		return homecoming{}
	}
	h := homecoming{open: true}
	if !e.unpushed(ctx, s.Piece) {
		return h
	}
	if cause == nil {
		_, _, cause = e.pushBranch(ctx, s.Piece)
		h.pushed = cause == nil
	} else {
		cause = fmt.Errorf("the session did not come to its end (%w)", cause)
	}
	if cause != nil {
		h.note = fmt.Sprintf("Commits on %s are not in pull request #%d: %v. They can be pushed at any time; nothing is forced.", s.Piece.Branch, s.Piece.PR.Number, cause)
	}
	return h
}

// unpushed says whether the branch may have commits that its remote lacks.
func (e *Engine) unpushed(ctx context.Context, p pieces.Piece) bool {
	status, err := e.Git.Status(ctx, p.Worktree)
	return err != nil || status.Unpushed > 0
}

// pushLate pushes what a feedback session committed after the push that its pull request was opened with.
func (e *Engine) pushLate(ctx context.Context, id string) error {
	h := e.bringHome(ctx, id, nil)
	return e.note(context.WithoutCancel(ctx), id, func(_ pieces.Snapshot, c *pieces.Change) error {
		h.write(c)
		return nil
	})
}

// PushChanges pushes the piece's branch to its open pull request, as the end of a feedback session does, and is the way to try
// that again. A push that fails is a Refusal with git's words, and the piece keeps saying what its pull request lacks.
func (e *Engine) PushChanges(ctx context.Context, id string, by pieces.Actor) (pieces.Snapshot, error) {
	s, err := e.Piece(ctx, id)
	if err != nil {
		return s, err
	}
	switch {
	case !s.Facts().PROpen:
		return s, refuse(nil, "This piece has no open pull request to push to.")
	case s.Piece.Activity == pieces.Changing:
		return s, refuse(nil, "A feedback session works on the piece. What it commits is pushed once it ends.")
	}
	if _, _, err := e.pushBranch(ctx, s.Piece); err != nil {
		return s, refuse(err, "The changes were not pushed: %v", err)
	}
	return e.move(context.WithoutCancel(ctx), id, pieces.OnChangesPushed, by, func(_ pieces.Snapshot, c *pieces.Change) error {
		homecoming{open: true, pushed: true}.write(c)
		return nil
	})
}
