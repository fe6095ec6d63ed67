//go:build soak

package engine_test

import "testing"

func TestSoakEightPiecesOfOneRepositoryStartInTheSameMoment(t *testing.T) {
	eightAtOnce(t, 20)
}
