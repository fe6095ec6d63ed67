package host

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"fermata/pieces"
)

// tree is this process's descendants. As their subreaper it inherits every orphan, whatever session or group it is in,
// so the tree under it is complete.
type tree struct{}

func newFamily() family { return tree{} }

func (tree) adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become subreaper: %w", err)
	}
	return nil
}

// bind makes the command die with the host, even when the host is killed with KILL.
func bind(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// watch collects orphans that ended, so that they do not stay zombies for the length of the session.
func (tree) watch(child int) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGCHLD)
	quit := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-signals:
				reap(child)
			case <-quit:
				return
			}
		}
	})
	return func() {
		signal.Stop(signals)
		close(quit)
		running.Wait()
	}
}

// reap collects dead children but child, which os/exec waits for.
func reap(child int) {
	all, err := processes()
	if err != nil {
		return
	}
	self := os.Getpid()
	for _, p := range all {
		if p.parent == self && p.dead && p.pid != child {
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		}
	}
}

func (tree) members() ([]Survivor, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	return survivors(descendants(all, os.Getpid())), nil
}

func (tree) strike(m Survivor, kill bool) { strikeProcess(m, kill) }

// belonging lists the host, its descendants, and the processes that carry its mark.
func belonging(host pieces.HostProcess) ([]Survivor, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	var found []process
	for _, p := range all {
		isHost := p.pid == host.PID && p.started == host.Started
		if isHost {
			found = append(found, descendants(all, p.pid)...)
		}
		if isHost || carries(p.pid, mark(host)) {
			found = append(found, p)
		}
	}
	return survivors(found), nil
}

// carries reads the environment that the process was started with; another user's is closed to us and counts as no.
func carries(pid int, value string) bool {
	if pid == os.Getpid() {
		return false
	}
	environ, err := os.ReadFile(procPath(pid, "environ"))
	if err != nil {
		return false
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if string(entry) == MarkVariable+"="+value {
			return true
		}
	}
	return false
}

type process struct {
	pid, parent int
	started     uint64
	dead        bool // a zombie: nothing runs in it any more
}

func processes() ([]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var all []process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if p, err := readProcess(pid); err == nil {
			all = append(all, p)
		}
	}
	return all, nil
}

// descendants lists all processes under root, without root.
func descendants(all []process, root int) []process {
	children := map[int][]process{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	var found []process
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, p := range children[queue[0]] {
			found = append(found, p)
			queue = append(queue, p.pid)
		}
	}
	return found
}

func survivors(all []process) []Survivor {
	var alive []Survivor
	for _, p := range all {
		if !p.dead {
			alive = append(alive, Survivor{PID: p.pid, StartTime: p.started, Command: commandLine(p.pid)})
		}
	}
	return alive
}

// readProcess reads /proc/PID/stat. The command's name may hold spaces and parentheses, so fields count from its end.
func readProcess(pid int) (process, error) {
	raw, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return process{}, err
	}
	const state, parent, threads, started = 0, 1, 17, 19 // proc(5) fields 3, 4, 20 and 22
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(fields) <= started {
		return process{}, fmt.Errorf("read /proc/%d/stat: only %d fields", pid, len(fields))
	}
	p := process{pid: pid}
	if p.parent, err = strconv.Atoi(fields[parent]); err != nil {
		return process{}, fmt.Errorf("read /proc/%d/stat: %w", pid, err)
	}
	if p.started, err = strconv.ParseUint(fields[started], 10, 64); err != nil {
		return process{}, fmt.Errorf("read /proc/%d/stat: %w", pid, err)
	}
	// A program whose first thread has ended shows as a zombie too, but its other threads run on.
	alone := fields[threads] == "0" || fields[threads] == "1"
	p.dead = fields[state] == "X" || fields[state] == "Z" && alone
	return p, nil
}

func startTime(pid int) (uint64, error) {
	p, err := readProcess(pid)
	if err != nil {
		return 0, err
	}
	if p.dead {
		return 0, os.ErrProcessDone
	}
	return p.started, nil
}

func bootID() (string, error) {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(raw)), err
}

func commandLine(pid int) string {
	const longest = 200
	raw, err := os.ReadFile(procPath(pid, "cmdline"))
	if err != nil || len(raw) == 0 {
		raw, _ = os.ReadFile(procPath(pid, "comm"))
	}
	line := strings.TrimSpace(strings.ReplaceAll(string(raw), "\x00", " "))
	return strings.ToValidUTF8(line[:min(len(line), longest)], "")
}

func procPath(pid int, name string) string { return filepath.Join("/proc", strconv.Itoa(pid), name) }
