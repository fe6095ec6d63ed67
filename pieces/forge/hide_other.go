//go:build !windows

package forge

import "os/exec"

// hide has nothing to hide where processes open no windows.
func hide(*exec.Cmd) {}
