package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fermata/pieces"
)

type sessionRow struct {
	ID          string `gorm:"primaryKey"`
	ProjectID   *string
	PieceID     *string
	TaskID      string
	Kind        string
	Name        string
	State       string
	Model       string
	Effort      string
	Branch      string
	Worktree    string
	CostUSD     float64 `gorm:"column:cost_usd"`
	Error       string
	Resumed     int
	HostPID     int `gorm:"column:host_pid"`
	HostStarted int64
	HostBoot    string
	CreatedAt   string
	UpdatedAt   string
	EndedAt     *string
	Hidden      bool
	ReplacedBy  string
}

// TableName is asked for by gorm.
func (sessionRow) TableName() string { return "sessions" }

const newestSession = "created_at DESC, rowid DESC"

// Every kind and state, from which the filters are made.
var (
	sessionKinds = []pieces.SessionKind{
		pieces.SessionInterview, pieces.SessionStrategy, pieces.SessionPlan, pieces.SessionTask, pieces.SessionWorkReview,
		pieces.SessionCodeReview, pieces.SessionPRText, pieces.SessionFeedback, pieces.SessionCanvas,
	}
	sessionStates = []pieces.SessionState{
		pieces.SessionStarting, pieces.SessionWorking, pieces.SessionAwaitingInput, pieces.SessionAwaitingApproval,
		pieces.SessionIdle, pieces.SessionCompleted, pieces.SessionFailed, pieces.SessionCancelled,
	}
)

func toSessionRow(s pieces.Session) sessionRow {
	return sessionRow{
		s.ID, textOrNull(s.ProjectID), textOrNull(s.PieceID), s.TaskID, string(s.Kind), s.Name, string(s.State), s.Model, s.Effort,
		s.Branch, s.Worktree, s.CostUSD, s.Error, s.Resumed,
		s.Host.PID, int64(s.Host.Started), s.Host.Boot, //nolint:gosec // SQLite has no unsigned integer; the bits come back as they went
		stamp(s.CreatedAt), stamp(s.UpdatedAt), stampOrNull(s.EndedAt), s.Hidden, s.ReplacedBy,
	}
}

func (r sessionRow) session() pieces.Session {
	return pieces.Session{
		ID: r.ID, ProjectID: textOrEmpty(r.ProjectID), PieceID: textOrEmpty(r.PieceID), TaskID: r.TaskID, Kind: pieces.SessionKind(r.Kind),
		Name: r.Name, State: pieces.SessionState(r.State), Model: r.Model, Effort: r.Effort, Branch: r.Branch, Worktree: r.Worktree,
		CostUSD: r.CostUSD, Error: r.Error, Resumed: r.Resumed,
		Host:      pieces.HostProcess{PID: r.HostPID, Started: uint64(r.HostStarted), Boot: r.HostBoot}, //nolint:gosec // as above
		CreatedAt: moment(r.CreatedAt), UpdatedAt: moment(r.UpdatedAt), EndedAt: momentOrNil(r.EndedAt), Hidden: r.Hidden, ReplacedBy: r.ReplacedBy,
	}
}

// Sessions lists sessions, newest first.
func (s *Store) Sessions(ctx context.Context, f pieces.SessionFilter) ([]pieces.Session, error) {
	var rows []sessionRow
	err := s.query(ctx, "list sessions", func(tx *gorm.DB) error {
		if f.ProjectID != "" {
			tx = tx.Where("project_id = ?", f.ProjectID)
		}
		if f.PieceID != "" {
			tx = tx.Where("piece_id = ?", f.PieceID)
		}
		if !f.IncludeHidden {
			tx = tx.Where("hidden = 0 AND kind NOT IN ?", those(sessionKinds, pieces.SessionKind.Hidden))
		}
		if f.LiveOnly {
			tx = tx.Where("state IN ?", those(sessionStates, pieces.SessionState.Live))
		}
		return tx.Order(newestSession).Find(&rows).Error
	})
	return all(rows, sessionRow.session), err
}

// Session reads one session.
func (s *Store) Session(ctx context.Context, id string) (pieces.Session, error) {
	var row sessionRow
	err := s.query(ctx, fmt.Sprintf("read session %s", id), func(tx *gorm.DB) error {
		return tx.Where("id = ?", id).Take(&row).Error
	})
	if err != nil {
		return pieces.Session{}, err
	}
	return row.session(), nil
}

// SaveSession inserts or overwrites a session; its transcript stays.
func (s *Store) SaveSession(ctx context.Context, v pieces.Session) error {
	row := toSessionRow(v)
	return s.write(ctx, fmt.Sprintf("save session %s", v.ID), func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, UpdateAll: true}).Create(&row).Error
	})
}

func those[T ~string](list []T, keep func(T) bool) []string {
	var kept []string
	for _, v := range list {
		if keep(v) {
			kept = append(kept, string(v))
		}
	}
	return kept
}
