//go:build unix

package host

import (
	"os"
	"os/exec"
	"syscall"
)

const hangup = syscall.SIGHUP

func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

func deathSignal(state *os.ProcessState) (int, bool) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0, false
	}
	return int(status.Signal()), true
}

// openPipe takes over a file that the app handed down, and keeps it from the command.
func openPipe(fd uintptr, name string) *os.File {
	syscall.CloseOnExec(int(fd))
	return os.NewFile(fd, name)
}

// Arrange makes cmd, which runs Serve, lead a session of its own, out of reach of a terminal's signals, and hands it
// the host's two pipes. It returns the flags that tell the host where they are. The caller closes its copies of the
// two files after the start.
func Arrange(cmd *exec.Cmd, control, report *os.File) []string {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.ExtraFiles = []*os.File{control, report}
	return []string{"--control=3", "--report=4"}
}
