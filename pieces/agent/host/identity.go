package host

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"fermata/pieces"
)

// Identify returns what tells the process from any other that has or will have its pid.
func Identify(pid int) (pieces.HostProcess, error) {
	started, err := startTime(pid)
	if err != nil {
		return pieces.HostProcess{}, fmt.Errorf("identify process %d: %w", pid, err)
	}
	boot, err := bootID()
	if err != nil {
		return pieces.HostProcess{}, fmt.Errorf("identify process %d: read boot id: %w", pid, err)
	}
	return pieces.HostProcess{PID: pid, Started: started, Boot: boot}, nil
}

// Alive says whether exactly this process lives.
func Alive(p pieces.HostProcess) bool {
	if p.PID <= 0 {
		return false
	}
	now, err := Identify(p.PID)
	return err == nil && now == p
}

// EndStale makes sure that a host recorded by an earlier run of the app is gone with all that ran under it. It first
// gives the host the time to see for itself that the app is gone; then it kills. The error names what is left.
func EndStale(ctx context.Context, p pieces.HostProcess) error {
	if p.PID <= 0 || !sameBoot(p) {
		return nil
	}
	limit := time.NewTimer(graceDefault)
	defer limit.Stop()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for waiting := Alive(p); waiting && Alive(p); {
		select {
		case <-ctx.Done():
			return fmt.Errorf("end stale host %d: %w", p.PID, ctx.Err())
		case <-limit.C:
			waiting = false
		case <-poll.C:
		}
	}
	left := EndMarked(ctx, p)
	if len(left) > 0 {
		return fmt.Errorf("end stale host %d: %s", p.PID, describe(left))
	}
	return ctx.Err()
}

// EndMarked kills the host and every process that carries its mark or descends from it, and returns what survived.
// It is for a host that does not do so itself, being dead or deaf.
func EndMarked(ctx context.Context, p pieces.HostProcess) []Survivor {
	return ender{family: &orphans{host: p}, limit: endLimit, hurry: ctx.Done()}.end()
}

// EndSurvivors tries again to kill processes that an earlier end reported, and returns those that still live.
func EndSurvivors(ctx context.Context, left []Survivor) []Survivor {
	return ender{family: listed(left), limit: graceDefault, hurry: ctx.Done()}.end()
}

func sameBoot(p pieces.HostProcess) bool {
	boot, err := bootID()
	return err != nil || boot == p.Boot
}

// mark is the value of MarkVariable under the host p.
func mark(p pieces.HostProcess) string {
	return strings.Join([]string{strconv.Itoa(p.PID), strconv.FormatUint(p.Started, 10), p.Boot}, ":")
}

func describe(left []Survivor) string {
	var b strings.Builder
	for i, s := range left {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "process %d lives on (%s)", s.PID, s.Command)
	}
	return b.String()
}

// strikeProcess signals m unless its pid belongs to another process by now. Taking the handle first and comparing
// afterwards leaves no gap where the platform's handles stay bound to one process.
func strikeProcess(m Survivor, kill bool) {
	process, err := os.FindProcess(m.PID)
	if err != nil {
		return
	}
	defer func() { _ = process.Release() }()
	if now, err := startTime(m.PID); err != nil || now != m.StartTime {
		return
	}
	if kill {
		_ = process.Kill()
		return
	}
	_ = terminate(process)
}

// listed is a family of known processes.
type listed []Survivor

func (listed) adopt() error                   { return nil }
func (listed) watch(int) (stop func())        { return func() {} }
func (listed) strike(m Survivor, kill bool)   { strikeProcess(m, kill) }
func (l listed) members() ([]Survivor, error) { return living(l), nil }

// living keeps those that are still the process they were.
func living(all []Survivor) []Survivor {
	var alive []Survivor
	for _, m := range all {
		if now, err := startTime(m.PID); err == nil && now == m.StartTime {
			alive = append(alive, m)
		}
	}
	return alive
}

// orphans is the family of a host that is not this process.
type orphans struct {
	host pieces.HostProcess
	// known keeps members that lost their parent, and with it their tie to the host, while they are being ended.
	known []Survivor
}

func (*orphans) adopt() error                 { return nil }
func (*orphans) watch(int) (stop func())      { return func() {} }
func (*orphans) strike(m Survivor, kill bool) { strikeProcess(m, kill) }

func (o *orphans) members() ([]Survivor, error) {
	found, err := belonging(o.host)
	if err != nil {
		return living(o.known), err
	}
	seen := map[processKey]bool{}
	var all []Survivor
	for _, m := range append(living(o.known), found...) {
		if !seen[m.key()] {
			seen[m.key()] = true
			all = append(all, m)
		}
	}
	o.known = all
	return all, nil
}
