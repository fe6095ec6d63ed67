package store

import (
	"testing"
	"time"

	"fermata/pieces"
)

func TestEveryFieldOfAProjectComesBack(t *testing.T) {
	t.Parallel()
	s, ctx, n := newStore(t), t.Context(), 0
	p := filled[pieces.Project](&n)
	must(t, s.AddProject(ctx, p))
	got, err := s.Project(ctx, p.ID)
	must(t, err)
	same(t, "added", got, p)

	next := filled[pieces.Project](&n)
	next.ID, next.CreatedAt = p.ID, p.CreatedAt
	must(t, s.SaveProject(ctx, next))
	list, err := s.Projects(ctx)
	must(t, err)
	same(t, "saved", list, []pieces.Project{next})

	bare := pieces.Project{ID: "bare", Path: "/bare", CreatedAt: start}
	must(t, s.AddProject(ctx, bare))
	got, err = s.Project(ctx, "bare")
	must(t, err)
	same(t, "bare", got, bare)
}

func TestEveryFieldOfADraftComesBack(t *testing.T) {
	t.Parallel()
	s, ctx, n := newStore(t), t.Context(), 0
	addProject(t, s, "p")
	d := filled[pieces.Draft](&n)
	d.ProjectID, d.Offered = "p", false // whoever reads it says whether it is offered
	must(t, s.AddDraft(ctx, d))
	got, err := s.Draft(ctx, d.ID)
	must(t, err)
	same(t, "added", got, d)

	next := filled[pieces.Draft](&n)
	next.ID, next.ProjectID, next.Version, next.CreatedAt, next.Offered = d.ID, "p", d.Version, d.CreatedAt, false
	must(t, s.SaveDraft(ctx, next))
	next.Version, next.UpdatedAt = d.Version+1, start
	list, err := s.Drafts(ctx, "p")
	must(t, err)
	same(t, "saved", list, []pieces.Draft{next})
}

func TestEveryFieldOfAPieceComesBack(t *testing.T) {
	t.Parallel()
	s, ctx, n := newStore(t), t.Context(), 0
	addProject(t, s, "p")
	was := release(t, s, "p", "a")
	p := filled[pieces.Piece](&n)
	p.ID, p.ProjectID, p.Version, p.CreatedAt = "a", "p", was.Version, was.CreatedAt
	c := pieces.Change{Piece: p, From: filled[pieces.State](&n), Trigger: "t", By: pieces.ByClient, Note: pieces.Say("why %d", 2)}
	for _, id := range []string{"t1", "t2"} {
		task := filled[pieces.Task](&n)
		task.ID, task.PieceID = id, "a"
		c.Tasks = append(c.Tasks, task)
	}
	c.Edges = []pieces.Edge{{From: "t1", To: "t2"}}
	a := filled[pieces.Artifact](&n)
	a.PieceID = "a"
	c.Artifacts = []pieces.Artifact{a, {PieceID: "a", Kind: pieces.ArtifactHandoff, TaskID: "t2"}, {PieceID: "a", Kind: pieces.ArtifactSpec}}
	returned, err := s.Apply(ctx, c)
	must(t, err)
	p.Version, p.UpdatedAt = was.Version+1, start
	same(t, "returned", returned, p)

	snap, err := s.Piece(ctx, "a")
	must(t, err)
	history, err := s.History(ctx, "a")
	must(t, err)
	want := pieces.Snapshot{
		Piece: p, Tasks: c.Tasks, Edges: c.Edges, HistoryID: history[1].ID, HistoryAt: history[1].At,
		Has: []pieces.ArtifactKind{a.Kind, pieces.ArtifactSpec, pieces.ArtifactHandoff}, Handoffs: []string{"t2"},
	}
	same(t, "piece", snap, want)
	list, err := s.Pieces(ctx, pieces.PieceFilter{IncludeArchived: true})
	must(t, err)
	same(t, "listed", list, []pieces.Snapshot{want})
	same(t, "history", history[1], pieces.HistoryRow{
		ID: history[1].ID, PieceID: "a", At: start, Trigger: "t", By: pieces.ByClient, From: c.From,
		To: pieces.State{Phase: p.Phase, Activity: p.Activity}, Note: pieces.Say("why %d", 2), Artifact: string(a.Kind) + ",handoff,spec",
	})
	got, err := s.Artifact(ctx, "a", a.Kind, a.TaskID)
	must(t, err)
	same(t, "artifact", got, a)
}

