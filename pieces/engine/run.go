package engine

import (
	"context"
	"fmt"
	"sync"

	"fermata/pieces"
)

// groups holds the agents that run now, by piece. The zero value is ready.
type groups struct {
	mu sync.Mutex
	m  map[string]*group
}

// group is everything that runs for one piece: it is cancelled as one and waited for as one.
type group struct {
	ctx    context.Context //nolint:containedctx // the life of one run, which outlives the call that started it
	cancel context.CancelCauseFunc
	work   sync.WaitGroup
	mu     sync.Mutex
	left   []pieces.LeftProcess
}

// start runs work in the piece's group.
func (g *groups) start(ctx context.Context, pieceID string, work func(ctx context.Context, g *group)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.m == nil {
		g.m = map[string]*group{}
	}
	r := g.m[pieceID]
	if r == nil {
		r = &group{}
		r.ctx, r.cancel = context.WithCancelCause(ctx)
		g.m[pieceID] = r
	}
	r.work.Go(func() { work(r.ctx, r) })
}

// stop cancels everything that runs for the piece, waits for its end and returns the processes that outlived it.
func (g *groups) stop(pieceID string, cause error) []pieces.LeftProcess {
	g.mu.Lock()
	r := g.m[pieceID]
	delete(g.m, pieceID)
	g.mu.Unlock()
	if r == nil {
		return nil
	}
	r.cancel(cause)
	r.work.Wait()
	return r.left
}

func (g *groups) stopAll(cause error) {
	g.mu.Lock()
	var ids []string
	for id := range g.m {
		ids = append(ids, id)
	}
	g.mu.Unlock()
	var all sync.WaitGroup
	for _, id := range ids {
		all.Go(func() { g.stop(id, cause) })
	}
	all.Wait()
}

func (r *group) leave(left []pieces.LeftProcess) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = append(r.left, left...)
}

// advance looks at a running piece's graph and does what it allows: start agents, begin the work review, or end the run.
func (e *Engine) advance(ctx context.Context, id string) error {
	unlock, err := e.locks.lock(ctx, id)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := e.Piece(ctx, id)
	if err != nil {
		return err
	}
	activity := s.Piece.Activity
	if s.Piece.Phase != pieces.PhaseAgents || (activity != pieces.Running && activity != pieces.Pausing) {
		e.seats.drop(id)
		return nil
	}
	tasks := pieces.Block(s.Tasks, s.Edges)
	running := s.Facts().AgentsRunning
	if activity == pieces.Pausing {
		e.seats.drop(id)
		// An agent that waits for the person does not hold the pause up: it goes on once it has its answer.
		if running > waitingTasks(s.Tasks) {
			return nil
		}
		return e.drained(ctx, id, tasks)
	}
	if spent(s.Piece) && len(pieces.Ready(tasks, s.Edges)) > 0 {
		return e.stopSpending(ctx, s, tasks, running)
	}
	if s.Piece.ResumedTask != "" {
		return e.advanceResumed(ctx, s, tasks, running)
	}
	return e.startReady(ctx, s, tasks, running)
}

// drained writes that a pausing run has come to rest, and why it pauses.
func (e *Engine) drained(ctx context.Context, id string, tasks []pieces.Task) error {
	_, err := e.moveLocked(ctx, id, pieces.OnDrained, pieces.ByFermata, func(s pieces.Snapshot, c *pieces.Change) error {
		c.Tasks, c.Piece.Failure = tasks, s.Piece.Failure
		if c.Piece.Pause = s.Piece.Pause; c.Piece.Pause == pieces.PauseNone {
			c.Piece.Pause = pieces.PauseByPerson
		}
		return nil
	})
	return err
}

func waitingTasks(tasks []pieces.Task) int {
	n := 0
	for _, t := range tasks {
		if t.State == pieces.TaskWaiting {
			n++
		}
	}
	return n
}

