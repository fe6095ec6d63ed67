package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"fermata/pieces"
)

var start = time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC)

func newStore(tb testing.TB) *Store {
	tb.Helper()
	s, err := Open(context.Background(), Options{Path: filepath.Join(tb.TempDir(), "data", "fermata.db"), Now: func() time.Time { return start }})
	must(tb, err)
	tb.Cleanup(func() { must(tb, s.Close()) })
	return s
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func same(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if !reflect.DeepEqual(got, want) {
		tb.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// filled returns a T whose every field, however deep, has a value of its own.
func filled[T any](n *int) T {
	var v T
	fill(reflect.ValueOf(&v).Elem(), n)
	return v
}

func fill(v reflect.Value, n *int) {
	*n++
	switch v.Interface().(type) {
	case time.Time: // not UTC: what comes back must be
		v.Set(reflect.ValueOf(start.Add(time.Duration(*n) * time.Millisecond)))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(fmt.Sprintf(`{"n": %d, "text": "ä\u0000"}`, *n))))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%d ünï\x00\n💥'\"", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(math.MaxUint64 - uint64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	default:
		panic("no filling for " + v.Type().String())
	}
}

func addProject(tb testing.TB, s *Store, id string) {
	tb.Helper()
	must(tb, s.AddProject(tb.Context(), pieces.Project{ID: id, Name: id, Path: "/" + id, Branch: "main", CreatedAt: start}))
}

// release files a draft and makes it a piece, with a history row.
func release(tb testing.TB, s *Store, project, id string) pieces.Piece {
	tb.Helper()
	must(tb, s.AddDraft(tb.Context(), pieces.Draft{ID: id, ProjectID: project, CreatedAt: start}))
	p, err := s.Release(tb.Context(), 0, pieces.Change{
		Piece:   pieces.Piece{ID: id, ProjectID: project, Name: id, Phase: pieces.PhaseSpec, Activity: pieces.Idle, CreatedAt: start},
		From:    pieces.State{Phase: pieces.PhaseBacklog, Activity: pieces.Idle},
		Trigger: pieces.OnReleased, By: pieces.ByPerson,
	})
	must(tb, err)
	return p
}

func graph(pieceID string, ids ...string) ([]pieces.Task, []pieces.Edge) {
	var tasks []pieces.Task
	var edges []pieces.Edge
	for i, id := range ids {
		tasks = append(tasks, pieces.Task{ID: id, PieceID: pieceID, Ordinal: i + 1, Kind: pieces.TaskAgent, Name: id, State: pieces.TaskPending})
		if i > 0 {
			edges = append(edges, pieces.Edge{From: ids[i-1], To: id})
		}
	}
	return tasks, edges
}
