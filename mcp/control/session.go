package control

import (
	"encoding/json"

	"fermata/pieces"
)

// sessionRow is a session as list_sessions shows it.
type sessionRow struct {
	ID               string              `json:"id"`
	Name             string              `json:"name"`
	Kind             pieces.SessionKind  `json:"kind"`
	ProjectID        *string             `json:"projectId"`
	PieceID          *string             `json:"pieceId"`
	TaskID           *string             `json:"taskId"`
	State            pieces.SessionState `json:"state"`
	AwaitingApproval bool                `json:"awaitingApproval"`
	Model            *string             `json:"model"`
	Effort           *string             `json:"effort"`
	Branch           *string             `json:"branch"`
	Worktree         *string             `json:"worktree"`
	CostUSD          float64             `json:"costUSD"`
	Error            *string             `json:"error"`
	CreatedAt        *string             `json:"createdAt"`
	UpdatedAt        *string             `json:"updatedAt"`
	EndedAt          *string             `json:"endedAt"`
}

func sessionRowOf(s pieces.Session) sessionRow {
	row := sessionRow{
		ID: s.ID, Name: s.Name, Kind: s.Kind, ProjectID: orNull(s.ProjectID), PieceID: orNull(s.PieceID), TaskID: orNull(s.TaskID),
		State: s.State, AwaitingApproval: s.State == pieces.SessionAwaitingApproval,
		Model: orNull(s.Model), Effort: orNull(s.Effort), Branch: orNull(s.Branch), Worktree: orNull(s.Worktree),
		CostUSD: s.CostUSD, CreatedAt: stamp(s.CreatedAt), UpdatedAt: stamp(s.UpdatedAt), EndedAt: stampOf(s.EndedAt),
	}
	if s.State == pieces.SessionFailed {
		row.Error = orNull(s.Error)
	}
	return row
}

// messageView is one entry of a transcript.
type messageView struct {
	Seq    int64              `json:"seq"`
	Role   pieces.MessageRole `json:"role"`
	Text   *string            `json:"text"`
	Tool   *string            `json:"tool"`
	ToolID *string            `json:"toolId"`
	Input  json.RawMessage    `json:"input"`
	Error  bool               `json:"error"`
	At     *string            `json:"at"`
}

func messageOf(m pieces.Message) messageView {
	v := messageView{
		Seq: m.Seq, Role: m.Role, Text: orNull(m.Text), Tool: orNull(m.Tool), ToolID: orNull(m.ToolID),
		Input: m.Input, Error: m.Error, At: stamp(m.At),
	}
	if !json.Valid(v.Input) {
		v.Input = nil
	}
	return v
}
