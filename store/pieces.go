package store

import (
	"fmt"
	"time"

	"gorm.io/gorm"

	"fermata/pieces"
)

type pieceRow struct {
	ID              string `gorm:"primaryKey"`
	ProjectID       string
	Name            string
	Seed            string
	Phase           string
	Activity        string
	Before          string
	Pause           string
	Failure         string
	Branch          string
	Worktree        string
	WorktreeMissing bool
	Base            jsonOf[storedBase]
	Config          jsonOf[pieces.Config]
	Interview       jsonOf[pieces.Interview]
	Splits          jsonOf[*pieces.Splits]
	CodeReview      jsonOf[*pieces.CodeReviewRun]
	Play            bool
	PR              jsonOf[*storedPR] `gorm:"column:pr"`
	Confirmed       bool
	Archived        bool
	Run             int
	WorkReview      string
	ResumedTask     string
	LimitEnds       string
	LimitResumed    bool
	SavedRef        string
	Source          jsonOf[*pieces.Source]
	Attachments     jsonOf[[]pieces.Attachment]
	RunAt           string
	CostUSD         float64 `gorm:"column:cost_usd"`
	Version         int64
	CreatedAt       string
	UpdatedAt       string
	CompletedAt     *string
	HistoryID       int64  `gorm:"->"` // of the newest history row; no column
	HistoryAt       string `gorm:"->"` // when it was written; no column, empty without a row
}

// TableName is asked for by gorm.
func (pieceRow) TableName() string { return "pieces" }

// storedBase is a pieces.Base with the names that its JSON keeps whatever the fields are called.
type storedBase struct {
	Branch      string    `json:"branch"`
	Ref         string    `json:"ref"`
	Commit      string    `json:"commit"`
	CommittedAt time.Time `json:"committedAt"`
	Fetched     bool      `json:"fetched"`
	Note        string    `json:"note"`
}

// storedPR is a pieces.PullRequest with the names that its JSON keeps whatever the fields are called.
type storedPR struct {
	Number   int                     `json:"number"`
	URL      string                  `json:"url"`
	State    pieces.PullRequestState `json:"state"`
	Title    string                  `json:"title"`
	Head     string                  `json:"head"`
	Base     string                  `json:"base"`
	Checks   string                  `json:"checks"`
	Draft    bool                    `json:"draft"`
	Repo     string                  `json:"repo"`
	Host     string                  `json:"host"`
	ReadAt   time.Time               `json:"readAt"`
	ETag     string                  `json:"etag"`
	PollNote string                  `json:"pollNote"`
	PushNote string                  `json:"pushNote,omitempty"`
}

func toPieceRow(p pieces.Piece) pieceRow {
	base := storedBase(p.Base)
	base.CommittedAt = base.CommittedAt.UTC()
	r := pieceRow{
		ID: p.ID, ProjectID: p.ProjectID, Name: p.Name, Seed: p.Seed, Phase: string(p.Phase), Activity: string(p.Activity),
		Before: string(p.Before), Pause: string(p.Pause), Failure: p.Failure, Branch: p.Branch, Worktree: p.Worktree,
		WorktreeMissing: p.WorktreeMissing, Base: jsonOf[storedBase]{base}, Config: jsonOf[pieces.Config]{p.Config}, Interview: jsonOf[pieces.Interview]{p.Interview},
		Play: p.Play, Confirmed: p.Confirmed, Archived: p.Archived, Run: p.Run, WorkReview: string(p.WorkReview),
		ResumedTask: p.ResumedTask, LimitEnds: stamp(p.LimitEnds), LimitResumed: p.LimitResumed,
		SavedRef: p.SavedRef, Source: jsonOf[*pieces.Source]{p.Source}, Attachments: attachmentsOf(p.Attachments), RunAt: p.RunAt, CostUSD: p.CostUSD,
		Version: p.Version, CreatedAt: stamp(p.CreatedAt), UpdatedAt: stamp(p.UpdatedAt), CompletedAt: stampOrNull(p.CompletedAt),
	}
	if splits := p.Splits.Clone(); !splits.Empty() {
		r.Splits.V = &splits
	}
	if review := p.CodeReview; review != (pieces.CodeReviewRun{}) {
		review.At = review.At.UTC()
		r.CodeReview.V = &review
	}
	if p.PR != nil {
		pr := storedPR(*p.PR)
		pr.ReadAt = pr.ReadAt.UTC()
		r.PR.V = &pr
	}
	return r
}

func (r pieceRow) piece() pieces.Piece {
	p := pieces.Piece{
		ID: r.ID, ProjectID: r.ProjectID, Name: r.Name, Seed: r.Seed, Phase: pieces.Phase(r.Phase), Activity: pieces.Activity(r.Activity),
		Before: pieces.Activity(r.Before), Pause: pieces.PauseReason(r.Pause), Failure: r.Failure, Branch: r.Branch, Worktree: r.Worktree,
		WorktreeMissing: r.WorktreeMissing, Base: pieces.Base(r.Base.V), Config: r.Config.V, Interview: r.Interview.V, Play: r.Play, Confirmed: r.Confirmed,
		Archived: r.Archived, Run: r.Run, WorkReview: pieces.WorkReviewState(r.WorkReview), SavedRef: r.SavedRef, Source: r.Source.V, Attachments: someOf(r.Attachments.V),
		RunAt: r.RunAt, CostUSD: r.CostUSD, Version: r.Version,
		ResumedTask: r.ResumedTask, LimitEnds: moment(r.LimitEnds), LimitResumed: r.LimitResumed,
		CreatedAt: moment(r.CreatedAt), UpdatedAt: moment(r.UpdatedAt), CompletedAt: momentOrNil(r.CompletedAt),
	}
	if r.Splits.V != nil {
		p.Splits = *r.Splits.V
	}
	if r.CodeReview.V != nil {
		p.CodeReview = *r.CodeReview.V
	}
	if r.PR.V != nil {
		pr := pieces.PullRequest(*r.PR.V)
		p.PR = &pr
	}
	return p
}

// insertPiece adds the piece that a draft became.
func insertPiece(tx *gorm.DB, p pieces.Piece) error {
	row := toPieceRow(p)
	return tx.Create(&row).Error
}

// updatePiece overwrites the piece when it still has the version read. All but the id and the time of its making are written.
func updatePiece(tx *gorm.DB, p pieces.Piece, read int64) error {
	row := toPieceRow(p)
	done := tx.Model(&pieceRow{}).Where("id = ? AND version = ?", p.ID, read).Select("*").Omit("id", "created_at").Updates(&row)
	if err := hit(tx, done, &pieceRow{}, p.ID); err != nil {
		return fmt.Errorf("version %d: %w", read, err)
	}
	return nil
}
