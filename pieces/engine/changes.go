package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"fermata/pieces"
	"fermata/pieces/prompts"
)

// feedbackGoesOn is what createPR says while a feedback session works.
func feedbackGoesOn() pieces.Sentence {
	return pieces.Say("A feedback session works on the piece: what it has committed is pushed now, and the rest once it ends.")
}

func checkChanges(r Request) error {
	if strings.TrimSpace(r.Text) == "" {
		return refuse(nil, "Say what should change.")
	}
	return nil
}

// feedbackOf returns the feedback session that works on the piece now; ok is false when none does.
func feedbackOf(s pieces.Snapshot) (id string, ok bool) {
	if s.Piece.Activity != pieces.Changing {
		return "", false
	}
	for _, o := range s.Sessions { // newest first
		if o.Kind == pieces.SessionFeedback {
			return o.ID, true
		}
	}
	return "", true
}

// requestChanges starts a feedback session in the piece's worktree, made again from the branch where it is gone.
func (e *Engine) requestChanges(ctx context.Context, before pieces.Snapshot, r Request) (Result, error) {
	if before.Piece.Worktree == "" || before.Piece.WorktreeMissing {
		if _, _, err := e.openWorktree(ctx, r.PieceID, r.By); err != nil {
			return Result{}, err
		}
	}
	s, unlock, err := e.atWorktree(ctx, r, func(err error) pieces.Sentence { return pieces.Say("The changes were not started: %v", err) })
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	if _, err = e.moveLocked(ctx, r.PieceID, pieces.Trigger(pieces.RequestChanges), r.By, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Note = pieces.Quote(r.Text)
		return nil
	}); err != nil {
		return Result{}, err
	}
	session := e.besides(s.Piece, pieces.SessionFeedback, "requested changes")
	now, err := e.startBeside(ctx, r.PieceID, session, func(ctx context.Context, g *group) { e.runChanges(ctx, g, s, session, r.Text) })
	if err != nil {
		return Result{}, err
	}
	return Result{Piece: now, SessionID: session.ID, Started: true, Message: "A feedback session works on the changes."}, nil
}

// feedback says how the session starts that makes a change.
func (e *Engine) feedback(ctx context.Context, s pieces.Snapshot, sessionID, text string) (pieces.Launch, error) {
	d := prompts.Data{Piece: s.Piece.Name, Branch: s.Piece.Branch, Guidance: text}
	var err error
	if d.Spec, err = e.text(ctx, s.Piece.ID, pieces.ArtifactSpec); err != nil {
		return pieces.Launch{}, err
	}
	if d.Summary, err = e.text(ctx, s.Piece.ID, pieces.ArtifactSummary); err != nil {
		return pieces.Launch{}, err
	}
	q, err := prompts.Build(prompts.Feedback, d)
	if err != nil {
		return pieces.Launch{}, err
	}
	l, _, err := e.launch(ctx, s, pieces.SessionFeedback, "task", q)
	l.SessionID = sessionID
	return l, err
}

// runChanges runs the feedback session and writes its end.
func (e *Engine) runChanges(ctx context.Context, g *group, s pieces.Snapshot, session pieces.Session, text string) {
	p := s.Piece
	cost, cause := e.change(ctx, g, s, session, text)
	home := e.bringHome(ctx, p.ID, cause)
	if ctx.Err() != nil {
		return // quitting, or ended by whoever writes what became of the piece
	}
	err := e.insist("the end of requested changes", func() (err error) {
		// Whoever stops the session while it holds the piece's lock writes what became of it, and waits for us without it.
		unlock, err := e.locks.lock(ctx, p.ID)
		if err != nil {
			return err
		}
		defer unlock()
		s, err = e.moveLocked(context.WithoutCancel(ctx), p.ID, pieces.OnChangesDone, pieces.ByFermata, func(_ pieces.Snapshot, c *pieces.Change) error {
			endFeedback(c)
			c.Piece.CostUSD += cost
			home.write(c)
			if cause != nil {
				c.Note = pieces.Say("The requested changes are not done: %v", cause)
				c.Piece.Failure = c.Note.String()
			}
			return nil
		})
		return err
	})
	if ctx.Err() != nil && err != nil {
		return
	}
	if err != nil {
		e.Log.Error("write the end of requested changes", "piece", p.ID, "err", err)
		return
	}
	e.afterChanges(s, home)
}

// afterChanges does what a feedback session held up.
func (e *Engine) afterChanges(s pieces.Snapshot, home homecoming) {
	if pr := s.Piece.PR; pr != nil && pr.State == pieces.PullRequestMerged {
		e.spawn("release worktree", func(ctx context.Context) error { return e.releaseMerged(ctx, s.Piece) })
	}
	if s.Facts().PROpen && !home.open {
		e.spawn("push changes", func(ctx context.Context) error { return e.pushLate(ctx, s.Piece.ID) })
	}
}

