package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"fermata/pieces"
	"fermata/pieces/prompts"
)

// Causes of an engine context's end.
var (
	errQuitting = errors.New("fermata quits")
	errStopped  = errors.New("the person stopped the agents")
)

// talk is one session while it runs: it keeps the store's row and transcript true and hands turns to whoever asked.
type talk struct {
	e       *Engine
	live    *liveSession
	session pieces.Session
	before  float64 // cost of earlier processes of this conversation
	// unattended answers every question itself: nobody is asked during a planning pass.
	unattended bool
	turns      chan pieces.TurnEnd
	ended      chan struct{}
	mu         sync.Mutex
	end        pieces.SessionEnd
	seat       bool // it took a place of its own
	writing    sync.Mutex
	unwritten  []pieces.Message // of the transcript, which the store did not take yet
}

// open starts or resumes a session and writes its row, once there is a place for its process. The caller ends it with finish
// or stop.
func (e *Engine) open(ctx context.Context, s pieces.Session, l pieces.Launch, unattended bool) (*talk, error) {
	now := e.Now()
	if s.CreatedAt.IsZero() {
		s.CreatedAt = now
	}
	s.State, s.UpdatedAt, s.EndedAt, s.Error = pieces.SessionStarting, now, nil, ""
	s.Model, s.Effort, s.Worktree = l.Model, l.Effort, l.Dir
	if l.Resume {
		s.Resumed++
	}
	t := &talk{
		e: e, session: s, before: s.CostUSD, unattended: unattended,
		live:  &liveSession{id: s.ID, pieceID: s.PieceID, taskID: s.TaskID},
		turns: make(chan pieces.TurnEnd, 4), ended: make(chan struct{}),
	}
	if err := e.Store.SaveSession(ctx, s); err != nil {
		return nil, fmt.Errorf("write session %s: %w", s.ID, err)
	}
	if err := e.Store.AppendMessages(ctx, s.ID, []pieces.Message{{Role: pieces.RolePerson, Text: l.Prompt, At: now}}); err != nil {
		err = fmt.Errorf("write transcript of %s: %w", s.ID, err)
		t.close(pieces.SessionFailed, err.Error())
		return nil, err
	}
	for _, words := range e.notices.take(l.Dir) {
		t.write(pieces.Message{Role: pieces.RoleNotice, Text: words})
	}
	if !seated(ctx) {
		if err := e.seats.take(ctx, s.PieceID, cmp.Or(s.PieceID, s.ID), opened(s.Kind)); err != nil {
			t.close(pieces.SessionCancelled, "")
			return nil, err
		}
		t.seat = true
	}
	e.live.add(t.live)
	conv, err := e.Agents.Start(ctx, l, t.event)
	if err != nil {
		e.live.remove(t.live)
		t.leaveSeat()
		t.close(pieces.SessionFailed, err.Error())
		return nil, err
	}
	e.live.setConversation(t.live, conv)
	e.hub.Wake()
	return t, nil
}

// event is called by the driver, in order, from one goroutine.
func (t *talk) event(ev pieces.SessionEvent) {
	switch {
	case ev.Started != nil:
		t.update(func(s *pieces.Session) { s.Host, s.State = ev.Started.Host, pieces.SessionWorking })
	case ev.Message != nil:
		t.write(*ev.Message)
	case ev.Prompt != nil:
		t.prompt(*ev.Prompt)
	case ev.PromptGone != "":
		t.dropped(ev.PromptGone)
	case ev.Turn != nil:
		t.turn(*ev.Turn)
	case ev.Ended != nil:
		t.gone(*ev.Ended)
	}
}

