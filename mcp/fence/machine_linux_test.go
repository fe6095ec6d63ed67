package fence

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/agent/host"
)

// The test binary plays the parts of the story when it is started with one of these.
const (
	part       = "FERMATA_TEST_PART"
	partHost   = "host"   // serves the command after its own arguments
	partCaller = "caller" // connects to its argument, and keeps the connection until the other end closes it
)

func TestMain(m *testing.M) {
	switch os.Getenv(part) {
	case partHost:
		os.Setenv(part, partCaller)
		os.Exit(host.Serve(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	case partCaller:
		os.Exit(play(os.Args[1]))
	}
	os.Exit(m.Run())
}

func play(address string) int {
	network := "tcp"
	if strings.HasPrefix(address, "/") {
		network = "unix"
	}
	conn, err := net.Dial(network, address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer conn.Close()
	_, _ = io.Copy(io.Discard, conn)
	return 0
}

// stage is an app with a real agent host.
type stage struct {
	t     *testing.T
	fence *Fence
	ln    net.Listener
	self  string
	hosts []pieces.HostProcess
}

func newStage(t *testing.T, network, address string) *stage {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, self: self}
	s.fence = New(Options{
		Hosts:    func(context.Context) ([]pieces.HostProcess, error) { return s.hosts, nil },
		Identify: host.Identify, Mark: host.MarkVariable,
	})
	if s.ln, err = net.Listen(network, address); err != nil {
		t.Skipf("this machine cannot listen on %s: %v", address, err)
	}
	t.Cleanup(func() { s.ln.Close() })
	return s
}

// accept waits for a caller and returns its connection, whose end ends the caller.
func (s *stage) accept() net.Conn {
	s.t.Helper()
	type deadliner interface{ SetDeadline(time.Time) error }
	if err := s.ln.(deadliner).SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		s.t.Fatal(err)
	}
	conn, err := s.ln.Accept()
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return conn
}

func (s *stage) who(conn net.Conn) Kind {
	s.t.Helper()
	kind, err := s.fence.Who(s.t.Context(), conn.RemoteAddr().String(), conn.LocalAddr().String())
	if err != nil {
		s.t.Logf("unknown: %v", err)
	}
	return kind
}

// under starts a command under a real agent host, and records the host.
func (s *stage) under(argv ...string) pieces.HostProcess {
	s.t.Helper()
	orderRead, orderWrite := pipe(s.t)
	reportRead, reportWrite := pipe(s.t)
	cmd := exec.Command(s.self)
	cmd.Env = append(os.Environ(), part+"="+partHost)
	cmd.Args = append(cmd.Args, host.Arrange(cmd, orderRead, reportWrite)...)
	cmd.Args = append(append(cmd.Args, "--"), argv...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	_ = orderRead.Close()
	_ = reportWrite.Close()
	s.t.Cleanup(func() { _ = orderWrite.Close(); _ = cmd.Wait() })
	var report host.Report
	if err := json.NewDecoder(reportRead).Decode(&report); err != nil || report.Started == nil {
		s.t.Fatalf("the host says %+v (%v)", report, err)
	}
	id := report.Started.Process()
	s.hosts = append(s.hosts, id)
	return id
}

// beside starts a command that no host is above.
func (s *stage) beside(argv ...string) {
	s.t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), part+"="+partCaller)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
}

func pipe(t *testing.T) (read, write *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close(); _ = write.Close() })
	return read, write
}

// doubleFork starts "$1 $2" twice removed, in a session of its own, with an environment that says nothing.
const doubleFork = `(setsid sh -c '(setsid env -i ` + part + `=` + partCaller + ` "$0" "$1" </dev/null >/dev/null 2>&1 &) ; exit 0' "$1" "$2") ; exec sleep 300`

func TestAgentsAreRecognisedWhereverTheyCallFrom(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		s := newStage(t, "tcp", address)
		at := s.ln.Addr().String()
		s.under(s.self, at)
		if got := s.who(s.accept()); got != OwnAgent {
			t.Errorf("%s: a child of the host is %v", address, got)
		}
		s.under("sh", "-c", doubleFork, "sh", s.self, at)
		if got := s.who(s.accept()); got != OwnAgent {
			t.Errorf("%s: a double-forked grandchild with a clean environment is %v", address, got)
		}
		s.beside(s.self, at)
		if got := s.who(s.accept()); got != Outside {
			t.Errorf("%s: a program of the person's is %v", address, got)
		}
		s.beside("sh", "-c", doubleFork, "sh", s.self, at)
		if got := s.who(s.accept()); got != Outside {
			t.Errorf("%s: an orphan that is nobody's agent is %v", address, got)
		}
		own, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		conn := s.accept()
		if got := s.who(conn); got != Outside {
			t.Errorf("%s: the app itself is %v", address, got)
		}
		own.Close()
		if got := s.who(conn); got != Unknown {
			t.Errorf("%s: a caller that hung up is %v", address, got)
		}
	}
}

