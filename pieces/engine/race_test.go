package engine_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/agent"
	"fermata/pieces/engine"
	"fermata/pieces/git"
	"fermata/pieces/piecestest"
	"fermata/store"
)

// soon bounds what needs no Claude Code.
const soon = 20 * time.Second

// patientAgents start sessions that answer nothing and end when they are stopped.
type patientAgents struct {
	started chan *patientTalk
	// slowStop, when it is not nil, holds every stop up.
	slowStop chan struct{}
	// left are the processes that no stop can end.
	left []pieces.LeftProcess
}

type patientTalk struct {
	agents *patientAgents
	launch pieces.Launch
	emit   func(pieces.SessionEvent)
	once   sync.Once
	ended  chan struct{}
}

func (a *patientAgents) Start(_ context.Context, l pieces.Launch, emit func(pieces.SessionEvent)) (engine.Conversation, error) {
	c := &patientTalk{agents: a, launch: l, emit: emit, ended: make(chan struct{})}
	emit(pieces.SessionEvent{Started: &pieces.SessionStarted{}})
	a.started <- c
	return c, nil
}

// Script runs the script as the app does.
func (a *patientAgents) Script(ctx context.Context, dir, script string) (string, error) {
	return agent.New(agent.Options{Host: []string{os.Args[0], "agent-host"}, Environ: piecestest.GitEnv}).Script(ctx, dir, script)
}

func (a *patientAgents) Gone(context.Context, pieces.HostProcess) error { return nil }

func (a *patientAgents) Health(context.Context) (version string, kind pieces.FailureKind, sentence string) {
	return "", pieces.FailureNone, ""
}

func (c *patientTalk) Send(context.Context, string) error                        { return nil }
func (c *patientTalk) Answer(context.Context, string, pieces.PromptAnswer) error { return nil }
func (c *patientTalk) Finish(ctx context.Context) (pieces.SessionEnd, error)     { return c.Stop(ctx) }

// says ends the session's turn with an answer.
func (c *patientTalk) says(answer string) {
	c.emit(pieces.SessionEvent{Turn: &pieces.TurnEnd{Structured: []byte(answer)}})
}

func (c *patientTalk) Stop(context.Context) (pieces.SessionEnd, error) {
	if c.agents.slowStop != nil {
		<-c.agents.slowStop
	}
	end := pieces.SessionEnd{Left: c.agents.left}
	c.once.Do(func() {
		c.emit(pieces.SessionEvent{Ended: &end})
		close(c.ended)
	})
	<-c.ended
	return end, nil
}

// openForge opens every pull request, and nothing happens to it.
type openForge struct{}

func (openForge) Open(_ context.Context, s pieces.PullRequestSpec) (pieces.PullRequest, error) {
	return pieces.PullRequest{Number: 7, URL: "https://example.com/7", State: pieces.PullRequestOpen, Head: s.Head}, nil
}

func (openForge) Find(context.Context, string, string) (*pieces.PullRequest, error) { return nil, nil }

func (openForge) Read(_ context.Context, _ string, prs []pieces.PullRequest) []pieces.PullRequest {
	return prs
}

// hookedStore and hookedGit let a test come in between.
type hookedStore struct {
	*store.Store
	afterApply func()
	afterRead  func(pieces.Snapshot)
	appendErr  error
	full       atomic.Bool // nothing can be written
	refused    atomic.Int64
}

// room is an error while nothing can be written.
func (s *hookedStore) room() error {
	if !s.full.Load() {
		return nil
	}
	s.refused.Add(1)
	return errors.New("database or disk is full")
}

func (s *hookedStore) SaveSession(ctx context.Context, o pieces.Session) error {
	if err := s.room(); err != nil {
		return err
	}
	return s.Store.SaveSession(ctx, o)
}

func (s *hookedStore) Apply(ctx context.Context, c pieces.Change) (pieces.Piece, error) {
	if err := s.room(); err != nil {
		return pieces.Piece{}, err
	}
	p, err := s.Store.Apply(ctx, c)
	if s.afterApply != nil {
		s.afterApply()
	}
	return p, err
}

