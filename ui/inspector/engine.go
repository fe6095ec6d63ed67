package inspector

import (
	"context"

	"fermata/pieces"
	"fermata/pieces/engine"
)

// Engine is what the inspector reads and asks for. *engine.Engine is one.
type Engine interface {
	Reader
	Documents
	Actor
	Backlog
	Links
	Splitter
	Changer
}

// Changer carries out what the person decides about requested changes.
type Changer interface {
	StopChanges(ctx context.Context, id string, by pieces.Actor) (pieces.Snapshot, error)
	PushChanges(ctx context.Context, id string, by pieces.Actor) (pieces.Snapshot, error)
}

// Reader reads what the inspector shows of a piece.
type Reader interface {
	Watch() (<-chan struct{}, func())
	Piece(ctx context.Context, id string) (pieces.Snapshot, error)
	Sessions(ctx context.Context, f pieces.SessionFilter) ([]pieces.Session, error)
	Messages(ctx context.Context, sessionID string, n int) ([]pieces.Message, error)
}

// Documents reads what a piece has written and done.
type Documents interface {
	Artifact(ctx context.Context, pieceID string, k pieces.ArtifactKind, taskID string) (pieces.Artifact, bool, error)
	History(ctx context.Context, pieceID string) ([]pieces.HistoryRow, error)
	Diff(ctx context.Context, pieceID string) (pieces.Diff, error)
}

// Actor carries out what the person decides.
type Actor interface {
	EditPlanBrief(ctx context.Context, pieceID, taskID, brief string) (pieces.Snapshot, error)
	EditText(ctx context.Context, pieceID string, kind pieces.ArtifactKind, before, text string) (pieces.Snapshot, error)
	EditPiece(ctx context.Context, id string, edit engine.PieceEdit) (pieces.Snapshot, error)
	Effect(ctx context.Context, r engine.Request) (pieces.Effect, error)
	Act(ctx context.Context, r engine.Request) (engine.Result, error)
	AnswerPrompt(ctx context.Context, promptID string, a pieces.PromptAnswer) error
	OpenWorkspace(ctx context.Context, pieceID string, by pieces.Actor) (engine.Workspace, error)
	Restore(ctx context.Context, pieceID, ref string, by pieces.Actor) (engine.Restored, error)
}

// Splitter carries out what the person decides about splits.
type Splitter interface {
	ReviewSplit(ctx context.Context, r engine.SplitReview) (pieces.Snapshot, error)
	ProposeSplit(ctx context.Context, id string, p pieces.ProposedSplit, by pieces.Actor) (pieces.Snapshot, error)
	StartAnyway(ctx context.Context, id string, by pieces.Actor) (pieces.Snapshot, error)
}

// Links reads what items wait on, and what they could; they are changed by Act.
type Links interface {
	Dependencies(ctx context.Context) (map[string][]pieces.Dependency, error)
	Candidates(ctx context.Context, id string) ([]engine.Candidate, error)
}

// Backlog reads and changes drafts.
type Backlog interface {
	Draft(ctx context.Context, id string) (pieces.Draft, error)
	UpdateDraft(ctx context.Context, id string, edit engine.DraftEdit) (pieces.Draft, error)
	CancelDraft(ctx context.Context, id string) error
	ReleaseDraft(ctx context.Context, id, model string, by pieces.Actor) (pieces.Snapshot, error)
}
