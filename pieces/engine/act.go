package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fermata/pieces"
)

// carry is how one action is carried out once it is known to be legal.
type carry func(e *Engine, ctx context.Context, s pieces.Snapshot, r Request) (Result, error)

// carriers says how each action is carried out. The ones that only move the piece share step.
func carriers() map[pieces.Action]carry {
	return map[pieces.Action]carry{
		pieces.InterviewMessage:   (*Engine).interviewMessage,
		pieces.ApproveSpec:        (*Engine).approveSpec,
		pieces.GenerateStrategy:   (*Engine).generateStrategy,
		pieces.ApproveStrategy:    (*Engine).step,
		pieces.Decompose:          (*Engine).step,
		pieces.StartExecution:     (*Engine).startRun,
		pieces.PauseAgents:        (*Engine).pause,
		pieces.ResumeAgents:       (*Engine).resumeRun,
		pieces.StopAgents:         (*Engine).stopRun,
		pieces.RetryFailedAgents:  (*Engine).retryFailed,
		pieces.EditTaskBrief:      (*Engine).editBrief,
		pieces.MessageTask:        (*Engine).messageTask,
		pieces.AnswerTaskQuestion: (*Engine).answerQuestion,
		pieces.ContinueToReview:   (*Engine).continueToReview,
		pieces.ApproveTask:        (*Engine).approveTask,
		pieces.RunCodeReview:      (*Engine).runCodeReview,
		pieces.CreatePR:           (*Engine).createPR,
		pieces.MarkDone:           (*Engine).markDone,
		pieces.ConfirmDone:        (*Engine).confirmDone,
		pieces.SetLane:            (*Engine).setLane,
		pieces.RequestChanges:     (*Engine).requestChanges,
		pieces.SendBackToAgents:   (*Engine).sendBack,
		pieces.ResumeTask:         (*Engine).resumeTask,
		pieces.Archive:            (*Engine).archive,
		pieces.Unarchive:          (*Engine).archive,
		pieces.AddDependency:      (*Engine).addDependency,
		pieces.RemoveDependency:   (*Engine).removeDependency,
	}
}

// Check says whether a request could be carried out now, and changes nothing. An illegal action is a Refusal that names
// the legal ones; a task that cannot be what the action needs is a Refusal that says why.
func (e *Engine) Check(ctx context.Context, r Request) (pieces.Snapshot, pieces.Rule, error) {
	rule, ok := pieces.RuleOf(r.Action)
	if !ok {
		return pieces.Snapshot{}, rule, refuse(nil, "Unknown action %s", string(r.Action))
	}
	s, err := e.subject(ctx, r)
	if err != nil {
		return s, rule, err
	}
	if !s.Legal(r.Action) {
		return s, rule, illegal(s, rule)
	}
	if err := e.checkLink(ctx, s, r); err != nil {
		return s, rule, err
	}
	return s, rule, checkTask(s, r)
}

func illegal(s pieces.Snapshot, rule pieces.Rule) error {
	words := pieces.Say("%s is not legal now: the piece is in %s (%s).", rule.Action, station(s), s.Piece.Activity)
	if off := !s.Flags.Dependencies; off && (rule.Action == pieces.AddDependency || rule.Action == pieces.RemoveDependency) {
		words = pieces.Say("%s is not legal now: piece dependencies are turned off.", rule.Action)
	}
	if words := codeReviewWords(s); !words.Empty() && rule.Action == pieces.RunCodeReview {
		return &Refusal{Sentence: words, Legal: s.LegalActions(), Cause: pieces.ErrStale}
	}
	if words := splitWords(s, rule.Action); !words.Empty() {
		return &Refusal{Sentence: words, Legal: s.LegalActions(), Cause: pieces.ErrStale}
	}
	if !rule.Available {
		words = pieces.Say("%s is not available in this version of Fermata.", rule.Action)
	}
	if already := pieces.ResumeRefusal(s); !already.Empty() && rule.Action == pieces.ResumeTask {
		words = already
	}
	return &Refusal{Sentence: words, Legal: s.LegalActions(), Cause: pieces.ErrStale}
}

// station is the step that a piece is at, with the count of its agents.
func station(s pieces.Snapshot) pieces.Sentence {
	words, count, counted := strings.Cut(s.Display(), " ")
	if !counted {
		return pieces.Term(words)
	}
	return pieces.Say("%s %s", pieces.Term(words), count)
}

// splitWords say why a split keeps an action from being legal; empty when none does.
func splitWords(s pieces.Snapshot, a pieces.Action) pieces.Sentence {
	switch a {
	case pieces.ApproveSpec, pieces.GenerateStrategy, pieces.ApproveStrategy:
		reason, _ := s.SplitHold()
		if pending := s.SplitPending(); reason.Empty() && a == pieces.ApproveStrategy && !pending.Empty() {
			return pending
		}
		return reason
	default:
		return pieces.Sentence{}
	}
}

