package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fermata/pieces"
)

type artifactRow struct {
	PieceID   string `gorm:"primaryKey"`
	Kind      string `gorm:"primaryKey"`
	TaskID    string `gorm:"primaryKey"`
	UpdatedAt string
	Content   string
}

// TableName is asked for by gorm.
func (artifactRow) TableName() string { return "artifacts" }

func toArtifactRow(a pieces.Artifact) artifactRow {
	return artifactRow{a.PieceID, string(a.Kind), a.TaskID, stamp(a.UpdatedAt), a.Content}
}

func (r artifactRow) artifact() pieces.Artifact {
	return pieces.Artifact{
		PieceID: r.PieceID, Kind: pieces.ArtifactKind(r.Kind), TaskID: r.TaskID, Content: r.Content, UpdatedAt: moment(r.UpdatedAt),
	}
}

// Artifact reads one document; taskID names the agent of a handoff and is empty for the other kinds.
func (s *Store) Artifact(ctx context.Context, pieceID string, k pieces.ArtifactKind, taskID string) (pieces.Artifact, error) {
	var row artifactRow
	err := s.query(ctx, fmt.Sprintf("read %s of piece %s", k, pieceID), func(tx *gorm.DB) error {
		return tx.Where("piece_id = ? AND kind = ? AND task_id = ?", pieceID, string(k), taskID).Take(&row).Error
	})
	if err != nil {
		return pieces.Artifact{}, err
	}
	return row.artifact(), nil
}

// saveArtifacts writes documents over those of the same kind and task. A document without a time is of now.
func saveArtifacts(tx *gorm.DB, pieceID string, list []pieces.Artifact, now time.Time) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([]artifactRow, len(list))
	for i, a := range list {
		if a.PieceID == "" {
			a.PieceID = pieceID
		}
		if a.PieceID != pieceID {
			return fmt.Errorf("%s belongs to piece %q", a.Kind, a.PieceID)
		}
		if a.UpdatedAt.IsZero() {
			a.UpdatedAt = now
		}
		rows[i] = toArtifactRow(a)
	}
	return tx.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "piece_id"}, {Name: "kind"}, {Name: "task_id"}},
		UpdateAll: true,
	}).Create(&rows).Error
}
