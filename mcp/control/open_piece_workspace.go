package control

import (
	"context"
	"fmt"

	"fermata/pieces"
	"fermata/pieces/engine"
)

var openPieceWorkspace = tool{
	name: "open_piece_workspace", title: "Open a piece's worktree", repeatable: true,
	description: "Get a piece's worktree ready to work in, made again from its branch if it was removed. Your session does not move: agentInstruction says what to ask the person first.",
	args:        []arg{argPieceID},
	run:         (*control).openPieceWorkspace,
}

// workspaceView is a worktree with what one needs to know in it.
type workspaceView struct {
	OK               bool       `json:"ok"`
	PieceID          string     `json:"pieceId"`
	Name             string     `json:"name"`
	ProjectID        *string    `json:"projectId"`
	WorktreePath     string     `json:"worktreePath"`
	BranchName       string     `json:"branchName"`
	Recreated        bool       `json:"recreated"`
	Phase            phaseView  `json:"phase"`
	Gate             *string    `json:"gate"`
	PRURL            *string    `json:"prURL"`
	Tasks            []taskView `json:"tasks"`
	Spec             *string    `json:"spec"`
	Strategy         *string    `json:"strategy"`
	AgentInstruction string     `json:"agentInstruction"`
}

func (c *control) openPieceWorkspace(ctx context.Context, a args) (any, error) {
	id := a.text("pieceId")
	w, err := c.Engine.OpenWorkspace(ctx, id, pieces.ByClient)
	if err != nil {
		return nil, c.aboutDraft(ctx, id, err)
	}
	p := w.Piece.Piece
	return workspaceView{
		OK: true, PieceID: p.ID, Name: p.Name, ProjectID: orNull(p.ProjectID), WorktreePath: p.Worktree, BranchName: p.Branch,
		Recreated: w.Made, Phase: phaseOf(w.Piece), Gate: orNull(w.Piece.Gate()), PRURL: prURL(p), Tasks: tasksOf(w.Piece),
		Spec: orNull(w.Spec), Strategy: orNull(w.Strategy), AgentInstruction: instructionOf(w),
	}, nil
}

// instructionOf tells a client how to behave in a worktree that is not its own.
func instructionOf(w engine.Workspace) string {
	p := w.Piece.Piece
	text := fmt.Sprintf("The worktree of '%s' is ready at %s, on the branch %s. Your session has not moved: ask the person before you change directory to it. "+
		"There, stay on that branch and commit what you do; do not remove the worktree.", p.Name, p.Worktree, p.Branch)
	if pieces.LiveState(w.Piece.State()) {
		text += " Fermata is working on this piece right now: read, but change nothing before it has paused or stopped."
	}
	return text
}