func TestASocketThatAnAgentHoldsTooIsTheAgents(t *testing.T) {
	t.Parallel()
	s := newStage(t, "tcp", "127.0.0.1:0")
	own, err := net.Dial("tcp", s.ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	conn := s.accept()
	file, err := own.(*net.TCPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got := s.who(conn); got != Outside {
		t.Fatalf("before it is shared it is %v", got)
	}
	// A child inherits the socket; to the fence it is the recorded host.
	child := exec.Command("sleep", "300")
	child.ExtraFiles = []*os.File{file}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
	id, err := host.Identify(child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	s.hosts = append(s.hosts, id)
	if got := s.who(conn); got != OwnAgent {
		t.Errorf("shared with an agent it is %v", got)
	}
}

func TestTheMarkIsEnoughWhenTheHostIsNot(t *testing.T) {
	t.Parallel()
	s := newStage(t, "tcp", "127.0.0.1:0")
	// Started by nobody that is recorded, it still carries the host's name.
	s.under("sleep", "300")
	named := markOf(t, s.hosts[0])
	s.beside("env", host.MarkVariable+"="+named, s.self, s.ln.Addr().String())
	conn := s.accept()
	if got := s.who(conn); got != OwnAgent {
		t.Errorf("a process with the mark of a recorded host is %v", got)
	}
	s.hosts = nil
	if got := s.who(conn); got != OwnAgent {
		t.Errorf("a process with the mark of a living host is %v", got)
	}
	s.beside("env", host.MarkVariable+"=1:1:another boot", s.self, s.ln.Addr().String())
	if got := s.who(s.accept()); got != Unknown {
		t.Errorf("a process with the mark of a host that is gone is %v", got)
	}
}

// markOf reads the mark from a process that the host started. The host tells of it before the kernel has given it the
// environment of its own, so it is waited for.
func markOf(t *testing.T, h pieces.HostProcess) string {
	t.Helper()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	late := time.After(time.Minute)
	for {
		// The thread that started it need not be the first one.
		lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", h.PID))
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range lists {
			children, _ := os.ReadFile(list)
			for _, child := range strings.Fields(string(children)) {
				environ, _ := os.ReadFile(filepath.Join("/proc", child, "environ"))
				if mark := variableIn(environ, host.MarkVariable); mark != "" {
					return mark
				}
			}
		}
		select {
		case <-look.C:
		case <-late:
			t.Fatalf("host %d has no child with a mark", h.PID)
		}
	}
}

func TestThePeerOfALocalSocketIsPlaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	s := newStage(t, "unix", path)
	cases := []struct {
		name  string
		start func()
		want  Kind
	}{
		{"an agent", func() { s.under("sh", "-c", doubleFork, "sh", s.self, path) }, OwnAgent},
		{"the person", func() { s.beside(s.self, path) }, Outside},
	}
	for _, c := range cases {
		c.start()
		pid, err := Peer(s.accept())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.fence.WhoPID(t.Context(), pid); got != c.want {
			t.Errorf("%s: %v (%v)", c.name, got, err)
		}
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if _, err := Peer(a); err == nil {
		t.Error("a pipe has a peer")
	}
}

func TestTheKernelsTableIsRead(t *testing.T) {
	t.Parallel()
	rows := socketRows([]byte(`  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2253 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0
   1: 0100007F:C350 0100007F:2253 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 20 4 0 10 -1
   2: 0000000000000000FFFF00000100007F:C351 0000000000000000FFFF00000100007F:2253 01 0:0 00:0 0 0 0 4713 1 0
   3: nonsense
`))
	want := []struct{ local, remote, inode string }{
		{"127.0.0.1:8787", "0.0.0.0:0", "4711"},
		{"127.0.0.1:50000", "127.0.0.1:8787", "4712"},
		{"127.0.0.1:50001", "127.0.0.1:8787", "4713"},
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows: %v", len(rows), rows)
	}
	for i, w := range want {
		if rows[i].local.String() != w.local || rows[i].remote.String() != w.remote || rows[i].inode != w.inode {
			t.Errorf("row %d is %v, want %v", i, rows[i], w)
		}
	}
}
