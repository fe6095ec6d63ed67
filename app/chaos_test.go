package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"fermata/mcp"
	"fermata/mcp/control"
	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
	"fermata/pieces/git"
	"fermata/pieces/piecestest"
	"fermata/store"
)

// chaosWorld is everything of the app below its windows, in this process, with stand-ins for Claude Code and GitHub alone.
type chaosWorld struct {
	t      *testing.T
	dir    string
	repo   *piecestest.Repo
	ids    []string // that clients choose from for what they make
	store  *store.Store
	engine *engine.Engine
	agents *fastAgents
	desk   *consent.Desk
	server *mcp.Server
	faults faultLog
	calls  atomic.Int64 // that were answered
	cards  atomic.Int64 // that the person answered
	// spoiled are the worktrees that were deleted by hand; unmended says that no start looked for them yet.
	spoiled  map[string]bool
	unmended bool
	// results are the schemas of the tools' results.
	results map[string]*jsonschema.Schema
}

// faultLog keeps what is logged as an error.
type faultLog struct {
	mu    sync.Mutex
	lines []string
}

// Write takes one line.
func (l *faultLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, strings.TrimSpace(string(p)))
	return len(p), nil
}

func (w *chaosWorld) worktrees() string { return filepath.Join(w.dir, "worktrees") }

// open starts the store and an engine on the world's folder.
func (w *chaosWorld) open(ctx context.Context) {
	w.t.Helper()
	log := slog.New(slog.NewTextHandler(&w.faults, &slog.HandlerOptions{Level: slog.LevelError}))
	db, err := store.Open(ctx, store.Options{Path: filepath.Join(w.dir, "fermata.db"), Log: log, Now: time.Now})
	if err != nil {
		w.t.Fatal(err)
	}
	w.store, w.agents = db, &fastAgents{t: w.t, root: w.worktrees()}
	w.engine = engine.New(engine.Options{
		Store: db, Git: git.New(git.Options{LockDir: filepath.Join(w.dir, "locks"), Environ: piecestest.GitEnv}),
		Agents: w.agents, Forge: &fastForge{},
		WorktreeRoot: w.worktrees(), Now: time.Now, NewID: uuid.NewString, Log: log, PollEvery: 300 * time.Millisecond,
	})
	if err := w.engine.Start(ctx); err != nil {
		w.t.Fatal(err)
	}
}

// close ends the engine and the store as quitting does.
func (w *chaosWorld) close() {
	w.t.Helper()
	w.engine.Close()
	if err := w.store.Close(); err != nil {
		w.t.Error(err)
	}
}

// serve starts the real server on the tools; the function it returns ends it.
func (w *chaosWorld) serve(ctx context.Context) func() {
	w.t.Helper()
	w.desk = &consent.Desk{}
	options := control.Options{
		Engine: w.engine, Desk: w.desk, Version: "chaos", Log: w.engine.Log, Caller: chaosCaller,
		Reveal: func(context.Context, string, string) error { return nil },
		Audit:  func(context.Context, control.CallRecord) {},
	}
	s, err := mcp.New(mcp.Options{
		Tools: control.New(options), Token: mcp.NewToken(), Log: w.engine.Log, BeforeClose: w.desk.StopAll, Wrap: options.Checked,
		FirstBeat: 50 * time.Millisecond, Beat: 100 * time.Millisecond,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := s.Listen(0); err != nil {
		w.t.Fatal(err)
	}
	w.server = s
	var work sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	work.Go(func() {
		if err := s.Serve(ctx); err != nil {
			w.t.Errorf("serve: %v", err)
		}
	})
	work.Go(func() {
		control.Announcer{Engine: w.engine, Notify: s.Notify, Pause: 50 * time.Millisecond, Log: w.engine.Log}.Run(ctx)
	})
	return func() {
		cancel()
		work.Wait()
	}
}

// chaosCaller places callers by the name they give themselves.
func chaosCaller(ctx context.Context) control.Caller {
	c := mcp.CallerFrom(ctx)
	kind := map[string]control.CallerKind{chaosAgent: control.CallerOwnAgent, chaosStranger: control.CallerUnknown}
	return control.Caller{Name: c.Client.Name, Version: c.Client.Version, Waiting: c.Waiting, Kind: func() control.CallerKind {
		if k, ok := kind[c.Client.Name]; ok {
			return k
		}
		return control.CallerOutside
	}}
}

// person answers cards and prompts at random, changes the setting, and once throws a worktree away by hand.
func (w *chaosWorld) person(ctx context.Context) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for _, q := range w.desk.Pending() {
			answers := 70
			if q.Looking {
				answers = 10 // mostly the card is read first
			}
			if chance(answers) {
				w.answer(q, chance(70))
			}
		}
		for _, p := range w.engine.Prompts("") {
			if chance(20) {
				// The prompt may be gone by now.
				_ = w.engine.AnswerPrompt(ctx, p.ID, pieces.PromptAnswer{Allow: chance(70)})
			}
		}
		if chance(5) {
			if err := w.engine.SetSetting(ctx, pieces.KeyMCPAskBefore, pick("true", "false")); err != nil && ctx.Err() == nil {
				w.t.Errorf("change the setting: %v", err)
			}
		}
		if n%300 == 200 {
			w.spoil(ctx)
		}
	}
}

