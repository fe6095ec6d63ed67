package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// chance says yes in n of 100 cases.
func chance(n int) bool { return rand.IntN(100) < n }

// fastAgents stand in for Claude Code: they answer every step at once, work with real git, and fail, ask and die now and
// then.
type fastAgents struct {
	t    *testing.T
	root string // of the worktrees: no agent may ever work elsewhere

	mu   sync.Mutex
	live map[string]pieces.Launch // by the session's id
}

// worksIn says whether a session works in a folder.
func (a *fastAgents) worksIn(dir string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.live {
		if l.Dir == dir {
			return true
		}
	}
	return false
}

// enter notes a session that begins. Two never work in one folder, but a pull request's text may be written, reading
// only, while a feedback session works.
func (a *fastAgents) enter(l pieces.Launch) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, other := range a.live {
		if other.Dir == l.Dir && other.ReadOnly == l.ReadOnly {
			a.t.Errorf("two sessions work in %s: %q and %q", l.Dir, other.Prompt, l.Prompt)
		}
	}
	if a.live == nil {
		a.live = map[string]pieces.Launch{}
	}
	a.live[l.SessionID] = l
}

func (a *fastAgents) leave(l pieces.Launch) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.live, l.SessionID)
}

// fastTalk is one session of a fast agent.
type fastTalk struct {
	launch  pieces.Launch
	emit    func(pieces.SessionEvent)
	said    chan string
	answers chan string // ids of answered prompts
	stop    chan struct{}
	once    sync.Once
	ended   chan struct{}
	end     pieces.SessionEnd
	leave   func()
}

// Start begins a session; now and then it cannot.
func (a *fastAgents) Start(_ context.Context, l pieces.Launch, emit func(pieces.SessionEvent)) (engine.Conversation, error) {
	if !strings.HasPrefix(l.Dir, a.root+string(filepath.Separator)) {
		a.t.Errorf("an agent was sent to work in %s", l.Dir)
	}
	if chance(3) {
		return nil, errors.New("the fake could not start")
	}
	c := &fastTalk{
		launch: l, emit: emit, said: make(chan string), answers: make(chan string),
		stop: make(chan struct{}), ended: make(chan struct{}), leave: func() { a.leave(l) },
	}
	a.enter(l)
	go func() {
		defer close(c.ended)
		c.run()
	}()
	return c, nil
}

// Gone finds no process left: a fast agent has none.
func (a *fastAgents) Script(context.Context, string, string) (string, error) { return "", nil }

func (a *fastAgents) Gone(context.Context, pieces.HostProcess) error { return nil }

// Health finds nothing that keeps the agents from running.
func (a *fastAgents) Health(context.Context) (version string, kind pieces.FailureKind, sentence string) {
	return "0", pieces.FailureNone, ""
}

func (c *fastTalk) run() {
	c.emit(pieces.SessionEvent{Started: &pieces.SessionStarted{}})
	c.emit(pieces.SessionEvent{Message: &pieces.Message{Role: pieces.RoleAssistant, Text: "I am on it."}})
	for c.turn() {
		select {
		case <-c.said:
			continue
		case <-c.stop:
		}
		break
	}
	// Whoever hears the end may start the next one here at once.
	c.leave()
	c.emit(pieces.SessionEvent{Ended: &c.end})
}

// turn does what it was told; false when the session is over.
func (c *fastTalk) turn() bool {
	if chance(30) && !c.pause(time.Duration(rand.IntN(200))*time.Millisecond) {
		return false
	}
	if chance(10) && !c.ask() {
		return false
	}
	if chance(2) {
		c.end = pieces.SessionEnd{ExitCode: 1, Failure: pieces.FailureOther, Error: "The fake died."}
		return false
	}
	end := pieces.TurnEnd{CostUSD: 0.01, Turns: 1, Text: "Done."}
	switch {
	case c.launch.Resume && chance(20):
		end.Failure, end.Error = pieces.FailureCannotResume, "The fake has no such session."
	case chance(4):
		end.Failure, end.Error = pieces.FailureOther, "The fake lost heart."
	case chance(2):
		end.Failure, end.Error = pieces.FailureUsageLimit, "The fake's usage limit is reached."
	case c.launch.ReadOnly:
		end.Structured = c.answer()
	default:
		if err := c.work(); err != nil {
			end.Failure, end.Error = pieces.FailureOther, err.Error()
		}
	}
	c.emit(pieces.SessionEvent{Turn: &end})
	return true
}

// pause takes the time that work takes; false when the session was stopped meanwhile.
func (c *fastTalk) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-c.stop:
		return false
	}
}

// ask waits for the person or a client; false when the session was stopped meanwhile.
func (c *fastTalk) ask() bool {
	p := pieces.Prompt{ID: uuid.NewString(), Kind: pieces.PromptApproval, Tool: "Bash", Input: json.RawMessage(`{"command":"make"}`)}
	if chance(60) {
		p.Kind, p.Tool = pieces.PromptQuestion, "AskUserQuestion"
		p.Questions = []pieces.Question{{Text: "Which one?", Header: "Choice", Options: []pieces.QuestionOption{{Label: "This"}, {Label: "That"}}}}
	}
	c.emit(pieces.SessionEvent{Prompt: &p})
	select {
	case <-c.answers:
		c.emit(pieces.SessionEvent{PromptGone: p.ID})
		return true
	case <-c.stop:
		return false
	}
}

