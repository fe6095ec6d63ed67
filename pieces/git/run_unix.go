//go:build !windows

package git

import (
	"os/exec"
	"syscall"
)

// group gives git a session of its own: no terminal on which ssh could ask for a passphrase, and a process group that can
// be ended as a whole. SIGTERM comes first because git then takes its lock files away.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// killGroup ends what is left of the group, such as a hook that ignores SIGTERM.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		// The group may be gone already, which is what is wanted.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
