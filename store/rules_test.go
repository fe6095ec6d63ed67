package store

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"fermata/pieces"
)

func wantErr(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestUnknownIDsAreNotFound(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	for what, call := range map[string]func() error{
		"Project":             func() error { _, err := s.Project(ctx, "x"); return err },
		"SaveProject":         func() error { return s.SaveProject(ctx, pieces.Project{ID: "x", Path: "/x"}) },
		"Draft":               func() error { _, err := s.Draft(ctx, "x"); return err },
		"AddDraft's project":  func() error { return s.AddDraft(ctx, pieces.Draft{ID: "d", ProjectID: "x"}) },
		"SaveDraft":           func() error { return s.SaveDraft(ctx, pieces.Draft{ID: "x", ProjectID: "p"}) },
		"DeleteDraft":         func() error { return s.DeleteDraft(ctx, "x") },
		"Piece":               func() error { _, err := s.Piece(ctx, "x"); return err },
		"Release":             func() error { _, err := s.Release(ctx, 0, pieces.Change{Piece: pieces.Piece{ID: "x"}}); return err },
		"AddPiece's project":  func() error { _, err := s.AddPiece(ctx, pieces.Change{Piece: pieces.Piece{ID: "x"}}); return err },
		"Apply":               func() error { _, err := s.Apply(ctx, pieces.Change{Piece: pieces.Piece{ID: "x"}}); return err },
		"Artifact":            func() error { _, err := s.Artifact(ctx, "x", pieces.ArtifactSpec, ""); return err },
		"History":             func() error { _, err := s.History(ctx, "x"); return err },
		"Session":             func() error { _, err := s.Session(ctx, "x"); return err },
		"SaveSession's piece": func() error { return s.SaveSession(ctx, pieces.Session{ID: "s", PieceID: "x"}) },
		"AppendMessages":      func() error { return s.AppendMessages(ctx, "x", []pieces.Message{{}}) },
		"no message":          func() error { return s.AppendMessages(ctx, "x", nil) },
		"Messages":            func() error { _, err := s.Messages(ctx, "x", 1); return err },
		"ForgetWorktree":      func() error { return s.ForgetWorktree(ctx, "/x") },
	} {
		wantErr(t, what, call(), pieces.ErrNotFound)
	}
}

func TestTakenIDsAreRefused(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	addProject(t, s, "q")
	must(t, s.AddDraft(ctx, pieces.Draft{ID: "d", ProjectID: "p"}))
	a := release(t, s, "p", "a")
	b := release(t, s, "p", "b")
	a.Name = "with a task"
	_, err := s.Apply(ctx, pieces.Change{Piece: a, Tasks: []pieces.Task{{ID: "t", PieceID: "a"}}})
	must(t, err)

	wantErr(t, "project id", s.AddProject(ctx, pieces.Project{ID: "p", Path: "/other"}), pieces.ErrExists)
	wantErr(t, "project path", s.AddProject(ctx, pieces.Project{ID: "r", Path: "/p"}), pieces.ErrExists)
	wantErr(t, "project moved", s.SaveProject(ctx, pieces.Project{ID: "q", Path: "/p"}), pieces.ErrExists)
	wantErr(t, "draft", s.AddDraft(ctx, pieces.Draft{ID: "d", ProjectID: "p"}), pieces.ErrExists)
	wantErr(t, "released draft", s.AddDraft(ctx, pieces.Draft{ID: "a", ProjectID: "p"}), pieces.ErrExists)
	_, err = s.AddPiece(ctx, pieces.Change{Piece: pieces.Piece{ID: "d", ProjectID: "p"}})
	wantErr(t, "piece with a draft's id", err, pieces.ErrExists)
	_, err = s.AddPiece(ctx, pieces.Change{Piece: pieces.Piece{ID: "a", ProjectID: "p"}})
	wantErr(t, "piece", err, pieces.ErrExists)
	_, err = s.Apply(ctx, pieces.Change{Piece: b, Tasks: []pieces.Task{{ID: "t", PieceID: "b"}}})
	wantErr(t, "another piece's task", err, pieces.ErrExists)
	if _, err = s.Apply(ctx, pieces.Change{Piece: b, Tasks: []pieces.Task{{ID: "u", PieceID: "a"}}}); err == nil {
		t.Error("a task of another piece was taken")
	}
	if err := s.AddProject(ctx, pieces.Project{Path: "/nameless"}); err == nil {
		t.Error("an empty id was taken")
	}
}

func TestAPieceIsMadeWithoutADraft(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	made, err := s.AddPiece(ctx, pieces.Change{
		Piece:   pieces.Piece{ID: "a", ProjectID: "p", Name: "n", Phase: pieces.PhaseSpec, Activity: pieces.Interviewing, Version: 9},
		From:    pieces.State{Phase: pieces.PhaseBacklog, Activity: pieces.Idle},
		Trigger: pieces.OnSpecAsked, By: pieces.ByClient,
	})
	must(t, err)
	snap, err := s.Piece(ctx, "a")
	must(t, err)
	same(t, "piece", snap.Piece, made)
	if made.Version != 1 || !made.CreatedAt.Equal(start) || snap.HistoryID == 0 || !snap.HistoryAt.Equal(start) {
		t.Errorf("made %+v with history %d of %v", made, snap.HistoryID, snap.HistoryAt)
	}
}

func TestOldVersionIsStaleAndChangesNothing(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	p := release(t, s, "p", "a")
	p.Name = "first"
	next, err := s.Apply(ctx, pieces.Change{Piece: p})
	must(t, err)
	if next.Version != p.Version+1 || !next.UpdatedAt.Equal(start) {
		t.Errorf("got version %d of %v", next.Version, next.UpdatedAt)
	}
	before, err := s.Piece(ctx, "a")
	must(t, err)
	p.Name = "second"
	tasks, edges := graph("a", "t1", "t2")
	_, err = s.Apply(ctx, pieces.Change{
		Piece: p, Tasks: tasks, Edges: edges, ReplacePlan: true, Artifacts: []pieces.Artifact{{PieceID: "a", Kind: pieces.ArtifactSpec}},
	})
	wantErr(t, "apply", err, pieces.ErrStale)
	after, err := s.Piece(ctx, "a")
	must(t, err)
	same(t, "piece", after, before)

	must(t, s.AddDraft(ctx, pieces.Draft{ID: "d", ProjectID: "p", Version: 4}))
	wantErr(t, "save draft", s.SaveDraft(ctx, pieces.Draft{ID: "d", ProjectID: "p", Version: 3}), pieces.ErrStale)
	_, err = s.Release(ctx, 3, pieces.Change{Piece: pieces.Piece{ID: "d", ProjectID: "p"}})
	wantErr(t, "release", err, pieces.ErrStale)
	released, err := s.Release(ctx, 4, pieces.Change{Piece: pieces.Piece{ID: "d", ProjectID: "p"}})
	must(t, err)
	if released.Version != 5 || !released.CreatedAt.Equal(start) {
		t.Errorf("released %+v", released)
	}
	_, err = s.Release(ctx, 4, pieces.Change{Piece: pieces.Piece{ID: "d", ProjectID: "p"}})
	wantErr(t, "release again", err, pieces.ErrStale)
	_, err = s.Draft(ctx, "d")
	wantErr(t, "released draft", err, pieces.ErrNotFound)
}

func TestAFailedPartUndoesTheWholeChange(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	p := release(t, s, "p", "a")
	before, err := s.Piece(ctx, "a")
	must(t, err)
	wake, stop := s.Watch()
	defer stop()
	tasks, _ := graph("a", "t1")
	p.Name = "changed"
	_, err = s.Apply(ctx, pieces.Change{Piece: p, Tasks: tasks, Edges: []pieces.Edge{{From: "t1", To: "gone"}}})
	wantErr(t, "an edge to nothing", err, pieces.ErrNotFound)
	after, err := s.Piece(ctx, "a")
	must(t, err)
	same(t, "piece", after, before)
	select {
	case <-wake:
		t.Error("watchers were woken for nothing")
	default:
	}
	must(t, s.SetSetting(ctx, "k", "v"))
	select {
	case <-wake:
	default:
		t.Error("watchers were not woken by a commit")
	}
}

func TestTasksAreWrittenOverAndAReplacedPlanGoes(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	p := release(t, s, "p", "a")
	tasks, edges := graph("a", "t1", "t2", "t3")
	apply := func(c pieces.Change) pieces.Snapshot {
		t.Helper()
		c.Piece = p
		var err error
		p, err = s.Apply(ctx, c)
		must(t, err)
		snap, err := s.Piece(ctx, "a")
		must(t, err)
		return snap
	}
	apply(pieces.Change{Tasks: tasks, Edges: edges, ReplacePlan: true})
	tasks[1].State, tasks[1].Ordinal = pieces.TaskRunning, 9
	snap := apply(pieces.Change{
		Tasks: tasks[1:2], Edges: append(edges[:1:1], pieces.Edge{From: "t1", To: "t3"}),
		Artifacts: []pieces.Artifact{{Kind: pieces.ArtifactHandoff, TaskID: "t1"}, {Kind: pieces.ArtifactSpec, Content: "# Old"}},
	})
	same(t, "tasks", snap.Tasks, []pieces.Task{tasks[0], tasks[2], tasks[1]})
	same(t, "edges", snap.Edges, append(edges, pieces.Edge{From: "t1", To: "t3"}))
	same(t, "handoffs", snap.Handoffs, []string{"t1"})

	fresh, line := graph("a", "u1", "u2")
	snap = apply(pieces.Change{Tasks: fresh, Edges: line, ReplacePlan: true, Artifacts: []pieces.Artifact{{Kind: pieces.ArtifactSpec, Content: "# New"}}})
	same(t, "new tasks", snap.Tasks, fresh)
	same(t, "new edges", snap.Edges, line)
	same(t, "documents", snap.Has, []pieces.ArtifactKind{pieces.ArtifactSpec})
	same(t, "old handoffs", snap.Handoffs, []string(nil))
	spec, err := s.Artifact(ctx, "a", pieces.ArtifactSpec, "")
	must(t, err)
	same(t, "spec", spec, pieces.Artifact{PieceID: "a", Kind: pieces.ArtifactSpec, Content: "# New", UpdatedAt: start})
}

func TestQuietChangeLeavesNoHistoryRow(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	p := release(t, s, "p", "a")
	for _, quiet := range []bool{true, false} {
		var err error
		p, err = s.Apply(ctx, pieces.Change{Piece: p, Quiet: quiet})
		must(t, err)
	}
	rows, err := s.History(ctx, "a")
	must(t, err)
	snap, err := s.Piece(ctx, "a")
	must(t, err)
	if len(rows) != 2 || snap.HistoryID != rows[1].ID || snap.HistoryID <= rows[0].ID || snap.Piece.Version != 3 {
		t.Errorf("got %d rows, newest %d, version %d", len(rows), snap.HistoryID, snap.Piece.Version)
	}
}

func TestListsAreFilteredAndInOrder(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	for _, p := range []string{"q", "P"} {
		addProject(t, s, p)
	}
	for i, id := range []string{"c", "b", "a"} { // the last is the oldest
		at := start.Add(-time.Duration(i) * time.Hour)
		must(t, s.AddDraft(ctx, pieces.Draft{ID: id, ProjectID: "P", CreatedAt: at}))
		must(t, s.AddDraft(ctx, pieces.Draft{ID: "draft-" + id, ProjectID: []string{"P", "q", "q"}[i], CreatedAt: at}))
		_, err := s.Release(ctx, 0, pieces.Change{Piece: pieces.Piece{ID: id, ProjectID: []string{"P", "q", "q"}[i], Archived: id == "a", CreatedAt: at}})
		must(t, err)
	}
	must(t, s.SaveSession(ctx, pieces.Session{ID: "old", ProjectID: "P", PieceID: "c", Kind: pieces.SessionTask, State: pieces.SessionIdle, CreatedAt: start}))
	must(t, s.SaveSession(ctx, pieces.Session{ID: "hid", ProjectID: "P", PieceID: "c", Kind: pieces.SessionInterview, State: pieces.SessionWorking, CreatedAt: start.Add(1)}))
	must(t, s.SaveSession(ctx, pieces.Session{ID: "new", ProjectID: "q", PieceID: "b", Kind: pieces.SessionTask, State: pieces.SessionFailed, CreatedAt: start.Add(2)}))
	must(t, s.SaveSession(ctx, pieces.Session{ID: "own", ProjectID: "q", Kind: pieces.SessionCanvas, State: pieces.SessionCancelled, CreatedAt: start.Add(3), Hidden: true}))

	piecesOf := func(f pieces.PieceFilter) string {
		list, err := s.Pieces(ctx, f)
		must(t, err)
		return fmt.Sprint(all(list, func(v pieces.Snapshot) string { return v.Piece.ID }))
	}
	draftsOf := func(project string) string {
		list, err := s.Drafts(ctx, project)
		must(t, err)
		return fmt.Sprint(all(list, func(v pieces.Draft) string { return v.ID }))
	}
	sessionsOf := func(f pieces.SessionFilter) string {
		list, err := s.Sessions(ctx, f)
		must(t, err)
		return fmt.Sprint(all(list, func(v pieces.Session) string { return v.ID }))
	}
	projects, err := s.Projects(ctx)
	must(t, err)
	for _, c := range []struct{ what, got, want string }{
		{"projects", projects[0].ID + projects[1].ID, "Pq"},
		{"open pieces", piecesOf(pieces.PieceFilter{}), "[b c]"},
		{"all pieces", piecesOf(pieces.PieceFilter{IncludeArchived: true}), "[a b c]"},
		{"open of q", piecesOf(pieces.PieceFilter{ProjectID: "q"}), "[b]"},
		{"all of q", piecesOf(pieces.PieceFilter{ProjectID: "q", IncludeArchived: true}), "[a b]"},
		{"pieces of nothing", piecesOf(pieces.PieceFilter{ProjectID: "x"}), "[]"},
		{"drafts", draftsOf(""), "[draft-a draft-b draft-c]"},
		{"drafts of q", draftsOf("q"), "[draft-a draft-b]"},
		{"sessions", sessionsOf(pieces.SessionFilter{}), "[new old]"},
		{"hidden too", sessionsOf(pieces.SessionFilter{IncludeHidden: true}), "[own new hid old]"},
		{"live", sessionsOf(pieces.SessionFilter{IncludeHidden: true, LiveOnly: true}), "[hid old]"},
		{"of a project", sessionsOf(pieces.SessionFilter{ProjectID: "P"}), "[old]"},
		{"of a piece", sessionsOf(pieces.SessionFilter{PieceID: "b"}), "[new]"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.what, c.got, c.want)
		}
	}
}

