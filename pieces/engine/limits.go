package engine

import (
	"context"
	"errors"
	"time"

	"fermata/pieces"
)

// limitOf says how a turn that hit a limit parks the run; the trigger is empty for any other error.
func limitOf(err error) (on pieces.Trigger, why pieces.PauseReason, ends *time.Time) {
	var step *stepError
	if !errors.As(err, &step) {
		return "", "", nil
	}
	switch step.end.Failure {
	case pieces.FailureUsageLimit:
		return pieces.OnLimitReached, pieces.PauseLimitReached, step.end.LimitEnds
	case pieces.FailureBudget:
		return pieces.OnBudgetReached, pieces.PauseBudgetReached, nil
	default:
		return "", "", nil
	}
}

// park pauses the run once what runs has ended.
func (e *Engine) park(ctx context.Context, pieceID string, on pieces.Trigger, why pieces.PauseReason, words pieces.Sentence, ends *time.Time) error {
	return e.insist("park the run", func() error {
		_, err := e.move(ctx, pieceID, on, pieces.ByFermata, func(s pieces.Snapshot, c *pieces.Change) error {
			e.parked(s, c, why, words, ends)
			return nil
		})
		return err
	})
}

// parkReview pauses a run whose work review hit a limit; it waits to run again.
func (e *Engine) parkReview(ctx context.Context, pieceID string, on pieces.Trigger, why pieces.PauseReason, words pieces.Sentence, ends *time.Time, cost float64) {
	err := e.insist("park the run", func() error {
		_, err := e.move(ctx, pieceID, on, pieces.ByFermata, func(s pieces.Snapshot, c *pieces.Change) error {
			c.Piece.CostUSD += cost
			c.Tasks = endReviewTask(s.Tasks, pieces.TaskPending, "", cost, e.Now)
			e.parked(s, c, why, words, ends)
			return nil
		})
		return err
	})
	if err != nil && !errors.Is(err, pieces.ErrStale) {
		e.Log.Error("park piece", "piece", pieceID, "err", err)
	}
}

// parked writes why a run is parked, and until when. A limit that ends at a time at which Fermata already resumed the run is
// not waited for again, nor one that is over by its own word: that would start agents over and over.
func (e *Engine) parked(s pieces.Snapshot, c *pieces.Change, why pieces.PauseReason, words pieces.Sentence, ends *time.Time) {
	var at time.Time
	if ends != nil {
		at = ends.UTC()
	}
	c.Note = words
	// Agents that run side by side hit the same limit: the latest end of all counts.
	if why == pieces.PauseLimitReached && s.Piece.Activity == pieces.Pausing && s.Piece.Pause == why && !at.After(s.Piece.LimitEnds) {
		return
	}
	c.Piece.Pause, c.Piece.Failure = why, words.String()
	if why != pieces.PauseLimitReached {
		return
	}
	if !at.Equal(s.Piece.LimitEnds) {
		c.Piece.LimitEnds, c.Piece.LimitResumed = at, !at.After(e.Now())
	}
}

// resumeAfterLimits lets each run or step go on, once, whose usage limit has ended.
func (e *Engine) resumeAfterLimits(ctx context.Context) error {
	list, err := e.Pieces(ctx, pieces.PieceFilter{})
	if err != nil {
		return err
	}
	for _, s := range list {
		if !e.limitEnded(s) {
			continue
		}
		after := s.AfterLimit()
		now, err := e.move(ctx, s.Piece.ID, pieces.Trigger(after), pieces.ByFermata, func(s pieces.Snapshot, c *pieces.Change) error {
			if !e.limitEnded(s) || s.AfterLimit() != after {
				return pieces.ErrStale
			}
			c.Piece.LimitResumed, c.Note = true, pieces.Say("The usage limit ended.")
			switch after {
			case pieces.ResumeAgents:
				return requeue(s, c)
			case pieces.InterviewMessage:
				c.Piece.Interview = s.Piece.Interview.Say("", e.Now())
			default:
			}
			return nil
		})
		if errors.Is(err, pieces.ErrStale) {
			continue // the person was quicker
		}
		if err != nil {
			return err
		}
		e.follow(now)
	}
	return nil
}

func (e *Engine) limitEnded(s pieces.Snapshot) bool {
	at, resumes := s.ResumesAt()
	return resumes && !e.Now().Before(at) && s.Legal(s.AfterLimit())
}

// spent says whether a piece has used up its budget.
func spent(p pieces.Piece) bool { return p.Config.BudgetUSD > 0 && p.CostUSD >= p.Config.BudgetUSD }

// share is what one session of a piece may cost: what is left of its budget, which the agents that run side by side divide
// among them; 0 for no limit.
func share(s pieces.Snapshot, kind pieces.SessionKind) float64 {
	budget := s.Piece.Config.BudgetUSD
	if budget <= 0 {
		return 0
	}
	left := budget - s.Piece.CostUSD
	if kind == pieces.SessionTask {
		left /= float64(max(1, s.Facts().AgentsRunning))
	}
	return max(left, 0.01)
}

// leastShare is the part of a piece's budget for which an agent that used up its share is not started again.
const leastShare = 0.1

// mayGoOn says whether an agent that used up its share may go on with what the others of its piece left.
func mayGoOn(p pieces.Piece) bool {
	return p.Config.BudgetUSD-p.CostUSD >= leastShare*p.Config.BudgetUSD
}

// stopSpending parks a run that would start something although its budget is used up.
func (e *Engine) stopSpending(ctx context.Context, s pieces.Snapshot, tasks []pieces.Task, running int) error {
	words := pieces.Say("The piece has cost $%.2f, and its budget is $%.2f.", s.Piece.CostUSD, s.Piece.Config.BudgetUSD)
	_, err := e.moveLocked(ctx, s.Piece.ID, pieces.OnBudgetReached, pieces.ByFermata, func(s pieces.Snapshot, c *pieces.Change) error {
		e.parked(s, c, pieces.PauseBudgetReached, words, nil)
		return nil
	})
	if err != nil || running > waitingTasks(s.Tasks) {
		return err
	}
	return e.drained(ctx, s.Piece.ID, tasks)
}

// PieceEdit changes what a piece may use; nil fields keep their value.
type PieceEdit struct {
	BudgetUSD *float64 // 0 for no limit
	// ResumeAfterLimit lets a run that a usage limit parked go on by itself once that ended.
	ResumeAfterLimit *bool
}

// EditPiece changes how a piece runs from now on; it starts nothing.
func (e *Engine) EditPiece(ctx context.Context, id string, edit PieceEdit) (pieces.Snapshot, error) {
	if b := edit.BudgetUSD; b != nil && (*b < 0 || *b > 1e6 || *b != *b) {
		return pieces.Snapshot{}, refuse(nil, "A budget is US dollars from 0 to 1000000; 0 is no limit.")
	}
	err := e.note(ctx, id, func(_ pieces.Snapshot, c *pieces.Change) error {
		set(&c.Piece.Config.BudgetUSD, edit.BudgetUSD)
		set(&c.Piece.Config.ResumeAfterLimit, edit.ResumeAfterLimit)
		return nil
	})
	if err != nil {
		return pieces.Snapshot{}, err
	}
	return e.Piece(ctx, id)
}
