package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
)

// zero overwrites in place all that can be reached through v.
func zero(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			zero(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			zero(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				zero(v.Field(i))
			}
		}
	default: // it reaches no further
	}
	if v.CanSet() && v.Kind() != reflect.Pointer && v.Kind() != reflect.Slice {
		v.SetZero()
	}
}

func TestWhatACallerChangesIsNotWhatTheNextOneReads(t *testing.T) {
	t.Parallel()
	s, ctx, n := newStore(t), t.Context(), 0
	addProject(t, s, "p")
	p := filled[pieces.Piece](&n)
	was := release(t, s, "p", "a")
	p.ID, p.ProjectID, p.Version, p.Archived = "a", "p", was.Version, false
	task := filled[pieces.Task](&n)
	task.ID, task.PieceID = "t", "a"
	_, err := s.Apply(ctx, pieces.Change{
		Piece: p, Tasks: []pieces.Task{task}, Edges: []pieces.Edge{{From: "t", To: "t"}},
		Artifacts: []pieces.Artifact{{Kind: pieces.ArtifactHandoff, TaskID: "t"}, {Kind: pieces.ArtifactSpec}},
	})
	must(t, err)
	var first string
	for i, read := range []func() (pieces.Snapshot, error){
		func() (pieces.Snapshot, error) { return s.Piece(ctx, "a") }, // from the database
		func() (pieces.Snapshot, error) { return s.Piece(ctx, "a") }, // what is known
		func() (pieces.Snapshot, error) {
			list, err := s.Pieces(ctx, pieces.PieceFilter{})
			return list[0], err
		},
		func() (pieces.Snapshot, error) { return s.Piece(ctx, "a") },
	} {
		snap, err := read()
		must(t, err)
		text, err := json.Marshal(snap)
		must(t, err)
		if i == 0 {
			first = string(text)
		}
		same(t, "read", string(text), first)
		zero(reflect.ValueOf(&snap))
	}
}

func TestArchivedPiecesAreForgotten(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	p := release(t, s, "p", "a")
	for _, archived := range []bool{false, true} {
		p.Archived = archived
		var err error
		p, err = s.Apply(ctx, pieces.Change{Piece: p})
		must(t, err)
		list, err := s.Pieces(ctx, pieces.PieceFilter{IncludeArchived: true})
		must(t, err)
		if len(list) != 1 || list[0].Piece.Archived != archived || (len(s.known.byID) == 0) != archived {
			t.Errorf("archived %v: listed %+v, known %d", archived, list, len(s.known.byID))
		}
	}
}

func TestOnlyThePiecesThatChangedAreReadAgain(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	queries := watchQueries(t, s)
	var last pieces.Piece
	for _, id := range []string{"a", "b", "c"} {
		last = release(t, s, "p", id)
	}
	_, err := s.Pieces(ctx, pieces.PieceFilter{})
	must(t, err)
	last.Name = "renamed"
	tasks, edges := graph("c", "c1", "c2")
	_, err = s.Apply(ctx, pieces.Change{Piece: last, Tasks: tasks, Edges: edges})
	must(t, err)
	queries()
	list, err := s.Pieces(ctx, pieces.PieceFilter{})
	must(t, err)
	if len(list) != 3 || list[2].Piece.Name != "renamed" || len(list[2].Tasks) != 2 || len(list[2].Edges) != 1 {
		t.Errorf("listed %+v", list)
	}
	for _, query := range queries()[1:] {
		if strings.Contains(query, `"a"`) || !strings.Contains(query, `"c"`) {
			t.Errorf("reads what did not change: %s", query)
		}
	}
}

func TestSettingsAreReadOnceBetweenTwoWrites(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	queries := watchQueries(t, s)
	for _, want := range []string{"1", "2"} {
		must(t, s.SetSetting(ctx, "k", want))
		for range 3 {
			values, err := s.SettingValues(ctx)
			must(t, err)
			same(t, "settings", values, map[string]string{"k": want})
			values["k"] = "changed by the caller"
		}
		if n := len(queries()); n != 1 {
			t.Errorf("%d queries", n)
		}
	}
}

