//go:build windows

package forge

import (
	"os/exec"
	"syscall"
)

// hide keeps Windows from opening a console window for gh.
func hide(cmd *exec.Cmd) {
	const createNoWindow = 0x08000000
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: createNoWindow}
}
