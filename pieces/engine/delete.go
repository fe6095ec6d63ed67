package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"fermata/pieces"
)

// Deleted is what deleting a piece left behind.
type Deleted struct {
	Branch string // empty when it had none
	// Saved is the hidden ref of what the piece's own worktree held that no commit has; empty when that was nothing.
	Saved string
}

// DeleteEffect says in plain words what deleting a piece does, and binds the words to what would be removed.
func (e *Engine) DeleteEffect(ctx context.Context, id string) (pieces.Effect, error) {
	s, err := e.Piece(ctx, id)
	if err != nil {
		return pieces.Effect{}, err
	}
	return e.deleteEffect(ctx, s)
}

func (e *Engine) deleteEffect(ctx context.Context, s pieces.Snapshot) (pieces.Effect, error) {
	p := s.Piece
	lines := []pieces.Sentence{pieces.Say("Deletes the piece with its documents, its history and its sessions. That cannot be taken back.")}
	facts := []string{"delete", p.ID, string(p.Phase), string(p.Activity), fmt.Sprint(p.Run)}
	list, err := e.Store.Worktrees(ctx, p.ID)
	if err != nil {
		return pieces.Effect{}, fmt.Errorf("read worktrees: %w", err)
	}
	removes := false
	for _, w := range list {
		if w.Path == p.Worktree && p.WorktreeMissing {
			continue
		}
		more, print, err := e.removalEffect(ctx, w)
		if err != nil {
			return pieces.Effect{}, err
		}
		removes = true
		lines, facts = append(lines, more...), append(facts, w.Path, print)
	}
	if !removes && p.Branch != "" {
		lines = append(lines, pieces.Say("It has no worktree to remove; the branch %s stays.", p.Branch))
	}
	if p.PR != nil && p.PR.State == pieces.PullRequestOpen {
		lines = append(lines, pieces.Say("Its pull request #%d stays open.", p.PR.Number))
	}
	waiting, err := e.waitersOf(ctx, p.ID)
	if err != nil {
		return pieces.Effect{}, err
	}
	if waiting > 0 {
		lines = append(lines, pieces.Say("%s on it: it stays listed there as deleted, and never counts as done.", pieces.Count(waiting, "%d item waits", "%d items wait")))
	}
	sum := sha256.Sum256([]byte(strings.Join(facts, "\x00")))
	return pieces.Effect{Lines: lines, Fingerprint: hex.EncodeToString(sum[:])}, nil
}

func (e *Engine) waitersOf(ctx context.Context, id string) (n int, err error) {
	links, err := e.Store.Links(ctx)
	for _, l := range links {
		if l.BlockerID == id {
			n++
		}
	}
	return n, err
}

// DeletePiece deletes a piece for good. Only the person does, in the app. What its worktrees hold is saved first, as
// markDone does, and they are removed the same way; when anything of that cannot be done, the piece stays. bound is the
// fingerprint of the effect that was confirmed: one that changed since is pieces.ErrStale, and nothing was done.
func (e *Engine) DeletePiece(ctx context.Context, id, bound string) (Deleted, error) {
	unlock, err := e.locks.lock(ctx, id)
	if err != nil {
		return Deleted{}, fmt.Errorf("delete piece %s: %w", id, err)
	}
	defer unlock()
	s, err := e.Piece(ctx, id)
	if err != nil {
		return Deleted{}, err
	}
	if reason := s.Undeletable(); !reason.Empty() {
		return Deleted{}, refuse(pieces.ErrStale, "%s", reason)
	}
	now, err := e.deleteEffect(ctx, s)
	if err != nil {
		return Deleted{}, err
	}
	if now.Fingerprint != bound {
		return Deleted{}, fmt.Errorf("delete piece %s: what would be removed changed: %w", id, pieces.ErrStale)
	}
	ctx = context.WithoutCancel(ctx) // from here on it must not end halfway
	d := Deleted{Branch: s.Piece.Branch}
	if d.Saved, err = e.clearWorktrees(ctx, s.Piece); err != nil {
		return d, refuse(err, "The piece was not deleted: %v", err)
	}
	if err := e.Store.DeletePiece(ctx, id, s.Piece.Version); err != nil {
		return d, fmt.Errorf("delete piece %s: %w", id, err)
	}
	e.dropFiles(id, nil, s.Piece.Attachments)
	return d, nil
}

// restoreDeleted brings back what was saved of a piece that is deleted, into a worktree and branch made for it.
func (e *Engine) restoreDeleted(ctx context.Context, pieceID, ref string) (Restored, error) {
	projects, err := e.Projects(ctx)
	if err != nil {
		return Restored{}, err
	}
	for _, project := range projects {
		list, err := e.savedIn(ctx, project, pieces.SavedRefs(pieceID), nil)
		if err != nil {
			continue // a repository that is out of reach; another one may hold it
		}
		for i := len(list) - 1; i >= 0; i-- {
			if ref == "" && !list[i].Agent || list[i].Ref == ref {
				return e.restoreLost(ctx, project, pieceID, list[i].Ref)
			}
		}
	}
	return Restored{}, unknown("pieceId", pieces.ErrNotFound)
}

func (e *Engine) restoreLost(ctx context.Context, project pieces.Project, pieceID, ref string) (Restored, error) {
	saved, err := e.Git.Saved(ctx, project.Path, ref)
	if err != nil {
		return Restored{}, refuse(err, "Fermata cannot read the saved work, and changed nothing: %v", err)
	}
	r, err := e.restoreFresh(ctx, project, pieces.Piece{ID: pieceID, ProjectID: project.ID, Name: "deleted " + short(pieceID)}, saved)
	if err != nil {
		return r, refuse(err, "Fermata could not bring the saved work back; it stays under %s: %v", ref, err)
	}
	e.include(ctx, project, r.Path)
	return r, nil
}

// isUnknown says whether an error is about an id that nothing has.
func isUnknown(err error) bool { return errors.Is(err, pieces.ErrNotFound) }
