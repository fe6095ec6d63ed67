//go:build soak

package app

import (
	"fmt"
	"testing"
	"time"
)

func TestSoakRandomStepsFollowTheRail(t *testing.T) {
	start := uint64(time.Now().UnixNano())
	for n := range uint64(20) {
		t.Run(fmt.Sprint("seed ", start+n), func(t *testing.T) {
			t.Parallel()
			followModel(t, start+n, 1000)
		})
	}
}
