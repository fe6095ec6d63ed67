package engine_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/agent"
	"fermata/pieces/agent/host"
	"fermata/pieces/engine"
	"fermata/pieces/forge"
	"fermata/pieces/git"
	"fermata/pieces/piecestest"
	"fermata/store"
)

// TestMain lets the test binary be the agent host, as the app's binary is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "agent-host" {
		os.Exit(host.Serve(context.Background(), os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// patience bounds a wait for the real Claude Code on a busy machine; a test that waits this long has failed.
const patience = 3 * time.Minute

// world is an engine over real git, the real Claude Code, a real database, and a small GitHub.
type world struct {
	t      *testing.T
	dir    string
	repo   *piecestest.Repo
	model  *piecestest.Model
	github *piecestest.GitHub
	store  *store.Store
	engine *engine.Engine
	id     string // of the project
	// ahead is how far the engine's clock goes before the real one.
	ahead atomic.Int64
	live  processes
	env   []string // of git and Claude Code, besides what is clean
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

type driver struct {
	*agent.Driver
	live *processes
}

// processes counts the Claude Code processes that live, and how many did at most, and notes where they ran.
type processes struct {
	mu        sync.Mutex
	now, most int
	dirs      []string
}

func (p *processes) add(n int, dir string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now += n
	p.most = max(p.most, p.now)
	if dir != "" {
		p.dirs = append(p.dirs, dir)
	}
}

// where lists where they ran, each start once.
func (p *processes) where() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.dirs)
}

func (p *processes) atMost() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most
}

func (d driver) Start(ctx context.Context, l pieces.Launch, emit func(pieces.SessionEvent)) (engine.Conversation, error) {
	d.live.add(1, l.Dir)
	run, err := d.Driver.Start(ctx, l, func(ev pieces.SessionEvent) {
		if ev.Ended != nil {
			d.live.add(-1, "")
		}
		emit(ev)
	})
	if err != nil {
		d.live.add(-1, "")
		return nil, err
	}
	return run, nil
}

func (d driver) Gone(ctx context.Context, h pieces.HostProcess) error { return host.EndStale(ctx, h) }

func newWorld(t *testing.T, script piecestest.Script) *world {
	t.Helper()
	return newWorldOf(t, script, piecestest.NewRepo(t).WithRemote())
}

func newWorldOf(t *testing.T, script piecestest.Script, repo *piecestest.Repo, env ...string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), repo: repo, model: piecestest.NewModel(t, script), env: env}
	w.github = piecestest.NewGitHub(t, piecestest.GitHubOptions{Token: "gh-test", Bare: w.repo.Bare})
	w.open()
	p, already, err := w.engine.RegisterProject(t.Context(), w.repo.Path)
	if err != nil || already {
		t.Fatalf("register: %v, already %v", err, already)
	}
	w.id = p.ID
	return w
}

// open starts an engine on the world's folder; the test ends it unless the world closes it first.
func (w *world) open() {
	w.t.Helper()
	log := slog.New(slog.NewTextHandler(w.t.Output(), nil))
	db, err := store.Open(w.t.Context(), store.Options{Path: filepath.Join(w.dir, "data", "fermata.db"), Log: log})
	if err != nil {
		w.t.Fatal(err)
	}
	claude := piecestest.Claude(w.t)
	home := filepath.Join(w.dir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		w.t.Fatal(err)
	}
	w.store = db
	w.engine = engine.New(engine.Options{
		Store: db,
		Git:   git.New(git.Options{LockDir: filepath.Join(w.dir, "locks"), Environ: func() []string { return append(piecestest.GitEnv(), w.env...) }}),
		Agents: driver{live: &w.live, Driver: agent.New(agent.Options{
			Claude: func() string { return claude }, Host: []string{os.Args[0], "agent-host"}, Log: log,
			Environ: func() []string { return append(piecestest.ClaudeEnv(home, w.model.URL()), w.env...) },
		})},
		Forge: forge.New(forge.Options{
			APIURL: w.github.URL,
			Token:  func(context.Context, string) (string, error) { return "gh-test", nil },
		}),
		WorktreeRoot: filepath.Join(w.dir, "worktrees"), AttachmentRoot: filepath.Join(w.dir, "attachments"), Now: w.now, NewID: uuid.NewString, Log: log,
		PollEvery: 200 * time.Millisecond,
	})
	if err := w.engine.Start(context.WithoutCancel(w.t.Context())); err != nil {
		w.t.Fatal(err)
	}
	eng := w.engine
	w.t.Cleanup(func() { eng.Close(); db.Close() })
}

// close ends the engine as quitting does.
func (w *world) close() {
	w.engine.Close()
	if err := w.store.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// release files a draft with the story's spec, to be used as it is, and releases it.
func (w *world) release() pieces.Snapshot {
	w.t.Helper()
	filed, err := w.engine.FileDraft(w.t.Context(), engine.NewDraft{ProjectID: w.id, Spec: piecestest.StorySpec, Refine: pieces.RefineNone})
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := w.engine.ReleaseDraft(w.t.Context(), filed.Draft.ID, "", pieces.ByClient)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) act(id string, a pieces.Action, change ...func(*engine.Request)) engine.Result {
	w.t.Helper()
	r := engine.Request{PieceID: id, Action: a, By: pieces.ByClient}
	for _, c := range change {
		c(&r)
	}
	res, err := w.engine.Act(w.t.Context(), r)
	if err != nil {
		w.t.Fatalf("%s: %v", a, err)
	}
	return res
}

func contextWithPatience(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), patience)
}

// until waits for a state of the piece.
func (w *world) until(id, what string, ok func(pieces.Snapshot) bool) pieces.Snapshot {
	w.t.Helper()
	wake, done := w.engine.Watch()
	defer done()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for {
		s, err := w.engine.Piece(w.t.Context(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		if ok(s) {
			return s
		}
		select {
		case <-wake:
		case <-ctx.Done():
			w.t.Fatalf("waited for %s; the piece is at %s/%s, failure %q, tasks %+v", what, s.Piece.Phase, s.Piece.Activity, s.Piece.Failure, s.Tasks)
		}
	}
}

func (w *world) untilGate(id string, g pieces.Gate) pieces.Snapshot {
	w.t.Helper()
	return w.until(id, "the gate "+string(g), func(s pieces.Snapshot) bool { return s.Gate() == g })
}

// toPlan brings a new piece to its plan.
func (w *world) toPlan() pieces.Snapshot {
	w.t.Helper()
	s := w.release()
	w.act(s.Piece.ID, pieces.ApproveSpec)
	w.untilGate(s.Piece.ID, pieces.GateStrategyReady)
	w.act(s.Piece.ID, pieces.ApproveStrategy)
	return w.untilGate(s.Piece.ID, pieces.GatePlanReady)
}
