package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"fermata/pieces"
	"fermata/pieces/prompts"
)

// interviewMessage adds what the person says to the interview and lets it go on. To say nothing moves on without an answer
// while questions are open, and tries again after a failure.
func (e *Engine) interviewMessage(ctx context.Context, _ pieces.Snapshot, r Request) (Result, error) {
	return e.act(ctx, r, func(s pieces.Snapshot, c *pieces.Change) error {
		if s.Gate() == pieces.GateSpecReady && strings.TrimSpace(r.Prompt) == "" {
			return refuse(nil, "Say what the spec should say or change.")
		}
		c.Piece.Interview, c.Note = s.Piece.Interview.Say(r.Prompt, e.Now()), pieces.Quote(r.Prompt)
		if n := len(c.Piece.Interview.Turns); n > 0 && c.Piece.Interview.Turns[n-1].MovesOn() {
			c.Note = pieces.Say("Moved on without an answer.")
		}
		return nil
	})
}

// specAttempts is how often one turn of the interview is asked for an answer that can be used.
const specAttempts = 3

// interviewPromptAnswer answers a question that Claude Code asks with a tool: such a question ends with its process, and the
// interview's must not.
const interviewPromptAnswer = "The person cannot be asked with this tool. Put what you must know under `questions` of your answer where it may have questions; otherwise decide yourself, write down what you assumed, and go on."

// specAnswer is what a turn of the interview ends with: questions, a spec, or neither when a supplied spec has no gaps.
type specAnswer struct {
	Questions []pieces.Question `json:"questions"`
	Spec      string            `json:"spec"`
	Analysis  json.RawMessage   `json:"analysis"`
}

// interviewTurn is one turn of a spec's conversation.
type interviewTurn struct {
	piece pieces.Snapshot
	spec  string // as it stands
	// checks is set when the turn looks for gaps in a supplied spec, which stands as it is when there are none.
	checks bool
	left   int // rounds of questions
	// What it came to.
	sessionID string
	costUSD   float64
	answer    specAnswer
}

// writeSpec runs one turn of the spec interview.
func (e *Engine) writeSpec(ctx context.Context, id string) error {
	s, err := e.Piece(ctx, id)
	if err != nil {
		return err
	}
	spec, err := e.text(ctx, id, pieces.ArtifactSpec)
	if err != nil {
		return err
	}
	v, config := s.Piece.Interview, s.Piece.Config
	t := &interviewTurn{piece: s, spec: spec, left: v.Left(config.Depth)}
	t.checks = v.SessionID == "" && config.Refine == pieces.RefineIfGaps && strings.TrimSpace(spec) != ""
	stepErr := e.interview(ctx, t)
	return e.settle(ctx, id, stepErr, t.trigger(), pieces.OnSpecFailed, func(_ pieces.Snapshot, c *pieces.Change) error {
		c.Piece.CostUSD += t.costUSD
		if stepErr == nil {
			t.write(c, e)
		}
		return nil
	})
}

// trigger is what the turn's answer does to the piece.
func (t *interviewTurn) trigger() pieces.Trigger {
	switch {
	case t.asks():
		return pieces.OnQuestionsAsked
	case t.answer.Spec == "":
		return pieces.OnSpecChecked
	default:
		return pieces.OnSpecWritten
	}
}

func (t *interviewTurn) asks() bool { return len(t.answer.Questions) > 0 && t.left > 0 }

// write fills in what the turn came to.
func (t *interviewTurn) write(c *pieces.Change, e *Engine) {
	v := &c.Piece.Interview
	v.SessionID, v.Taken = t.sessionID, len(v.Turns)
	if t.asks() {
		*v = v.Ask(t.answer.Questions, e.Now())
		return
	}
	if t.answer.Spec != "" {
		artifact(c, pieces.ArtifactSpec, "", t.answer.Spec)
		if title := pieces.SpecTitle(t.answer.Spec); title != "" {
			c.Piece.Name = title
		}
	}
	artifact(c, pieces.ArtifactAnalysis, "", string(t.answer.Analysis))
}

// interview asks Claude Code for the turn's answer, in the conversation that the interview has.
func (e *Engine) interview(ctx context.Context, t *interviewTurn) error {
	k, end, err := e.openInterview(ctx, t)
	if k == nil {
		return err
	}
	for attempt := 1; err == nil && end.Failure == pieces.FailureNone; attempt++ {
		problem := t.take(end)
		if problem == "" {
			t.sessionID, t.costUSD = k.session.ID, t.costUSD+k.cost()-k.before
			k.finish(ctx, pieces.SessionCompleted, "")
			return nil
		}
		if attempt == specAttempts {
			break
		}
		end, err = k.say(ctx, problem)
	}
	t.costUSD += k.cost() - k.before
	switch {
	case err != nil:
		k.stop(ctx, pieces.SessionCancelled, "")
		return err
	case end.Failure != pieces.FailureNone:
		err = &stepError{end}
	default:
		err = errors.New("Claude Code answered neither with questions nor with a whole spec") //nolint:staticcheck // a name
	}
	k.finish(ctx, pieces.SessionFailed, err.Error())
	return err
}

// openInterview goes on in the interview's conversation, or begins one where there is none or it cannot be resumed.
func (e *Engine) openInterview(ctx context.Context, t *interviewTurn) (*talk, pieces.TurnEnd, error) {
	s, v := t.piece, t.piece.Piece.Interview
	d := prompts.Data{Piece: s.Piece.Name, Seed: s.Piece.Seed, Spec: t.spec, Depth: s.Piece.Config.Depth, Rounds: t.left, Turns: v.Turns, Files: e.filesOf(s.Piece)}
	if v.SessionID != "" {
		k, end, err := e.resumeInterview(ctx, s, d)
		if err != nil || end.Failure != pieces.FailureCannotResume {
			return k, end, err
		}
		t.costUSD += k.cost() - k.before
		k.finish(ctx, pieces.SessionFailed, "This session could not be resumed; a fresh one took its place.")
	}
	step := prompts.Spec
	if t.checks {
		step = prompts.SpecCheck
	}
	q, err := prompts.Build(step, d)
	if err != nil {
		return nil, pieces.TurnEnd{}, err
	}
	l, session, err := e.launch(ctx, s, pieces.SessionInterview, "spec", q)
	if err != nil {
		return nil, pieces.TurnEnd{}, err
	}
	l.Folders = e.foldersOf(s.Piece)
	notice := ""
	if v.SessionID != "" {
		notice = "The earlier session could not be resumed, so this is a fresh one."
	}
	return e.openAndWait(ctx, session, l, notice)
}

// resumeInterview says in the interview's own conversation what it has not heard yet.
func (e *Engine) resumeInterview(ctx context.Context, s pieces.Snapshot, d prompts.Data) (*talk, pieces.TurnEnd, error) {
	v := s.Piece.Interview
	session, err := e.Session(ctx, v.SessionID)
	if err != nil {
		return nil, pieces.TurnEnd{}, err
	}
	d.Turns = v.Pending()
	q, err := prompts.Build(prompts.Interview, d)
	if err != nil {
		return nil, pieces.TurnEnd{}, err
	}
	l, _, err := e.launch(ctx, s, pieces.SessionInterview, "spec", q)
	if err != nil {
		return nil, pieces.TurnEnd{}, err
	}
	l.SessionID, l.Resume, l.Folders = session.ID, true, e.foldersOf(s.Piece)
	return e.openAndWait(ctx, session, l, "")
}

func (e *Engine) openAndWait(ctx context.Context, session pieces.Session, l pieces.Launch, notice string) (*talk, pieces.TurnEnd, error) {
	l.ReadOnly = true
	k, err := e.open(ctx, session, l, true)
	if err != nil {
		return nil, pieces.TurnEnd{}, err
	}
	if notice != "" {
		k.write(pieces.Message{Role: pieces.RoleNotice, Text: notice})
	}
	end, err := k.wait(ctx)
	return k, end, err
}

// take reads a turn's answer. It returns what is wrong with it, in words for Claude Code, or "" when it can be used.
func (t *interviewTurn) take(end pieces.TurnEnd) string {
	t.answer = specAnswer{}
	if err := json.Unmarshal(end.Structured, &t.answer); err != nil {
		return "That was not the answer that was asked for. Answer with the structured output."
	}
	a := &t.answer
	a.Questions = slices.DeleteFunc(a.Questions, func(q pieces.Question) bool { return strings.TrimSpace(q.Text) == "" })
	for i := range a.Questions {
		q := &a.Questions[i]
		q.Options = slices.DeleteFunc(q.Options, func(o pieces.QuestionOption) bool { return strings.TrimSpace(o.Label) == "" })
	}
	if strings.TrimSpace(a.Spec) == "" || (t.checks && len(t.piece.Piece.Interview.Turns) == 0) {
		a.Spec = "" // a check changes nothing that nobody asked to be changed
	}
	switch whole := len(a.Analysis) > 0 && string(a.Analysis) != "null"; {
	case t.asks():
		return ""
	case a.Spec == "" && len(a.Questions) > 0:
		return "No more questions can be asked. Decide what is open, say so under \"Assumptions\", and answer with the finished `spec` and its `analysis`."
	case a.Spec == "" && !t.checks:
		return "Your answer has neither questions nor a spec. Answer with the finished `spec` and its `analysis`."
	case a.Spec != "" && pieces.SpecTitle(a.Spec) == "":
		return "The spec has no title heading (`# …`). Answer with the whole `spec` under one, and its `analysis`."
	case !whole:
		return "Your answer lacks the `analysis`. Answer again with it."
	}
	return ""
}
