package apptest

import (
	"os"
	"strings"
	"syscall"
	"time"
)

// faults are lines in a program's log that no test may leave behind.
var faults = []string{"Error in Fyne call thread", "panic:", "WARNING: DATA RACE", "fatal error:"}

// App is a program under test. What it writes is kept as its log.
type App struct {
	t T
	p *process
}

// Start runs the program with exactly the given environment, which Desktop.Env makes. At the test's end it is killed with all
// that it started, and the test fails if its log holds a panic, a data race or a use of Fyne off its own thread.
func Start(t T, bin string, args, env []string) *App {
	t.Helper()
	cmd := command(bin, args...)
	cmd.Env = env
	p, err := startProcess(cmd)
	if err != nil {
		t.Fatalf("%v", err)
	}
	a := &App{t: t, p: p}
	t.Cleanup(a.finish)
	return a
}

func (a *App) finish() {
	a.t.Helper()
	var started []*os.Process
	if !a.p.ended() {
		started = kin(a.PID())
	}
	a.p.kill()
	if err := endAll(started); err != nil {
		a.t.Errorf("%v", err)
	}
	log := a.Log()
	for _, fault := range faults {
		if strings.Contains(log, fault) {
			a.t.Errorf("the log of %s holds %q", a.p.cmd.Path, fault)
		}
	}
	if a.t.Failed() {
		a.t.Logf("log of %s:\n%s", a.p.cmd.Path, log)
	}
}

// PID is the program's process id.
func (a *App) PID() int { return a.p.cmd.Process.Pid }

// Log is what the program wrote so far to its standard output and error.
func (a *App) Log() string { return a.p.out.String() }

// WaitLog waits until the log holds the text.
func (a *App) WaitLog(text string) {
	a.t.Helper()
	holds := func() bool { return strings.Contains(a.Log(), text) }
	a.p.out.bell.until(0, func() bool { return holds() || a.p.ended() })
	if !holds() {
		a.t.Fatalf("wait for %q in the log (ended: %v)", text, a.p.ended())
	}
}

// Signal sends the program a signal.
func (a *App) Signal(signal os.Signal) {
	a.t.Helper()
	if err := a.p.cmd.Process.Signal(signal); err != nil {
		a.t.Fatalf("send %v: %v", signal, err)
	}
}

// Kill ends the program at once, as a crash would. What it started lives on.
func (a *App) Kill() { a.p.kill() }

// Running says whether the program has not ended yet.
func (a *App) Running() bool { return !a.p.ended() }

// Wait waits for the program to end by itself and returns its exit code; a program ended by a signal gives -1.
func (a *App) Wait() int {
	a.t.Helper()
	select {
	case <-a.p.done:
	case <-time.After(patience):
		_ = a.p.cmd.Process.Signal(syscall.SIGQUIT) // the log then shows where it hangs
		select {
		case <-a.p.done:
		case <-time.After(patience):
		}
		a.t.Fatalf("wait for the program to end: it runs on")
	}
	return a.p.cmd.ProcessState.ExitCode()
}
