package fence

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const (
	lsof         = "/usr/sbin/lsof"
	lsofPatience = 10 * time.Second
)

// darwin asks lsof for sockets and the kernel for processes.
type darwin struct {
	run func(ctx context.Context, name string, args ...string) ([]byte, error)
}

func newMachine() machine { return darwin{run: output} }

func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = []string{"LC_ALL=C"}
	return cmd.Output()
}

func (d darwin) owners(ctx context.Context, client, server netip.AddrPort) ([]int, error) {
	ctx, cancel := context.WithTimeout(ctx, lsofPatience)
	defer cancel()
	// By the port alone: which address lsof prints for a socket of both families is its own affair.
	out, err := d.run(ctx, lsof, "-nP", "-w", "-iTCP:"+strconv.Itoa(int(client.Port())), "-Fpn")
	var exit *exec.ExitError
	// It exits with 1 when it found nothing, and when it could not read everything.
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		return nil, fmt.Errorf("run lsof: %w", err)
	}
	return lsofOwners(out, client, server), nil
}

func (darwin) parent(pid int) (int, error) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	if int(p.Proc.P_pid) != pid {
		return 0, os.ErrProcessDone
	}
	return int(p.Eproc.Ppid), nil
}

func (darwin) variable(pid int, name string) string {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return ""
	}
	return variableInArgs(raw, name)
}

func peer(fd uintptr) (int, error) {
	return unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
}
