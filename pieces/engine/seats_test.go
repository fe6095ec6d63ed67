package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestPlacesAreGivenInOrderAndWhatThePersonOpenedComesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s seats
		s.resize(1)
		if err := s.take(t.Context(), "p", "p", false); err != nil {
			t.Fatal(err)
		}
		got := make(chan string, 5)
		ask := func(ctx context.Context, id string, person bool) {
			go func() {
				if err := s.take(ctx, "p", id, person); err != nil {
					id = err.Error()
				}
				got <- id
			}()
			synctest.Wait()
		}
		gone, hangUp := context.WithCancelCause(t.Context())
		ask(t.Context(), "first", false)
		if s.try("turn", func() { got <- "turn" }) || s.try("turn", func() { got <- "turn twice" }) {
			t.Error("a place out of nothing")
		}
		ask(gone, "gone", false)
		ask(t.Context(), "last", false)
		ask(t.Context(), "person", true)
		if w := s.waiting(); len(w["p"]) != 4 || len(w["turn"]) != 1 || w["p"][0] != "person" {
			t.Errorf("waiting: %v", w)
		}
		hangUp(errors.New("hung up"))
		if who := <-got; who != "hung up" {
			t.Errorf("%s came before the one that hung up", who)
		}
		for _, want := range []string{"person", "first", "turn", "last"} {
			select {
			case who := <-got:
				t.Fatalf("%s has a place that nobody gave back", who)
			default:
			}
			s.give()
			synctest.Wait()
			if who := <-got; who != want {
				t.Errorf("%s came before %s", who, want)
			}
			if want == "turn" && (!s.try("turn", nil) || s.try("turn", func() {})) {
				t.Error("a turn brings exactly one place")
			}
			if want == "turn" {
				s.drop("turn")
			}
		}
		s.give()
		if s.used != 0 || len(s.queue) != 0 || len(s.granted) != 0 {
			t.Errorf("in the end: %+v", &s)
		}
	})
}

func TestATurnThatNobodyNeedsGoesToTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s seats
		s.resize(1)
		_ = s.take(t.Context(), "p", "p", false)
		turns := 0
		s.try("idle", func() { turns++ })
		next := make(chan error, 1)
		go func() { next <- s.take(t.Context(), "q", "q", false) }()
		synctest.Wait()
		s.give()
		s.unspent("idle")
		if err := <-next; err != nil || turns != 1 {
			t.Errorf("%v, %d turns", err, turns)
		}
		s.resize(3)
		for range 2 {
			if !s.try("r", nil) {
				t.Error("no place although there are more now")
			}
		}
	})
}
