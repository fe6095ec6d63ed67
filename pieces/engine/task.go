package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"fermata/pieces"
	"fermata/pieces/prompts"
)

// taskEnd is what one attempt of an agent came to.
type taskEnd struct {
	state     pieces.TaskState
	failure   string
	kind      pieces.FailureKind
	handoff   string
	sessionID string
	costUSD   float64
	limitEnds *time.Time // of a usage limit, where Claude Code said so
}

func failed(err error) taskEnd {
	return taskEnd{state: pieces.TaskFailed, failure: err.Error(), kind: pieces.FailureOther}
}

// runTask runs one attempt of an agent and writes its end. own keeps it in its own session although its brief changed. An
// agent that comes without a place is one that the person spoke to: it waits for the next one.
func (e *Engine) runTask(ctx context.Context, g *group, pieceID, taskID string, own bool) {
	end := e.seatedAttempt(ctx, g, pieceID, taskID, own)
	if e.ctx.Err() != nil {
		return // quitting: the next start finds the agent interrupted and can resume it
	}
	if ctx.Err() != nil {
		end.state, end.failure = pieces.TaskCancelled, "Stopped."
	}
	free := context.WithoutCancel(ctx)
	kind := end.kind
	err := e.insist("the end of an agent", func() error {
		return e.note(free, pieceID, func(s pieces.Snapshot, c *pieces.Change) (err error) {
			end.kind, err = e.writeTask(s, c, taskID, end, kind)
			return err
		})
	})
	if err != nil {
		e.Log.Error("write the end of an agent", "task", taskID, "err", err)
	}
	if ctx.Err() == nil {
		e.afterTask(free, pieceID, end)
	}
}

// writeTask fills in what an attempt came to, and returns why the run has to be parked for it, if it has.
func (e *Engine) writeTask(s pieces.Snapshot, c *pieces.Change, taskID string, end taskEnd, kind pieces.FailureKind) (pieces.FailureKind, error) {
	t, ok := s.Task(taskID)
	if !ok {
		return kind, pieces.ErrNotFound
	}
	now := e.Now()
	t.State, t.Failure, t.EndedAt = end.state, end.failure, &now
	if kind == pieces.FailureUsageLimit || kind == pieces.FailureBudget {
		t.State = pieces.TaskInterrupted
	}
	if end.sessionID != "" {
		t.SessionID, t.Guidance = end.sessionID, ""
	}
	t.CostUSD += end.costUSD
	c.Piece.CostUSD += end.costUSD
	// Without a cost there is nothing that it could go on with: it would be started over and over.
	if kind == pieces.FailureBudget && end.costUSD > 0 && mayGoOn(c.Piece) {
		t.State, t.Failure, kind = pieces.TaskPending, "", pieces.FailureNone
	}
	c.Tasks = []pieces.Task{t}
	if end.handoff != "" {
		artifact(c, pieces.ArtifactHandoff, taskID, end.handoff)
	}
	return kind, nil
}

func (e *Engine) seatedAttempt(ctx context.Context, g *group, pieceID, taskID string, own bool) taskEnd {
	if !seated(ctx) {
		if err := e.seats.take(ctx, pieceID, taskID, true); err != nil {
			return failed(err)
		}
		ctx = withSeat(ctx)
	}
	defer e.seats.give()
	return e.attempt(ctx, g, pieceID, taskID, own)
}

func (e *Engine) afterTask(ctx context.Context, pieceID string, end taskEnd) {
	var err error
	switch end.kind {
	case pieces.FailureUsageLimit:
		err = e.park(ctx, pieceID, pieces.OnLimitReached, pieces.PauseLimitReached, pieces.Quote(end.failure), end.limitEnds)
	case pieces.FailureBudget:
		err = e.park(ctx, pieceID, pieces.OnBudgetReached, pieces.PauseBudgetReached, pieces.Quote(end.failure), nil)
	default:
	}
	if err != nil && !errors.Is(err, pieces.ErrStale) {
		e.Log.Error("park piece", "piece", pieceID, "err", err)
	}
	e.goOn(pieceID)
}

// attempt is one agent's work from its worktree to its merge.
func (e *Engine) attempt(ctx context.Context, g *group, pieceID, taskID string, own bool) taskEnd {
	s, err := e.Piece(ctx, pieceID)
	if err != nil {
		return failed(err)
	}
	task, ok := s.Task(taskID)
	if !ok {
		return failed(fmt.Errorf("task %s: %w", taskID, pieces.ErrNotFound))
	}
	project, err := e.Project(ctx, s.Piece.ProjectID)
	if err != nil {
		return failed(err)
	}
	if err := e.readyWorktree(ctx, project, s.Piece, task); err != nil {
		return failed(fmt.Errorf("the agent's worktree could not be made ready: %w", err))
	}
	if err := e.prepare(ctx, pieceID, task.Worktree); err != nil {
		return failed(err)
	}
	t, turn, err := e.converse(ctx, s, task, own)
	if err != nil {
		if t != nil {
			g.leave(t.stop(ctx, pieces.SessionCancelled, ""))
		}
		end := failed(err)
		if t != nil {
			end.sessionID, end.costUSD = t.session.ID, t.cost()-t.before
		}
		return end
	}
	return e.conclude(ctx, g, project, s, task, t, turn)
}

