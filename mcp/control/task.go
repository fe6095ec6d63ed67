package control

import (
	"slices"

	"fermata/pieces"
)

// taskView is one agent of the graph as get_piece shows it.
type taskView struct {
	ID           string           `json:"id"`
	Ordinal      int              `json:"ordinal"`
	Kind         pieces.TaskKind  `json:"kind"`
	Name         string           `json:"name"`
	Brief        string           `json:"brief"`
	State        pieces.TaskState `json:"state"`
	Failure      *string          `json:"failure"`
	WaitsFor     *waitView        `json:"waitsFor"`
	DependsOn    []string         `json:"dependsOn"`
	Attempts     int              `json:"attempts"`
	SessionID    *string          `json:"sessionId"`
	Branch       *string          `json:"branch"`
	Worktree     *string          `json:"worktree"`
	Approved     bool             `json:"approved"`
	ApprovalNote *string          `json:"approvalNote"`
	BriefChanged bool             `json:"briefChanged"`
	HasHandoff   bool             `json:"hasHandoff"`
	CostUSD      float64          `json:"costUSD"`
	StartedAt    *string          `json:"startedAt"`
	EndedAt      *string          `json:"endedAt"`
}

// waitView is what an agent waits for. Questions can be answered with answerTaskQuestion; approvals only in the app.
type waitView struct {
	Kind      pieces.PromptKind `json:"kind"`
	Tool      *string           `json:"tool"`
	Questions []pieces.Question `json:"questions"`
	Since     *string           `json:"since"`
}

func tasksOf(s pieces.Snapshot) []taskView {
	views := make([]taskView, 0, len(s.Tasks))
	for _, t := range s.Tasks {
		v := taskView{
			ID: t.ID, Ordinal: t.Ordinal, Kind: t.Kind, Name: t.Name, Brief: t.Brief, State: s.StateOf(t),
			Failure: orNull(t.Failure), DependsOn: []string{}, Attempts: t.Attempts, SessionID: orNull(t.SessionID),
			Branch: orNull(t.Branch), Worktree: orNull(t.Worktree), Approved: t.Approved, ApprovalNote: orNull(t.ApprovalNote),
			BriefChanged: t.BriefChanged, HasHandoff: slices.Contains(s.Handoffs, t.ID), CostUSD: t.CostUSD,
			StartedAt: stampOf(t.StartedAt), EndedAt: stampOf(t.EndedAt),
		}
		v.DependsOn = append(v.DependsOn, pieces.DependsOn(s.Edges, t.ID)...)
		for _, p := range s.Prompts {
			if p.TaskID == t.ID && v.WaitsFor == nil {
				v.WaitsFor = waitOf(p)
			}
		}
		views = append(views, v)
	}
	return views
}

func waitOf(p pieces.Prompt) *waitView {
	v := waitView{Kind: p.Kind, Tool: orNull(p.Tool), Questions: []pieces.Question{}, Since: stamp(p.At)}
	v.Questions = append(v.Questions, p.Questions...)
	return &v
}