func TestOpenPullRequestsAreFoundInTheArchiveToo(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	for _, c := range []struct {
		id       string
		state    pieces.PullRequestState
		archived bool
	}{
		{"none", "", false},
		{"open", pieces.PullRequestOpen, false},
		{"merged", pieces.PullRequestMerged, false},
		{"archived", pieces.PullRequestOpen, true},
		{"closed", pieces.PullRequestClosed, true},
	} {
		p := release(t, s, "p", c.id)
		p.Archived = c.archived
		if c.state != "" {
			p.PR = &pieces.PullRequest{State: c.state}
		}
		_, err := s.Apply(ctx, pieces.Change{Piece: p})
		must(t, err)
	}
	for _, c := range []struct {
		f    pieces.PieceFilter
		want string
	}{
		{pieces.PieceFilter{OpenPullRequest: true}, "[open]"},
		{pieces.PieceFilter{OpenPullRequest: true, IncludeArchived: true}, "[open archived]"},
		{pieces.PieceFilter{OpenPullRequest: true, ProjectID: "q"}, "[]"},
	} {
		list, err := s.Pieces(ctx, c.f)
		must(t, err)
		same(t, fmt.Sprintf("%+v", c.f), fmt.Sprint(all(list, func(v pieces.Snapshot) string { return v.Piece.ID })), c.want)
	}
}

