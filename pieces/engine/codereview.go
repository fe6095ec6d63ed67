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

// errMarkedDone is why a code review failed that markDone ended; people read it.
var errMarkedDone = errors.New("it was ended because the piece was marked done")

// codeReviewGroup names the group in which a piece's code review runs, so that it ends apart from the piece's agents.
func codeReviewGroup(pieceID string) string { return "code review " + pieceID }

// levelOf is the effort of a code review; the highest when none was asked for.
func levelOf(r Request) string {
	if r.Level == "" {
		return pieces.CodeReviewLevels()[1]
	}
	return r.Level
}

func checkCodeReview(r Request) error {
	if levels := pieces.CodeReviewLevels(); !slices.Contains(levels, levelOf(r)) {
		return refuse(nil, "runCodeReview takes the level %s, not %q.", strings.Join(levels, " or "), r.Level)
	}
	return nil
}

// codeReviewWords say why a code review cannot start although the piece stands where one could; empty when that is not why.
func codeReviewWords(s pieces.Snapshot) pieces.Sentence {
	switch {
	case !s.Flags.CodeReview:
		return pieces.Say("runCodeReview is not legal now: the Edge feature Code review is turned off.")
	case s.Piece.CodeReview.State == pieces.CodeReviewRunning:
		return pieces.Say("A code review of this piece is running already.")
	default:
		return pieces.Sentence{}
	}
}

// runCodeReview starts a code review beside whatever the piece does; it answers on start.
func (e *Engine) runCodeReview(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	s, unlock, err := e.atWorktree(ctx, r, func(err error) pieces.Sentence { return pieces.Say("The code review was not started: %v", err) })
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	session := e.besides(s.Piece, pieces.SessionCodeReview, "code review")
	session.Effort = levelOf(r)
	if _, err := e.moveLocked(ctx, r.PieceID, pieces.Trigger(pieces.RunCodeReview), r.By, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.CodeReview = pieces.CodeReviewRun{State: pieces.CodeReviewRunning, Level: session.Effort, SessionID: session.ID, At: session.CreatedAt}
		c.Note = pieces.Say("Level %s", session.Effort)
		return nil
	}); err != nil {
		return Result{}, err
	}
	now, err := e.startBeside(ctx, codeReviewGroup(r.PieceID), session, func(ctx context.Context, g *group) { e.reviewCode(ctx, g, s, session) })
	return Result{Piece: now, Started: true, SessionID: session.ID}, err
}

// reviewCode runs the code review and writes its end. Whoever stops it writes what became of it instead.
func (e *Engine) reviewCode(ctx context.Context, g *group, s pieces.Snapshot, session pieces.Session) {
	record, cost, cause := e.codeReview(ctx, g, s, session)
	if ctx.Err() != nil {
		return // quitting, or ended by markDone
	}
	var now pieces.Snapshot
	err := e.insist("the end of a code review", func() error {
		// A stop that comes while we wait for the lock has it, and writes the end.
		unlock, err := e.locks.lock(ctx, s.Piece.ID)
		if err != nil {
			return err
		}
		defer unlock()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		now, err = e.endCodeReview(context.WithoutCancel(ctx), s.Piece.ID, record, cost, cause)
		return err
	})
	if ctx.Err() != nil && err != nil {
		return
	}
	if err != nil {
		e.Log.Error("write the end of a code review", "piece", s.Piece.ID, "err", err)
		return
	}
	if pr := now.Piece.PR; pr != nil && pr.State == pieces.PullRequestMerged {
		e.spawn("release worktree", func(ctx context.Context) error { return e.releaseMerged(ctx, now.Piece) })
	}
}

// endCodeReview writes what came of the code review of a piece whose lock is held. The activity stays what it is.
func (e *Engine) endCodeReview(ctx context.Context, id string, record pieces.CodeReview, cost float64, cause error) (pieces.Snapshot, error) {
	return e.moveLocked(ctx, id, pieces.OnCodeReviewEnded, pieces.ByFermata, func(s pieces.Snapshot, c *pieces.Change) error {
		run := s.Piece.CodeReview
		run.At = e.Now()
		c.Piece.CostUSD += cost
		if cause != nil {
			run.State, run.Failure = pieces.CodeReviewFailed, cause.Error()
			c.Note = pieces.Quote(run.Failure)
		} else {
			run.State = pieces.CodeReviewDone
			body, err := json.Marshal(record)
			if err != nil {
				return fmt.Errorf("write code review: %w", err)
			}
			artifact(c, pieces.ArtifactCodeReview, "", string(body))
			c.Note = count(len(record.Findings), "finding")
		}
		c.Piece.CodeReview = run
		return nil
	})
}