func (s *hookedStore) Release(ctx context.Context, version int64, c pieces.Change) (pieces.Piece, error) {
	p, err := s.Store.Release(ctx, version, c)
	if s.afterApply != nil {
		s.afterApply()
	}
	return p, err
}

func (s *hookedStore) Piece(ctx context.Context, id string) (pieces.Snapshot, error) {
	p, err := s.Store.Piece(ctx, id)
	if s.afterRead != nil {
		s.afterRead(p)
	}
	return p, err
}

func (s *hookedStore) AppendMessages(ctx context.Context, id string, m []pieces.Message) error {
	if s.appendErr != nil {
		return s.appendErr
	}
	if err := s.room(); err != nil {
		return err
	}
	return s.Store.AppendMessages(ctx, id, m)
}

type hookedGit struct {
	*git.Git
	beforeAdd, afterAdd, removed func()
}

func (g *hookedGit) RemoveWorktree(ctx context.Context, repo, path, root, saved string) error {
	err := g.Git.RemoveWorktree(ctx, repo, path, root, saved)
	if g.removed != nil {
		g.removed()
	}
	return err
}

func (g *hookedGit) AddWorktree(ctx context.Context, repo, path, branch, commit string) error {
	if g.beforeAdd != nil {
		g.beforeAdd()
	}
	err := g.Git.AddWorktree(ctx, repo, path, branch, commit)
	if g.afterAdd != nil {
		g.afterAdd()
	}
	return err
}

// arena is an engine over a real database and real git, whose agents do as the test says.
type arena struct {
	*world
	agents *patientAgents
	store  *hookedStore
	git    *hookedGit
}

func newArena(t *testing.T) *arena {
	t.Helper()
	return newArenaOf(t, 0)
}

// newArenaOf is newArena with how long a commit or a push may take.
func newArenaOf(t *testing.T, patience time.Duration) *arena {
	t.Helper()
	return newArenaWith(t, git.Options{Patience: patience})
}

// newArenaWith is newArena with a git of its own.
func newArenaWith(t *testing.T, o git.Options) *arena {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), repo: piecestest.NewRepo(t)}
	db, err := store.Open(t.Context(), store.Options{Path: filepath.Join(w.dir, "fermata.db")})
	if err != nil {
		t.Fatal(err)
	}
	w.store = db
	a := &arena{
		world: w, agents: &patientAgents{started: make(chan *patientTalk, 100)}, store: &hookedStore{Store: db},
	}
	o.LockDir, o.Environ = filepath.Join(w.dir, "locks"), piecestest.GitEnv
	a.git = &hookedGit{Git: git.New(o)}
	w.engine = engine.New(engine.Options{
		Store: a.store, Git: a.git, Agents: a.agents, Forge: openForge{}, WorktreeRoot: filepath.Join(w.dir, "worktrees"),
		Now: w.now, NewID: uuid.NewString, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), PollEvery: time.Hour,
	})
	if err := w.engine.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.engine.Close(); db.Close() })
	p, _, err := w.engine.RegisterProject(t.Context(), w.repo.Path)
	if err != nil {
		t.Fatal(err)
	}
	w.id = p.ID
	return a
}

// next waits for the next session to start.
func (a *arena) next() *patientTalk {
	a.t.Helper()
	select {
	case c := <-a.agents.started:
		return c
	case <-time.After(soon):
		a.t.Fatal("no session starts")
		return nil
	}
}

// toRun brings a new piece to one running agent.
func (a *arena) toRun() (string, *patientTalk) {
	a.t.Helper()
	return a.toRunOf(`{"agents":[{"key":"a","name":"A","brief":"Do it.","dependsOn":[]}]}`)
}

// toRunOf brings a new piece to the first running agent of a plan.
func (a *arena) toRunOf(plan string) (string, *patientTalk) {
	a.t.Helper()
	id := a.release().Piece.ID
	a.act(id, pieces.ApproveSpec)
	a.next().says(`{"strategy":"Do it."}`)
	a.untilGate(id, pieces.GateStrategyReady)
	a.act(id, pieces.ApproveStrategy)
	a.next().says(plan)
	a.untilGate(id, pieces.GatePlanReady)
	a.act(id, pieces.StartExecution)
	return id, a.next()
}

