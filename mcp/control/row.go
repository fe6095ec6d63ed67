package control

import (
	"context"

	"fermata/pieces"
)

// phaseView is a phase as the board names it.
type phaseView struct {
	Key     pieces.Phase `json:"key"`
	Display string       `json:"display"`
}

// sourceView is a linked tracker issue.
type sourceView struct {
	Key  string `json:"key"`
	URL  string `json:"url"`
	Kind string `json:"kind"`
}

// place says where an item runs.
type place struct {
	Choice   *string `json:"choice"`
	Resolved string  `json:"resolved"`
	EchoName *string `json:"echoName"`
	Removed  bool    `json:"removed"`
}

const thisMac = "thisMac"

func placeOf(choice string) place { return place{Choice: orNull(choice), Resolved: thisMac} }

// draftRow is a draft as list_pieces shows it.
type draftRow struct {
	Kind            string        `json:"kind"`
	ID              string        `json:"id"`
	Name            string        `json:"name"`
	ProjectID       string        `json:"projectId"`
	Lane            pieces.Lane   `json:"lane"`
	Phase           phaseView     `json:"phase"`
	CreatedAt       *string       `json:"createdAt"`
	HasSpec         bool          `json:"hasSpec"`
	Refine          pieces.Refine `json:"refine"`
	ModelID         *string       `json:"modelId"`
	Source          *sourceView   `json:"source"`
	Related         []sourceView  `json:"related"`
	AttachmentCount int           `json:"attachmentCount"`
	links
	RunAt place `json:"runAt"`
}

// draftRowOf builds a draft's row; on is what it waits on.
func draftRowOf(d pieces.Draft, on []pieces.Dependency) draftRow {
	return draftRow{
		Kind: "draft", ID: d.ID, Name: d.Title, ProjectID: d.ProjectID, Lane: d.Lane,
		Phase:     phaseView{pieces.PhaseBacklog, pieces.DisplayOf(pieces.PhaseBacklog, 0, 0)},
		CreatedAt: stamp(d.CreatedAt), HasSpec: d.Spec != "", Refine: d.Refine, ModelID: orNull(d.Model),
		Related: []sourceView{}, AttachmentCount: len(d.Attachments), links: linksOf(on, d.Waits(on)), RunAt: placeOf(d.RunAt),
	}
}

// pieceRow is a piece as list_pieces shows it.
type pieceRow struct {
	Kind               string          `json:"kind"`
	ID                 string          `json:"id"`
	Name               string          `json:"name"`
	ProjectID          *string         `json:"projectId"`
	Phase              phaseView       `json:"phase"`
	Gate               *string         `json:"gate"`
	Activity           pieces.Activity `json:"activity"`
	TaskCount          int             `json:"taskCount"`
	CompletedTaskCount int             `json:"completedTaskCount"`
	Progress           float64         `json:"progress"`
	PRURL              *string         `json:"prURL"`
	CreatedAt          *string         `json:"createdAt"`
	UpdatedAt          *string         `json:"updatedAt"`
	CompletedAt        *string         `json:"completedAt"`
	IsArchived         bool            `json:"isArchived"`
	links
	splits
	RunAt place    `json:"runAt"`
	Echo  echoView `json:"echo"`
}

// echoView says on which machine a piece runs.
type echoView struct {
	ID     *string `json:"id"`
	Name   *string `json:"name"`
	State  string  `json:"state"`
	Reason *string `json:"reason"`
}

// pieceRowOf builds a piece's row; startSplits is the setting that every row tells.
func pieceRowOf(s pieces.Snapshot, startSplits bool) pieceRow {
	p := s.Piece
	completed, total := s.AgentCount()
	row := pieceRow{
		Kind: "piece", ID: p.ID, Name: p.Name, ProjectID: orNull(p.ProjectID),
		Phase: phaseOf(s), Gate: orNull(s.Gate()), Activity: p.Activity,
		TaskCount: total, CompletedTaskCount: completed, Progress: s.Progress(), PRURL: prURL(p),
		CreatedAt: stamp(p.CreatedAt), UpdatedAt: stamp(p.UpdatedAt), CompletedAt: stampOf(p.CompletedAt),
		IsArchived: p.Archived, links: pieceLinks(s),
		splits: splitsOf(s, startSplits),
		RunAt:  placeOf(p.RunAt), Echo: echoView{State: "local"},
	}
	return row
}

func phaseOf(s pieces.Snapshot) phaseView { return phaseView{s.Piece.Phase, s.Display()} }

func prURL(p pieces.Piece) *string {
	if p.PR == nil {
		return nil
	}
	return orNull(p.PR.URL)
}

// pieceRow reads the settings that a row tells and builds it.
func (c *control) pieceRow(ctx context.Context, s pieces.Snapshot) (pieceRow, error) {
	startSplits, err := c.on(ctx, pieces.KeyStartSplits)
	return pieceRowOf(s, startSplits), err
}

// on reads a setting that is true or false.
func (c *control) on(ctx context.Context, key string) (bool, error) {
	v, err := c.Engine.Setting(ctx, key)
	return v == "true", err
}
