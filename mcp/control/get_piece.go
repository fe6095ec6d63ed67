package control

import (
	"context"
	"strings"

	"fermata/pieces"
)

var getPiece = tool{
	name: "get_piece", title: "Read a piece or draft", reads: true, repeatable: true, keeps: true,
	description: "Read one piece or draft: its row plus branch, worktree, config, tasks and edges of the agent graph, sessions, artifacts, open interview questions and legalActions (what piece_action accepts now).",
	args: []arg{
		{name: "pieceId", kind: kindText, required: true, format: notBlank, maxLen: maxID, note: "A piece id or a draft id."},
	},
	run: func(c *control, ctx context.Context, a args) (any, error) {
		id := a.text("pieceId")
		s, err := c.Engine.Piece(ctx, id)
		if err == nil {
			return c.pieceDetail(ctx, s)
		}
		if !unknown(err) {
			return nil, err
		}
		d, draftErr := c.Engine.Draft(ctx, id)
		if unknown(draftErr) {
			return nil, err // the piece's own "Unknown pieceId"
		}
		if draftErr != nil {
			return nil, draftErr
		}
		return c.draftDetail(ctx, d)
	},
}

type draftDetail struct {
	draftRow
	Seed         *string  `json:"seed"`
	Spec         *string  `json:"spec"`
	LegalActions []string `json:"legalActions"`
}

func (c *control) draftDetail(ctx context.Context, d pieces.Draft) (any, error) {
	legal := []string{updateDraft.name, cancelDraft.name, releaseDraft.name}
	dependencies, err := c.on(ctx, pieces.KeyDependencies)
	if err != nil {
		return nil, err
	}
	for _, a := range []pieces.Action{pieces.AddDependency, pieces.RemoveDependency} {
		if r, _ := pieces.RuleOf(a); r.Available && dependencies {
			legal = append(legal, string(a))
		}
	}
	row, err := c.draftRow(ctx, d)
	return draftDetail{row, orNull(d.Seed), orNull(d.Spec), legal}, err
}

type pieceDetail struct {
	pieceRow
	BranchName     *string         `json:"branchName"`
	WorktreePath   *string         `json:"worktreePath"`
	Config         configView      `json:"config"`
	Failure        *string         `json:"failure"`
	CostUSD        float64         `json:"costUSD"`
	Tasks          []taskView      `json:"tasks"`
	Edges          []edgeView      `json:"edges"`
	Sessions       []sessionRow    `json:"sessions"`
	LegalActions   []pieces.Action `json:"legalActions"`
	ReviewProgress *reviewProgress `json:"reviewProgress"`
	Artifacts      map[string]bool `json:"artifacts"`
	SplitEvents    []splitEvent    `json:"splitEvents"`
	Interview      *interview      `json:"interview"`
}

type configView struct {
	Lane              pieces.Lane    `json:"lane"`
	Depth             *string        `json:"depth"`
	Refine            pieces.Refine  `json:"refine"`
	Model             *string        `json:"model"`
	Effort            *string        `json:"effort"`
	PermissionProfile pieces.Profile `json:"permissionProfile"`
	AgentsAtOnce      int            `json:"agentsAtOnce"`
	BudgetUSD         *float64       `json:"budgetUSD"`
	ResumeAfterLimit  bool           `json:"resumeAfterLimit"`
}

type edgeView struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// reviewProgress counts the agents on the review checklist.
type reviewProgress struct {
	Approved int `json:"approved"`
	Total    int `json:"total"`
}

// interview is the spec interview's state: the questions that wait, and in which round of at most how many.
type interview struct {
	Working   bool              `json:"working"`
	Questions []pieces.Question `json:"questions"`
	Round     int               `json:"round"`
	MaxRounds int               `json:"maxRounds"`
}

func (c *control) pieceDetail(ctx context.Context, s pieces.Snapshot) (any, error) {
	row, err := c.pieceRow(ctx, s)
	if err != nil {
		return nil, err
	}
	p := s.Piece
	d := pieceDetail{
		pieceRow: row, BranchName: orNull(p.Branch), WorktreePath: orNull(p.Worktree), Config: configOf(p.Config),
		Failure: orNull(troubleOf(s)), CostUSD: p.CostUSD,
		Tasks: tasksOf(s), Edges: []edgeView{}, Sessions: []sessionRow{}, LegalActions: s.LegalActions(),
		ReviewProgress: reviewOf(s), Artifacts: artifactsOf(s), SplitEvents: splitEventsOf(s), Interview: interviewOf(s),
	}
	for _, e := range s.Edges {
		d.Edges = append(d.Edges, edgeView(e))
	}
	for _, o := range s.Sessions {
		d.Sessions = append(d.Sessions, sessionRowOf(o))
	}
	return d, nil
}

// troubleOf says what went wrong, and when a usage limit ends that stopped the piece: the contract has no field for that.
func troubleOf(s pieces.Snapshot) string {
	words := s.Trouble()
	if p := s.Piece; p.Pause == pieces.PauseLimitReached && s.AfterLimit() != "" && !p.LimitEnds.IsZero() {
		words += " The usage limit ends at " + *stamp(p.LimitEnds) + "."
		if _, resumes := s.ResumesAt(); resumes {
			words += " Fermata goes on by itself then."
		}
	}
	return strings.TrimSpace(words)
}

func configOf(c pieces.Config) configView {
	v := configView{
		Lane: c.Lane, Depth: orNull(c.Depth), Refine: c.Refine, Model: orNull(c.Model), Effort: orNull(c.Effort),
		PermissionProfile: c.PermissionProfile, AgentsAtOnce: c.AgentsAtOnce, ResumeAfterLimit: c.ResumeAfterLimit,
	}
	if c.BudgetUSD > 0 {
		v.BudgetUSD = &c.BudgetUSD
	}
	return v
}

func reviewOf(s pieces.Snapshot) *reviewProgress {
	if s.Piece.Phase != pieces.PhaseReview {
		return nil
	}
	_, total := s.AgentCount()
	return &reviewProgress{Approved: total - s.Facts().Unapproved, Total: total}
}

func artifactsOf(s pieces.Snapshot) map[string]bool {
	has := map[string]bool{}
	for _, k := range pieces.ArtifactKinds() {
		has[string(k)] = false
	}
	for _, k := range s.Has {
		has[string(k)] = true
	}
	if len(s.Handoffs) > 0 {
		has[string(pieces.ArtifactHandoff)] = true
	}
	return has
}

func interviewOf(s pieces.Snapshot) *interview {
	if s.Piece.Phase != pieces.PhaseSpec {
		return nil
	}
	v := interview{
		Working: s.Piece.Activity == pieces.Interviewing, Questions: []pieces.Question{},
		Round: s.Piece.Interview.Asked(), MaxRounds: pieces.InterviewRounds(s.Piece.Config.Depth),
	}
	for _, q := range s.Piece.Interview.Questions {
		q.Options = append([]pieces.QuestionOption{}, q.Options...)
		v.Questions = append(v.Questions, q)
	}
	return &v
}
