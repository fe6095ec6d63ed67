package consent

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"fermata/pieces"
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
		reply := ask(t.Context(), &d, Question{Title: pieces.Say("Allow?")})
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
			ask(t.Context(), &d, Question{Title: pieces.Say(title)})
		}
		<-wake
		var got string
		for _, q := range d.Pending() {
			got += q.Title.String()
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

// looked is a question whose effect is found out when the test says so.
func looked(found <-chan pieces.Effect) Question {
	return Question{Key: "k", Effect: []pieces.Sentence{pieces.Say("known")}, Look: func(ctx context.Context) (pieces.Effect, error) {
		select {
		case e := <-found:
			return e, nil
		case <-ctx.Done():
			return pieces.Effect{}, context.Cause(ctx)
		}
	}}
}

func TestNoAllowCountsBeforeItIsKnownWhatItDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Desk
		found := make(chan pieces.Effect)
		wake, stop := d.Watch()
		defer stop()
		one, two := ask(t.Context(), &d, looked(found)), ask(t.Context(), &d, looked(nil))
		<-wake
		q := d.Pending()[0]
		if !q.Looking || q.Effect[0].String() != "known" || q.Bound != "" || len(d.Pending()) != 1 {
			t.Errorf("shown at once: %+v", q)
		}
		if err := d.Answer(q.ID, true, ""); !errors.Is(err, ErrLooking) || len(d.Pending()) != 1 {
			t.Errorf("an Allow of what nobody knows: %v", err)
		}
		found <- pieces.Effect{Lines: []pieces.Sentence{pieces.Say("known"), pieces.Say("found")}, Writing: &pieces.Writing{Name: "Text"}, Fingerprint: "f"}
		<-wake
		q = d.Pending()[0]
		if q.Looking || q.Bound != "f" || strings.Join(pieces.English(q.Effect), " ") != "known found" || q.Writing.Name != "Text" {
			t.Errorf("found: %+v", q)
		}
		if err := d.Answer(q.ID, true, ""); err != nil {
			t.Fatal(err)
		}
		for _, reply := range []<-chan Reply{one, two} {
			if r := <-reply; r.Outcome != Allowed || r.Question.Bound != "f" {
				t.Errorf("allowed: %+v", r)
			}
		}
		d.Wait()
	})
}

func TestADenyCountsBeforeItIsKnownWhatAllowDoesAndEndsTheLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Desk
		reply := ask(t.Context(), &d, looked(nil))
		if err := d.Answer(d.Pending()[0].ID, false, "no"); err != nil {
			t.Fatal(err)
		}
		if r := <-reply; r.Outcome != Denied || r.Note != "no" {
			t.Errorf("denied: %+v", r)
		}
		d.Wait()
	})
}

func TestALookGoesOnForTheCallsThatShareItsCard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Desk
		found := make(chan pieces.Effect)
		ctx, cancel := context.WithCancel(t.Context())
		first := ask(ctx, &d, looked(found))
		second := ask(t.Context(), &d, looked(nil))
		cancel()
		if r := <-first; r.Outcome != Cancelled {
			t.Errorf("withdrawn: %+v", r)
		}
		found <- pieces.Effect{Fingerprint: "f"}
		synctest.Wait()
		if q := d.Pending(); len(q) != 1 || q[0].Looking {
			t.Errorf("the card of the call that stayed: %+v", q)
		}
		d.StopAll()
		if r := <-second; r.Outcome != Stopped {
			t.Errorf("stopped: %+v", r)
		}
	})
}

func TestALookEndsWithTheLastCallOfItsCard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Desk
		ctx, cancel := context.WithCancel(t.Context())
		reply := ask(ctx, &d, looked(nil))
		cancel()
		if r := <-reply; r.Outcome != Cancelled || len(d.Pending()) != 0 {
			t.Errorf("withdrawn: %+v", r)
		}
		d.Wait()
	})
}

func TestWhatCannotBeFoundOutEndsItsQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for words, look := range map[string]func(context.Context) (pieces.Effect, error){
			"no disk":  func(context.Context) (pieces.Effect, error) { return pieces.Effect{}, errors.New("no disk") },
			"panicked": func(context.Context) (pieces.Effect, error) { panic("half way") },
		} {
			var d Desk
			r := <-ask(t.Context(), &d, Question{Look: look})
			if r.Outcome != Failed || r.Err == nil || !strings.Contains(r.Err.Error(), words) || len(d.Pending()) != 0 {
				t.Errorf("%s: %+v", words, r)
			}
		}
	})
}

func TestTheCallsOfACardGetWhatTheFirstBroughtAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Desk
		one, two := ask(t.Context(), &d, Question{Key: "k", Shared: 1}), ask(t.Context(), &d, Question{Key: "k", Shared: 2})
		if err := d.Answer(d.Pending()[0].ID, true, ""); err != nil {
			t.Fatal(err)
		}
		for _, reply := range []<-chan Reply{one, two} {
			if r := <-reply; r.Question.Shared != 1 {
				t.Errorf("shared: %+v", r)
			}
		}
	})
}
