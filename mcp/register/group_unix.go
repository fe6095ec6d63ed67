//go:build unix

package register

import (
	"os/exec"
	"syscall"
)

// ownGroup puts cmd into its own process group, and ends the group with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