// worktrees lists what is recorded and what lies on the disk.
func (a *arena) worktrees() (recorded []pieces.WorktreeRecord, folders []string) {
	a.t.Helper()
	recorded, err := a.store.Worktrees(a.t.Context(), "")
	if err != nil {
		a.t.Fatal(err)
	}
	folders, err = filepath.Glob(filepath.Join(a.dir, "worktrees", "*", "*"))
	if err != nil {
		a.t.Fatal(err)
	}
	return recorded, folders
}

func TestAnActionOnAPieceThatWasArchivedMeanwhileIsRefused(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id := a.release().Piece.ID
	// Now and then both calls find their action legal before either is carried out.
	for range 20 {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				_, err := a.engine.Act(t.Context(), engine.Request{PieceID: id, Action: pieces.Archive, By: pieces.ByClient})
				if refusal := (*engine.Refusal)(nil); err != nil && (!errors.As(err, &refusal) || refusal.Legal == nil) {
					t.Errorf("archive: %v", err)
				}
			})
		}
		both.Wait()
		a.act(id, pieces.Unarchive)
	}
	history, err := a.engine.History(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	archived := false
	for _, h := range history[1:] {
		if (h.Trigger == pieces.Trigger(pieces.Archive)) == archived {
			t.Fatalf("%s although the piece was archived: %v", h.Trigger, archived)
		}
		archived = !archived
	}
}

func TestAMoveIsFollowedThoughItsCallerIsGone(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id := a.release().Piece.ID
	ctx, hangUp := context.WithCancel(t.Context())
	a.store.afterApply = hangUp
	if _, err := a.engine.Act(ctx, engine.Request{PieceID: id, Action: pieces.ApproveSpec, By: pieces.ByClient}); err != nil {
		t.Errorf("approveSpec: %v", err)
	}
	a.store.afterApply = nil
	a.next().says(`{"strategy":"Do it."}`)
	a.untilGate(id, pieces.GateStrategyReady)
}

func TestAReleaseIsFollowedThoughItsCallerIsGone(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"after the worktree was made", "after the piece was written"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			a := newArena(t)
			filed, err := a.engine.FileDraft(t.Context(), engine.NewDraft{ProjectID: a.id, Seed: "Make it"})
			if err != nil {
				t.Fatal(err)
			}
			ctx, hangUp := context.WithCancel(t.Context())
			if when == "after the piece was written" {
				a.store.afterApply = hangUp
			} else {
				a.git.afterAdd = hangUp
			}
			if _, err := a.engine.ReleaseDraft(ctx, filed.Draft.ID, "", pieces.ByClient); err != nil {
				t.Errorf("release: %v", err)
			}
			a.store.afterApply = nil
			a.next().says(`{"spec":"# It","analysis":{}}`)
			a.untilGate(filed.Draft.ID, pieces.GateSpecReady)
		})
	}
}

