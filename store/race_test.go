package store

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"fermata/pieces"
)

func TestOfManyChangesToOneVersionExactlyOneWins(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	p := release(t, s, "p", "a")
	stop, readers := make(chan struct{}), sync.WaitGroup{}
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					checkSnapshot(t, s)
				}
			}
		})
	}
	for round := range 10 {
		var wins atomic.Int32
		var writers sync.WaitGroup
		for i := range 16 {
			writers.Go(func() {
				c := pieces.Change{Piece: p, ReplacePlan: true}
				c.Piece.Run = round*16 + i + 1
				mark := fmt.Sprint(c.Piece.Run)
				c.Piece.Name = mark
				c.Tasks, c.Edges = graph("a", mark+"a", mark+"b", mark+"c")
				c.Artifacts = []pieces.Artifact{{Kind: pieces.ArtifactHandoff, TaskID: mark + "c"}}
				switch _, err := s.Apply(ctx, c); {
				case err == nil:
					wins.Add(1)
				case !errors.Is(err, pieces.ErrStale):
					t.Errorf("the loser got %v", err)
				}
			})
		}
		writers.Wait()
		if wins.Load() != 1 {
			t.Fatalf("round %d: %d changes won", round, wins.Load())
		}
		snap, err := s.Piece(ctx, "a")
		must(t, err)
		if snap.Piece.Version != p.Version+1 {
			t.Fatalf("round %d: version %d after %d", round, snap.Piece.Version, p.Version)
		}
		p = snap.Piece
	}
	close(stop)
	readers.Wait()
}

// checkSnapshot checks that the piece and what belongs to it were written by the same change.
func checkSnapshot(t *testing.T, s *Store) {
	t.Helper()
	list, err := s.Pieces(t.Context(), pieces.PieceFilter{})
	if err != nil || len(list) != 1 {
		t.Errorf("read %d pieces: %v", len(list), err)
		return
	}
	snap := list[0]
	if snap.Piece.Run == 0 { // before the first change
		return
	}
	mark := snap.Piece.Name
	tasks, edges := graph("a", mark+"a", mark+"b", mark+"c")
	same(t, "tasks of "+mark, snap.Tasks, tasks)
	same(t, "edges of "+mark, snap.Edges, edges)
	same(t, "handoffs of "+mark, snap.Handoffs, []string{mark + "c"})
}

func TestTranscriptsGrowInOneOrderUnderManyWriters(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	must(t, s.SaveSession(ctx, pieces.Session{ID: "s"}))
	var writers sync.WaitGroup
	for i := range 16 {
		writers.Go(func() {
			for range 5 {
				text := fmt.Sprint(i)
				if err := s.AppendMessages(ctx, "s", []pieces.Message{{Text: text}, {Text: text}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	list, err := s.Messages(ctx, "s", -1)
	must(t, err)
	if len(list) != 160 {
		t.Fatalf("got %d messages", len(list))
	}
	for i, m := range list {
		if m.Seq != int64(i+1) || m.Text != list[i/2*2].Text {
			t.Fatalf("message %d is %+v", i, m)
		}
	}
}

func TestADraftIsReleasedOnceAndAnIDIsTakenOnce(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	must(t, s.AddDraft(ctx, pieces.Draft{ID: "d", ProjectID: "p"}))
	var released, added atomic.Int32
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if _, err := s.Release(ctx, 0, pieces.Change{Piece: pieces.Piece{ID: "d", ProjectID: "p"}}); err == nil {
				released.Add(1)
			} else if !errors.Is(err, pieces.ErrStale) {
				t.Error(err)
			}
		})
		calls.Go(func() {
			if err := s.AddDraft(ctx, pieces.Draft{ID: "d", ProjectID: "p"}); err == nil {
				added.Add(1)
			} else if !errors.Is(err, pieces.ErrExists) {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if released.Load() != 1 || added.Load() != 0 {
		t.Errorf("released %d times, added %d times", released.Load(), added.Load())
	}
}
