package consent

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
)

// ask starts a question and returns where its reply will be, once the desk shows it.
func ask(ctx context.Context, d *Desk, q Question) <-chan Reply {
	out := make(chan Reply, 1)
	go func() { out <- d.Ask(ctx, q) }()
	synctest.Wait()
	return out
}

func TestTheFirstAnswerWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Desk
		reply := ask(t.Context(), &d, Question{Title: "Allow?"})
		id := d.Pending()[0].ID
		if err := d.Answer(id, false, "not now"); err != nil {
			t.Fatal(err)
		}
		if err := d.Answer(id, true, ""); !errors.Is(err, ErrGone) {
			t.Errorf("a second answer: %v", err)
		}
		if r := <-reply; r.Outcome != Denied || r.Note != "not now" {
			t.Errorf("reply %+v", r)
		}
		if n := len(d.Pending()); n != 0 {
			t.Errorf("%d questions still wait", n)
		}
	})
}

func TestNoAllowCountsAfterTheCallIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Desk
		ctx, cancel := context.WithCancel(t.Context())
		reply := ask(ctx, &d, Question{})
		id := d.Pending()[0].ID
		cancel()
		synctest.Wait()
		if err := d.Answer(id, true, ""); !errors.Is(err, ErrGone) {
			t.Errorf("an Allow after the call was withdrawn: %v", err)
		}
		if r := <-reply; r.Outcome != Cancelled {
			t.Errorf("reply %+v", r)
		}
	})
}

func TestIdenticalCallsShareOneCard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Desk
		first, cancel := context.WithCancel(t.Context())
		one := ask(first, &d, Question{Key: "k"})
		two := ask(t.Context(), &d, Question{Key: "k"})
		other := ask(t.Context(), &d, Question{Key: "other"})
		if n := len(d.Pending()); n != 2 {
			t.Fatalf("%d cards, want 2", n)
		}
		cancel()
		synctest.Wait()
		if r := <-one; r.Outcome != Cancelled {
			t.Errorf("the withdrawn call: %+v", r)
		}
		if n := len(d.Pending()); n != 2 {
			t.Fatalf("the card went with one of its two calls: %d", n)
		}
		if err := d.Answer(d.Pending()[0].ID, true, ""); err != nil {
			t.Fatal(err)
		}
		if r := <-two; r.Outcome != Allowed {
			t.Errorf("the call that stayed: %+v", r)
		}
		d.StopAll()
		if r := <-other; r.Outcome != Stopped {
			t.Errorf("after StopAll: %+v", r)
		}
	})
}

func TestQuestionsWaitInOrderOfArrivalAndWakeWatchers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Desk
		wake, done := d.Watch()
		defer done()
		for _, title := range []string{"a", "b", "c"} {
			ask(t.Context(), &d, Question{Title: title})
		}
		<-wake
		var got string
		for _, q := range d.Pending() {
			got += q.Title
		}
		if got != "abc" {
			t.Errorf("order %q", got)
		}
		d.StopAll()
		synctest.Wait()
		<-wake
	})
}

func TestRacingAnswersAndCancelsEndEachCallOnce(t *testing.T) {
	t.Parallel()
	var d Desk
	var calls sync.WaitGroup
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		calls.Go(func() { d.Ask(ctx, Question{}) })
		calls.Go(cancel)
		calls.Go(func() {
			for _, q := range d.Pending() {
				if err := d.Answer(q.ID, true, ""); err != nil && !errors.Is(err, ErrGone) {
					t.Error(err)
				}
			}
		})
	}
	calls.Wait()
	d.StopAll()
	if n := len(d.Pending()); n != 0 {
		t.Errorf("%d questions left", n)
	}
}
