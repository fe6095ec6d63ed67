package host

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"fermata/pieces"
)

const bookEvery = 500 * time.Millisecond

// group is this process's group and the descendants seen so far. macOS has no subreaper: a process that left the group
// and lost its parent between two looks is not found.
type group struct {
	mu    sync.Mutex
	known map[processKey]bool
}

func newFamily() family { return &group{known: map[processKey]bool{}} }

func (*group) adopt() error { return nil }

// bind has nothing to add: the command stays in the host's group.
func bind(*exec.Cmd) {}

func (g *group) watch(int) (stop func()) {
	quit := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(bookEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_, _ = g.members()
			case <-quit:
				return
			}
		}
	})
	return func() {
		close(quit)
		running.Wait()
	}
}

func (g *group) members() ([]Survivor, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	self := os.Getpid()
	g.mu.Lock()
	defer g.mu.Unlock()
	roots := map[int]bool{self: true}
	for i := range all {
		p := survivor(&all[i])
		if g.known[p.key()] || int(all[i].Eproc.Pgid) == self {
			roots[p.PID] = true
		}
	}
	known := map[processKey]bool{}
	var found []Survivor
	for _, p := range under(all, roots) {
		if p.PID != self {
			known[p.key()] = true
			found = append(found, p)
		}
	}
	g.known = known
	return found, nil
}

func (*group) strike(m Survivor, kill bool) { strikeProcess(m, kill) }

// under lists the living processes that are roots or descend from one.
func under(all []unix.KinfoProc, roots map[int]bool) []Survivor {
	for grown := true; grown; {
		grown = false
		for i := range all {
			pid := int(all[i].Proc.P_pid)
			if !roots[pid] && roots[int(all[i].Eproc.Ppid)] {
				roots[pid], grown = true, true
			}
		}
	}
	const zombie = 5 // SZOMB of sys/proc.h
	var found []Survivor
	for i := range all {
		if roots[int(all[i].Proc.P_pid)] && all[i].Proc.P_stat != zombie {
			found = append(found, survivor(&all[i]))
		}
	}
	return found
}

func survivor(p *unix.KinfoProc) Survivor {
	return Survivor{
		PID: int(p.Proc.P_pid), StartTime: started(p),
		Command: unix.ByteSliceToString(p.Proc.P_comm[:]) + " (" + strconv.Itoa(int(p.Eproc.Pgid)) + ")",
	}
}

// belonging lists the host, its descendants, and the rest of the group that the host led.
func belonging(host pieces.HostProcess) ([]Survivor, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	roots := map[int]bool{}
	for i := range all {
		// A pid is not given out again while a group of that number exists, so the number alone is proof enough, unless
		// another process leads that group now.
		pid := int(all[i].Proc.P_pid)
		if pid == host.PID && started(&all[i]) != host.Started {
			return nil, nil
		}
		if int(all[i].Eproc.Pgid) == host.PID {
			roots[pid] = true
		}
	}
	return under(all, roots), nil
}

// started is the start time in microseconds since 1970.
func started(p *unix.KinfoProc) uint64 {
	return uint64(p.Proc.P_starttime.Sec)*1e6 + uint64(p.Proc.P_starttime.Usec)
}

func startTime(pid int) (uint64, error) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	if int(p.Proc.P_pid) != pid {
		return 0, os.ErrProcessDone
	}
	return started(p), nil
}

func bootID() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }
