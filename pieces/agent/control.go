package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"fermata/pieces"
)

const (
	initializeID = "initialize"
	askHook      = "ask"   // the hook on every tool
	fenceHook    = "fence" // the hook on the control plane's write tools
	askReason    = "The permission profile asks about every tool beyond reading."
	declined     = "The person declined this. Don't try to reach it in another way; go on without it, or say what you need it for."
	stoppingText = "The session is being stopped."
)

// initialize is the first request: what is not fit for the command line, and the hooks. Hooks are asked before the
// person's own allow rules apply. They are no wall (Claude Code goes on without one that fails), so asked repeats them.
func (r *Run) initialize() object {
	hook := object{"matcher": fenceMatcher, "hookCallbackIds": []string{fenceHook}}
	if r.policy.ReadOnly || r.policy.Profile != pieces.ProfileStandard && r.policy.Profile != pieces.ProfileTrusted {
		hook = object{"hookCallbackIds": []string{askHook}}
	}
	body := object{"subtype": "initialize", "hooks": object{"PreToolUse": []object{hook}}}
	if r.launch.System != "" {
		body["appendSystemPrompt"] = r.launch.System
	}
	if r.launch.Schema != nil {
		body["jsonSchema"] = r.launch.Schema
	}
	return request(initializeID, body)
}

// question is a prompt that waits for the person.
type question struct {
	kind  pieces.PromptKind
	tool  string
	input json.RawMessage
}

// answered takes the reply to one of our requests.
func (r *Run) answered(reply controlReply) {
	if reply.ID == initializeID {
		r.initialized(reply)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if answer, ok := r.replies[reply.ID]; ok {
		delete(r.replies, reply.ID)
		answer <- reply
	}
}

func (r *Run) initialized(reply controlReply) {
	if reply.Subtype != "success" {
		r.fail(failure{kind: pieces.FailureOther, sentence: "Claude Code refused to begin: " + firstLine(reply.Error)})
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ready = true
	for _, text := range r.waiting {
		r.outbox.put(userMessage(text))
	}
	r.waiting = nil
}

// asked answers a request of Claude Code's, or turns it into a prompt.
func (r *Run) asked(id string, raw json.RawMessage) {
	var q controlRequest
	if err := json.Unmarshal(raw, &q); err != nil {
		r.outbox.put(refusal(id, "Fermata can't read the request."))
		return
	}
	switch q.Subtype {
	case "can_use_tool":
		r.mayUse(id, q)
	case "hook_callback":
		r.outbox.put(reply(id, r.hook(raw)))
	case "elicitation":
		r.outbox.put(reply(id, object{"action": "decline"}))
	default:
		r.outbox.put(refusal(id, "Fermata does not know the request "+q.Subtype+"."))
	}
}

// hook decides before the person's own rules: deny, ask, or nothing, which leaves it to them and to mayUse.
func (r *Run) hook(raw json.RawMessage) object {
	var request struct {
		Callback string    `json:"callback_id"`
		Input    hookInput `json:"input"`
	}
	if json.Unmarshal(raw, &request) != nil {
		return preToolUse(VerdictAsk, askReason)
	}
	in := request.Input
	verdict, reason := r.policy.Decide(in.Tool, in.Input)
	switch {
	case verdict == VerdictDeny:
		return preToolUse(VerdictDeny, reason)
	case request.Callback == askHook && verdict == VerdictAsk && promptKind(in.Tool) == pieces.PromptApproval:
		return preToolUse(VerdictAsk, askReason)
	}
	return object{}
}

func preToolUse(v Verdict, reason string) object {
	return object{"hookSpecificOutput": object{
		"hookEventName": "PreToolUse", "permissionDecision": v, "permissionDecisionReason": reason,
	}}
}

func (r *Run) mayUse(id string, q controlRequest) {
	verdict, reason := r.policy.Decide(q.Tool, q.Input)
	kind := promptKind(q.Tool)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.stopping:
		r.outbox.put(deny(id, stoppingText))
		return
	case verdict == VerdictDeny:
		r.outbox.put(deny(id, reason))
		return
	case verdict == VerdictAllow, kind == pieces.PromptApproval && r.remembered[RuleFor(q.Tool, q.Input)]:
		r.outbox.put(allow(id, keep(q.Input)))
		return
	}
	prompt := pieces.Prompt{
		ID: id, SessionID: r.launch.SessionID, Kind: kind, Tool: q.Tool, Input: q.Input, Reason: q.Description, At: time.Now(),
	}
	if kind == pieces.PromptApproval {
		prompt.Rule = RuleFor(q.Tool, q.Input)
	}
	if prompt.Reason == "" && q.Reason != askReason {
		prompt.Reason = q.Reason
	}
	if kind == pieces.PromptQuestion {
		var in struct {
			Questions []pieces.Question `json:"questions"`
		}
		_ = json.Unmarshal(q.Input, &in) // without questions the person can still decline
		prompt.Questions = in.Questions
	}
	r.pending[id] = question{kind: kind, tool: q.Tool, input: q.Input}
	r.events.put(pieces.SessionEvent{Prompt: &prompt})
}

// keep is the input of an allowed use: what was asked about and nothing else.
func keep(input json.RawMessage) any {
	if len(input) == 0 {
		return object{}
	}
	return input
}

// withdrawn takes a prompt back that Claude Code no longer waits for.
func (r *Run) withdrawn(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.withdraw(id)
}

// withdraw ends a prompt, answered or not. The caller holds the lock.
func (r *Run) withdraw(id string) {
	if _, ok := r.pending[id]; ok {
		delete(r.pending, id)
		r.events.put(pieces.SessionEvent{PromptGone: id})
	}
}

func (r *Run) withdrawAll() {
	for id := range r.pending {
		r.withdraw(id)
	}
}

// Answer answers a prompt. The first answer counts; a prompt that was answered or withdrawn gives ErrPromptGone. An
// approval for the session or the project is remembered for this run by its rule; storing it is the caller's business.
func (r *Run) Answer(_ context.Context, promptID string, a pieces.PromptAnswer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	q, ok := r.pending[promptID]
	if !ok {
		return fmt.Errorf("answer prompt %s: %w", promptID, ErrPromptGone)
	}
	body, err := answer(promptID, q, a)
	if err != nil {
		return fmt.Errorf("answer prompt %s: %w", promptID, err)
	}
	if !r.outbox.put(body) {
		return fmt.Errorf("answer prompt %s: %w", promptID, ErrPromptGone)
	}
	if a.Allow && q.kind == pieces.PromptApproval && (a.Scope == pieces.ScopeSession || a.Scope == pieces.ScopeProject) {
		r.remembered[RuleFor(q.tool, q.input)] = true
	}
	r.withdraw(promptID)
	return nil
}

func answer(id string, q question, a pieces.PromptAnswer) (object, error) {
	if !a.Allow {
		if a.Message == "" {
			return deny(id, declined), nil
		}
		return deny(id, a.Message), nil
	}
	if q.kind != pieces.PromptQuestion {
		return allow(id, keep(q.input)), nil
	}
	var input map[string]any
	if err := json.Unmarshal(q.input, &input); err != nil {
		return nil, fmt.Errorf("read the questions: %w", err)
	}
	if a.Answers == nil {
		a.Answers = map[string]string{}
	}
	input["answers"] = a.Answers
	return allow(id, input), nil
}
