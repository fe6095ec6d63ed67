//go:build soak

package app

import (
	"testing"
	"time"
)

func TestSoakFiftyClientsForAMinute(t *testing.T) { chaos(t, time.Minute, 40) }
