package engine_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/git"
	"fermata/pieces/piecestest"
	"fermata/store"
)

// slowStore lists all pieces only once it may.
type slowStore struct {
	engine.Store
	may chan struct{}
}

func (s *slowStore) Pieces(ctx context.Context, f pieces.PieceFilter) ([]pieces.Snapshot, error) {
	if !f.CutOff && !f.OpenPullRequest {
		select {
		case <-s.may:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return s.Store.Pieces(ctx, f)
}

// startGit counts how often repositories are asked for their worktrees.
type startGit struct {
	engine.Git
	lists atomic.Int64
}

func (g *startGit) MissingWorktrees(ctx context.Context, repo string, branches map[string]string) (map[string]bool, error) {
	g.lists.Add(1)
	return g.Git.MissingWorktrees(ctx, repo, branches)
}

// addStanding adds a piece that stands somewhere, with one agent.
func addStanding(t *testing.T, s engine.Store, project, worktree string, at pieces.State, agent pieces.TaskState) string {
	t.Helper()
	p := pieces.Piece{
		ID: uuid.NewString(), ProjectID: project, Name: "A piece", Phase: at.Phase, Activity: at.Activity, Branch: "fermata/x",
		Worktree: worktree, CreatedAt: time.Now(),
	}
	_, err := s.AddPiece(t.Context(), pieces.Change{Piece: p, Trigger: pieces.OnPlanBuilt, By: pieces.ByFermata, Tasks: []pieces.Task{
		{ID: uuid.NewString(), PieceID: p.ID, Ordinal: 1, Kind: pieces.TaskAgent, Name: "An agent", State: agent},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}

// TestAStartReadsOnlyWhatItMends starts over many pieces: what was cut off is mended before the start is over, each repository
// is asked for its worktrees once, and the list of all pieces is not waited for.
func TestAStartReadsOnlyWhatItMends(t *testing.T) {
	t.Parallel()
	const projects, each = 3, 20
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Options{Path: filepath.Join(dir, "data", "fermata.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	building, plan := pieces.State{Phase: pieces.PhaseAgents, Activity: pieces.Running}, pieces.State{Phase: pieces.PhaseAgents, Activity: pieces.Idle}
	var cutOff, quiet, half []string
	for i := range projects {
		repo := piecestest.NewRepo(t).Path
		id := fmt.Sprint("project-", i)
		if err := db.AddProject(t.Context(), pieces.Project{ID: id, Name: id, Path: repo, Branch: "main", CreatedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
		for n := range each {
			quiet = append(quiet, addStanding(t, db, id, filepath.Join(dir, id, fmt.Sprint(n)), plan, pieces.TaskPending))
		}
		cutOff = append(cutOff, addStanding(t, db, id, "", building, pieces.TaskRunning))
		half = append(half, addStanding(t, db, id, "", plan, pieces.TaskWaiting))
	}
	slow, counted := &slowStore{db, make(chan struct{})}, &startGit{Git: git.New(git.Options{LockDir: filepath.Join(dir, "locks"), Environ: piecestest.GitEnv})}
	e := engine.New(engine.Options{
		Store: slow, Git: counted, Agents: &patientAgents{started: make(chan *patientTalk, 1)}, WorktreeRoot: filepath.Join(dir, "worktrees"),
		Now: time.Now, NewID: uuid.NewString, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), PollEvery: time.Hour,
	})
	defer e.Close()
	over := make(chan error, 1)
	go func() { over <- e.Start(context.WithoutCancel(t.Context())) }()
	select {
	case err := <-over:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(patience):
		t.Fatal("the start waits for the list of all pieces")
	}
	if n := counted.lists.Load(); n != projects {
		t.Errorf("%d repositories were asked for their worktrees %d times", projects, n)
	}
	at := func(id string) pieces.Snapshot {
		t.Helper()
		s, err := e.Piece(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, id := range cutOff {
		if s := at(id); s.Gate() != pieces.GateInterrupted || s.Tasks[0].State != pieces.TaskInterrupted {
			t.Errorf("a piece that was cut off is at %s/%s, its agent %s", s.Piece.Phase, s.Piece.Activity, s.Tasks[0].State)
		}
	}
	for _, id := range half {
		if s := at(id); s.Tasks[0].State != pieces.TaskInterrupted {
			t.Errorf("an agent that was cut off is %s", s.Tasks[0].State)
		}
	}
	for _, id := range quiet {
		if s := at(id); !s.Piece.WorktreeMissing || s.State() != plan {
			t.Errorf("a piece whose worktree is gone is at %s/%s, missing %v", s.Piece.Phase, s.Piece.Activity, s.Piece.WorktreeMissing)
		}
	}
	close(slow.may)
}