// answer is what a planning pass answers, by its schema.
func (c *fastTalk) answer() json.RawMessage {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(c.launch.Schema, &schema) // an unknown schema gets no answer below
	asks := func(member string) bool { return schema.Properties[member] != nil }
	name := filepath.Base(c.launch.Dir)
	var v any
	switch {
	case asks("questions") && chance(25):
		v = map[string]any{"questions": []any{map[string]any{"question": "Which one?", "why": "It matters.", "options": []any{map[string]any{"label": "This"}}}}}
	case asks("spec"):
		v = map[string]any{"spec": "# The " + name + "\n\nDo it.\n", "analysis": map[string]any{
			"size": "small", "risk": "low", "files": []string{}, "acceptanceCriteria": []string{"It is done."},
		}}
	case asks("strategy"):
		v = map[string]any{"strategy": "Just do it."}
	case asks("agents"):
		v = map[string]any{"agents": fastPlan()}
	case asks("verdict"):
		review := map[string]any{"verdict": "pass", "criteria": []any{}, "failedAgents": []any{}, "summary": "Good.", "learnings": "None."}
		if chance(30) {
			review["verdict"], review["failedAgents"] = "fail", []any{map[string]any{"agent": 1, "finding": "Not good."}}
		}
		v = review
	case asks("title"):
		v = map[string]any{"title": "The " + name, "body": "It is done."}
	}
	b, err := json.Marshal(v)
	if err != nil || v == nil {
		return nil
	}
	return b
}

// fastPlan is one to three agents, in a chain or side by side; now and then it cannot be used.
func fastPlan() []pieces.PlannedAgent {
	plan := make([]pieces.PlannedAgent, 1+rand.IntN(3))
	chain := chance(50)
	for i := range plan {
		plan[i] = pieces.PlannedAgent{Key: fmt.Sprint("a", i), Name: fmt.Sprint("Agent ", i+1), Brief: "Do your part."}
		if chain && i > 0 {
			plan[i].DependsOn = []string{fmt.Sprint("a", i-1)}
		}
	}
	if chance(5) {
		plan[0].DependsOn = []string{"nobody"}
	}
	return plan
}

// work writes a file, often one that others write too, and mostly commits it.
func (c *fastTalk) work() error {
	name := uuid.NewString()[:8] + ".txt"
	if chance(20) {
		name = "shared.txt"
	}
	if err := os.WriteFile(filepath.Join(c.launch.Dir, name), []byte(uuid.NewString()+"\n"), 0o600); err != nil {
		return err
	}
	if chance(20) {
		return nil
	}
	if _, err := gitIn(c.launch.Dir, "add", "--all"); err != nil {
		return err
	}
	_, err := gitIn(c.launch.Dir, "commit", "--quiet", "-m", "Write "+name)
	return err
}

func gitIn(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, piecestest.GitEnv()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %v in %s: %w: %s", args, dir, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// Send gives the session another turn.
func (c *fastTalk) Send(ctx context.Context, text string) error {
	select {
	case c.said <- text:
		return nil
	case <-c.ended:
		return errors.New("the fake has ended")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Answer answers the prompt that the session waits for.
func (c *fastTalk) Answer(ctx context.Context, promptID string, _ pieces.PromptAnswer) error {
	select {
	case c.answers <- promptID:
		return nil
	case <-c.ended:
		return errors.New("the fake has ended")
	case <-time.After(time.Second):
		return errors.New("the fake does not ask")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Finish ends the session after its turn, which is over when it is called.
func (c *fastTalk) Finish(ctx context.Context) (pieces.SessionEnd, error) { return c.Stop(ctx) }

// Stop ends the session at once.
func (c *fastTalk) Stop(context.Context) (pieces.SessionEnd, error) {
	c.once.Do(func() { close(c.stop) })
	<-c.ended
	return c.end, nil
}

// fastForge opens, merges and closes pull requests at random.
type fastForge struct{ opened atomic.Int64 }

// Open opens a pull request, mostly.
func (f *fastForge) Open(_ context.Context, s pieces.PullRequestSpec) (pieces.PullRequest, error) {
	if chance(25) {
		return pieces.PullRequest{}, errors.New("the forge is down")
	}
	n := f.opened.Add(1)
	return pieces.PullRequest{
		Number: int(n), URL: fmt.Sprintf("https://github.com/acme/app/pull/%d", n), State: pieces.PullRequestOpen,
		Title: s.Title, Head: s.Head, Base: s.Base, Repo: "acme/app", Host: "github.com",
	}, nil
}

// Find knows of no pull request that it did not tell of.
func (f *fastForge) Find(context.Context, string, string) (*pieces.PullRequest, error) {
	return nil, nil
}

// Read finds some of them merged or closed.
func (f *fastForge) Read(_ context.Context, _ string, prs []pieces.PullRequest) []pieces.PullRequest {
	out := slices.Clone(prs)
	for i := range out {
		switch {
		case chance(20):
			out[i].State = pieces.PullRequestMerged
		case chance(10):
			out[i].State = pieces.PullRequestClosed
		case chance(50):
			out[i].Checks = fmt.Sprintf("%d of 9 checks passed", rand.IntN(9))
		}
	}
	return out
}
