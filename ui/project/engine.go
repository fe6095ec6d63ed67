package project

import (
	"context"

	"fermata/pieces"
	"fermata/pieces/engine"
)

// Engine is what the window reads and asks for. *engine.Engine is one.
type Engine interface {
	Reader
	Items
	Projects
	Disk
	Loops
}

// Reader reads what the window shows.
type Reader interface {
	Watch() (<-chan struct{}, func())
	Project(ctx context.Context, id string) (pieces.Project, error)
	Drafts(ctx context.Context, projectID string) ([]pieces.Draft, error)
	Pieces(ctx context.Context, f pieces.PieceFilter) ([]pieces.Snapshot, error)
	Dependencies(ctx context.Context) (map[string][]pieces.Dependency, error)
	Search(ctx context.Context, projectID, text string) ([]string, error)
}

// Items makes, moves and deletes drafts and pieces.
type Items interface {
	FileDraft(ctx context.Context, n engine.NewDraft) (engine.Filed, error)
	CreatePiece(ctx context.Context, n engine.NewPiece) (pieces.Snapshot, error)
	ReleaseDraft(ctx context.Context, id, model string, by pieces.Actor) (pieces.Snapshot, error)
	Effect(ctx context.Context, r engine.Request) (pieces.Effect, error)
	Act(ctx context.Context, r engine.Request) (engine.Result, error)
	DeleteEffect(ctx context.Context, id string) (pieces.Effect, error)
	DeletePiece(ctx context.Context, id, bound string) (engine.Deleted, error)
}

// Projects changes the project itself.
type Projects interface {
	EditProject(ctx context.Context, id string, edit engine.ProjectEdit) (pieces.Project, error)
	MoveProject(ctx context.Context, id, path string) (pieces.Project, error)
	RemoveProjectEffect(ctx context.Context, id string) (pieces.Effect, error)
	RemoveProject(ctx context.Context, id, bound string) error
}

// Disk measures worktrees and releases them.
type Disk interface {
	DiskUse(ctx context.Context, projectID string) ([]engine.DiskUse, error)
	ReleaseWorktree(ctx context.Context, pieceID string, by pieces.Actor) error
}

// Loops plays and pauses the project's Loop, and says how it stands.
type Loops interface {
	PlayLoop(ctx context.Context, projectID string, by pieces.Actor) (pieces.Project, error)
	PauseLoop(ctx context.Context, projectID string, by pieces.Actor) (pieces.Project, error)
	LoopStanding(ctx context.Context, projectID string) (pieces.LoopStanding, error)
}