// conclude brings an agent's work home: everything committed, merged where it worked on a branch of its own.
func (e *Engine) conclude(ctx context.Context, g *group, project pieces.Project, s pieces.Snapshot, task pieces.Task, t *talk, turn pieces.TurnEnd) taskEnd {
	end := taskEnd{state: pieces.TaskCompleted, sessionID: t.session.ID}
	err := turnError(turn)
	if err == nil {
		turn, err = e.leaveClean(ctx, t, task, turn)
	}
	if err == nil && task.Branch != s.Piece.Branch {
		turn, err = e.mergeTask(ctx, project, s.Piece, task, t, turn)
	}
	end.costUSD = t.cost() - t.before
	if err != nil {
		end.state, end.failure, end.kind = pieces.TaskFailed, err.Error(), pieces.FailureOther
		var step *stepError
		if errors.As(err, &step) {
			end.kind, end.limitEnds = step.end.Failure, step.end.LimitEnds
		}
		if ctx.Err() != nil {
			g.leave(t.stop(ctx, pieces.SessionCancelled, ""))
			return end
		}
		g.leave(t.finish(ctx, pieces.SessionFailed, end.failure))
		return end
	}
	end.handoff = handoffOf(turn)
	g.leave(t.finish(ctx, pieces.SessionCompleted, ""))
	return end
}

func turnError(turn pieces.TurnEnd) error {
	if turn.Failure != pieces.FailureNone {
		return &stepError{turn}
	}
	return nil
}

// readyWorktree makes the worktree that a task works in, or checks the one that is there. No agent ever runs elsewhere.
func (e *Engine) readyWorktree(ctx context.Context, project pieces.Project, p pieces.Piece, t pieces.Task) error {
	if t.Branch == p.Branch {
		return e.Git.CheckWorktree(ctx, project.Path, t.Worktree, t.Branch)
	}
	_, known, err := e.recordOf(ctx, p.ID, t.Worktree)
	if err != nil {
		return err
	}
	if known {
		err := e.Git.CheckWorktree(ctx, project.Path, t.Worktree, t.Branch)
		if !errors.Is(err, pieces.ErrWorktreeMissing) {
			return err
		}
		return e.remakeTaskWorktree(ctx, project, p, t)
	}
	head, err := e.Git.WorktreeHead(ctx, project.Path, p.Worktree, p.Branch)
	if err != nil {
		return err
	}
	return e.addWorktree(ctx, project, p, t.ID, t.Worktree, t.Branch, head)
}

// remakeTaskWorktree makes an agent's worktree again that was taken away from outside, at its place, so that the agent's session
// finds itself there: from its branch, or where that is gone too from the piece's.
func (e *Engine) remakeTaskWorktree(ctx context.Context, project pieces.Project, p pieces.Piece, t pieces.Task) error {
	head, err := e.Git.BranchHead(ctx, project.Path, t.Branch)
	if err != nil {
		return err
	}
	if head != "" {
		if err := e.remakeWorktree(ctx, project, p, t.Worktree, t.Branch); err != nil {
			return err
		}
		e.notices.add(t.Worktree, "The worktree was gone and was made again from the branch "+t.Branch+". What no commit held is lost.")
		return nil
	}
	if head, err = e.Git.WorktreeHead(ctx, project.Path, p.Worktree, p.Branch); err != nil {
		return err
	}
	if err := e.addWorktree(ctx, project, p, t.ID, t.Worktree, t.Branch, head); err != nil {
		return err
	}
	e.notices.add(t.Worktree, "The worktree and its branch "+t.Branch+" were gone and were made again from "+p.Branch+". What the agent did before is lost.")
	return nil
}

