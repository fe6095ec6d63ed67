package stage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"fermata/ui/kit"
	"fermata/ui/stage"
)

// stranger is a test whose failures are looked at instead of counted.
type stranger struct {
	testing.TB
	said     []string
	cleanups []func()
}

func (s *stranger) Errorf(format string, args ...any) {
	s.said = append(s.said, fmt.Sprintf(format, args...))
}

func (s *stranger) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func (s *stranger) end() {
	for len(s.cleanups) > 0 {
		last := len(s.cleanups) - 1
		f := s.cleanups[last]
		s.cleanups = s.cleanups[:last]
		f()
	}
}

func TestAWidgetThatIsTouchedOffTheMainGoroutineFailsTheTest(t *testing.T) {
	tb := &stranger{TB: t}
	s := stage.New(tb)
	word := kit.Body("one")
	s.Open(word, 200, 100)
	s.Pump.Go(t.Context(), func(context.Context) error {
		word.Set("two")
		return nil
	}, func(error) {})
	s.Pump.Wait()
	tb.end()
	if len(tb.said) != 1 || !strings.Contains(tb.said[0], "off Fyne's goroutine") || !strings.Contains(tb.said[0], "astray_test.go") {
		t.Errorf("it said %q", tb.said)
	}
}

func TestAWidgetThatIsTouchedByAPartOfTheTestIsWhereItBelongs(t *testing.T) {
	tb := &stranger{TB: t}
	s := stage.New(tb)
	word := kit.Body("one")
	s.Open(word, 200, 100)
	t.Run("part", func(*testing.T) { word.Set("two") })
	shown := false
	s.Pump.Go(t.Context(), func(context.Context) error { return nil }, func(error) { word.Set("three"); shown = true })
	s.Until("the outcome is shown", func() bool { return shown })
	tb.end()
	if len(tb.said) > 0 {
		t.Errorf("it said %q", tb.said)
	}
}