func TestAReleaseGivenUpLeavesNoWorktree(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	filed, err := a.engine.FileDraft(t.Context(), engine.NewDraft{ProjectID: a.id, Seed: "Make it"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, hangUp := context.WithCancel(t.Context())
	a.git.beforeAdd = hangUp
	if _, err := a.engine.ReleaseDraft(ctx, filed.Draft.ID, "", pieces.ByClient); err == nil {
		t.Error("the release that was given up succeeds")
	}
	if recorded, folders := a.worktrees(); len(recorded)+len(folders) > 0 {
		t.Errorf("it leaves %+v and %v", recorded, folders)
	}
	if _, err := a.engine.Draft(t.Context(), filed.Draft.ID); err != nil {
		t.Errorf("the draft: %v", err)
	}
}

func TestADraftAndAPieceOfOneIDFiledAtOnceBecomeOneThing(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id := uuid.NewString()
	var meanwhile sync.WaitGroup
	defer meanwhile.Wait()
	a.git.beforeAdd = func() {
		a.git.beforeAdd = nil
		meanwhile.Go(func() {
			if _, err := a.engine.FileDraft(t.Context(), engine.NewDraft{ID: id, ProjectID: a.id, Seed: "Make it"}); err != nil {
				t.Errorf("file meanwhile: %v", err)
			}
		})
		a.draftOr(id, 200*time.Millisecond)
	}
	s, err := a.engine.CreatePiece(t.Context(), engine.NewPiece{ID: id, ProjectID: a.id, Prompt: "Make it", By: pieces.ByClient})
	if err != nil || s.Piece.ID != id {
		t.Errorf("create: %+v, %v", s.Piece, err)
	}
	filed, err := a.engine.FileDraft(t.Context(), engine.NewDraft{ID: id, ProjectID: a.id, Seed: "Make it"})
	if err != nil || filed.Released == nil {
		t.Errorf("file: %+v, %v", filed, err)
	}
}

// draftOr waits until the draft is filed, or for the given time.
func (a *arena) draftOr(id string, d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := a.engine.Draft(a.t.Context(), id); err == nil {
			return
		}
	}
}

func TestEveryStopOfOneRunEndsWell(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, _ := a.toRun()
	a.agents.slowStop = make(chan struct{})
	done := make(chan error, 4)
	for range cap(done) {
		go func() {
			_, err := a.engine.Act(t.Context(), engine.Request{PieceID: id, Action: pieces.StopAgents, By: pieces.ByClient})
			done <- err
		}()
	}
	a.until(id, "the stop", func(s pieces.Snapshot) bool { return s.Piece.Activity == pieces.Stopping })
	close(a.agents.slowStop)
	for range cap(done) {
		if err := <-done; err != nil {
			t.Errorf("stop: %v", err)
		}
	}
	if s, err := a.engine.Piece(t.Context(), id); err != nil || s.Piece.Activity != pieces.Paused {
		t.Errorf("the piece is %s (%v)", s.Piece.Activity, err)
	}
}

func TestASessionWhoseTranscriptCannotBeWrittenIsNotLive(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id := a.release().Piece.ID
	a.store.appendErr = errors.New("the disk is full")
	a.act(id, pieces.ApproveSpec)
	a.untilGate(id, pieces.GateStrategyFailed)
	live, err := a.store.Sessions(t.Context(), pieces.SessionFilter{LiveOnly: true, IncludeHidden: true})
	if err != nil || len(live) > 0 {
		t.Errorf("live sessions %+v, %v", live, err)
	}
}

func TestAReviewThatEndsWhileItIsStoppedKeepsItsCost(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, agent := a.toRun()
	agent.says(`{"changed":"x","decisions":[],"openPoints":[],"files":[]}`)
	review := a.next()
	a.agents.slowStop = make(chan struct{}) // the review answers, and its session is slow to end
	review.emit(pieces.SessionEvent{Turn: &pieces.TurnEnd{CostUSD: 2, Structured: []byte(
		`{"verdict":"pass","criteria":[],"failedAgents":[],"summary":"s","learnings":"l"}`)}})
	cost := func() float64 {
		s, err := a.store.Store.Piece(t.Context(), id)
		if err != nil {
			t.Error(err)
		}
		return s.Piece.CostUSD
	}
	var reads atomic.Int32
	a.store.afterRead = func(s pieces.Snapshot) {
		// The first reading after the move to stopping is the move's own, the second is before the agents are told to end.
		if s.Piece.Activity != pieces.Stopping || reads.Add(1) != 2 {
			return
		}
		close(a.agents.slowStop)
		for end := time.Now().Add(2 * time.Second); cost() == 0 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		}
	}
	a.act(id, pieces.StopAgents)
	s, err := a.engine.Piece(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Tasks[len(s.Tasks)-1]; s.Piece.CostUSD != 2 || s.Piece.Activity != pieces.Paused || got.State != pieces.TaskPending {
		t.Errorf("the piece cost %v and is %s, its review is %s", s.Piece.CostUSD, s.Piece.Activity, got.State)
	}
}
