//go:build soak

package app

import (
	"testing"
	"time"
)

func TestSoakAnAppKilledAtAHundredPoints(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	crashes(t, seed, 100)
}
