package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"fermata/pieces"
	"fermata/pieces/signal"
)

// loops is what the Loops of all projects know beyond the store. The zero value is ready.
type loops struct {
	starts starts     // the pieces and drafts that are being started
	wake   signal.Hub // something was started, or could not be
	mu     sync.Mutex
	cutOff map[string]bool // pieces that the last start of Fermata found cut off
}

func (l *loops) noteCutOff(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cutOff == nil {
		l.cutOff = map[string]bool{}
	}
	l.cutOff[id] = true
}

// wasCutOff says whether the piece was cut off and not taken up yet.
func (l *loops) wasCutOff(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cutOff[id]
}

// takeUp forgets that a piece was cut off: it is taken up once.
func (l *loops) takeUp(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.cutOff, id)
}

// PlayLoop lets a project's Loop play: it takes the pieces and drafts of its lane through to an opened pull request, a few at
// once. It plays on after a restart, until it is paused. To press Play again has pull requests tried again that could not be
// opened.
func (e *Engine) PlayLoop(ctx context.Context, projectID string, by pieces.Actor) (pieces.Project, error) {
	p, err := e.setLoop(ctx, projectID, true, by)
	if err != nil {
		return p, err
	}
	if err := e.forgetRefusals(ctx, projectID); err != nil {
		return p, err
	}
	_, err = e.loopTurn(ctx, projectID)
	return p, err
}

// PauseLoop lets the Loop start nothing new from the moment it returns. What runs goes on to its next gate.
func (e *Engine) PauseLoop(ctx context.Context, projectID string, by pieces.Actor) (pieces.Project, error) {
	unlock, err := e.locks.lock(ctx, "loop "+projectID) // a turn that has begun has started what it starts
	if err != nil {
		return pieces.Project{}, fmt.Errorf("pause the Loop of project %s: %w", projectID, err)
	}
	defer unlock()
	return e.setLoop(ctx, projectID, false, by)
}

func (e *Engine) setLoop(ctx context.Context, projectID string, plays bool, by pieces.Actor) (pieces.Project, error) {
	unlock, err := e.locks.lock(ctx, "project "+projectID)
	if err != nil {
		return pieces.Project{}, fmt.Errorf("set the Loop of project %s: %w", projectID, err)
	}
	defer unlock()
	p, err := e.Project(ctx, projectID)
	if err != nil || p.LoopPlaying == plays {
		return p, err
	}
	p.LoopPlaying = plays
	if err := e.Store.SaveProject(ctx, p); err != nil {
		return p, fmt.Errorf("write project %s: %w", projectID, err)
	}
	e.Log.Info("loop", "project", p.Name, "playing", plays, "by", by)
	return p, nil
}

