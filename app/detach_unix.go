//go:build unix

package app

import (
	"os/exec"
	"syscall"
)

// detach lets a program live on when the app ends.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
