package pump

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestNothingIsShownUnderAPressAndAllAfterIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newScreen()
		p := &Pump{Do: s.do}
		wake := make(chan struct{}, 1)
		var shown []string
		Follow(ctx, p, wake, func(context.Context) (string, error) { return "read", nil },
			func(words string) { shown = append(shown, words) }, func(error) {})
		s.draw()
		p.Hold()
		p.Go(ctx, func(context.Context) error { return nil }, func(error) { shown = append(shown, "done") })
		s.draw()
		wake <- struct{}{}
		s.draw()
		if want := []string{"read"}; !slices.Equal(shown, want) {
			t.Errorf("under the press %q was shown, want %q", shown, want)
		}
		p.Release()
		s.draw()
		if want := []string{"read", "done", "read"}; !slices.Equal(shown, want) {
			t.Errorf("after it %q was shown, want %q", shown, want)
		}
		p.Release() // once more is nothing
		cancel()
		p.Wait()
	})
}

func TestAPressThatNeverEndsHoldsForAWhileOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScreen()
		p := &Pump{Do: s.do}
		done := false
		p.Hold()
		p.Go(t.Context(), func(context.Context) error { return nil }, func(error) { done = true })
		s.draw()
		if done {
			t.Error("it is shown under the press")
		}
		time.Sleep(longestHold + time.Second)
		s.draw()
		if !done {
			t.Error("it is held for ever")
		}
		p.Wait()
	})
}