// converse starts the agent's session, resumed where it was cut off, and returns its first turn's end. An agent whose brief
// changed starts fresh, unless its own session is asked for.
func (e *Engine) converse(ctx context.Context, s pieces.Snapshot, task pieces.Task, own bool) (*talk, pieces.TurnEnd, error) {
	d, err := e.taskData(ctx, s, task)
	if err != nil {
		return nil, pieces.TurnEnd{}, err
	}
	q, err := prompts.Build(prompts.Task, d)
	if err != nil {
		return nil, pieces.TurnEnd{}, err
	}
	l, session, err := e.launchIn(ctx, s, task.Worktree, pieces.SessionTask, "task", q)
	if err != nil {
		return nil, pieces.TurnEnd{}, err
	}
	session.TaskID, session.Branch, session.Name = task.ID, task.Branch, task.Name
	resumes := task.SessionID != "" && (own || !task.BriefChanged)
	if resumes {
		t, turn, err := e.resume(ctx, l, task)
		if err == nil && turn.Failure != pieces.FailureCannotResume {
			return t, turn, nil
		}
		if ctx.Err() != nil {
			return t, turn, err
		}
		if t != nil {
			t.finish(ctx, pieces.SessionFailed, "This session could not be resumed; a fresh one took its place.")
		}
	}
	if err := e.setSession(ctx, s.Piece.ID, task.ID, session.ID); err != nil {
		return nil, pieces.TurnEnd{}, err
	}
	t, err := e.open(ctx, session, l, false)
	if err != nil {
		return nil, pieces.TurnEnd{}, err
	}
	if resumes {
		t.write(pieces.Message{Role: pieces.RoleNotice, Text: "The earlier session could not be resumed, so this is a fresh one."})
	}
	turn, err := t.wait(ctx)
	return t, turn, err
}

const goOn = "You were cut off. Look at the state of the worktree, then go on with your brief where you were, commit, and answer with the handoff."

func (e *Engine) resume(ctx context.Context, l pieces.Launch, task pieces.Task) (*talk, pieces.TurnEnd, error) {
	session, err := e.Session(ctx, task.SessionID)
	if err != nil {
		return nil, pieces.TurnEnd{}, err
	}
	l.SessionID, l.Resume, l.Prompt = task.SessionID, true, goOn
	if task.Guidance != "" {
		l.Prompt = task.Guidance + "\n\nCommit what you change, and answer with the handoff."
	}
	t, err := e.open(ctx, session, l, false)
	if err != nil {
		return nil, pieces.TurnEnd{}, err
	}
	turn, err := t.wait(ctx)
	return t, turn, err
}

// setSession writes which fresh session works at a task before its process starts, so that a crash can resume it. It reads
// the brief as it is now.
func (e *Engine) setSession(ctx context.Context, pieceID, taskID, sessionID string) error {
	return e.note(ctx, pieceID, func(s pieces.Snapshot, c *pieces.Change) error {
		t, ok := s.Task(taskID)
		if !ok {
			return pieces.ErrNotFound
		}
		t.SessionID, t.BriefChanged, t.BriefBy = sessionID, false, ""
		c.Tasks = []pieces.Task{t}
		return nil
	})
}

func (e *Engine) taskData(ctx context.Context, s pieces.Snapshot, task pieces.Task) (prompts.Data, error) {
	d := prompts.Data{Piece: s.Piece.Name, Branch: task.Branch, Agent: task, Guidance: task.Guidance}
	var err error
	if d.Spec, err = e.text(ctx, s.Piece.ID, pieces.ArtifactSpec); err != nil {
		return d, err
	}
	if d.Strategy, err = e.text(ctx, s.Piece.ID, pieces.ArtifactStrategy); err != nil {
		return d, err
	}
	for _, id := range pieces.DependsOn(s.Edges, task.ID) {
		a, ok, err := e.Artifact(ctx, s.Piece.ID, pieces.ArtifactHandoff, id)
		if err != nil {
			return d, err
		}
		if from, known := s.Task(id); ok && known {
			d.Handoffs = append(d.Handoffs, prompts.Handoff{Name: from.Name, Content: a.Content})
		}
	}
	return d, nil
}

const commitNow = "The worktree has changes that are not committed. Where a merge waits, resolve every conflict first. Commit what belongs to your work with a clear message, remove what does not, and answer again as before."

// leaveClean gives an agent that left changes behind one more turn to commit them, then commits what is still there.
func (e *Engine) leaveClean(ctx context.Context, t *talk, task pieces.Task, turn pieces.TurnEnd) (pieces.TurnEnd, error) {
	status, err := e.Git.Status(ctx, task.Worktree)
	if err != nil || !status.Dirty() {
		return turn, err
	}
	again, err := t.say(ctx, commitNow)
	if err != nil {
		return turn, err
	}
	if again.Failure != pieces.FailureNone {
		return turn, &stepError{again}
	}
	if len(again.Structured) > 0 {
		turn = again
	}
	if status, err = e.Git.Status(ctx, task.Worktree); err != nil || !status.Dirty() {
		return turn, err
	}
	message := fmt.Sprintf("%s\n\nCommitted by Fermata: the agent %q left these changes uncommitted.", task.Name, task.Name)
	if _, err := e.Git.Commit(ctx, task.Worktree, task.Branch, message); err != nil {
		return turn, fmt.Errorf("commit what the agent left: %w", err)
	}
	t.write(pieces.Message{Role: pieces.RoleNotice, Text: "Fermata committed the changes that the agent left uncommitted."})
	return turn, nil
}