// checkTask checks what a request says about agents against the piece's graph.
func checkTask(s pieces.Snapshot, r Request) error {
	switch r.Action {
	case pieces.ApproveTask, pieces.AnswerTaskQuestion:
		t, ok := s.Task(r.TaskID)
		if !ok || t.Kind != pieces.TaskAgent {
			return refuse(pieces.ErrNotFound, "Unknown taskId: this piece has no agent %s.", r.TaskID)
		}
		if r.Action == pieces.AnswerTaskQuestion {
			_, err := questionOf(s, r.TaskID)
			return err
		}
	case pieces.EditTaskBrief:
		_, err := editable(s, r)
		return err
	case pieces.MessageTask:
		_, err := addressable(s, r)
		return err
	case pieces.ResumeTask:
		_, err := resumable(s, r)
		return err
	case pieces.RequestChanges:
		return checkChanges(r)
	case pieces.SetLane:
		return checkLane(r)
	case pieces.RunCodeReview:
		return checkCodeReview(r)
	case pieces.RetryFailedAgents, pieces.SendBackToAgents:
		_, err := failedAgents(s, r.TaskIDs)
		return err
	case pieces.ApproveSpec:
		if r.Lane == pieces.LaneLoop {
			return refuse(nil, "approveSpec takes the lane manual or auto; loop is refused.")
		}
	default:
	}
	return nil
}

// failedAgents resolves the agents of a retry: those named, or every failed one. One that did not fail is refused with the
// list of those that did.
func failedAgents(s pieces.Snapshot, ids []string) ([]pieces.Task, error) {
	var all []pieces.Task
	for _, t := range s.Tasks {
		switch t.State {
		case pieces.TaskFailed, pieces.TaskInterrupted, pieces.TaskCancelled:
			if t.Kind == pieces.TaskAgent {
				all = append(all, t)
			}
		default:
		}
	}
	if ids == nil {
		return all, nil
	}
	var named []pieces.Task
	for _, id := range ids {
		i := slices.IndexFunc(all, func(t pieces.Task) bool { return t.ID == id })
		if i < 0 {
			var names []string
			for _, t := range all {
				names = append(names, fmt.Sprintf("%s (%s)", t.ID, t.Name))
			}
			return nil, refuse(nil, "The agent %s did not fail. Failed: %s.", id, strings.Join(names, ", "))
		}
		named = append(named, all[i])
	}
	return named, nil
}

// Act carries an action out. Legality is checked again under the piece's lock; an effect that a card showed and that
// changed meanwhile is pieces.ErrStale.
func (e *Engine) Act(ctx context.Context, r Request) (Result, error) {
	s, _, err := e.Check(ctx, r)
	if err != nil {
		return Result{}, err
	}
	if r.Bound != "" && r.Action != pieces.MarkDone { // which looks for itself, under the piece's lock
		now, err := e.Effect(ctx, r)
		if err != nil {
			return Result{}, err
		}
		if now.Fingerprint != r.Bound {
			return Result{}, fmt.Errorf("%s on %s: the effect that was allowed changed: %w", r.Action, r.PieceID, pieces.ErrStale)
		}
	}
	res, err := carriers()[r.Action](e, ctx, s, r)
	if errors.Is(err, pieces.ErrStale) {
		if now, rule, cerr := e.Check(ctx, r); cerr != nil {
			return Result{}, cerr
		} else if !now.Legal(r.Action) {
			return Result{}, illegal(now, rule)
		}
	}
	if err != nil {
		return Result{}, err
	}
	if res.Piece.Piece.ID == "" {
		res.Piece, err = e.Piece(ctx, r.PieceID)
	}
	return res, err
}

// act moves the piece on the action itself and starts what follows.
func (e *Engine) act(ctx context.Context, r Request, fill change) (Result, error) {
	s, err := e.move(ctx, r.PieceID, pieces.Trigger(r.Action), r.By, fill)
	if err != nil {
		return Result{}, err
	}
	e.follow(s)
	return Result{Piece: s}, nil
}

func (e *Engine) step(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.act(ctx, r, nil)
}

// generateStrategy has the strategy written, or written again with what the person said of it.
func (e *Engine) generateStrategy(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.act(ctx, r, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Note = pieces.Quote(strings.TrimSpace(r.Prompt))
		return nil
	})
}

func (e *Engine) approveSpec(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.act(ctx, r, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.Config.Lane = pieces.LaneManual
		c.Piece.Play = false
		if r.Lane == pieces.LaneAuto {
			c.Piece.Config.Lane, c.Piece.Play = pieces.LaneAuto, true
		}
		return nil
	})
}

func (e *Engine) startRun(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.act(ctx, r, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.Run++
		return nil
	})
}

func (e *Engine) pause(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.act(ctx, r, nil)
}

// resumeRun puts the agents that were cut off back in the queue; each goes on in its own session.
func (e *Engine) resumeRun(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.act(ctx, r, requeue)
}

func requeue(s pieces.Snapshot, c *pieces.Change) error {
	c.Piece.Run++
	for _, t := range s.Tasks {
		if t.State == pieces.TaskInterrupted || t.State == pieces.TaskCancelled {
			t.State, t.Failure = pieces.TaskPending, ""
			c.Tasks = append(c.Tasks, t)
		}
	}
	return nil
}

