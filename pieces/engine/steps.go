package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fermata/pieces"
	"fermata/pieces/prompts"
)

// Attempts of a plan: an unusable one is sent back with the reason at most twice.
const planAttempts = 3

// settle writes a step's end: the trigger of its success, or of its failure with the reason. A step cut off because
// Fermata quits writes nothing; the next start finds it interrupted.
func (e *Engine) settle(ctx context.Context, id string, stepErr error, good, bad pieces.Trigger, fill change) error {
	if stepErr != nil && e.ctx.Err() != nil {
		return errQuitting
	}
	on := good
	if stepErr != nil {
		on = bad
	}
	var s pieces.Snapshot
	err := e.insist("the end of a step", func() (err error) {
		s, err = e.move(ctx, id, on, pieces.ByFermata, func(s pieces.Snapshot, c *pieces.Change) error {
			if stepErr != nil {
				c.Piece.Failure = stepErr.Error()
				c.Note = pieces.Said(stepErr)
			}
			if limit, why, ends := limitOf(stepErr); limit == pieces.OnLimitReached {
				e.parked(s, c, why, pieces.Said(stepErr), ends) // the step has failed, and is tried again once the limit ended
			}
			return fill(s, c)
		})
		return err
	})
	if err != nil {
		return err
	}
	e.follow(s)
	return nil
}

func artifact(c *pieces.Change, k pieces.ArtifactKind, taskID, content string) {
	c.Artifacts = append(c.Artifacts, pieces.Artifact{PieceID: c.Piece.ID, Kind: k, TaskID: taskID, Content: content})
}

// askFor runs a planning pass and decodes its answer.
func (e *Engine) askFor(ctx context.Context, s pieces.Snapshot, kind pieces.SessionKind, setting, step string, d prompts.Data, into any) (float64, error) {
	raw, cost, err := e.ask(ctx, s, kind, setting, step, d)
	if err != nil {
		return cost, err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return cost, fmt.Errorf("read the answer of the %s step: %w", setting, err)
	}
	return cost, nil
}

func (e *Engine) writeStrategy(ctx context.Context, id string) error {
	s, err := e.Piece(ctx, id)
	if err != nil {
		return err
	}
	spec, err := e.text(ctx, id, pieces.ArtifactSpec)
	if err != nil {
		return err
	}
	old, err := e.text(ctx, id, pieces.ArtifactStrategy)
	if err != nil {
		return err
	}
	said, err := e.strategyWords(ctx, id)
	if err != nil {
		return err
	}
	var answer struct {
		Strategy string                 `json:"strategy"`
		Splits   []pieces.ProposedSplit `json:"splits"`
	}
	cost, stepErr := e.askFor(ctx, s, pieces.SessionStrategy, "strategy", prompts.Strategy, prompts.Data{
		Piece: s.Piece.Name, Spec: spec, Strategy: old, Guidance: said, Proposals: s.Piece.Splits.Proposals, Rejected: s.Piece.Splits.Rejected,
	}, &answer)
	if stepErr == nil && strings.TrimSpace(answer.Strategy) == "" {
		stepErr = errors.New("Claude Code answered with an empty strategy") //nolint:staticcheck // a name
	}
	if stepErr == nil {
		stepErr = pieces.CheckSplits(answer.Splits)
	}
	return e.settle(ctx, id, stepErr, pieces.OnStrategyWritten, pieces.OnStrategyFailed, func(now pieces.Snapshot, c *pieces.Change) error {
		c.Piece.CostUSD += cost
		if stepErr == nil {
			artifact(c, pieces.ArtifactStrategy, "", answer.Strategy)
			c.Piece.Splits = now.Piece.Splits.Proposed(answer.Splits, e.Now(), e.NewID)
		}
		return nil
	})
}

// strategyWords are what the person said of the strategy since one was written; empty when nothing. They are read from the
// piece's history, so an attempt that failed or was cut off leaves them to the next.
func (e *Engine) strategyWords(ctx context.Context, id string) (string, error) {
	rows, err := e.Store.History(ctx, id)
	if err != nil {
		return "", fmt.Errorf("read history of %s: %w", id, err)
	}
	for _, r := range slices.Backward(rows) {
		switch {
		case r.Trigger == pieces.OnStrategyWritten || r.Trigger == pieces.Trigger(pieces.ApproveSpec):
			return "", nil
		case r.Trigger == pieces.Trigger(pieces.GenerateStrategy) && r.By != pieces.ByFermata && !r.Note.Empty():
			return r.Note.String(), nil
		}
	}
	return "", nil
}

// buildPlan splits the piece into agents. An unusable plan goes back with the reason.
func (e *Engine) buildPlan(ctx context.Context, id string) error {
	s, err := e.Piece(ctx, id)
	if err != nil {
		return err
	}
	d := prompts.Data{Piece: s.Piece.Name}
	if d.Spec, err = e.text(ctx, id, pieces.ArtifactSpec); err != nil {
		return err
	}
	if d.Strategy, err = e.text(ctx, id, pieces.ArtifactStrategy); err != nil {
		return err
	}
	var plan struct {
		Agents []pieces.PlannedAgent `json:"agents"`
	}
	var total float64
	var stepErr error
	for range planAttempts {
		plan.Agents = nil
		var cost float64
		cost, stepErr = e.askFor(ctx, s, pieces.SessionPlan, "plan", prompts.Plan, d, &plan)
		total += cost
		if stepErr != nil {
			break
		}
		if stepErr = pieces.CheckPlan(plan.Agents); stepErr == nil {
			break
		}
		d.Problem = stepErr.Error()
	}
	return e.settle(ctx, id, stepErr, pieces.OnPlanBuilt, pieces.OnPlanFailed, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.CostUSD += total
		if stepErr == nil {
			c.Tasks, c.Edges = e.graphOf(id, plan.Agents)
			c.ReplacePlan = true
			c.Piece.WorkReview = pieces.WorkReviewNone
		}
		return nil
	})
}

// graphOf gives a plan's agents their ids and puts the work review after all of them.
func (e *Engine) graphOf(pieceID string, plan []pieces.PlannedAgent) ([]pieces.Task, []pieces.Edge) {
	ids := map[string]string{}
	for _, a := range plan {
		ids[a.Key] = e.NewID()
	}
	review := pieces.Task{
		ID: e.NewID(), PieceID: pieceID, Ordinal: len(plan) + 1, Kind: pieces.TaskReview, Name: "Work review",
		Brief: "Reads the spec's acceptance criteria and the diff, and says whether the work passes.", State: pieces.TaskPending,
	}
	var tasks []pieces.Task
	var edges []pieces.Edge
	for i, a := range plan {
		tasks = append(tasks, pieces.Task{
			ID: ids[a.Key], PieceID: pieceID, Ordinal: i + 1, Kind: pieces.TaskAgent, Name: a.Name, Brief: a.Brief, State: pieces.TaskPending,
		})
		deps := slices.Clone(a.DependsOn)
		slices.Sort(deps)
		for _, dep := range slices.Compact(deps) {
			edges = append(edges, pieces.Edge{From: ids[dep], To: ids[a.Key]})
		}
		edges = append(edges, pieces.Edge{From: ids[a.Key], To: review.ID})
	}
	return append(tasks, review), edges
}