// mergeTask merges an agent's branch into the piece's. A conflict goes back to the agent's own session once, whose answer
// then takes the place of the turn's.
func (e *Engine) mergeTask(ctx context.Context, project pieces.Project, p pieces.Piece, task pieces.Task, t *talk, turn pieces.TurnEnd) (pieces.TurnEnd, error) {
	unlock, err := e.locks.lock(ctx, "merge "+p.ID)
	if err != nil {
		return turn, err
	}
	defer unlock()
	message := fmt.Sprintf("Merge the work of agent %d: %s", task.Ordinal, task.Name)
	err = e.Git.Merge(ctx, p.Worktree, p.Branch, task.Branch, message)
	if err == nil {
		return turn, e.releaseTaskWorktree(ctx, p.ID, task)
	}
	// A stop that comes now must not leave a merge half done in the piece's worktree.
	if aerr := e.Git.AbortMerge(context.WithoutCancel(ctx), p.Worktree); aerr != nil {
		return turn, fmt.Errorf("%w; and the merge could not be undone: %w", err, aerr)
	}
	if merr := e.Git.Merge(ctx, task.Worktree, task.Branch, p.Branch, "Merge the piece's branch"); merr != nil {
		if turn, err = e.resolve(ctx, p, task, t, turn); err != nil {
			return turn, fmt.Errorf("the agent's work conflicts with the piece's branch, and the merge waits in its worktree: %w", err)
		}
	}
	if err := e.Git.Merge(ctx, p.Worktree, p.Branch, task.Branch, message); err != nil {
		if aerr := e.Git.AbortMerge(context.WithoutCancel(ctx), p.Worktree); aerr != nil {
			e.Log.Error("abort merge", "worktree", p.Worktree, "err", aerr)
		}
		return turn, fmt.Errorf("the agent's work conflicts with the piece's branch and could not be merged: %w", err)
	}
	return turn, e.releaseTaskWorktree(ctx, p.ID, task)
}

// resolve has an agent's session resolve the conflicts of the merge that waits in its worktree, and commit it.
func (e *Engine) resolve(ctx context.Context, p pieces.Piece, task pieces.Task, t *talk, before pieces.TurnEnd) (pieces.TurnEnd, error) {
	turn, err := t.say(ctx, "Your branch conflicts with the work of other agents. The merge of `"+p.Branch+
		"` is in progress in your worktree. Resolve every conflict so that both works stay whole, check it, commit the merge, and answer with the handoff again.")
	if err == nil {
		err = turnError(turn)
	}
	if err == nil {
		turn, err = e.leaveClean(ctx, t, task, turn)
	}
	if err != nil || len(turn.Structured) == 0 {
		return before, err
	}
	return turn, nil
}

// releaseTaskWorktree removes a merged agent's worktree when nothing is left in it; otherwise it stays for the person. Its own
// version of an included file is no work to merge, and is saved.
func (e *Engine) releaseTaskWorktree(ctx context.Context, pieceID string, task pieces.Task) error {
	status, _, err := e.Git.Survey(ctx, task.Worktree)
	if err != nil || status.Dirty() {
		return nil //nolint:nilerr // the work is merged; a folder that cannot be read or holds files stays
	}
	w, known, err := e.recordOf(ctx, pieceID, task.Worktree)
	if err != nil || !known {
		return err
	}
	ref := ""
	if len(status.Included) > 0 {
		ref = pieces.SavedRef(pieceID, e.Now(), task.Ordinal)
		if _, err := e.Git.Save(ctx, w.Path, ref); err != nil {
			e.Log.Warn("a merged agent's worktree stays", "path", task.Worktree, "err", err)
			return nil
		}
	}
	if err := e.removeWorktree(ctx, w, ref); err != nil {
		e.Log.Warn("a merged agent's worktree stays", "path", task.Worktree, "err", err)
	}
	return nil
}

// handoffOf returns the agent's handoff: its structured answer, or its last words in the same shape.
func handoffOf(turn pieces.TurnEnd) string {
	if len(turn.Structured) > 0 {
		return string(turn.Structured)
	}
	b, err := json.Marshal(map[string]any{
		"changed": strings.TrimSpace(turn.Text), "decisions": []string{}, "openPoints": []string{}, "files": []string{},
	})
	if err != nil {
		return ""
	}
	return string(b)
}
