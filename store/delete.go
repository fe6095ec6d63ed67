package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"fermata/pieces"
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

// DeleteProject removes a project with its drafts, pieces and sessions, and all that is written of them. The records of
// its worktrees stay.
func (s *Store) DeleteProject(ctx context.Context, id string) error {
	var gone []string
	err := s.write(ctx, fmt.Sprintf("delete project %s", id), func(tx *gorm.DB) error {
		if err := tx.Model(&pieceRow{}).Where("project_id = ?", id).Pluck("id", &gone).Error; err != nil {
			return err
		}
		of := func(model any) *gorm.DB { return tx.Model(model).Select("id").Where("project_id = ?", id) }
		for _, row := range []any{&taskRow{}, &artifactRow{}, &historyRow{}, &sessionRow{}} {
			if err := tx.Where("piece_id IN (?)", of(&pieceRow{})).Delete(row).Error; err != nil {
				return err
			}
		}
		for _, item := range []any{&pieceRow{}, &draftRow{}} {
			if err := tx.Where("item_id IN (?)", of(item)).Delete(&linkRow{}).Error; err != nil {
				return err
			}
		}
		for _, row := range []any{&sessionRow{}, &pieceRow{}, &draftRow{}} {
			if err := tx.Where("project_id = ?", id).Delete(row).Error; err != nil {
				return err
			}
		}
		return hit(tx, tx.Where("id = ?", id).Delete(&projectRow{}), &projectRow{}, id)
	})
	for _, piece := range gone {
		s.known.forget(piece)
	}
	return err
}

// MoveProject overwrites a project like SaveProject, and lets the records of its worktrees name its path as their
// repository. A path that another project has is refused.
func (s *Store) MoveProject(ctx context.Context, p pieces.Project) error {
	row := toProjectRow(p)
	return s.write(ctx, fmt.Sprintf("move project %s", p.ID), func(tx *gorm.DB) error {
		done := tx.Model(&projectRow{}).Where("id = ?", p.ID).Select("*").Omit("id", "created_at").Updates(&row)
		if err := hit(tx, done, &projectRow{}, p.ID); err != nil {
			return err
		}
		return tx.Model(&worktreeRow{}).Where("project_id = ?", p.ID).Update("repo", p.Path).Error
	})
}
