//go:build bench

package app

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/store"
)

// stages are where the pieces of a bench stand, in turn, and how many of their three agents completed.
var stages = []struct {
	state pieces.State
	done  int
	hasPR bool
}{
	{pieces.State{Phase: pieces.PhaseAgents, Activity: pieces.Idle}, 0, false},
	{pieces.State{Phase: pieces.PhaseAgents, Activity: pieces.Paused}, 1, false},
	{pieces.State{Phase: pieces.PhaseAgents, Activity: pieces.Finished}, 3, false},
	{pieces.State{Phase: pieces.PhaseReview, Activity: pieces.Idle}, 3, false},
	{pieces.State{Phase: pieces.PhaseComplete, Activity: pieces.Idle}, 3, true},
}

// filling says which pieces fillStore puts into the store.
type filling struct {
	projects []string // the pieces are theirs in turn
	count    int
	archived bool
	sessions bool // those of its agents too
	noPRs    bool
}

// fillStore puts pieces into the store, each with three agents, its documents and its history.
func fillStore(t *testing.T, s *store.Store, f filling) (ids []string) {
	t.Helper()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for i := range f.count {
		at = at.Add(time.Hour)
		p := newPiece(i, f.projects[i%len(f.projects)], at)
		p.Archived = f.archived
		if f.noPRs {
			p.PR = nil
		}
		c := pieces.Change{Piece: p, Trigger: pieces.OnPlanBuilt, By: pieces.ByFermata, Artifacts: documents(p.ID)}
		c.Tasks, c.Edges = agentsOf(p, stages[i%len(stages)].done, at)
		p, err := s.AddPiece(t.Context(), c)
		noErr(t, err)
		for _, task := range c.Tasks {
			if !f.sessions {
				break
			}
			noErr(t, s.SaveSession(t.Context(), pieces.Session{
				ID: task.SessionID, ProjectID: p.ProjectID, PieceID: p.ID, TaskID: task.ID, Kind: pieces.SessionTask, Name: task.Name,
				State: pieces.SessionCompleted, Model: "opus", Branch: p.Branch, Worktree: p.Worktree, CostUSD: 0.4, CreatedAt: at, UpdatedAt: at,
			}))
		}
		ids = append(ids, p.ID)
	}
	return ids
}

// addProjects registers repositories and returns their ids.
func addProjects(t *testing.T, s *store.Store, names ...string) (ids []string) {
	t.Helper()
	for _, name := range names {
		p := pieces.Project{ID: newID(), Name: name, Path: filepath.Join("/home/ada/src", name), Branch: "main", CreatedAt: time.Now()}
		noErr(t, s.AddProject(t.Context(), p))
		ids = append(ids, p.ID)
	}
	return ids
}

func newPiece(i int, project string, at time.Time) pieces.Piece {
	stage, branch := stages[i%len(stages)], fmt.Sprintf("fermata/search-orders-by-reference-%d", i)
	p := pieces.Piece{
		ID: newID(), ProjectID: project, Name: fmt.Sprintf("Search orders by reference %d", i),
		Seed:  "Customers ask support for their orders all the time. Let them search by the reference on the receipt.",
		Phase: stage.state.Phase, Activity: stage.state.Activity, Branch: branch,
		Worktree: filepath.Join("/home/ada/.local/share/fermata/worktrees/shop", branch),
		Base: pieces.Base{
			Branch: "main", Ref: "refs/remotes/origin/main", Commit: strings.Repeat("5ca1ab1e", 5), CommittedAt: at, Fetched: true,
		},
		Config: pieces.Config{Lane: pieces.LaneManual, Refine: pieces.RefineIfGaps, Model: "opus", PermissionProfile: pieces.ProfileStandard, AgentsAtOnce: 3},
		Run:    1, CostUSD: 1.37, CreatedAt: at,
	}
	if stage.hasPR {
		done := at.Add(30 * time.Minute)
		p.CompletedAt = &done
		p.PR = &pieces.PullRequest{
			Number: i, URL: fmt.Sprintf("https://github.com/ada/shop/pull/%d", i), State: pieces.PullRequestOpen, Title: p.Name,
			Head: branch, Base: "main", Checks: "3 of 4 checks passed", Repo: "ada/shop", Host: "github.com", ReadAt: at,
		}
	}
	return p
}

// agentsOf is a graph of three agents: the second and third wait for the first.
func agentsOf(p pieces.Piece, done int, at time.Time) (tasks []pieces.Task, edges []pieces.Edge) {
	for i, name := range []string{"Index the references", "Search field and results", "Tests of the search"} {
		task := pieces.Task{
			ID: newID(), PieceID: p.ID, Ordinal: i + 1, Kind: pieces.TaskAgent, Name: name, State: pieces.TaskPending, SessionID: newID(),
			Brief: strings.Repeat("Read orders/search.go first; keep its interface and add the reference as one more key. ", 6),
		}
		if i < done {
			end := at.Add(20 * time.Minute)
			task.State, task.Attempts, task.CostUSD, task.StartedAt, task.EndedAt = pieces.TaskCompleted, 1, 0.4, &at, &end
		}
		tasks = append(tasks, task)
		if i > 0 {
			edges = append(edges, pieces.Edge{From: tasks[0].ID, To: task.ID})
		}
	}
	return tasks, edges
}

func documents(pieceID string) []pieces.Artifact {
	text := strings.Repeat("The reference is printed on every receipt and never changes.\n", 60)
	return []pieces.Artifact{
		{PieceID: pieceID, Kind: pieces.ArtifactSpec, Content: "# Search orders by reference\n\n" + text},
		{PieceID: pieceID, Kind: pieces.ArtifactStrategy, Content: "# Strategy\n\n" + text},
	}
}

func noErr(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