func TestAnEmptyPieceComesBackEmpty(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	addProject(t, s, "p")
	p := release(t, s, "p", "a")
	p.PR, p.Source, p.CompletedAt = nil, nil, nil
	got, err := s.Piece(t.Context(), "a")
	must(t, err)
	same(t, "piece", got.Piece, p)
	if !got.Piece.Base.CommittedAt.IsZero() {
		t.Errorf("the zero time came back as %v", got.Piece.Base.CommittedAt)
	}
}

func TestEveryFieldOfASessionAndItsMessagesComesBack(t *testing.T) {
	t.Parallel()
	s, ctx, n := newStore(t), t.Context(), 0
	addProject(t, s, "p")
	release(t, s, "p", "a")
	var v pieces.Session
	for range 2 { // inserted, then overwritten
		v = filled[pieces.Session](&n)
		v.ID, v.ProjectID, v.PieceID = "s", "p", "a"
		must(t, s.SaveSession(ctx, v))
		got, err := s.Session(ctx, "s")
		must(t, err)
		same(t, "session", got, v)
		must(t, s.AppendMessages(ctx, "s", []pieces.Message{filled[pieces.Message](&n)}))
	}
	snap, err := s.Piece(ctx, "a")
	must(t, err)
	same(t, "of the piece", snap.Sessions, []pieces.Session{v})

	canvas := pieces.Session{ID: "c", Kind: pieces.SessionCanvas, CreatedAt: start, UpdatedAt: start}
	must(t, s.SaveSession(ctx, canvas))
	got, err := s.Session(ctx, "c")
	must(t, err)
	same(t, "outside a piece", got, canvas)

	n = 0
	filled[pieces.Session](&n)
	first := filled[pieces.Message](&n)
	filled[pieces.Session](&n)
	second := filled[pieces.Message](&n)
	first.Seq, second.Seq = 1, 2
	list, err := s.Messages(ctx, "s", -1)
	must(t, err)
	same(t, "messages", list, []pieces.Message{first, second})
}

func TestEveryFieldOfAWorktreeComesBack(t *testing.T) {
	t.Parallel()
	s, ctx, n := newStore(t), t.Context(), 0
	w := filled[pieces.WorktreeRecord](&n)
	must(t, s.RecordWorktree(ctx, w))
	again := filled[pieces.WorktreeRecord](&n)
	again.Path = w.Path
	must(t, s.RecordWorktree(ctx, again))
	list, err := s.Worktrees(ctx, again.PieceID)
	must(t, err)
	same(t, "recorded", list, []pieces.WorktreeRecord{again})
	must(t, s.ForgetWorktree(ctx, w.Path))
	list, err = s.Worktrees(ctx, "")
	must(t, err)
	same(t, "forgotten", list, []pieces.WorktreeRecord(nil))
}

func TestTimesComeBackInUTC(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	there := start.In(time.FixedZone("there", 5*3600+1800))
	addProject(t, s, "p")
	p := release(t, s, "p", "a")
	p.CompletedAt, p.Base.CommittedAt, p.PR = &there, there, &pieces.PullRequest{ReadAt: there}
	p, err := s.Apply(ctx, pieces.Change{Piece: p})
	must(t, err)
	snap, err := s.Piece(ctx, "a")
	must(t, err)
	same(t, "read as returned", snap.Piece, p)
	for _, got := range []time.Time{*p.CompletedAt, p.Base.CommittedAt, p.PR.ReadAt} {
		same(t, "time", got, start)
	}
}

func TestASettingAtItsDefaultIsNotKept(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	known, _ := pieces.SettingOf(pieces.KeyAgentsAtOnce)
	for _, step := range []struct {
		key, value string
		want       map[string]string
	}{
		{pieces.KeyAgentsAtOnce, "7", map[string]string{pieces.KeyAgentsAtOnce: "7"}},
		{"some.key", "", map[string]string{pieces.KeyAgentsAtOnce: "7", "some.key": ""}},
		{pieces.KeyAgentsAtOnce, known.Default, map[string]string{"some.key": ""}},
	} {
		must(t, s.SetSetting(ctx, step.key, step.value))
		got, err := s.SettingValues(ctx)
		must(t, err)
		same(t, step.key+"="+step.value, got, step.want)
	}
}