// endFeedback makes a pull request that is being created fall back to a piece on which no feedback session works.
func endFeedback(c *pieces.Change) {
	if c.Piece.Activity == pieces.CreatingPR && c.Piece.Before == pieces.Changing {
		c.Piece.Before = pieces.Idle
	}
}

// change is the feedback session's work: one turn, and everything committed.
func (e *Engine) change(ctx context.Context, g *group, s pieces.Snapshot, session pieces.Session, text string) (float64, error) {
	l, err := e.feedback(ctx, s, session.ID, text)
	if err != nil {
		state := pieces.SessionFailed
		if ctx.Err() != nil {
			state = pieces.SessionCancelled
		}
		(&talk{e: e, session: session}).close(state, err.Error())
		return 0, err
	}
	t, err := e.open(ctx, session, l, false)
	if err != nil {
		return 0, err
	}
	turn, err := t.wait(ctx)
	if err == nil {
		err = turnError(turn)
	}
	if err == nil {
		_, err = e.leaveClean(ctx, t, pieces.Task{Name: "Requested changes", Worktree: s.Piece.Worktree, Branch: s.Piece.Branch}, turn)
	}
	switch {
	case ctx.Err() != nil:
		g.leave(t.stop(ctx, pieces.SessionCancelled, ""))
	case err != nil:
		g.leave(t.finish(ctx, pieces.SessionFailed, err.Error()))
	default:
		g.leave(t.finish(ctx, pieces.SessionCompleted, ""))
	}
	return t.cost(), err
}

// stopChanges ends a feedback session that works on the piece, whose lock is held, and returns what it cost. A process of it
// that lives on is an error.
func (e *Engine) stopChanges(ctx context.Context, s pieces.Snapshot) (float64, error) {
	id, changing := feedbackOf(s)
	if !changing {
		return 0, nil
	}
	left := e.groups.stop(s.Piece.ID, errStopped)
	cost := 0.0
	if session, err := e.Session(ctx, id); err == nil {
		cost = session.CostUSD
	}
	if len(left) == 0 {
		return cost, nil
	}
	var names []string
	for _, p := range left {
		names = append(names, fmt.Sprintf("%s (process %d)", p.Command, p.PID))
	}
	return cost, errors.New("these processes of its feedback session could not be ended: " + strings.Join(names, ", "))
}

// errStoppedChanges is why a feedback session did not come to its end that the person stopped.
var errStoppedChanges = errors.New("it was stopped")

// StopChanges ends the feedback session that works on a piece and nothing else of it. What it wrote stays in the worktree, and
// what it committed on the branch. It is a Refusal when no such session works, and when a process of it lives on, which the
// piece says then too.
func (e *Engine) StopChanges(ctx context.Context, id string, by pieces.Actor) (pieces.Snapshot, error) {
	unlock, err := e.locks.lock(ctx, id)
	if err != nil {
		return pieces.Snapshot{}, fmt.Errorf("stop the changes of piece %s: %w", id, err)
	}
	defer unlock()
	s, err := e.Piece(ctx, id)
	if err != nil {
		return s, err
	}
	if s.Facts().Feedback {
		return s, refuse(nil, "The pull request is being opened. Stop the session once that is done.")
	}
	if _, changing := feedbackOf(s); !changing {
		return s, refuse(nil, "No feedback session works on this piece.")
	}
	ctx = context.WithoutCancel(ctx) // a stop that began is carried through
	cost, left := e.stopChanges(ctx, s)
	home := e.bringHome(ctx, id, errStoppedChanges)
	s, err = e.moveLocked(ctx, id, pieces.OnChangesDone, by, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.CostUSD += cost
		c.Note = pieces.Say("The feedback session was stopped.")
		home.write(c)
		if left != nil {
			c.Note = pieces.Say("The feedback session was stopped, but %v.", left)
			c.Piece.Failure = c.Note.String()
		}
		return nil
	})
	if err != nil {
		return s, err
	}
	e.afterChanges(s, home)
	if left != nil {
		return s, refuse(left, "%s", s.Piece.Failure)
	}
	return s, nil
}

// notDone takes back that a piece is done. A feedback session that was ended for it is over, whatever else failed.
func (e *Engine) notDone(ctx context.Context, s pieces.Snapshot, cost float64, cause error) error {
	words := pieces.Say("The piece was not marked done: %v", cause)
	if _, changing := feedbackOf(s); changing {
		_, err := e.moveLocked(ctx, s.Piece.ID, pieces.OnChangesDone, pieces.ByFermata, func(_ pieces.Snapshot, c *pieces.Change) error {
			c.Piece.CostUSD += cost
			c.Piece.Failure, c.Note = words.String(), words
			return nil
		})
		if err != nil {
			return err
		}
	}
	return refuse(cause, "%s", words)
}
