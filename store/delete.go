package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"
)

// DeletePiece removes a piece that still has the version that was read, with everything that was written of it: its graph,
// documents, history, sessions and their transcripts, and what it waits on. Links of others to it stay, and so do the
// records of its worktrees. A piece that changed meanwhile is pieces.ErrStale.
func (s *Store) DeletePiece(ctx context.Context, id string, version int64) error {
	err := s.write(ctx, fmt.Sprintf("delete piece %s", id), func(tx *gorm.DB) error {
		if err := dropGraph(tx, id); err != nil {
			return err
		}
		for _, row := range []any{&artifactRow{}, &historyRow{}, &sessionRow{}} { // transcripts go with their sessions
			if err := tx.Where("piece_id = ?", id).Delete(row).Error; err != nil {
				return err
			}
		}
		if err := tx.Where("item_id = ?", id).Delete(&linkRow{}).Error; err != nil {
			return err
		}
		return hit(tx, tx.Where("id = ? AND version = ?", id, version).Delete(&pieceRow{}), &pieceRow{}, id)
	})
	if err == nil {
		s.known.forget(id)
	}
	return err
}
