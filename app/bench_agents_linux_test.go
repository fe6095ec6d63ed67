//go:build bench

package app

import (
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/git"
	"fermata/pieces/piecestest"
	"fermata/store"
)

// TestBenchAgentStart measures from the call that starts a piece's agents until the first of them, in a worktree of its
// own, asks the model; beside `git worktree add` and a Claude Code that is started bare in it.
func TestBenchAgentStart(t *testing.T) {
	const rounds = 7
	script := piecestest.Story(piecestest.StoryAgents())
	script = append(script, piecestest.Rule{Name: "bare", Match: piecestest.Tag("bare"), Replies: []piecestest.Reply{piecestest.Say("Done.")}, Repeat: true})
	w := newCrashWorld(t, script)
	w.set(t, pieces.KeyAgentsAtOnce, "1") // the second agent's start would slow the first one's
	if !w.open(0, 0) {
		t.Fatal(w.log.String())
	}
	var ours, bare []time.Duration
	for n := range rounds {
		w.id = uuid.NewString()
		w.walkTo(pieces.GatePlanReady)
		begun := time.Now()
		w.act(string(pieces.StartExecution), nil)
		if n > 0 { // the first round warms up
			ours = append(ours, w.asked("# Step: agent 1\n", begun))
		}
		w.walkTo(pieces.GateReviewWork)

		dir := filepath.Join(t.TempDir(), "bare")
		begun = time.Now()
		w.repo.Git("worktree", "add", "--quiet", "-b", fmt.Sprint("bare-", n), dir, "main")
		cmd := exec.CommandContext(t.Context(), piecestest.Claude(t), "-p", "--output-format=stream-json", "--verbose",
			"--session-id="+uuid.NewString(), "[[bare]]")
		cmd.Dir, cmd.Env = dir, piecestest.ClaudeEnv(w.home, w.model.URL())
		noErr(t, cmd.Start())
		took := w.asked("[[bare]]", begun)
		if n > 0 {
			bare = append(bare, took)
		}
		noErr(t, cmd.Wait())
	}
	w.quit()
	printRatio(t, "agent_start", 1.2, ours, bare)
}

// asked returns how long after begun the model was first asked with the text in the words of the person.
func (w *crashWorld) asked(text string, begun time.Time) time.Duration {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	r, err := w.model.Wait(ctx, func(r piecestest.Request) bool { return r.At.After(begun) && piecestest.Contains(text)(r) })
	noErr(w.t, err)
	return r.At.Sub(begun)
}

// walkTo takes the piece to a gate.
func (w *crashWorld) walkTo(gate pieces.Gate) {
	w.t.Helper()
	w.file()
	for end := time.Now().Add(patience); ; {
		p, alive := w.call("get_piece", map[string]any{"pieceId": w.id})
		if p["gate"] == string(gate) {
			return
		}
		if alive {
			_, alive = w.goOn(p)
		}
		if !alive || time.Now().After(end) {
			w.t.Fatalf("the piece does not get to %s: %v\n%s", gate, p, w.log.String())
		}
	}
}

// set writes a setting before the app is opened.
func (w *crashWorld) set(t *testing.T, key, value string) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: w.data.database()})
	noErr(t, err)
	noErr(t, db.SetSetting(t.Context(), key, value))
	noErr(t, db.Close())
}

