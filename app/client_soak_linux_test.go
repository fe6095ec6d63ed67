//go:build soak

package app

import (
	"testing"
	"time"
)

func TestSoakTheRealClaudeCodeWaitsSixMinutesOnACard(t *testing.T) {
	t.Parallel()
	waitOnACard(t, 6*time.Minute)
}