func (t *talk) write(m pieces.Message) {
	if m.At.IsZero() {
		m.At = t.e.Now()
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	t.unwritten = append(t.unwritten, m)
	if err := t.flush(); err != nil {
		t.e.Log.Error("write transcript", "session", t.session.ID, "err", err)
	}
}

// flush writes what the transcript lacks, even while Fermata quits: what streamed in must not be lost. What the store does not
// take is tried again with the next message, and at the session's end. The caller holds the lock.
func (t *talk) flush() error {
	if len(t.unwritten) == 0 {
		return nil
	}
	err := t.e.Store.AppendMessages(context.WithoutCancel(t.e.ctx), t.session.ID, t.unwritten)
	if err == nil || len(t.unwritten) > mostUnwritten {
		t.unwritten = nil
	}
	return writeError("write transcript of "+t.session.ID, err)
}

// mostUnwritten bounds what is kept in memory of a transcript that cannot be written.
const mostUnwritten = 5000

func (t *talk) update(fill func(*pieces.Session)) {
	t.mu.Lock()
	fill(&t.session)
	t.session.UpdatedAt = t.e.Now()
	s := t.session
	t.mu.Unlock()
	if err := t.e.Store.SaveSession(context.WithoutCancel(t.e.ctx), s); err != nil {
		t.e.Log.Error("write session", "session", s.ID, "err", err)
	}
}

const unattendedAnswer = "Nobody can answer during this step. Decide yourself, write down what you assumed, and go on."

func (t *talk) prompt(p pieces.Prompt) {
	p.SessionID, p.PieceID, p.TaskID = t.session.ID, t.session.PieceID, t.session.TaskID
	if p.At.IsZero() {
		p.At = t.e.Now()
	}
	if t.unattended {
		t.e.spawn("answer prompt", func(ctx context.Context) error {
			conv, err := t.conversation(ctx)
			if err != nil {
				return err
			}
			words := unattendedAnswer
			if t.session.Kind == pieces.SessionInterview {
				words = interviewPromptAnswer
			}
			return conv.Answer(ctx, p.ID, pieces.PromptAnswer{Message: words})
		})
		return
	}
	t.e.live.addPrompt(t.live, p)
	state := pieces.SessionAwaitingApproval
	if p.Kind == pieces.PromptQuestion {
		state = pieces.SessionAwaitingInput
	}
	t.update(func(s *pieces.Session) { s.State = state })
	t.e.taskWaits(t.session, true)
	t.e.hub.Wake()
}

// conversation waits until the driver handed the conversation over: a first event can come before that.
func (t *talk) conversation(ctx context.Context) (Conversation, error) {
	wake, done := t.e.hub.Watch()
	defer done()
	for {
		if c := t.e.live.conversation(t.live); c != nil {
			return c, nil
		}
		select {
		case <-wake:
		case <-t.ended:
			return nil, errors.New("the session ended")
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (t *talk) dropped(id string) {
	if !t.e.live.dropPrompt(t.live, id) {
		return
	}
	if len(t.waiting()) == 0 {
		t.update(func(s *pieces.Session) { s.State = pieces.SessionWorking })
		t.e.taskWaits(t.session, false)
	}
	t.e.hub.Wake()
}

func (t *talk) waiting() []pieces.Prompt {
	var mine []pieces.Prompt
	for _, p := range t.e.live.prompts(t.session.PieceID) {
		if p.SessionID == t.session.ID {
			mine = append(mine, p)
		}
	}
	return mine
}

func (t *talk) turn(end pieces.TurnEnd) {
	t.update(func(s *pieces.Session) {
		s.State = pieces.SessionIdle
		s.CostUSD = t.before + end.CostUSD
	})
	select {
	case t.turns <- end:
	default:
		t.e.Log.Warn("turn ended that nobody waited for", "session", t.session.ID)
	}
}

func (t *talk) gone(end pieces.SessionEnd) {
	for _, p := range t.waiting() {
		t.e.live.dropPrompt(t.live, p.ID)
	}
	if len(end.Left) == 0 {
		t.e.live.remove(t.live)
	}
	t.mu.Lock()
	t.end = end
	t.mu.Unlock()
	t.leaveSeat()
	close(t.ended)
	t.e.hub.Wake()
}

// leaveSeat gives back the place that the session took, if it did and has it still.
func (t *talk) leaveSeat() {
	t.mu.Lock()
	had := t.seat
	t.seat = false
	t.mu.Unlock()
	if had {
		t.e.seats.give()
	}
}

// wait returns the next turn's end. A session that ends without one is a turn that failed.
func (t *talk) wait(ctx context.Context) (pieces.TurnEnd, error) {
	select {
	case end := <-t.turns:
		return end, nil
	default:
	}
	select {
	case end := <-t.turns:
		return end, nil
	case <-t.ended:
		select {
		case end := <-t.turns:
			return end, nil
		default:
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		kind, words := t.end.Failure, t.end.Error
		if kind == pieces.FailureNone {
			kind = pieces.FailureOther
		}
		if words == "" {
			words = fmt.Sprintf("Claude Code ended before it answered (exit code %d).", t.end.ExitCode)
		}
		return pieces.TurnEnd{Failure: kind, Error: words}, nil
	case <-ctx.Done():
		return pieces.TurnEnd{}, context.Cause(ctx)
	}
}

// say sends another turn and waits for its end.
func (t *talk) say(ctx context.Context, text string) (pieces.TurnEnd, error) {
	if err := t.send(ctx, text); err != nil {
		return pieces.TurnEnd{}, err
	}
	return t.wait(ctx)
}

// send starts another turn.
func (t *talk) send(ctx context.Context, text string) error {
	conv, err := t.conversation(ctx)
	if err != nil {
		return err
	}
	t.write(pieces.Message{Role: pieces.RolePerson, Text: text})
	t.update(func(s *pieces.Session) { s.State = pieces.SessionWorking })
	return conv.Send(ctx, text)
}

// finish ends the session after its last turn and closes its row.
func (t *talk) finish(ctx context.Context, state pieces.SessionState, reason string) []pieces.LeftProcess {
	return t.endWith(ctx, state, reason, Conversation.Finish)
}

// stop interrupts the session, ends every process of it and closes its row as cancelled.
func (t *talk) stop(ctx context.Context, state pieces.SessionState, reason string) []pieces.LeftProcess {
	return t.endWith(ctx, state, reason, Conversation.Stop)
}

func (t *talk) endWith(ctx context.Context, state pieces.SessionState, reason string, how func(Conversation, context.Context) (pieces.SessionEnd, error)) []pieces.LeftProcess {
	ctx = context.WithoutCancel(ctx)
	conv, err := t.conversation(ctx)
	if err == nil {
		end, endErr := how(conv, ctx)
		if endErr != nil {
			t.e.Log.Error("end session", "session", t.session.ID, "err", endErr)
		}
		<-t.ended
		t.mu.Lock()
		left := t.end.Left
		t.mu.Unlock()
		if len(end.Left) > 0 {
			left = end.Left
		}
		t.close(state, reason)
		return left
	}
	t.close(state, reason)
	return nil
}

func (t *talk) close(state pieces.SessionState, reason string) {
	now := t.e.Now()
	t.mu.Lock()
	t.session.State, t.session.EndedAt, t.session.UpdatedAt, t.session.Error = state, &now, now, ""
	if state == pieces.SessionFailed {
		t.session.Error = reason
	}
	s := t.session
	t.mu.Unlock()
	err := t.e.insist("the end of a session", func() error {
		t.writing.Lock()
		defer t.writing.Unlock()
		said := t.flush()
		if err := t.e.Store.SaveSession(context.WithoutCancel(t.e.ctx), s); err != nil {
			return writeError("write session "+s.ID, err)
		}
		if said != nil {
			said = t.flush() // the store takes something again
		}
		if said != nil {
			t.e.Log.Error("write transcript", "session", s.ID, "err", said)
		}
		return nil
	})
	if err != nil {
		t.e.Log.Error("write session", "session", s.ID, "err", err)
	}
}

func (t *talk) cost() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session.CostUSD
}

// ask runs one planning pass: a session that reads, answers by its step's schema and ends. The cost comes back even when
// the answer does not.
func (e *Engine) ask(ctx context.Context, s pieces.Snapshot, kind pieces.SessionKind, setting, step string, d prompts.Data) (answer json.RawMessage, cost float64, err error) {
	q, err := prompts.Build(step, d)
	if err != nil {
		return nil, 0, err
	}
	l, session, err := e.launch(ctx, s, kind, setting, q)
	if err != nil {
		return nil, 0, err
	}
	l.ReadOnly = true
	t, err := e.open(ctx, session, l, true)
	if err != nil {
		return nil, 0, err
	}
	end, err := t.wait(ctx)
	if err != nil {
		t.stop(ctx, pieces.SessionCancelled, "")
		return nil, t.cost(), err
	}
	switch {
	case end.Failure != pieces.FailureNone:
		err = &stepError{end}
	case len(end.Structured) == 0:
		err = errors.New("Claude Code ended the step without the answer it was asked for") //nolint:staticcheck // a name
	}
	state, reason := pieces.SessionCompleted, ""
	if err != nil {
		state, reason = pieces.SessionFailed, err.Error()
	}
	t.finish(ctx, state, reason)
	return end.Structured, t.cost(), err
}

// stepError is a turn that failed, with Claude Code's reason in words.
type stepError struct{ end pieces.TurnEnd }

func (s *stepError) Error() string { return s.end.Error }

// launch says how a session starts in the piece's own worktree, which it checks and makes ready first.
func (e *Engine) launch(ctx context.Context, s pieces.Snapshot, kind pieces.SessionKind, setting string, q prompts.Step) (pieces.Launch, pieces.Session, error) {
	project, err := e.Project(ctx, s.Piece.ProjectID)
	if err == nil {
		err = e.Git.CheckWorktree(ctx, project.Path, s.Piece.Worktree, s.Piece.Branch)
	}
	if err == nil {
		err = e.prepare(ctx, s.Piece.ID, s.Piece.Worktree)
	}
	if err != nil {
		return pieces.Launch{}, pieces.Session{}, err
	}
	return e.launchIn(ctx, s, s.Piece.Worktree, kind, setting, q)
}

// launchIn fills what every session of a piece has in common. The worktree dir is checked and ready.
func (e *Engine) launchIn(ctx context.Context, s pieces.Snapshot, dir string, kind pieces.SessionKind, setting string, q prompts.Step) (pieces.Launch, pieces.Session, error) {
	set, err := e.Settings(ctx)
	if err != nil {
		return pieces.Launch{}, pieces.Session{}, err
	}
	project, err := e.Project(ctx, s.Piece.ProjectID)
	if err != nil {
		return pieces.Launch{}, pieces.Session{}, err
	}
	l := pieces.Launch{
		SessionID: e.NewID(), Dir: dir, Prompt: q.Prompt, System: prompts.System(), Schema: q.Schema,
		Model: set[pieces.ModelKey(setting)], Effort: set[pieces.EffortKey(setting)],
		Profile: s.Piece.Config.PermissionProfile, AllowedCommands: project.AllowedCommands,
	}
	if setting == "spec" && s.Piece.Config.Model != "" {
		l.Model = s.Piece.Config.Model
	}
	l.BudgetUSD = share(s, kind)
	session := pieces.Session{
		ID: l.SessionID, ProjectID: project.ID, PieceID: s.Piece.ID, Kind: kind, Name: s.Piece.Name + ": " + setting, Branch: s.Piece.Branch,
	}
	return l, session, nil
}