func (e *Engine) startReady(ctx context.Context, s pieces.Snapshot, tasks []pieces.Task, running int) error {
	var start []pieces.Task
	review, queued := false, false
	for _, t := range pieces.Ready(tasks, s.Edges) {
		switch {
		case t.Kind == pieces.TaskReview:
			review = running == 0
		case running+len(start) < max(1, s.Piece.Config.AgentsAtOnce):
			if queued = queued || !e.seat(s.Piece.ID); !queued {
				start = append(start, t)
			}
		}
	}
	switch {
	case len(start) > 0:
		return e.startAgents(ctx, s, tasks, start)
	case running > 0 || queued:
		return nil
	case review:
		return e.startReview(ctx, s, tasks)
	}
	_, err := e.moveLocked(ctx, s.Piece.ID, pieces.OnAgentsFailed, pieces.ByFermata, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Tasks = tasks
		return nil
	})
	return err
}

// startAgents marks tasks as running before their processes exist: a crash in between finds them interrupted. Each of them
// has a place already.
func (e *Engine) startAgents(ctx context.Context, s pieces.Snapshot, tasks, start []pieces.Task) error {
	if err := e.markStarted(ctx, s, tasks, start); err != nil {
		for range start {
			e.seats.give()
		}
		return err
	}
	for _, t := range start {
		e.groups.start(e.ctx, s.Piece.ID, func(ctx context.Context, g *group) { e.runTask(withSeat(ctx), g, s.Piece.ID, t.ID, false) })
	}
	return nil
}

func (e *Engine) markStarted(ctx context.Context, s pieces.Snapshot, tasks, start []pieces.Task) error {
	now := e.Now()
	chain := pieces.Chain(s.Tasks, s.Edges)
	for i := range tasks {
		for _, t := range start {
			if tasks[i].ID != t.ID {
				continue
			}
			tasks[i].State, tasks[i].Failure = pieces.TaskRunning, ""
			tasks[i].Attempts++
			tasks[i].StartedAt, tasks[i].EndedAt = &now, nil
			if err := e.placeTask(ctx, s, &tasks[i], chain); err != nil {
				return err
			}
		}
	}
	c := pieces.Change{Piece: s.Piece, From: s.State(), Trigger: pieces.OnTaskChanged, By: pieces.ByFermata, Tasks: tasks, Quiet: true}
	if _, err := e.Store.Apply(ctx, c); err != nil {
		return writeError("start agents of "+s.Piece.ID, err)
	}
	return nil
}

// placeTask says where a task works: in the piece's worktree when the graph is a chain, else in one of its own. A later
// attempt goes on in the worktree of the one before while that is there, and starts a new branch from the piece's when it
// was merged and released.
func (e *Engine) placeTask(ctx context.Context, s pieces.Snapshot, t *pieces.Task, chain bool) error {
	if chain {
		t.Worktree, t.Branch = s.Piece.Worktree, s.Piece.Branch
		return nil
	}
	path := fmt.Sprintf("%s--%d", s.Piece.Worktree, t.Ordinal)
	branch := fmt.Sprintf("fermata-agent/%s/%d", short(s.Piece.ID), t.Ordinal)
	if t.Attempts > 1 {
		_, known, err := e.recordOf(ctx, s.Piece.ID, path)
		if err != nil {
			return err
		}
		if known {
			branch = t.Branch
		} else {
			branch = fmt.Sprintf("%s-%d", branch, t.Attempts)
		}
	}
	t.Worktree, t.Branch = path, branch
	return nil
}

// taskWaits shows on the board that a task's session waits for the person, or no longer does.
func (e *Engine) taskWaits(s pieces.Session, waits bool) {
	if s.TaskID == "" {
		return
	}
	from, to := pieces.TaskWaiting, pieces.TaskRunning
	if waits {
		from, to = to, from
	}
	err := e.note(context.WithoutCancel(e.ctx), s.PieceID, func(snap pieces.Snapshot, c *pieces.Change) error {
		if t, ok := snap.Task(s.TaskID); ok && t.State == from {
			t.State = to
			c.Tasks = []pieces.Task{t}
		}
		return nil
	})
	if err != nil {
		e.Log.Error("mark waiting task", "task", s.TaskID, "err", err)
	}
	if waits {
		e.goOn(s.PieceID)
	}
}
