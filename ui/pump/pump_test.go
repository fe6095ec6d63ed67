package pump

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// screen stands for the main goroutine: it keeps what was queued until the test runs it.
type screen struct {
	queue chan func()
}

func newScreen() *screen {
	return &screen{queue: make(chan func(), 100)}
}

func (s *screen) do(f func()) {
	s.queue <- f
}

// draw waits until the background stands still, then runs what was queued, until nothing is queued any more.
func (s *screen) draw() {
	for {
		synctest.Wait()
		select {
		case f := <-s.queue:
			f()
		default:
			return
		}
	}
}

func TestFollowReadsAtOnceAndAfterEachWake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newScreen()
		p := &Pump{Do: s.do}
		wake := make(chan struct{}, 1)
		reads := 0
		var shown []int
		Follow(ctx, p, wake,
			func(context.Context) (int, error) { reads++; return reads, nil },
			func(n int) { shown = append(shown, n) },
			func(err error) { t.Errorf("failed(%v) was called", err) })
		s.draw()
		wake <- struct{}{}
		s.draw()
		if want := []int{1, 2}; !slices.Equal(shown, want) {
			t.Errorf("shown %v, want %v", shown, want)
		}
		cancel()
		p.Wait()
	})
}

func TestWakesDuringAReadingMakeOneMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newScreen()
		p := &Pump{Do: s.do}
		wake := make(chan struct{}, 10)
		release := make(chan struct{})
		reads, shows := 0, 0
		Follow(ctx, p, wake,
			func(context.Context) (int, error) { reads++; <-release; return reads, nil },
			func(int) { shows++ },
			func(error) {})
		synctest.Wait()
		for range 5 {
			wake <- struct{}{}
		}
		close(release)
		s.draw()
		if reads != 2 || shows != 2 {
			t.Errorf("%d readings and %d shows, want 2 and 2", reads, shows)
		}
		cancel()
		p.Wait()
	})
}

func TestASlowScreenDoesNotCollectReadings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newScreen()
		p := &Pump{Do: s.do}
		wake := make(chan struct{}, 1)
		reads := 0
		Follow(ctx, p, wake,
			func(context.Context) (int, error) { reads++; return reads, nil }, func(int) {}, func(error) {})
		for range 3 {
			synctest.Wait()
			select {
			case wake <- struct{}{}:
			default:
			}
		}
		synctest.Wait()
		if reads != 1 || len(s.queue) != 1 {
			t.Errorf("%d readings, %d queued before the screen drew, want 1 and 1", reads, len(s.queue))
		}
		cancel()
		p.Wait()
	})
}

func TestAnErrorIsShownAndTheNextWakeReadsAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newScreen()
		p := &Pump{Do: s.do}
		wake := make(chan struct{}, 1)
		broken := errors.New("read pieces: database is locked")
		outcome := broken
		var failures []error
		var shown []string
		Follow(ctx, p, wake,
			func(context.Context) (string, error) { return "pieces", outcome },
			func(v string) { shown = append(shown, v) },
			func(err error) { failures = append(failures, err) })
		s.draw()
		if len(failures) != 1 || !errors.Is(failures[0], broken) || len(shown) != 0 {
			t.Fatalf("failures %v, shown %v, want the error alone", failures, shown)
		}
		outcome = nil
		wake <- struct{}{}
		s.draw()
		if len(failures) != 1 || len(shown) != 1 {
			t.Errorf("failures %v, shown %v, want one of each", failures, shown)
		}
		cancel()
		p.Wait()
	})
}

func TestNothingIsShownAfterTheContextEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newScreen()
		p := &Pump{Do: s.do}
		calls := 0
		Follow(ctx, p, make(chan struct{}),
			func(context.Context) (int, error) { return 1, nil },
			func(int) { calls++ }, func(error) { calls++ })
		p.Go(ctx, func(context.Context) error { return nil }, func(error) { calls++ })
		synctest.Wait()
		cancel()
		p.Wait()
		s.draw()
		if calls != 0 {
			t.Errorf("%d calls after the context ended, want none", calls)
		}
	})
}

func TestAReadingThatTheContextEndsIsNoFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newScreen()
		p := &Pump{Do: s.do}
		Follow(ctx, p, make(chan struct{}),
			func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() },
			func(int) { t.Error("show was called") },
			func(err error) { t.Errorf("failed(%v) was called", err) })
		synctest.Wait()
		cancel()
		p.Wait()
		s.draw()
	})
}

