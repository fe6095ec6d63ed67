package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"fermata/pieces"
	"fermata/pieces/prompts"
)

// reviewDiffLimit bounds the patch that a prompt carries, in bytes; the reviewer reads the files for the rest.
const reviewDiffLimit = 200_000

type reviewAnswer struct {
	Verdict      pieces.WorkReviewState   `json:"verdict"`
	Criteria     []pieces.ReviewCriterion `json:"criteria"`
	FailedAgents []struct {
		Agent   int    `json:"agent"`
		Finding string `json:"finding"`
	} `json:"failedAgents"`
	Summary   string `json:"summary"`
	Learnings string `json:"learnings"`
}

// startReview begins the work review, or has the piece wait for its turn.
func (e *Engine) startReview(ctx context.Context, s pieces.Snapshot, tasks []pieces.Task) error {
	if !e.seat(s.Piece.ID) {
		return nil
	}
	now := e.Now()
	s, err := e.moveLocked(ctx, s.Piece.ID, pieces.OnReviewStarted, pieces.ByFermata, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.WorkReview = pieces.WorkReviewNone
		for i := range tasks {
			if tasks[i].Kind == pieces.TaskReview {
				tasks[i].State, tasks[i].StartedAt, tasks[i].EndedAt, tasks[i].Failure = pieces.TaskRunning, &now, nil, ""
				tasks[i].Attempts++
			}
		}
		c.Tasks = tasks
		return nil
	})
	if err != nil {
		e.seats.give()
		return err
	}
	e.groups.start(e.ctx, s.Piece.ID, func(ctx context.Context, _ *group) { e.runReview(withSeat(ctx), s) })
	return nil
}

// runReview reads the diff against the acceptance criteria and writes the verdict.
func (e *Engine) runReview(ctx context.Context, s pieces.Snapshot) {
	answer, cost, err := e.review(ctx, s)
	e.seats.give()
	if e.ctx.Err() != nil {
		return // quitting: the next start finds the review cut off
	}
	if on, why, ends := limitOf(err); on != "" {
		e.parkReview(context.WithoutCancel(ctx), s.Piece.ID, on, why, pieces.Said(err), ends, cost)
		return
	}
	on := pieces.OnReviewPassed
	record := pieces.WorkReview{Verdict: answer.Verdict, Criteria: answer.Criteria, Findings: findings(s.Tasks, answer), CostUSD: cost, At: e.Now()}
	switch {
	case err != nil:
		on = pieces.OnReviewBroke
	case record.Outcome() == pieces.WorkReviewFailed:
		on = pieces.OnReviewFailed
	}
	free := context.WithoutCancel(ctx)
	var moved pieces.Snapshot
	merr := e.insist("the end of a work review", func() (werr error) {
		moved, werr = e.move(free, s.Piece.ID, on, pieces.ByFermata, func(now pieces.Snapshot, c *pieces.Change) error {
			c.Piece.CostUSD += cost
			if err != nil {
				c.Tasks = endReviewTask(now.Tasks, pieces.TaskPending, err.Error(), cost, e.Now)
				c.Piece.Pause, c.Piece.Failure, c.Note = pieces.PauseReviewStepFailed, err.Error(), pieces.Said(err)
				return nil
			}
			return e.writeReview(now, c, record, answer)
		})
		return werr
	})
	switch {
	case merr == nil:
		e.follow(moved)
	case errors.Is(merr, pieces.ErrStale):
		// Stopped or parked meanwhile: the review runs again.
		if nerr := e.insist("the end of a work review", func() error {
			return e.note(free, s.Piece.ID, func(now pieces.Snapshot, c *pieces.Change) error {
				c.Tasks = endReviewTask(now.Tasks, pieces.TaskPending, "", cost, e.Now)
				c.Piece.CostUSD += cost
				return nil
			})
		}); nerr != nil {
			e.Log.Error("write the end of a work review", "piece", s.Piece.ID, "err", nerr)
		}
	default:
		e.Log.Error("write work review", "piece", s.Piece.ID, "err", merr)
	}
}

// writeReview fills in the verdict, its record, and the agents that it failed.
func (e *Engine) writeReview(now pieces.Snapshot, c *pieces.Change, record pieces.WorkReview, answer reviewAnswer) error {
	c.Piece.WorkReview = record.Outcome()
	c.Tasks = endReviewTask(now.Tasks, pieces.TaskCompleted, "", record.CostUSD, e.Now)
	if c.Piece.ResumedTask != "" {
		c.Piece.ResumedTask = ""
		c.Tasks = append(c.Tasks, cleared(now.Tasks, record.Findings)...)
	}
	for _, f := range record.Findings {
		if t, ok := now.Task(f.TaskID); ok {
			t.State, t.Failure = pieces.TaskFailed, f.Finding
			c.Tasks = append(c.Tasks, t)
		}
	}
	body, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("write work review: %w", err)
	}
	artifact(c, pieces.ArtifactWorkReview, "", string(body))
	artifact(c, pieces.ArtifactSummary, "", answer.Summary)
	artifact(c, pieces.ArtifactLearnings, "", answer.Learnings)
	return nil
}

func (e *Engine) review(ctx context.Context, s pieces.Snapshot) (reviewAnswer, float64, error) {
	var answer reviewAnswer
	spec, err := e.text(ctx, s.Piece.ID, pieces.ArtifactSpec)
	if err != nil {
		return answer, 0, err
	}
	diff, err := e.Git.Diff(ctx, s.Piece.Worktree, s.Piece.Base.Commit, reviewDiffLimit)
	if err != nil {
		return answer, 0, fmt.Errorf("read the diff for the work review: %w", err)
	}
	d := prompts.Data{Piece: s.Piece.Name, Branch: s.Piece.Branch, Base: s.Piece.Base.Branch, Spec: spec, Diff: diff.Patch, Cut: diff.Cut}
	for _, t := range s.Tasks {
		if t.Kind == pieces.TaskAgent {
			d.Agents = append(d.Agents, t)
		}
	}
	cost, err := e.askFor(ctx, s, pieces.SessionWorkReview, "workReview", prompts.WorkReview, d, &answer)
	return answer, cost, err
}

// findings names the agents that a review failed. A failed review that names none failed them all: nobody else can mend it.
func findings(tasks []pieces.Task, a reviewAnswer) []pieces.ReviewFinding {
	list := []pieces.ReviewFinding{}
	said := map[int]string{}
	for _, f := range a.FailedAgents {
		said[f.Agent] = f.Finding
	}
	for _, t := range tasks {
		if f, ok := said[t.Ordinal]; ok && t.Kind == pieces.TaskAgent {
			list = append(list, pieces.ReviewFinding{TaskID: t.ID, Ordinal: t.Ordinal, Name: t.Name, Finding: f})
		}
	}
	if len(list) > 0 || a.Verdict != pieces.WorkReviewFailed {
		return list
	}
	for _, t := range tasks {
		if t.Kind == pieces.TaskAgent {
			list = append(list, pieces.ReviewFinding{TaskID: t.ID, Ordinal: t.Ordinal, Name: t.Name, Finding: "The work review failed the piece without naming an agent."})
		}
	}
	return list
}

// endReviewTask returns the review's task with its end.
func endReviewTask(tasks []pieces.Task, state pieces.TaskState, failure string, cost float64, now func() time.Time) []pieces.Task {
	for _, t := range tasks {
		if t.Kind != pieces.TaskReview {
			continue
		}
		at := now()
		t.State, t.Failure, t.EndedAt = state, failure, &at
		t.CostUSD += cost
		return []pieces.Task{t}
	}
	return nil
}