// answer presses a button of a card. One that is gone counts no more, nor does Allow while it is looked for what it does.
func (w *chaosWorld) answer(q consent.Question, allow bool) {
	switch err := w.desk.Answer(q.ID, allow, pick("", "not now")); {
	case err == nil:
		w.cards.Add(1)
	case errors.Is(err, consent.ErrGone), errors.Is(err, consent.ErrLooking) && allow && q.Looking:
	default:
		w.t.Errorf("answer a card: allow %v, looking %v: %v", allow, q.Looking, err)
	}
}

// spoil deletes a worktree on which nothing runs.
func (w *chaosWorld) spoil(ctx context.Context) {
	list, err := w.engine.Pieces(ctx, pieces.PieceFilter{})
	if err != nil {
		return
	}
	for _, s := range list {
		if s.Piece.Worktree != "" && s.Piece.Phase == pieces.PhaseReview && s.Piece.Activity == pieces.Idle {
			w.spoiled[s.Piece.Worktree] = true
			if err := os.RemoveAll(s.Piece.Worktree); err != nil {
				w.t.Error(err)
			}
			return
		}
	}
}

// chaos lets 50 clients do as they like for a while, then looks at what is left.
func chaos(t *testing.T, d time.Duration, items int) {
	t.Helper()
	const clients = 50
	// Whatever is started from here on carries the label, so that what stays behind can be told from other tests' work.
	label := uuid.NewString()
	ctx := pprof.WithLabels(context.WithoutCancel(t.Context()), pprof.Labels("chaos", label))
	pprof.SetGoroutineLabels(ctx)
	defer pprof.SetGoroutineLabels(t.Context())

	w := &chaosWorld{t: t, dir: t.TempDir(), repo: piecestest.NewRepo(t).WithRemote(), results: readResults(t), spoiled: map[string]bool{}}
	for range items {
		w.ids = append(w.ids, uuid.NewString())
	}
	w.open(ctx)
	if _, _, err := w.engine.RegisterProject(ctx, w.repo.Path); err != nil {
		t.Fatal(err)
	}
	main := checkout(t, w.repo)
	stop := w.serve(ctx)

	over := make(chan struct{})
	var crowd, person sync.WaitGroup
	present, leave := context.WithCancel(ctx)
	person.Go(func() { w.person(present) })
	patient, lose := context.WithTimeout(ctx, d+patience)
	defer lose()
	for n := range clients {
		name := fmt.Sprint("client-", n)
		switch n {
		case 0, 1:
			name = chaosAgent
		case 2, 3:
			name = chaosStranger
		}
		c := &chaosClient{t: t, w: w, name: name, http: &http.Client{Transport: &http.Transport{}}}
		crowd.Go(func() { c.run(patient, over) })
	}
	time.Sleep(d)
	close(over)
	crowd.Wait()
	if patient.Err() != nil {
		t.Error("some calls did not end although the person answers every card")
	}
	w.settle(patient)
	leave()
	person.Wait()
	stop()
	w.desk.Wait()
	w.close()
	w.unmended = true
	w.look(ctx, "after quitting")
	w.unmended = false
	// The next start mends what quitting cut off, and must find it worth mending.
	w.open(ctx)
	w.close()
	w.look(ctx, "after the next start")
	if now := checkout(t, w.repo); now != main {
		t.Errorf("the main checkout changed from\n%s\nto\n%s", main, now)
	}
	for _, line := range w.faults.lines {
		t.Errorf("logged: %s", line)
	}
	untilNobodyRuns(t, label)
}

// settle waits until nothing works any more: a piece that is said to be at work for ever has lost what should follow.
func (w *chaosWorld) settle(ctx context.Context) {
	w.t.Helper()
	wake, done := w.engine.Watch()
	defer done()
	for {
		list, err := w.engine.Pieces(ctx, pieces.PieceFilter{IncludeArchived: true})
		if err != nil {
			w.t.Fatal(err)
		}
		var busy []string
		for _, s := range list {
			if pieces.LiveState(s.State()) {
				busy = append(busy, fmt.Sprintf("%s: %v, tasks %v, prompts %v", s.Piece.Name, s.State(), s.Tasks, s.Prompts))
			}
		}
		if len(busy) == 0 {
			return
		}
		select {
		case <-wake:
		case <-time.After(soon):
			w.t.Errorf("nothing happens any more, but these are at work: %s", strings.Join(busy, "; "))
			return
		case <-ctx.Done():
			w.t.Errorf("still at work: %s", strings.Join(busy, "; "))
			return
		}
	}
}

// untilNobodyRuns waits for every goroutine with the label but this one to end.
func untilNobodyRuns(t *testing.T, label string) {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(soon); ; time.Sleep(20 * time.Millisecond) {
		var profile bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
			t.Fatal(err)
		}
		left = nil
		for group := range strings.SplitSeq(profile.String(), "\n\n") {
			if strings.Contains(group, label) && !strings.Contains(group, "untilNobodyRuns") {
				left = append(left, group)
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d kinds of goroutines stay:\n%s", len(left), strings.Join(left, "\n\n"))
		}
	}
}

// soon bounds what must happen without anybody's help.
const soon = 10 * time.Second

func TestFiftyClientsLeaveNothingButAHistoryThatReplays(t *testing.T) {
	chaos(t, 10*time.Second, 12)
}
