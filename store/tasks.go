package store

import (
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fermata/pieces"
)

type taskRow struct {
	ID           string `gorm:"primaryKey"`
	PieceID      string
	Ordinal      int
	Kind         string
	Name         string
	Brief        string
	State        string
	Failure      string
	Attempts     int
	SessionID    string
	Branch       string
	Worktree     string
	Approved     bool
	ApprovalNote string
	BriefChanged bool
	BriefBy      string
	Guidance     string
	CostUSD      float64 `gorm:"column:cost_usd"`
	StartedAt    *string
	EndedAt      *string
}

// TableName is asked for by gorm.
func (taskRow) TableName() string { return "tasks" }

type edgeRow struct {
	PieceID string
	FromID  string
	ToID    string
}

// TableName is asked for by gorm.
func (edgeRow) TableName() string { return "edges" }

func toTaskRow(t pieces.Task) taskRow {
	return taskRow{
		t.ID, t.PieceID, t.Ordinal, string(t.Kind), t.Name, t.Brief, string(t.State), t.Failure, t.Attempts, t.SessionID,
		t.Branch, t.Worktree, t.Approved, t.ApprovalNote, t.BriefChanged, string(t.BriefBy), t.Guidance, t.CostUSD,
		stampOrNull(t.StartedAt), stampOrNull(t.EndedAt),
	}
}

func (r taskRow) task() pieces.Task {
	return pieces.Task{
		ID: r.ID, PieceID: r.PieceID, Ordinal: r.Ordinal, Kind: pieces.TaskKind(r.Kind), Name: r.Name, Brief: r.Brief,
		State: pieces.TaskState(r.State), Failure: r.Failure, Attempts: r.Attempts, SessionID: r.SessionID, Branch: r.Branch,
		Worktree: r.Worktree, Approved: r.Approved, ApprovalNote: r.ApprovalNote, BriefChanged: r.BriefChanged, BriefBy: pieces.Actor(r.BriefBy), Guidance: r.Guidance,
		CostUSD: r.CostUSD, StartedAt: momentOrNil(r.StartedAt), EndedAt: momentOrNil(r.EndedAt),
	}
}

// dropGraph removes a piece's tasks, the edges between them and what they handed off.
func dropGraph(tx *gorm.DB, pieceID string) error {
	if err := tx.Where("piece_id = ?", pieceID).Delete(&taskRow{}).Error; err != nil { // edges go with their tasks
		return err
	}
	return tx.Where("piece_id = ? AND task_id <> ''", pieceID).Delete(&artifactRow{}).Error
}

// saveTasks writes tasks over those with the same id. A task of another piece is never overwritten.
func saveTasks(tx *gorm.DB, pieceID string, tasks []pieces.Task) error {
	if len(tasks) == 0 {
		return nil
	}
	rows := all(tasks, toTaskRow)
	for i := range rows {
		if rows[i].PieceID == "" {
			rows[i].PieceID = pieceID
		}
		if rows[i].PieceID != pieceID {
			return fmt.Errorf("task %s belongs to piece %q", rows[i].ID, rows[i].PieceID)
		}
	}
	done := tx.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "id"}},
		Where:     clause.Where{Exprs: []clause.Expression{clause.Expr{SQL: "tasks.piece_id = excluded.piece_id"}}},
		UpdateAll: true,
	}).Create(&rows)
	if done.Error == nil && done.RowsAffected != int64(len(rows)) {
		return fmt.Errorf("a task's id: %w", pieces.ErrExists)
	}
	return done.Error
}

// addEdges adds the edges that are not there yet.
func addEdges(tx *gorm.DB, pieceID string, edges []pieces.Edge) error {
	if len(edges) == 0 {
		return nil
	}
	rows := all(edges, func(e pieces.Edge) edgeRow { return edgeRow{pieceID, e.From, e.To} })
	return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&rows).Error
}