// forgetRefusals makes the Loop try again to open the pull requests that it could not open.
func (e *Engine) forgetRefusals(ctx context.Context, projectID string) error {
	list, err := e.Pieces(ctx, pieces.PieceFilter{ProjectID: projectID})
	if err != nil {
		return err
	}
	refused := func(s pieces.Snapshot) bool {
		return s.Piece.Config.Lane == pieces.LaneLoop && s.Gate() == pieces.GateOpenPullRequest && s.Piece.Failure != ""
	}
	for _, s := range list {
		if !refused(s) {
			continue
		}
		err := e.note(ctx, s.Piece.ID, func(s pieces.Snapshot, c *pieces.Change) error {
			if refused(s) {
				c.Piece.Failure = ""
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// keepLoops lets every Loop that plays do what there is to do, at every change until ctx ends.
func (e *Engine) keepLoops(ctx context.Context) {
	changed, unwatch := e.Store.Watch()
	defer unwatch()
	ended, done := e.loops.wake.Watch()
	defer done()
	tick := time.NewTicker(e.PollEvery) // for starts that went wrong
	defer tick.Stop()
	rest := time.NewTimer(0)
	defer rest.Stop()
	seen := int64(-1)
	for {
		if now := e.Store.Revision(); now != seen { // a transcript that grows is none of the Loop's business
			seen = now
			e.loopTurns(ctx)
		}
		select {
		case <-changed:
		case <-ended:
			seen = -1
		case <-tick.C:
			seen = -1
		case <-ctx.Done():
			return
		}
		rest.Reset(followEvery)
		select {
		case <-rest.C:
		case <-ctx.Done():
			return
		}
	}
}

func (e *Engine) loopTurns(ctx context.Context) {
	list, err := e.Projects(ctx)
	if err != nil {
		if ctx.Err() == nil {
			e.Log.Warn("list projects for their Loops", "err", err)
		}
		return
	}
	for _, p := range list {
		if !p.LoopPlaying {
			continue
		}
		if _, err := e.loopTurn(ctx, p.ID); err != nil && ctx.Err() == nil {
			e.Log.Warn("turn of a Loop", "project", p.Name, "err", err)
		}
	}
}

// LoopStanding says how a project's Loop stands.
func (e *Engine) LoopStanding(ctx context.Context, projectID string) (pieces.LoopStanding, error) {
	l, err := e.loop(ctx, projectID)
	return l.Standing(), err
}

// loop returns what a project's Loop looks at.
func (e *Engine) loop(ctx context.Context, projectID string) (pieces.Loop, error) {
	l := pieces.Loop{Blocked: map[string]bool{}, CutOff: map[string]bool{}}
	var err error
	if l.Project, err = e.Project(ctx, projectID); err != nil {
		return l, err
	}
	// What is being started is read before what there is: a draft that has become a piece by then counts once at most as a
	// draft, and never is picked twice.
	l.Taken, l.Resting = e.loops.starts.now(e.Now(), e.PollEvery)
	if l.Drafts, err = e.Drafts(ctx, projectID); err != nil {
		return l, err
	}
	if l.Pieces, err = e.Pieces(ctx, pieces.PieceFilter{ProjectID: projectID}); err != nil {
		return l, err
	}
	open, err := e.Pieces(ctx, pieces.PieceFilter{ProjectID: projectID, IncludeArchived: true, OpenPullRequest: true})
	if err != nil {
		return l, err
	}
	for _, s := range open {
		if s.Piece.Archived {
			l.Pieces = append(l.Pieces, s)
		}
	}
	for _, s := range l.Pieces {
		l.CutOff[s.Piece.ID] = e.loops.wasCutOff(s.Piece.ID)
	}
	on, err := e.Dependencies(ctx)
	for _, d := range l.Drafts {
		l.Blocked[d.ID] = len(pieces.BlockingKeys(on[d.ID])) > 0
	}
	return l, err
}

// loopTurn lets a project's Loop do what there is to do now. It returns the drafts that it began to release, each with a
// channel that is closed when that is over.
func (e *Engine) loopTurn(ctx context.Context, projectID string) (map[string]<-chan struct{}, error) {
	unlock, err := e.locks.lock(ctx, "loop "+projectID)
	if err != nil {
		return nil, err
	}
	defer unlock()
	l, err := e.loop(ctx, projectID)
	if err != nil {
		return nil, err
	}
	e.loopSplits(l)
	started := map[string]<-chan struct{}{}
	for _, m := range l.Next() {
		if !e.loops.starts.begin(m.ID, e.Now(), e.PollEvery) {
			continue
		}
		over := func(err error) error {
			if errors.Is(err, pieces.ErrStale) {
				err = nil // somebody was quicker: the next turn sees what there is
			}
			e.loops.starts.end(m.ID, e.Now(), err)
			e.loops.wake.Wake()
			return err
		}
		if m.Action == "" {
			done := make(chan struct{})
			started[m.ID] = done
			e.spawn("the Loop's release of a draft", func(ctx context.Context) error {
				defer close(done)
				return over(e.loopRelease(ctx, m.ID))
			})
			continue
		}
		if err := over(e.loopAct(ctx, m)); err != nil {
			e.Log.Warn("the Loop cannot go on with a piece", "piece", m.ID, "action", m.Action, "err", err)
		}
	}
	return started, nil
}

// loopSplits answers split proposals of the Loop's pieces where Auto-split does.
func (e *Engine) loopSplits(l pieces.Loop) {
	for _, s := range l.Pieces {
		id := s.Piece.ID
		if !l.Project.LoopPlaying || s.Piece.Config.Lane != pieces.LaneLoop || !s.AppliesSplits() || !e.loops.starts.begin(id, e.Now(), e.PollEvery) {
			continue
		}
		e.spawn("the Loop's split", func(ctx context.Context) error {
			err := e.acceptSplits(ctx, id)
			e.loops.starts.end(id, e.Now(), err)
			e.loops.wake.Wake()
			return err
		})
	}
}

func (e *Engine) loopRelease(ctx context.Context, id string) error {
	_, err := e.ReleaseDraft(ctx, id, "", pieces.ByFermata)
	if held := (*HeldError)(nil); errors.As(err, &held) || errors.Is(err, pieces.ErrNotFound) {
		return nil // held or cancelled in this moment
	}
	return err
}

// offer tells a playing Loop of a draft that came onto its lane, and returns once that is released if it is its turn.
func (e *Engine) offer(ctx context.Context, d pieces.Draft, wait bool) {
	if d.Lane != pieces.LaneLoop || e.ctx == nil {
		return
	}
	started, err := e.loopTurn(context.WithoutCancel(ctx), d.ProjectID)
	if err != nil {
		e.Log.Warn("offer a draft to the Loop", "draft", d.ID, "err", err)
		return
	}
	if done := started[d.ID]; wait && done != nil {
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
}

// loopAct presses a gate's button for the Loop, if the piece still stands where the Loop saw it.
func (e *Engine) loopAct(ctx context.Context, m pieces.LoopMove) error {
	cutOff := e.loops.wasCutOff(m.ID)
	s, err := e.move(ctx, m.ID, pieces.Trigger(m.Action), pieces.ByFermata, func(s pieces.Snapshot, c *pieces.Change) error {
		if s.LoopAction(cutOff) != m.Action {
			return pieces.ErrStale
		}
		return loopFill(s, c, m.Action, e.Now())
	})
	if err != nil {
		return err
	}
	e.loops.takeUp(m.ID)
	if m.Action != pieces.CreatePR {
		e.follow(s)
		return nil
	}
	e.spawn("the Loop's pull request", func(ctx context.Context) error {
		_, err := e.openPR(ctx, s, Request{PieceID: m.ID, Action: m.Action, By: pieces.ByFermata})
		return err
	})
	return nil
}

// loopFill writes what the action does besides moving the piece.
func loopFill(s pieces.Snapshot, c *pieces.Change, a pieces.Action, now time.Time) error {
	c.Note = pieces.Say("By the Loop.")
	switch a {
	case pieces.ApproveTask:
		var names []string
		for _, t := range s.Approvable() {
			t.Approved, t.ApprovalNote = true, "Its work passed the work review."
			c.Tasks = append(c.Tasks, t)
			names = append(names, t.Name)
		}
		c.Note = pieces.Say("By the Loop, since the work review passed: %s", strings.Join(names, ", "))
	case pieces.StartExecution:
		c.Piece.Run++
	case pieces.ResumeAgents:
		return requeue(s, c)
	case pieces.InterviewMessage:
		c.Piece.Interview = s.Piece.Interview.Say("", now)
	default:
	}
	return nil
}
