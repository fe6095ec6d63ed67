// Package host runs one Claude Code process and answers for the end of everything that process ever started.
package host

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"fermata/pieces"
)

// MarkVariable is the environment variable that every process under a host inherits. Its value names the host, so
// that processes are found even when the host itself was killed.
const MarkVariable = "FERMATA_AGENT_HOST"

const (
	graceDefault = 2 * time.Second  // between TERM and KILL when nobody says otherwise
	endLimit     = 10 * time.Second // after which a survivor is reported instead of waited for
)

// Exit codes of the host itself; any other is Claude Code's own.
const (
	exitUsage    = 2
	exitCannot   = 126
	signalOffset = 128
)

// Order is one control line, written by the app.
type Order struct {
	// Do is "stop", the only order there is; the end of the control pipe means "kill everything".
	Do string `json:"do"`
	// GraceMs is how long the processes may take to end by themselves before they are killed.
	GraceMs int64 `json:"graceMs"`
}

// Report is one report line, written by the host. Exactly one field is set.
type Report struct {
	Started *Identity `json:"started,omitempty"` // Claude Code runs; the identity is the host's
	Failed  string    `json:"failed,omitempty"`  // Claude Code could not be started
	Exit    *int      `json:"exit,omitempty"`    // Claude Code's exit code; 128+n after signal n
	// Left is the last report: the descendants that could not be ended, usually none.
	Left *[]Survivor `json:"left,omitempty"`
}

// Identity is pieces.HostProcess as it travels in a report.
type Identity struct {
	PID       int    `json:"pid"`
	StartTime uint64 `json:"startTime"`
	Boot      string `json:"boot,omitempty"`
}

// Survivor is a process that outlived its end, with the start time that guards against a reused pid.
type Survivor struct {
	PID       int    `json:"pid"`
	StartTime uint64 `json:"startTime"`
	Command   string `json:"command"`
}

// Serve is the body of the host command: args are "[--control FD] [--report FD] -- command argument…". The command gets
// the three files as its own. Serve returns when the command and all its descendants are gone, or when those that
// could not be ended were reported; a done ctx ends them. The result is the process's exit code.
func Serve(ctx context.Context, args []string, stdin, stdout, stderr *os.File) int {
	p, err := parse(args)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitUsage
	}
	control, report := openPipe(p.control, "control"), openPipe(p.report, "report")
	// A worker that dies takes its parent-death signal with it on Linux: the thread that starts the command must live on.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := &server{family: newFamily(), reports: json.NewEncoder(report)}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, hangup)
	defer signal.Stop(signals)
	s.signals, s.orders = signals, readOrders(control)
	return s.run(ctx, p.command, stdin, stdout, stderr)
}

type params struct {
	control, report uintptr
	command         []string
}

func parse(args []string) (params, error) {
	set := flag.NewFlagSet("agent-host", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	control := set.Uint64("control", 3, "control pipe")
	report := set.Uint64("report", 4, "report pipe")
	if err := set.Parse(args); err != nil {
		return params{}, fmt.Errorf("agent-host: %w", err)
	}
	if set.NArg() == 0 {
		return params{}, errors.New("agent-host: no command given")
	}
	return params{control: uintptr(*control), report: uintptr(*report), command: set.Args()}, nil
}

// readOrders turns the control pipe into a channel that is closed at the pipe's end. Its goroutine lives as long as
// the app holds the other end, which is as long as the host lives.
func readOrders(control io.Reader) <-chan Order {
	orders := make(chan Order, 4)
	go func() {
		defer close(orders)
		lines := json.NewDecoder(control)
		for {
			var o Order
			if err := lines.Decode(&o); err != nil {
				return
			}
			orders <- o
		}
	}()
	return orders
}

type server struct {
	family  family
	reports *json.Encoder
	orders  <-chan Order
	signals <-chan os.Signal
}

// tell writes one report. A failure means that the app is gone, which the control pipe's end says as well.
func (s *server) tell(r Report) { _ = s.reports.Encode(r) }

func (s *server) run(ctx context.Context, argv []string, stdin, stdout, stderr *os.File) int {
	self, err := Identify(os.Getpid())
	if err == nil {
		err = s.family.adopt()
	}
	if err != nil {
		s.tell(Report{Failed: err.Error()})
		return exitCannot
	}
	// The command's end is ours to bring about, descendants included, so ctx must not end it behind our back.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	cmd.Env = append(os.Environ(), MarkVariable+"="+mark(self))
	bind(cmd)
	if err := cmd.Start(); err != nil {
		s.tell(Report{Failed: err.Error()})
		return exitCannot
	}
	s.tell(Report{Started: &Identity{PID: self.PID, StartTime: self.Started, Boot: self.Boot}})
	unwatch := s.family.watch(cmd.Process.Pid)
	defer unwatch()
	s.accompany(ctx, cmd)
	s.tell(Report{Exit: new(exitCode(cmd.ProcessState))})
	left := ender{family: s.family, grace: graceDefault, limit: endLimit, hurry: s.hurry(ctx)}.end()
	s.tell(Report{Left: &left})
	return exitCode(cmd.ProcessState)
}

// accompany waits until the command is gone, and brings that about when it is told to or the app is gone.
func (s *server) accompany(ctx context.Context, cmd *exec.Cmd) {
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait()
	}()
	var deadline <-chan time.Time
	orders, done := s.orders, ctx.Done()
	for {
		grace := graceDefault
		select {
		case <-exited:
			return
		case <-deadline:
			_ = cmd.Process.Kill()
			deadline = nil
			continue
		case o, ok := <-orders:
			if !ok {
				orders = nil
				_ = cmd.Process.Kill()
				continue
			}
			grace = time.Duration(o.GraceMs) * time.Millisecond
		case <-s.signals:
		case <-done:
			done = nil
		}
		_ = terminate(cmd.Process)
		deadline = time.After(grace)
	}
}

// hurry returns a channel that is closed when the app is gone, which ends every grace. Orders have no meaning any
// more once the command has exited: its descendants are being ended already.
func (s *server) hurry(ctx context.Context) <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case _, ok := <-s.orders:
				if !ok {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return gone
}

func exitCode(state *os.ProcessState) int {
	if code := state.ExitCode(); code >= 0 {
		return code
	}
	if number, ok := deathSignal(state); ok {
		return signalOffset + number
	}
	return -1
}

// key is what makes a survivor one process; its command line changes with every exec.
func (s Survivor) key() processKey { return processKey{s.PID, s.StartTime} }

type processKey struct {
	pid     int
	started uint64
}

// Process is the identity of a report as the domain's type.
func (i Identity) Process() pieces.HostProcess {
	return pieces.HostProcess{PID: i.PID, Started: i.StartTime, Boot: i.Boot}
}