func TestEachWriteMakesReadAgainWhatItChanged(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	queries := watchQueries(t, s)
	addProject(t, s, "p")
	a, b := release(t, s, "p", "a"), release(t, s, "p", "b")
	draft := pieces.Draft{ID: "d", ProjectID: "p", Title: "a draft"}
	session := pieces.Session{ID: "s", ProjectID: "p", PieceID: "a", Kind: pieces.SessionTask}
	reads := map[string]func(s *Store) (any, error){
		"pieces":   func(s *Store) (any, error) { return s.Pieces(ctx, pieces.PieceFilter{}) },
		"of one":   func(s *Store) (any, error) { return s.Pieces(ctx, pieces.PieceFilter{ProjectID: "p"}) },
		"a":        func(s *Store) (any, error) { return s.Piece(ctx, "a") },
		"b":        func(s *Store) (any, error) { return s.Piece(ctx, "b") },
		"drafts":   func(s *Store) (any, error) { return s.Drafts(ctx, "p") },
		"links":    func(s *Store) (any, error) { return s.Links(ctx) },
		"projects": func(s *Store) (any, error) { return s.Projects(ctx) },
		"settings": func(s *Store) (any, error) { return s.SettingValues(ctx) },
	}
	inPieces, inSessions := []string{"a", "b", "of one", "pieces"}, []string{"a", "b"}
	for _, w := range []struct {
		name  string
		write func() error
		again []string // what has to be read from the database after it
	}{
		{"a change", func() (err error) { a.Name = "renamed"; a, err = s.Apply(ctx, pieces.Change{Piece: a}); return err }, inPieces},
		{"agents", func() (err error) {
			c := pieces.Change{Piece: b, Artifacts: []pieces.Artifact{{Kind: pieces.ArtifactSpec}}}
			c.Tasks, c.Edges = graph("b", "t1", "t2")
			b, err = s.Apply(ctx, c)
			return err
		}, inPieces},
		{"a session", func() error { return s.SaveSession(ctx, session) }, inSessions},
		{"the session again", func() error { session.Name = "renamed"; return s.SaveSession(ctx, session) }, inSessions},
		{"a message", func() error { return s.AppendMessages(ctx, "s", []pieces.Message{{Text: "on it"}}) }, nil},
		{"a worktree", func() error { return s.RecordWorktree(ctx, pieces.WorktreeRecord{Path: "/w", PieceID: "a"}) }, nil},
		{"a draft", func() error { return s.AddDraft(ctx, draft) }, []string{"drafts"}},
		{"the draft again", func() error { draft.Title = "renamed"; return s.SaveDraft(ctx, draft) }, []string{"drafts"}},
		{"a link", func() error { return s.AddLink(ctx, pieces.Link{ItemID: "d", BlockerID: "a"}) }, []string{"links"}},
		{"no link", func() error { return s.DropLink(ctx, "d", "a") }, []string{"links"}},
		{"no draft", func() error { return s.DeleteDraft(ctx, "d") }, []string{"drafts", "links"}},
		{"a piece", func() (err error) {
			_, err = s.AddPiece(ctx, pieces.Change{Piece: pieces.Piece{ID: "c", ProjectID: "p"}})
			return err
		}, inPieces},
		{"a project", func() error { return s.AddProject(ctx, pieces.Project{ID: "q", Name: "q", Path: "/q"}) }, []string{"projects"}},
		{"the project again", func() error { return s.SaveProject(ctx, pieces.Project{ID: "q", Name: "r", Path: "/q"}) }, []string{"projects"}},
		{"a setting", func() error { return s.SetSetting(ctx, "k", "v") }, []string{"settings"}},
		{"a refused change", func() error {
			if _, err := s.Apply(ctx, pieces.Change{Piece: pieces.Piece{ID: "a"}}); !errors.Is(err, pieces.ErrStale) {
				return fmt.Errorf("not refused: %w", err)
			}
			return nil
		}, inPieces},
	} {
		for _, read := range reads {
			_, err := read(s)
			must(t, err)
		}
		revision := s.Revision()
		must(t, w.write())
		if (s.Revision() > revision) != (len(w.again) > 0) {
			t.Errorf("%s: the revision was %d and is %d", w.name, revision, s.Revision())
		}
		fresh, err := Open(ctx, Options{Path: s.path})
		must(t, err)
		var again []string
		for _, name := range slices.Sorted(maps.Keys(reads)) {
			want, err := reads[name](fresh)
			must(t, err)
			queries()
			got, err := reads[name](s)
			must(t, err)
			if len(queries()) > 0 {
				again = append(again, name)
			}
			same(t, w.name+": "+name, got, want)
		}
		same(t, w.name+": read again", again, w.again)
		must(t, fresh.Close())
	}
}

func TestWhatWasReadBeforeAWriteIsNotKeptAfterIt(t *testing.T) {
	t.Parallel()
	var a answers
	_, before := a.to("k", ofPieces|ofSessions)
	a.forget(ofDrafts)
	a.keep("k", ofPieces|ofSessions, "read before a write to something else", before)
	if v, _ := a.to("k", ofPieces|ofSessions); v == nil {
		t.Error("not kept over a write to something else")
	}
	a.forget(ofSessions)
	a.keep("k", ofPieces|ofSessions, "read before the write", before)
	if v, _ := a.to("k", ofPieces|ofSessions); v != nil {
		t.Errorf("kept %v", v)
	}
	_, now := a.to("k", ofAll)
	for i := range 2 * mostAnswers {
		a.keep(i, ofAll, i, now)
	}
	if n := len(a.byAsk); n > mostAnswers {
		t.Errorf("keeps %d answers", n)
	}
}

func TestAWokenWatcherReadsTheNewSetting(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	wake, stop := s.Watch()
	defer stop()
	wrong := make(chan string, 1)
	go func() {
		defer close(wrong)
		for i := range 50 {
			<-wake
			values, err := s.SettingValues(ctx)
			if err != nil || values["k"] < fmt.Sprintf("%06d", i) {
				wrong <- fmt.Sprintf("after write %d: %v %v", i, values, err)
				return
			}
		}
	}()
	for i := 0; ; i++ {
		must(t, s.SetSetting(ctx, "k", fmt.Sprintf("%06d", i)))
		select {
		case w, bad := <-wrong:
			if bad {
				t.Error(w)
			}
			return
		default:
		}
	}
}
