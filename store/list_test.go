package store

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"fermata/pieces"
)

// watchQueries returns a function that lists the queries made since its last call.
func watchQueries(t *testing.T, s *Store) func() []string {
	t.Helper()
	var mu sync.Mutex
	var seen []string
	must(t, s.readers.Callback().Query().After("gorm:query").Register("seen", func(tx *gorm.DB) {
		if tx.DryRun { // a subquery, on its way into its query
			return
		}
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, tx.Explain(tx.Statement.SQL.String(), tx.Statement.Vars...))
	}))
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		list := seen
		seen = nil
		return list
	}
}

func TestListingTakesTheSameFewQueriesForAnyNumberOfPieces(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	queries := watchQueries(t, s)
	addProject(t, s, "p")
	for i := range 30 {
		id := fmt.Sprint("piece", i)
		tasks, edges := graph(id, id+"a", id+"b")
		_, err := s.Apply(ctx, pieces.Change{
			Piece: release(t, s, "p", id), Tasks: tasks, Edges: edges, Artifacts: []pieces.Artifact{{Kind: pieces.ArtifactSpec}},
		})
		must(t, err)
		if i != 0 && i != 29 {
			continue
		}
		queries()
		list, err := s.Pieces(ctx, pieces.PieceFilter{})
		must(t, err)
		if n := len(queries()); n != 5 || len(list) != i+1 {
			t.Errorf("%d queries for %d pieces", n, len(list))
		}
		again, err := s.Pieces(ctx, pieces.PieceFilter{})
		must(t, err)
		if n := len(queries()); n != 0 {
			t.Errorf("%d queries when nothing changed", n)
		}
		same(t, "read again", again, list)
	}
}

// The plan of every query must go through indexes, or the list would grow slower with what it does not show.
func TestListingReadsNothingItDoesNotShow(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	queries := watchQueries(t, s)
	addProject(t, s, "p")
	for i, f := range []pieces.PieceFilter{{}, {ProjectID: "p"}, {ProjectID: "p", IncludeArchived: true}, {}} {
		if i < 3 {
			release(t, s, "p", fmt.Sprint("few", i)) // the list reads it by its id
		} else {
			addMany(t, s, "p", fewChanged+1, false) // it reads them as it was asked
		}
		queries()
		_, err := s.Pieces(ctx, f)
		must(t, err)
		made := queries()
		if len(made) != 5 {
			t.Errorf("%+v made %d queries", f, len(made))
		}
		for _, query := range made {
			plan := planOf(t, s, query)
			if strings.Contains(plan, "SCAN") && !strings.Contains(plan, "SCAN CONSTANT ROW") {
				t.Errorf("%+v reads a whole table:\n%s\n%s", f, query, plan)
			}
			if strings.Contains(query, "artifacts") && !strings.Contains(plan, "artifacts USING COVERING INDEX") {
				t.Errorf("%+v reads documents:\n%s\n%s", f, query, plan)
			}
		}
	}
	for _, call := range []func() error{
		func() error {
			_, err := s.Pieces(ctx, pieces.PieceFilter{IncludeArchived: true, OpenPullRequest: true})
			return err
		},
		func() error {
			_, err := s.Sessions(ctx, pieces.SessionFilter{PieceID: "a", LiveOnly: true})
			return err
		},
		func() error { _, err := s.Sessions(ctx, pieces.SessionFilter{LiveOnly: true}); return err },
		func() error { _, err := s.Drafts(ctx, "p"); return err },
		func() error { _, err := s.Worktrees(ctx, "a"); return err },
	} {
		must(t, call())
		for _, query := range queries() {
			if plan := planOf(t, s, query); strings.Contains(plan, "SCAN") {
				t.Errorf("reads a whole table:\n%s\n%s", query, plan)
			}
		}
	}
}

func planOf(t *testing.T, s *Store, query string) string {
	t.Helper()
	var steps []struct{ Detail string }
	must(t, s.readers.Raw("EXPLAIN QUERY PLAN "+query).Scan(&steps).Error)
	var plan strings.Builder
	for _, step := range steps {
		plan.WriteString(step.Detail + "\n")
	}
	return plan.String()
}

// addMany puts n pieces of four agents each into the store, in one transaction.
func addMany(tb testing.TB, s *Store, project string, n int, archived bool) {
	tb.Helper()
	must(tb, s.write(tb.Context(), "add many", func(tx *gorm.DB) error {
		for i := range n {
			id := fmt.Sprintf("%s-%d-%v", project, i, archived)
			p := pieces.Piece{ID: id, ProjectID: project, Name: "A piece", Archived: archived, PR: &pieces.PullRequest{}, CreatedAt: start}
			if err := insertPiece(tx, p); err != nil {
				return err
			}
			c := pieces.Change{Piece: p, Artifacts: []pieces.Artifact{{Kind: pieces.ArtifactSpec, Content: strings.Repeat("x", 500)}}}
			c.Tasks, c.Edges = graph(id, id+"a", id+"b", id+"c", id+"d")
			if err := saveParts(tx, c, start); err != nil {
				return err
			}
		}
		return nil
	}))
}

