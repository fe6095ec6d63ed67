// Package fence tells Fermata's own agents from everybody else by the process at the other end of a connection.
package fence

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"

	"fermata/pieces"
)

// Kind is who a process is to Fermata.
type Kind int

// The kinds. Whoever cannot be placed is Unknown, and nobody's friend.
const (
	Unknown  Kind = iota // not found, not readable, or with signs that contradict each other
	Outside              // no recorded agent host is above it: the person's own programs, or the app itself
	OwnAgent             // it runs under an agent host of Fermata's
)

// String names the kind for logs.
func (k Kind) String() string {
	switch k {
	case Outside:
		return "outside"
	case OwnAgent:
		return "own agent"
	default:
		return "unknown"
	}
}

// Options are what a Fence needs. Hosts and Identify are required.
type Options struct {
	// Hosts lists the recorded agent hosts of the sessions that live.
	Hosts func(ctx context.Context) ([]pieces.HostProcess, error)
	// Identify returns what tells the process from any other with its pid, as the recorded hosts were identified.
	Identify func(pid int) (pieces.HostProcess, error)
	// Mark is the environment variable by which processes under a host carry its name. Empty: there is no such sign.
	Mark string
}

// Fence finds out who a process is. It keeps nothing between two questions and is safe for concurrent use.
type Fence struct {
	Options
	machine machine
	self    int
	own     string // the mark that the app itself was started with, by an agent of another Fermata; no sign of ours
}

// machine is what a platform knows of sockets and processes.
type machine interface {
	// owners lists the processes that hold the client's end of a TCP connection to the server, all that share it.
	owners(ctx context.Context, client, server netip.AddrPort) ([]int, error)
	// parent returns the pid of the process's parent; 0 when there is none.
	parent(pid int) (int, error)
	// variable reads a variable of the environment that the process was started with; empty when it has none or it
	// cannot be read.
	variable(pid int, name string) string
}

// New returns the fence of this platform.
func New(o Options) *Fence {
	return &Fence{Options: o, machine: newMachine(), self: os.Getpid(), own: os.Getenv(o.Mark)}
}

// Who says who holds the remote end of a TCP connection on this machine. Both ends are ip:port; local is the server's.
// Where several processes share it, one agent among them is enough. The error says why the answer is Unknown.
func (f *Fence) Who(ctx context.Context, remote, local string) (Kind, error) {
	client, err := endpoint(remote)
	if err != nil {
		return Unknown, err
	}
	server, err := endpoint(local)
	if err != nil {
		return Unknown, err
	}
	pids, err := f.machine.owners(ctx, client, server)
	if err != nil {
		return Unknown, fmt.Errorf("find who holds %s: %w", client, err)
	}
	if len(pids) == 0 {
		return Unknown, fmt.Errorf("find who holds %s: nobody that can be seen", client)
	}
	return f.who(ctx, pids)
}

// WhoPID says who a process is. The error says why the answer is Unknown.
func (f *Fence) WhoPID(ctx context.Context, pid int) (Kind, error) {
	if pid <= 0 {
		return Unknown, fmt.Errorf("no process has the id %d", pid)
	}
	return f.who(ctx, []int{pid})
}

func (f *Fence) who(ctx context.Context, pids []int) (Kind, error) {
	hosts, err := f.Hosts(ctx)
	if err != nil {
		return Unknown, fmt.Errorf("list the agent hosts: %w", err)
	}
	kind := Outside
	var why error
	for _, pid := range pids {
		k, err := f.line(pid, hosts)
		if k == OwnAgent {
			return OwnAgent, nil
		}
		if k == Unknown {
			kind, why = Unknown, errors.Join(why, err)
		}
	}
	return kind, why
}

const (
	mostAncestors = 4096
	mostLooks     = 16 // at one process whose parent keeps changing
)

// line walks from a process up to the one that nobody started.
func (f *Fence) line(pid int, hosts []pieces.HostProcess) (Kind, error) {
	if pid == f.self {
		return Outside, nil
	}
	this, err := f.Identify(pid)
	if err != nil {
		return Unknown, err
	}
	kind := Outside
	var why error
	for range mostAncestors {
		if slices.Contains(hosts, this) {
			return OwnAgent, nil
		}
		switch k, err := f.marked(this.PID, hosts); k {
		case OwnAgent:
			return OwnAgent, nil
		case Unknown:
			kind, why = Unknown, err
		default:
		}
		above, err := f.above(this)
		if err != nil {
			return Unknown, err
		}
		if above.PID == 0 || above.PID == f.self {
			return kind, why
		}
		this = above
	}
	return Unknown, fmt.Errorf("process %d has no end of ancestors", pid)
}

// above identifies the parent of a process; the zero value when it has none. A parent that dies meanwhile hands its
// children on, so what was read counts only if the process still names the same parent afterwards.
func (f *Fence) above(p pieces.HostProcess) (pieces.HostProcess, error) {
	var err error
	for range mostLooks {
		var pid, again int
		if pid, err = f.machine.parent(p.PID); err != nil {
			break
		}
		// The first process of the machine is no agent host, and other users' are often not shown what it is.
		if pid <= 1 {
			return pieces.HostProcess{}, nil
		}
		var above pieces.HostProcess
		above, err = f.Identify(pid)
		if err != nil {
			continue
		}
		if again, err = f.machine.parent(p.PID); err != nil {
			break
		}
		if again == pid {
			return f.still(p, above)
		}
		err = errors.New("its parent keeps changing")
	}
	return pieces.HostProcess{}, fmt.Errorf("find the parent of process %d: %w", p.PID, err)
}

// still returns above if p did not give its pid to another process while its parent was looked up.
func (f *Fence) still(p, above pieces.HostProcess) (pieces.HostProcess, error) {
	now, err := f.Identify(p.PID)
	if err == nil && now != p {
		err = os.ErrProcessDone
	}
	if err != nil {
		return pieces.HostProcess{}, fmt.Errorf("find the parent of process %d: %w", p.PID, err)
	}
	return above, nil
}

// marked looks for the name of a host in the environment of a process: it is there even when the host, or the line up
// to it, is not. A mark whose host is gone proves nothing: editors hand their environment on to the person's terminals.
func (f *Fence) marked(pid int, hosts []pieces.HostProcess) (Kind, error) {
	if f.Mark == "" {
		return Outside, nil
	}
	value := f.machine.variable(pid, f.Mark)
	if value == "" || value == f.own {
		return Outside, nil
	}
	p, err := parseMark(value)
	if err != nil {
		return Unknown, fmt.Errorf("process %d: %w", pid, err)
	}
	// A host lives a moment before it is recorded, and one of another Fermata is not recorded here at all.
	if now, err := f.Identify(p.PID); slices.Contains(hosts, p) || err == nil && now == p {
		return OwnAgent, nil
	}
	return Unknown, fmt.Errorf("process %d carries the mark of an agent host that is gone", pid)
}
