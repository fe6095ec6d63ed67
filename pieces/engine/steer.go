package engine

import (
	"context"
	"fmt"
	"strings"

	"fermata/pieces"
)

// agentOf returns the task that a request names; an id that is none of the piece's is a Refusal.
func agentOf(s pieces.Snapshot, id string) (pieces.Task, error) {
	t, ok := s.Task(id)
	if !ok {
		return t, refuse(pieces.ErrNotFound, "Unknown taskId: this piece has no agent %s.", id)
	}
	return t, nil
}

// editable returns the agent whose brief a request rewrites, or refuses with the reason.
func editable(s pieces.Snapshot, r Request) (pieces.Task, error) {
	t, err := agentOf(s, r.TaskID)
	if err != nil {
		return t, err
	}
	if words := pieces.BriefRefusal(t); !words.Empty() {
		return t, refuse(nil, "%s", words)
	}
	if strings.TrimSpace(r.Prompt) == "" {
		return t, refuse(nil, "A brief can't be empty.")
	}
	return t, nil
}

// editBrief rewrites an agent's brief and starts nothing.
func (e *Engine) editBrief(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	var t pieces.Task
	res, err := e.act(ctx, r, func(s pieces.Snapshot, c *pieces.Change) (err error) {
		if t, err = editable(s, r); err != nil {
			return err
		}
		t.Brief, t.BriefChanged, t.BriefBy = strings.TrimSpace(r.Prompt), true, r.By
		c.Tasks, c.Note = []pieces.Task{t}, pieces.Say("The brief of %s", t.Name)
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	next := pieces.ResumeAgents
	if t.State == pieces.TaskFailed || t.State == pieces.TaskBlocked || !res.Piece.Legal(next) {
		next = pieces.RetryFailedAgents
	}
	res.Next = string(next)
	res.Message = fmt.Sprintf("The agent %q has the new brief. Nothing was started; call %s next, and it starts fresh on it.", t.Name, next)
	return res, nil
}

// EditPlanBrief rewrites an agent's brief in a plan that has not started, which the person does in the app.
func (e *Engine) EditPlanBrief(ctx context.Context, pieceID, taskID, brief string) (pieces.Snapshot, error) {
	return e.move(ctx, pieceID, pieces.OnTaskChanged, pieces.ByPerson, func(s pieces.Snapshot, c *pieces.Change) error {
		if !s.AtPlan() {
			return refuse(pieces.ErrStale, "The plan has started: its briefs are changed once the run is paused or finished.")
		}
		t, err := editable(s, Request{TaskID: taskID, Prompt: brief})
		if err != nil {
			return err
		}
		t.Brief = strings.TrimSpace(brief)
		c.Tasks, c.Note = []pieces.Task{t}, pieces.Say("The brief of %s", t.Name)
		return nil
	})
}

// addressable returns the agent whose session a request's text goes to, or refuses with the reason.
func addressable(s pieces.Snapshot, r Request) (pieces.Task, error) {
	t, err := agentOf(s, r.TaskID)
	if err != nil {
		return t, err
	}
	if words := pieces.MessageRefusal(s, t); !words.Empty() {
		return t, refuse(nil, "%s", words)
	}
	if strings.TrimSpace(r.Text) == "" {
		return t, refuse(nil, "A message can't be empty.")
	}
	return t, nil
}

// messageTask gives an agent's own session another turn with the person's words. The rest of the run stays as it is.
func (e *Engine) messageTask(ctx context.Context, before pieces.Snapshot, r Request) (Result, error) {
	var t pieces.Task
	s, err := e.steer(ctx, r, func(s pieces.Snapshot, c *pieces.Change) (pieces.Task, error) {
		var err error
		if t, err = addressable(s, r); err != nil {
			return t, err
		}
		// What it was sent back with must not be lost: it has not read it yet.
		t.Guidance = strings.TrimSpace(t.Guidance + "\n\n" + r.Text)
		c.Note = pieces.Quote(r.Text)
		return t, nil
	})
	if err != nil {
		return Result{}, err
	}
	res := Result{Piece: s, Message: fmt.Sprintf("The agent %q has your message and works on it.", t.Name)}
	if before.Piece.Activity == pieces.Paused {
		res.Next = string(pieces.ResumeAgents)
		res.Message += " The run stays paused; call resumeAgents once its turn ended."
	}
	return res, nil
}

// resumable returns the agent that a request resumes, or refuses with the reason.
func resumable(s pieces.Snapshot, r Request) (pieces.Task, error) {
	if _, err := agentOf(s, r.TaskID); err != nil {
		return pieces.Task{}, err
	}
	list, err := failedAgents(s, []string{r.TaskID})
	if err != nil {
		return pieces.Task{}, err
	}
	return list[0], nil
}

// resumeTask hands one agent what the work review found of it, in its own session, and moves nothing else.
func (e *Engine) resumeTask(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	found, err := e.findingOf(ctx, r.PieceID, r.TaskID)
	if err != nil {
		return Result{}, err
	}
	var t pieces.Task
	s, err := e.steer(ctx, r, func(s pieces.Snapshot, c *pieces.Change) (pieces.Task, error) {
		var err error
		if t, err = resumable(s, r); err != nil {
			return t, err
		}
		if found == "" {
			found = t.Failure
		}
		t.Guidance = strings.TrimSpace("The work review found: " + found + "\n\n" + r.Guidance)
		c.Piece.ResumedTask, c.Note = t.ID, pieces.Quote(t.Name)
		return t, nil
	})
	if err != nil {
		return Result{}, err
	}
	return Result{
		Piece: s, Started: true,
		Message: fmt.Sprintf("The agent %q works on what the review found. Nothing else moves; once it is done, the work review runs again.", t.Name),
	}, nil
}

// findingOf returns what the last work review found of an agent; empty when it named another.
func (e *Engine) findingOf(ctx context.Context, pieceID, taskID string) (string, error) {
	content, err := e.text(ctx, pieceID, pieces.ArtifactWorkReview)
	if err != nil || content == "" {
		return "", err
	}
	record, err := pieces.ParseWorkReview(content)
	if err != nil {
		return "", err
	}
	for _, f := range record.Findings {
		if f.TaskID == taskID {
			return f.Finding, nil
		}
	}
	return "", nil
}

// steer moves the piece on the action and starts the turn of the one agent that pick returns, beside whatever runs. The
// work review waits to run again, since the work that it judged changes.
func (e *Engine) steer(ctx context.Context, r Request, pick func(pieces.Snapshot, *pieces.Change) (pieces.Task, error)) (pieces.Snapshot, error) {
	unlock, err := e.locks.lock(ctx, r.PieceID)
	if err != nil {
		return pieces.Snapshot{}, fmt.Errorf("steer piece %s: %w", r.PieceID, err)
	}
	defer unlock()
	var t pieces.Task
	s, err := e.moveLocked(ctx, r.PieceID, pieces.Trigger(r.Action), r.By, func(s pieces.Snapshot, c *pieces.Change) error {
		var err error
		if t, err = pick(s, c); err != nil {
			return err
		}
		now := e.Now()
		t.State, t.Failure = pieces.TaskRunning, ""
		t.Attempts++
		t.StartedAt, t.EndedAt = &now, nil
		if err := e.placeTask(ctx, s, &t, pieces.Chain(s.Tasks, s.Edges)); err != nil {
			return err
		}
		if err := placeFree(s, t); err != nil {
			return err
		}
		c.Piece.Run++
		c.Piece.Pause, c.Piece.Failure = s.Piece.Pause, s.Piece.Failure // of a run that stays paused
		c.Tasks = append([]pieces.Task{t}, reviewAgain(s.Tasks)...)
		return nil
	})
	if err != nil {
		return s, err
	}
	// Under the lock, so that a stop that comes now finds it.
	e.groups.start(e.ctx, r.PieceID, func(ctx context.Context, g *group) {
		e.runTask(ctx, g, r.PieceID, t.ID, r.Action == pieces.MessageTask)
	})
	return s, nil
}

// placeFree refuses a turn in a worktree in which another agent works: two processes would write over one another.
func placeFree(s pieces.Snapshot, t pieces.Task) error {
	for _, o := range s.Tasks {
		if o.ID != t.ID && o.Worktree == t.Worktree && (o.State == pieces.TaskRunning || o.State == pieces.TaskWaiting) {
			return refuse(nil, "The agent %q works in the same worktree now: send this once its turn ended.", o.Name)
		}
	}
	return nil
}

// advanceResumed lets the one agent go on that resumeTask moved. Once its work is there the work review runs again, whatever
// it found of the others; they stay as they are.
func (e *Engine) advanceResumed(ctx context.Context, s pieces.Snapshot, tasks []pieces.Task, running int) error {
	t, _ := s.Task(s.Piece.ResumedTask)
	switch {
	case running > 0:
		return nil
	case t.State == pieces.TaskPending:
		if !e.seat(s.Piece.ID) {
			return nil
		}
		return e.startAgents(ctx, s, tasks, []pieces.Task{t})
	case t.State == pieces.TaskCompleted:
		return e.startReview(ctx, s, tasks)
	}
	_, err := e.moveLocked(ctx, s.Piece.ID, pieces.OnAgentsFailed, pieces.ByFermata, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Tasks, c.Piece.ResumedTask = tasks, ""
		return nil
	})
	return err
}

// cleared returns the agents that an earlier work review failed and the one that ran again did not.
func cleared(tasks []pieces.Task, found []pieces.ReviewFinding) []pieces.Task {
	var out []pieces.Task
	for _, t := range tasks {
		named := false
		for _, f := range found {
			named = named || f.TaskID == t.ID
		}
		if t.Kind == pieces.TaskAgent && t.State == pieces.TaskFailed && !named {
			t.State, t.Failure = pieces.TaskCompleted, ""
			out = append(out, t)
		}
	}
	return out
}

// steerEffect says what steering one agent would do.
func steerEffect(s pieces.Snapshot, r Request) []pieces.Sentence {
	t, _ := s.Task(r.TaskID)
	switch r.Action {
	case pieces.EditTaskBrief:
		return []pieces.Sentence{pieces.Say("Gives the agent %q another brief; nothing starts.", t.Name)}
	case pieces.MessageTask:
		return []pieces.Sentence{pieces.Say("Gives the agent %q another turn in its own session.", t.Name)}
	default:
	}
	return []pieces.Sentence{pieces.Say("Hands the agent %q what the work review found, and runs the review again once it is done.", t.Name)}
}