func BenchmarkTenThousandPieces(b *testing.B) {
	s := newStore(b)
	for _, p := range []string{"p", "q"} {
		addProject(b, s, p)
	}
	addMany(b, s, "p", 10_000, false)
	addMany(b, s, "q", 10_000, true)
	for name, f := range map[string]pieces.PieceFilter{"listed": {}, "ofAnEmptyProject": {ProjectID: "q"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Pieces(b.Context(), f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestOnlyWhatACrashCanHaveCutOffIsListedAsThat compares the list with what is live about each piece of all pieces.
func TestOnlyWhatACrashCanHaveCutOffIsListedAsThat(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	add := func(at pieces.State, agent pieces.TaskState, review pieces.CodeReviewState, archived bool) {
		id := fmt.Sprintf("%s-%s-%s-%s-%v", at.Phase, at.Activity, agent, review, archived)
		p := pieces.Piece{ID: id, ProjectID: "p", Phase: at.Phase, Activity: at.Activity, Archived: archived, CreatedAt: start}
		p.CodeReview.State = review
		tasks, edges := graph(id, id+"a", id+"b")
		tasks[1].State = agent
		_, err := s.AddPiece(ctx, pieces.Change{Piece: p, Tasks: tasks, Edges: edges})
		must(t, err)
	}
	for _, archived := range []bool{false, true} {
		for _, a := range append(pieces.LiveActivities(), pieces.Idle, pieces.Paused, pieces.Finished, pieces.Failed, pieces.StopFailed) {
			add(pieces.State{Phase: pieces.PhaseAgents, Activity: a}, pieces.TaskPending, "", archived)
		}
		for _, state := range []pieces.TaskState{pieces.TaskRunning, pieces.TaskWaiting, pieces.TaskCompleted, pieces.TaskFailed, pieces.TaskInterrupted} {
			add(pieces.State{Phase: pieces.PhaseReview, Activity: pieces.Idle}, state, "", archived)
		}
		for _, review := range []pieces.CodeReviewState{pieces.CodeReviewRunning, "done"} {
			add(pieces.State{Phase: pieces.PhaseReview, Activity: pieces.Idle}, pieces.TaskCompleted, review, archived)
		}
	}
	for _, archived := range []bool{false, true} {
		all, err := s.Pieces(ctx, pieces.PieceFilter{IncludeArchived: archived})
		must(t, err)
		var want []pieces.Snapshot
		for _, v := range all {
			live := pieces.LiveState(v.State()) || v.Piece.CodeReview.State == pieces.CodeReviewRunning
			for _, task := range v.Tasks {
				live = live || slices.Contains(pieces.LiveTaskStates(), task.State)
			}
			if live {
				want = append(want, v)
			}
		}
		got, err := s.Pieces(ctx, pieces.PieceFilter{IncludeArchived: archived, CutOff: true})
		must(t, err)
		if len(want) == 0 || len(want) == len(all) {
			t.Fatalf("%d of %d pieces are live", len(want), len(all))
		}
		same(t, "what was cut off", got, want)
	}
}

func TestCheckoutsAreReadInOneQueryWithoutThePieces(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	queries := watchQueries(t, s)
	addProject(t, s, "p")
	n := 0
	var want []pieces.Checkout
	for i := range 5 {
		p := filled[pieces.Piece](&n)
		p.ID, p.ProjectID, p.Archived, p.WorktreeMissing, p.CreatedAt = fmt.Sprint("piece", i), "p", i%2 == 0, i%3 == 0, start.Add(time.Duration(i))
		if i == 4 {
			p.Worktree = ""
		}
		p, err := s.AddPiece(ctx, pieces.Change{Piece: p})
		must(t, err)
		if p.Worktree != "" {
			want = append(want, pieces.Checkout{
				PieceID: p.ID, ProjectID: "p", Worktree: p.Worktree, Branch: p.Branch, Missing: p.WorktreeMissing, Phase: p.Phase,
				Archived: p.Archived, Version: p.Version,
			})
		}
	}
	queries()
	got, err := s.Checkouts(ctx)
	must(t, err)
	same(t, "the checkouts", got, want)
	if made := queries(); len(made) != 1 || strings.Contains(made[0], "seed") || strings.Contains(made[0], "*") {
		t.Errorf("queries %q", made)
	}
}