func TestTranscriptsAreNumberedAndReadFromTheEnd(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	must(t, s.SaveSession(ctx, pieces.Session{ID: "s"}))
	for _, n := range []int{1, 1201, 2} {
		batch := make([]pieces.Message, n)
		for i := range batch {
			batch[i].Seq = 7 // the store knows better
		}
		must(t, s.AppendMessages(ctx, "s", batch))
	}
	for n, want := range map[int][]int64{-1: {1, 1204}, 0: nil, 2: {1203, 1204}, 5000: {1, 1204}} {
		list, err := s.Messages(ctx, "s", n)
		must(t, err)
		for i := 1; i < len(list); i++ {
			if list[i].Seq != list[i-1].Seq+1 {
				t.Fatalf("%d follows %d", list[i].Seq, list[i-1].Seq)
			}
		}
		var ends []int64
		if len(list) > 0 {
			ends = []int64{list[0].Seq, list[len(list)-1].Seq}
		}
		same(t, fmt.Sprintf("last %d", n), ends, want)
	}
}

func TestACancelledCallChangesNothingAndLeavesTheStoreUsable(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	addProject(t, s, "p")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantErr(t, "write", s.SetSetting(ctx, "k", "v"), context.Canceled)
	_, err := s.Projects(ctx)
	wantErr(t, "read", err, context.Canceled)
	values, err := s.SettingValues(t.Context())
	must(t, err)
	same(t, "values", values, map[string]string{})
	must(t, s.SetSetting(t.Context(), "k", "v"))
}