func TestAClosedWakeEndsFollow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScreen()
		p := &Pump{Do: s.do}
		wake := make(chan struct{})
		reads := 0
		Follow(t.Context(), p, wake,
			func(context.Context) (int, error) { reads++; return reads, nil }, func(int) {}, func(error) {})
		s.draw()
		close(wake)
		p.Wait()
		if reads != 1 {
			t.Errorf("%d readings, want 1", reads)
		}
	})
}

func TestGoBringsTheOutcomeBack(t *testing.T) {
	t.Parallel()
	refused := errors.New("start agents: piece moved meanwhile")
	for _, want := range []error{nil, refused} {
		synctest.Test(t, func(t *testing.T) {
			s := newScreen()
			p := &Pump{Do: s.do}
			var got []error
			p.Go(t.Context(), func(context.Context) error { return want }, func(err error) { got = append(got, err) })
			synctest.Wait()
			if len(got) != 0 {
				t.Fatal("done ran off the main goroutine")
			}
			s.draw()
			if len(got) != 1 || !errors.Is(got[0], want) {
				t.Errorf("done got %v, want %v once", got, want)
			}
			p.Wait()
		})
	}
}

func TestNewUsesFynesQueue(t *testing.T) {
	t.Parallel()
	if New().Do == nil {
		t.Error("New() left Do empty")
	}
}

func TestEachMinuteWakesForChangesAndForTheClockUntilItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := &Pump{Do: func(f func()) { f() }}
		changes := make(chan struct{}, 1)
		both := EachMinute(ctx, p, changes)
		changes <- struct{}{}
		<-both
		<-both // the minute passes in the bubble's clock
		cancel()
		p.Wait()
	})
}

func TestTheMainGoroutineDozesUntilSomethingIsQueuedOrShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScreen()
		p := newPump(s.do)
		var naps int
		hidden, ran := true, false
		p.Doze(t.Context(), func() bool { naps++; return hidden })
		(<-s.queue)() // the bubble's clock passes a whole nap
		second := <-s.queue
		begun := time.Now()
		go p.Do(func() { ran, hidden = true, false })
		second()
		if slept := time.Since(begun); slept != 0 {
			t.Errorf("it slept for %v after something was queued", slept)
		}
		s.draw()
		if !ran || naps != 3 {
			t.Errorf("after %d looks, queued function ran: %v", naps, ran)
		}
		p.Wait()
	})
}

func TestADozeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newScreen()
		p := newPump(s.do)
		p.Doze(ctx, func() bool { return true })
		f := <-s.queue
		cancel()
		f()
		p.Wait()
		(&Pump{Do: s.do}).Doze(t.Context(), nil) // has nothing to wake it, so it does not sleep
	})
}

func TestNothingReachesFyneAfterTheStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newScreen()
		p := newPump(s.do)
		wake := make(chan struct{}, 1)
		reads, shows := 0, 0
		Follow(ctx, p, wake, func(context.Context) (int, error) { reads++; return 1, nil }, func(int) { shows++ }, func(error) {})
		s.draw()
		p.Stop()
		p.Stop() // once more is nothing
		wake <- struct{}{}
		p.Go(ctx, func(context.Context) error { return nil }, func(error) { t.Error("an outcome is shown after the stop") })
		p.Doze(ctx, func() bool { t.Error("it dozes after the stop"); return false })
		p.Do(func() { t.Error("it runs after the stop") })
		synctest.Wait()
		if reads != 2 || shows != 1 || len(s.queue) != 0 {
			t.Errorf("%d readings, %d shows, %d queued after the stop, want 2, 1 and 0", reads, shows, len(s.queue))
		}
		cancel()
		p.Wait() // nobody waits for what is never shown
	})
}

func TestTheStopWaitsForWhatIsBeingQueued(t *testing.T) {
	t.Parallel()
	begun, room := make(chan struct{}), make(chan struct{})
	p := newPump(func(func()) { close(begun); <-room })
	queued := make(chan struct{})
	go func() { p.Do(func() {}); close(queued) }()
	<-begun
	if p.sending.TryLock() {
		t.Error("Fyne would be told to quit while something is put into its queue")
		p.sending.Unlock()
	}
	close(room)
	<-queued
	p.Stop()
}