// TestBenchTwentyAgentsStream measures what the app takes of the processor while twenty Claude Codes stream at once, as a
// share of what they take.
func TestBenchTwentyAgentsStream(t *testing.T) {
	const agents, pieceCount = 10, 2
	words := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 120)
	var plan []piecestest.StoryAgent
	for n := range agents {
		plan = append(plan, piecestest.StoryAgent{Key: fmt.Sprint("a", n), Name: fmt.Sprint("Agent ", n), File: fmt.Sprint("a", n, ".txt")})
	}
	script := piecestest.Story(plan)
	hold := make(chan struct{})
	for i := range script {
		if slices.ContainsFunc(plan, func(a piecestest.StoryAgent) bool { return a.Key == script[i].Name }) {
			script[i].Replies[0].Hold = hold
			script[i].Replies[0].ChunkDelay = 5 * time.Millisecond
			script[i].Replies[0].Blocks = append([]piecestest.Block{piecestest.Text(words)}, script[i].Replies[0].Blocks...)
		}
	}
	w := newCrashWorld(t, script)
	w.set(t, pieces.KeyAgentsAtOnce, fmt.Sprint(agents))
	w.set(t, pieces.KeyClaudeAtOnce, fmt.Sprint(agents*pieceCount))
	if !w.open(0, 0) {
		t.Fatal(w.log.String())
	}
	var ids []string
	for range pieceCount {
		w.id = uuid.NewString()
		ids = append(ids, w.id)
		w.walkTo(pieces.GatePlanReady)
	}
	begun := time.Now()
	for _, w.id = range ids {
		w.act(string(pieces.StartExecution), nil)
	}
	seen := map[string]bool{}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := w.model.Wait(ctx, func(r piecestest.Request) bool {
		if r.At.After(begun) && piecestest.Contains("# Step: agent ")(r) {
			seen[r.SessionID] = true
		}
		return len(seen) == agents*pieceCount
	})
	noErr(t, err)
	close(hold) // all of them stream from here on
	for _, w.id = range ids {
		w.walkTo(pieces.GateReviewWork)
	}
	took := w.quit()
	fmt.Printf("bench twenty_agents_cpu ratio %.2f limit 0.15 (%v / %v)\n", took.own.Seconds()/took.others.Seconds(), took.own, took.others)
}

// TestBenchEventToStored measures what the app adds to a turn: from an event of Claude Code until it is in the store and
// read from there, one event after the other.
func TestBenchEventToStored(t *testing.T) {
	const events = 2000
	db, err := store.Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "fermata.db")})
	noErr(t, err)
	defer db.Close()
	talks := &streamAgents{started: make(chan func(pieces.SessionEvent), 1)}
	repo := piecestest.NewRepo(t)
	e := engine.New(engine.Options{
		Store: db, Git: git.New(git.Options{LockDir: t.TempDir(), Environ: piecestest.GitEnv}), Agents: talks, Forge: &fastForge{},
		WorktreeRoot: filepath.Join(t.TempDir(), "worktrees"), Now: time.Now, NewID: uuid.NewString, Log: slog.New(slog.DiscardHandler), PollEvery: time.Hour,
	})
	noErr(t, e.Start(t.Context()))
	defer e.Close()
	p, _, err := e.RegisterProject(t.Context(), repo.Path)
	noErr(t, err)
	filed, err := e.FileDraft(t.Context(), engine.NewDraft{ProjectID: p.ID, Seed: "Make it"})
	noErr(t, err)
	_, err = e.ReleaseDraft(t.Context(), filed.Draft.ID, "", pieces.ByPerson)
	noErr(t, err)
	emit := <-talks.started
	list, err := e.Sessions(t.Context(), pieces.SessionFilter{IncludeHidden: true})
	noErr(t, err)
	var took []time.Duration
	for n := range events {
		text := fmt.Sprint("event ", n)
		begun := time.Now()
		emit(pieces.SessionEvent{Message: &pieces.Message{Role: pieces.RoleAssistant, Text: text}})
		for {
			got, err := e.Messages(t.Context(), list[0].ID, 1)
			noErr(t, err)
			if len(got) == 1 && got[0].Text == text {
				break
			}
			if time.Since(begun) > patience {
				t.Fatalf("the event %d does not reach the store: %+v", n, got)
			}
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	fmt.Printf("bench event_to_stored p50 %v p99 %v\n", took[len(took)/2], took[len(took)*99/100])
}

// streamAgents hand the test the way to say what a session says.
type streamAgents struct {
	fastAgents
	started chan func(pieces.SessionEvent)
	once    sync.Once
}

// Start begins a session that says nothing by itself.
func (a *streamAgents) Start(_ context.Context, _ pieces.Launch, emit func(pieces.SessionEvent)) (engine.Conversation, error) {
	emit(pieces.SessionEvent{Started: &pieces.SessionStarted{}})
	a.started <- emit
	return &streamTalk{agents: a, emit: emit}, nil
}

type streamTalk struct {
	fastTalk
	agents *streamAgents
	emit   func(pieces.SessionEvent)
}

// Stop ends the session.
func (c *streamTalk) Stop(context.Context) (pieces.SessionEnd, error) {
	c.agents.once.Do(func() { c.emit(pieces.SessionEvent{Ended: &pieces.SessionEnd{}}) })
	return pieces.SessionEnd{}, nil
}

// Finish ends the session.
func (c *streamTalk) Finish(ctx context.Context) (pieces.SessionEnd, error) { return c.Stop(ctx) }
