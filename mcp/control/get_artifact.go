package control

import (
	"context"
	"encoding/json"
	"fmt"

	"fermata/pieces"
	"fermata/pieces/engine"
)

var getArtifact = tool{
	name: "get_artifact", title: "Read a document", reads: true, repeatable: true,
	description: "Read one of a piece's documents (spec, strategy, summary, learnings: markdown) or records (JSON). present is false for one that does not exist yet. workReview adds outcome and failedTasks.",
	args: []arg{
		argPieceID,
		{name: "kind", kind: kindText, required: true, enum: names(pieces.ArtifactKinds())},
		{name: "taskId", kind: kindText, maxLen: maxID, note: "Needed for handoff: the agent."},
	},
	check: func(a args) *ArgumentError {
		handoff := a.text("kind") == string(pieces.ArtifactHandoff)
		switch {
		case handoff && a.blank("taskId"):
			return &ArgumentError{"get_artifact", "taskId", "is required for the kind handoff"}
		case !handoff && !a.blank("taskId"):
			return &ArgumentError{"get_artifact", "taskId", "is only taken by the kind handoff"}
		}
		return nil
	},
	run: (*control).getArtifact,
}

// artifactView is a document or record of a piece.
type artifactView struct {
	PieceID string              `json:"pieceId"`
	Kind    pieces.ArtifactKind `json:"kind"`
	Present bool                `json:"present"`
	Format  string              `json:"format"`
	Content any                 `json:"content"`
	Message *string             `json:"message"`
}

func (c *control) getArtifact(ctx context.Context, a args) (any, error) {
	id, kind, taskID := a.text("pieceId"), pieces.ArtifactKind(a.text("kind")), a.text("taskId")
	s, err := c.Engine.Piece(ctx, id)
	if err != nil {
		return nil, err
	}
	if _, ok := s.Task(taskID); taskID != "" && !ok {
		return nil, &engine.Refusal{Sentence: pieces.Say("Unknown taskId"), Cause: pieces.ErrNotFound}
	}
	view := artifactView{PieceID: id, Kind: kind, Format: "json"}
	if kind.Markdown() {
		view.Format = "markdown"
	}
	if kind == pieces.ArtifactCodeReview {
		view.Message = orNull(codeReviewWords(s.Piece.CodeReview))
	}
	doc, ok, err := c.Engine.Artifact(ctx, id, kind, taskID)
	if err != nil {
		return nil, err
	}
	if !ok {
		if kind == pieces.ArtifactWorkReview {
			view.Message = orNull("This piece has no work review yet.")
		}
		return view, nil
	}
	view.Present = true
	switch {
	case kind.Markdown():
		view.Content = doc.Content
	case kind == pieces.ArtifactWorkReview:
		view.Content, err = workReviewOf(doc.Content)
	default:
		view.Content, err = recordOf(doc.Content)
	}
	return view, err
}

// codeReviewWords say what the record of a code review does not: that another one runs, or that the last one failed.
func codeReviewWords(r pieces.CodeReviewRun) string {
	switch r.State {
	case pieces.CodeReviewRunning:
		return "A code review is running."
	case pieces.CodeReviewFailed:
		return "The last code review failed: " + r.Failure
	default:
		return ""
	}
}

func recordOf(content string) (map[string]any, error) {
	var record map[string]any
	if err := json.Unmarshal([]byte(content), &record); err != nil {
		return nil, fmt.Errorf("read stored record: %w", err)
	}
	return record, nil
}

// workReviewOf adds to the stored record what the app works out from it: the outcome and the agents it failed.
func workReviewOf(content string) (any, error) {
	record, err := recordOf(content)
	if err != nil {
		return nil, err
	}
	review, err := pieces.ParseWorkReview(content)
	if err != nil {
		return nil, err
	}
	record["outcome"] = review.Outcome()
	record["failedTasks"] = review.FailedTasks()
	return record, nil
}

func names[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}
