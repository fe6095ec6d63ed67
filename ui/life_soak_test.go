//go:build soak

package ui_test

import "testing"

func TestSoakWindowsThatCloseLeaveNothing(t *testing.T) { opensAndCloses(t, 200) }