// codeReview is the review's session: it reads the diff and answers with its findings.
func (e *Engine) codeReview(ctx context.Context, g *group, s pieces.Snapshot, session pieces.Session) (pieces.CodeReview, float64, error) {
	record := pieces.CodeReview{Level: session.Effort, SessionID: session.ID}
	l, err := e.codeReviewLaunch(ctx, s, session, &record)
	if err != nil {
		state := pieces.SessionFailed
		if ctx.Err() != nil {
			state = pieces.SessionCancelled
		}
		(&talk{e: e, session: session}).close(state, err.Error())
		return record, 0, err
	}
	t, err := e.open(ctx, session, l, true)
	if err != nil {
		return record, 0, err
	}
	turn, err := t.wait(ctx)
	if err == nil {
		err = turnError(turn)
	}
	if err == nil && len(turn.Structured) == 0 {
		err = errors.New("Claude Code ended the review without the answer it was asked for") //nolint:staticcheck // a name
	}
	if err == nil {
		err = json.Unmarshal(turn.Structured, &record)
	}
	switch {
	case ctx.Err() != nil:
		g.leave(t.stop(ctx, pieces.SessionCancelled, ""))
	case err != nil:
		g.leave(t.finish(ctx, pieces.SessionFailed, err.Error()))
	default:
		g.leave(t.finish(ctx, pieces.SessionCompleted, ""))
	}
	if record.Findings == nil {
		record.Findings = []pieces.CodeReviewFinding{}
	}
	pieces.SortFindings(record.Findings)
	record.CostUSD, record.At = t.cost(), e.Now()
	return record, record.CostUSD, err
}

func (e *Engine) codeReviewLaunch(ctx context.Context, s pieces.Snapshot, session pieces.Session, record *pieces.CodeReview) (pieces.Launch, error) {
	spec, err := e.text(ctx, s.Piece.ID, pieces.ArtifactSpec)
	if err != nil {
		return pieces.Launch{}, err
	}
	diff, err := e.Git.Diff(ctx, s.Piece.Worktree, s.Piece.Base.Commit, reviewDiffLimit)
	if err != nil {
		return pieces.Launch{}, fmt.Errorf("read the diff for the code review: %w", err)
	}
	record.Head, record.Cut = diff.Head, diff.Cut
	q, err := prompts.Build(prompts.CodeReview, prompts.Data{
		Piece: s.Piece.Name, Branch: s.Piece.Branch, Base: s.Piece.Base.Branch, Spec: spec, Diff: diff.Patch, Cut: diff.Cut,
	})
	if err != nil {
		return pieces.Launch{}, err
	}
	// The model is the work review's; the effort is what was asked for.
	l, _, err := e.launch(ctx, s, pieces.SessionCodeReview, "workReview", q)
	l.SessionID, l.Effort, l.ReadOnly = session.ID, session.Effort, true
	return l, err
}

// stopCodeReview ends a code review that runs in a worktree which is about to go, of a piece whose lock is held. A process of
// it that lives on is an error, and the worktree must stay.
func (e *Engine) stopCodeReview(ctx context.Context, s pieces.Snapshot) error {
	if s.Piece.CodeReview.State != pieces.CodeReviewRunning {
		return nil
	}
	left := e.groups.stop(codeReviewGroup(s.Piece.ID), errStopped)
	cost := 0.0
	if session, err := e.Session(ctx, s.Piece.CodeReview.SessionID); err == nil {
		cost = session.CostUSD
	}
	if _, err := e.endCodeReview(ctx, s.Piece.ID, pieces.CodeReview{}, cost, errMarkedDone); err != nil {
		return err
	}
	var names []string
	for _, p := range left {
		names = append(names, fmt.Sprintf("%s (process %d)", p.Command, p.PID))
	}
	if len(names) > 0 {
		return fmt.Errorf("these processes of its code review could not be ended: %s", strings.Join(names, ", "))
	}
	return nil
}

// recoverCodeReview says of a code review that Fermata's own end cut off that it did not come to its end.
func (e *Engine) recoverCodeReview(ctx context.Context, s pieces.Snapshot, left string) error {
	if s.Piece.CodeReview.State != pieces.CodeReviewRunning {
		return nil
	}
	words := interruptedWords
	if left != "" {
		words = left
	}
	unlock, err := e.locks.lock(ctx, s.Piece.ID)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = e.endCodeReview(ctx, s.Piece.ID, pieces.CodeReview{}, 0, errors.New(words))
	return err
}
