package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fermata/pieces"
)

type worktreeRow struct {
	Path      string `gorm:"primaryKey"`
	ProjectID string
	PieceID   string
	TaskID    string
	Repo      string
	Branch    string
	CreatedAt string
	Prepared  bool
}

// TableName is asked for by gorm.
func (worktreeRow) TableName() string { return "worktrees" }

func toWorktreeRow(w pieces.WorktreeRecord) worktreeRow {
	return worktreeRow{w.Path, w.ProjectID, w.PieceID, w.TaskID, w.Repo, w.Branch, stamp(w.CreatedAt), w.Prepared}
}

func (r worktreeRow) record() pieces.WorktreeRecord {
	return pieces.WorktreeRecord{
		Path: r.Path, ProjectID: r.ProjectID, PieceID: r.PieceID, TaskID: r.TaskID, Repo: r.Repo, Branch: r.Branch,
		CreatedAt: moment(r.CreatedAt), Prepared: r.Prepared,
	}
}

// RecordWorktree remembers a worktree that Fermata made. A recorded path is overwritten.
func (s *Store) RecordWorktree(ctx context.Context, w pieces.WorktreeRecord) error {
	row := toWorktreeRow(w)
	return s.write(ctx, fmt.Sprintf("record worktree %s", w.Path), func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "path"}}, UpdateAll: true}).Create(&row).Error
	})
}

// Worktrees lists the recorded worktrees of a piece, or all when pieceID is empty, oldest first.
func (s *Store) Worktrees(ctx context.Context, pieceID string) ([]pieces.WorktreeRecord, error) {
	var rows []worktreeRow
	err := s.query(ctx, "list worktrees", func(tx *gorm.DB) error {
		if pieceID != "" {
			tx = tx.Where("piece_id = ?", pieceID)
		}
		return tx.Order("created_at, rowid").Find(&rows).Error
	})
	return all(rows, worktreeRow.record), err
}

// ForgetWorktree drops a record; the folder is not touched.
func (s *Store) ForgetWorktree(ctx context.Context, path string) error {
	return s.write(ctx, fmt.Sprintf("forget worktree %s", path), func(tx *gorm.DB) error {
		done := tx.Where("path = ?", path).Delete(&worktreeRow{})
		if done.Error == nil && done.RowsAffected == 0 {
			return pieces.ErrNotFound
		}
		return done.Error
	})
}