// retryFailed puts failed agents back in the queue with the person's guidance. An agent whose session can be steered goes on
// there; where it cannot, its attempt starts fresh.
func (e *Engine) retryFailed(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.act(ctx, r, func(s pieces.Snapshot, c *pieces.Change) error {
		list, err := failedAgents(s, r.TaskIDs)
		if err != nil {
			return err
		}
		c.Piece.Run++
		c.Piece.WorkReview, c.Piece.ResumedTask = pieces.WorkReviewNone, ""
		for _, t := range list {
			c.Tasks = append(c.Tasks, again(t, r.Guidance))
		}
		c.Tasks = append(c.Tasks, reviewAgain(s.Tasks)...)
		return nil
	})
}

func again(t pieces.Task, guidance string) pieces.Task {
	if t.Failure != "" && t.State == pieces.TaskFailed {
		guidance = strings.TrimSpace("The last attempt failed: " + t.Failure + "\n\n" + guidance)
	}
	t.State, t.Guidance, t.Failure = pieces.TaskPending, guidance, ""
	return t
}

// reviewAgain puts the work review back in the queue, since the work it judged changes.
func reviewAgain(tasks []pieces.Task) []pieces.Task {
	for _, t := range tasks {
		if t.Kind == pieces.TaskReview {
			t.State, t.Failure = pieces.TaskPending, ""
			return []pieces.Task{t}
		}
	}
	return nil
}

func (e *Engine) sendBack(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	res, err := e.act(ctx, r, func(s pieces.Snapshot, c *pieces.Change) error {
		list, err := failedAgents(s, r.TaskIDs)
		if err != nil {
			return err
		}
		c.Piece.Pause, c.Piece.WorkReview, c.Piece.ResumedTask = pieces.PauseSentBack, pieces.WorkReviewNone, ""
		for _, t := range list {
			t.Guidance = strings.TrimSpace("The work review found: " + t.Failure + "\n\n" + r.Guidance)
			t.State, t.Failure = pieces.TaskPending, ""
			c.Tasks = append(c.Tasks, t)
		}
		c.Tasks = append(c.Tasks, reviewAgain(s.Tasks)...)
		return nil
	})
	res.Next, res.Message = string(pieces.ResumeAgents), "The agents have the review's findings. The piece is paused; call resumeAgents next."
	return res, err
}

func (e *Engine) continueToReview(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.act(ctx, r, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.ResumedTask = ""
		return nil
	})
}

func (e *Engine) approveTask(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.act(ctx, r, func(s pieces.Snapshot, c *pieces.Change) error {
		t, ok := s.Task(r.TaskID)
		if !ok {
			return pieces.ErrNotFound
		}
		t.Approved, t.ApprovalNote = true, r.Text
		c.Tasks, c.Note = []pieces.Task{t}, pieces.Quote(r.Text)
		return nil
	})
}

func (e *Engine) confirmDone(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.act(ctx, r, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.Confirmed, c.Note = true, pieces.Quote(r.Text)
		return nil
	})
}

func (e *Engine) archive(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.act(ctx, r, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.Archived = r.Action == pieces.Archive
		return nil
	})
}

// questionOf finds the question that an agent waits on. Approvals stay the person's.
func questionOf(s pieces.Snapshot, taskID string) (pieces.Prompt, error) {
	approval := false
	for _, p := range s.Prompts {
		if p.TaskID != taskID {
			continue
		}
		if p.Kind == pieces.PromptQuestion {
			return p, nil
		}
		approval = true
	}
	if approval {
		return pieces.Prompt{}, refuse(nil, "This agent waits for a tool or plan approval; those stay with the person in Fermata.")
	}
	return pieces.Prompt{}, refuse(nil, "This agent is not waiting on a question.")
}

func (e *Engine) answerQuestion(ctx context.Context, s pieces.Snapshot, r Request) (Result, error) {
	p, err := questionOf(s, r.TaskID)
	if err != nil {
		return Result{}, err
	}
	answers := map[string]string{}
	for _, q := range p.Questions {
		answers[q.Text] = r.Text
	}
	if err := e.AnswerPrompt(ctx, p.ID, pieces.PromptAnswer{Allow: true, Answers: answers}); err != nil {
		return Result{}, err
	}
	return Result{Message: "The agent has the answer and works on."}, nil
}

// AnswerPrompt gives a session the person's answer to an approval or a question. A prompt that is no longer waiting is a
// Refusal.
func (e *Engine) AnswerPrompt(ctx context.Context, promptID string, a pieces.PromptAnswer) error {
	live, p, ok := e.live.findPrompt(promptID)
	if !ok {
		return refuse(pieces.ErrNotFound, "This is no longer waiting for an answer.")
	}
	conv := e.live.conversation(live)
	if conv == nil {
		return refuse(nil, "The session is still starting; try again in a moment.")
	}
	if err := conv.Answer(ctx, promptID, a); err != nil {
		return refuse(err, "The answer did not reach the session: %v", err)
	}
	if a.Allow && a.Scope == pieces.ScopeProject && p.Kind == pieces.PromptApproval {
		return e.allowInProject(ctx, p)
	}
	return nil
}
