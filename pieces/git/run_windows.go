//go:build windows

package git

import (
	"os/exec"
	"strconv"
	"syscall"
)

const createNoWindow = 0x08000000

// group gives git a process group of its own and no console window; taskkill ends the tree while git still lives, because
// Windows forgets who a dead process's children were.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | createNoWindow}
	cmd.Cancel = func() error {
		kill := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid))
		kill.SysProcAttr = &syscall.SysProcAttr{CreationFlags: createNoWindow}
		if err := kill.Run(); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
}

func killGroup(*exec.Cmd) {}
