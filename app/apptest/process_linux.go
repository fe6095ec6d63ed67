package apptest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// patience is how long the harness waits for anything outside: long, because a loaded machine is slow and a test that
// passes never waits it out.
const patience = 30 * time.Second

// poll is how often state that tells nobody of its changes is read.
const poll = 50 * time.Millisecond

// debianPackages name where a missing program comes from.
var debianPackages = map[string]string{
	"Xvfb": "xvfb", "openbox": "openbox", "dbus-daemon": "dbus", "xdotool": "xdotool", "import": "imagemagick",
	"gnome-keyring-daemon": "gnome-keyring",
}

func requirePrograms(names ...string) error {
	var missing []string
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, fmt.Sprintf("%s (Debian package %s)", name, debianPackages[name]))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("not installed: %s", strings.Join(missing, ", "))
	}
	return nil
}

// bell wakes everybody who waits for the next change of something. The zero value is ready.
type bell struct {
	mu   sync.Mutex
	next chan struct{}
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// hear is closed at the next ring. Call it before reading what the bell announces.
func (b *bell) hear() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// until waits until done says so, asking at every ring and, when every is above zero, that often. It gives up after
// patience.
func (b *bell) until(every time.Duration, done func() bool) bool {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	var tick <-chan time.Time
	if every > 0 {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		rung := b.hear()
		if done() {
			return true
		}
		select {
		case <-rung:
		case <-tick:
		case <-deadline.C:
			return done()
		}
	}
}

// output collects what a process writes.
type output struct {
	bell bell
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	n, err := o.text.Write(p)
	o.mu.Unlock()
	o.bell.ring()
	return n, err
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// process is a child that dies with this one.
type process struct {
	cmd  *exec.Cmd
	out  *output
	done chan struct{} // closed when it has ended
}

// command prepares a child that is ended by stop or kill, not by a context.
func command(name string, args ...string) *exec.Cmd {
	return exec.CommandContext(context.Background(), name, args...)
}

func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, out: &output{}, done: make(chan struct{})}
	if cmd.Stdout == nil {
		cmd.Stdout = p.out
	}
	cmd.Stderr = p.out
	// A grandchild may keep the pipe open: do not wait for it for ever.
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	go func() {
		defer p.out.bell.ring()
		defer close(p.done)
		_ = cmd.Wait() // the state is read from cmd.ProcessState
	}()
	return p, nil
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop asks the process to end, then makes it.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(3 * time.Second):
		p.kill()
	}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// firstLine starts a process with a pipe as its descriptor 3 and returns it with the first line it writes there.
func firstLine(cmd *exec.Cmd) (*process, string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, "", fmt.Errorf("open pipe: %w", err)
	}
	defer func() { _ = r.Close() }()
	cmd.ExtraFiles = []*os.File{w}
	p, err := startProcess(cmd)
	_ = w.Close() // the child has its own
	if err != nil {
		return nil, "", err
	}
	_ = r.SetReadDeadline(time.Now().Add(patience))
	var line []byte
	for chunk := make([]byte, 512); ; {
		n, err := r.Read(chunk)
		line = append(line, chunk[:n]...)
		if text, _, found := strings.Cut(string(line), "\n"); found {
			return p, strings.TrimSpace(text), nil
		}
		if err != nil {
			p.kill()
			return nil, "", fmt.Errorf("start %s: %w", cmd.Path, errors.Join(err, errors.New(p.out.String())))
		}
	}
}
