//go:build linux

package host

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fermata/pieces"
)

const actAsHost = "FERMATA_TEST_ACT_AS_HOST"

func TestMain(m *testing.M) {
	if os.Getenv(actAsHost) != "" {
		os.Exit(Serve(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// running is a host in a process of its own with the app's ends of its pipes.
type running struct {
	cmd     *exec.Cmd
	control *os.File
	reports *json.Decoder
	id      pieces.HostProcess
	waited  chan struct{}
}

func start(t *testing.T, argv ...string) *running {
	t.Helper()
	orderRead, orderWrite := pipe(t)
	reportRead, reportWrite := pipe(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), actAsHost+"=1")
	cmd.Args = append(cmd.Args, Arrange(cmd, orderRead, reportWrite)...)
	cmd.Args = append(append(cmd.Args, "--"), argv...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = orderRead.Close()
	_ = reportWrite.Close()
	r := &running{cmd: cmd, control: orderWrite, reports: json.NewDecoder(reportRead), waited: make(chan struct{})}
	go func() { defer close(r.waited); _ = cmd.Wait() }()
	t.Cleanup(func() { _ = orderWrite.Close(); <-r.waited })
	return r
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

func (r *running) next(t *testing.T) Report {
	t.Helper()
	var report Report
	if err := r.reports.Decode(&report); err != nil {
		t.Fatalf("read report: %v", err)
	}
	return report
}

func (r *running) started(t *testing.T) {
	t.Helper()
	report := r.next(t)
	if report.Started == nil {
		t.Fatalf("first report is %+v, want started", report)
	}
	r.id = report.Started.Process()
	if r.id.PID != r.cmd.Process.Pid || !Alive(r.id) {
		t.Fatalf("started names %+v, want the living host %d", r.id, r.cmd.Process.Pid)
	}
}

func (r *running) ended(t *testing.T, code int) {
	t.Helper()
	if report := r.next(t); report.Exit == nil || *report.Exit != code {
		t.Fatalf("exit report is %+v, want code %d", report, code)
	}
	if report := r.next(t); report.Left == nil || len(*report.Left) != 0 {
		t.Fatalf("last report is %+v, want nobody left", report)
	}
	<-r.waited
	r.nobody(t)
}

func (r *running) nobody(t *testing.T) {
	t.Helper()
	left, err := belonging(r.id)
	if err != nil || len(left) != 0 {
		t.Fatalf("left alive: %v (%v)", left, err)
	}
}

// brood is a shell script that leaves one descendant of each stubborn kind, and touches the file $1 when all run.
const brood = `
setsid sleep 300 >/dev/null 2>&1 &
nohup sleep 300 >/dev/null 2>&1 &
(trap '' TERM HUP INT; echo t >>"$1.t"; while :; do sleep 1; done) >/dev/null 2>&1 &
(setsid sh -c 'sh -c "exec sleep 300" & exit' >/dev/null 2>&1) &
(setsid sh -c '(setsid sleep 300 &) ; exit 0' >/dev/null 2>&1)
until [ -s "$1.t" ]; do sleep 0.02; done
: >"$1"
`

func awaitFile(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s did not appear", path)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// awaitEnd waits for a process to end without our doing.
func awaitEnd(t *testing.T, pid string) {
	t.Helper()
	number, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; {
		if _, err := startTime(number); err != nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d lives on", number)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestEveryDescendantIsGoneAfterTheCommand(t *testing.T) {
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready")
	r := start(t, "sh", "-c", brood+"exit 7", "sh", ready)
	r.started(t)
	awaitFile(t, ready)
	if left, _ := belonging(r.id); len(left) < 5 {
		t.Fatalf("the brood is too small to prove anything: %v", left)
	}
	r.ended(t, 7)
}

func TestStopKillsACommandThatIgnoresTerm(t *testing.T) {
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready")
	r := start(t, "sh", "-c", "trap '' TERM;"+brood+"while :; do sleep 1; done", "sh", ready)
	r.started(t)
	awaitFile(t, ready)
	if err := json.NewEncoder(r.control).Encode(Order{Do: "stop", GraceMs: 50}); err != nil {
		t.Fatal(err)
	}
	r.ended(t, 128+9)
}

func TestEndOfTheControlPipeKillsEverything(t *testing.T) {
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready")
	r := start(t, "sh", "-c", "trap '' TERM;"+brood+"while :; do sleep 1; done", "sh", ready)
	r.started(t)
	awaitFile(t, ready)
	_ = r.control.Close()
	<-r.waited
	r.nobody(t)
}

func TestNothingOutlivesAKilledHost(t *testing.T) {
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready")
	r := start(t, "sh", "-c", `echo $$ >"$1.pid";`+brood+"while :; do sleep 1; done", "sh", ready)
	r.started(t)
	awaitFile(t, ready)
	pid, err := os.ReadFile(ready + ".pid")
	if err != nil {
		t.Fatal(err)
	}
	_ = r.cmd.Process.Kill()
	<-r.waited
	awaitEnd(t, strings.TrimSpace(string(pid)))
	if err := EndStale(t.Context(), r.id); err != nil {
		t.Fatal(err)
	}
	r.nobody(t)
}

func TestStaleHostIsEnded(t *testing.T) {
	t.Parallel()
	r := start(t, "sleep", "300")
	r.started(t)
	if err := EndStale(t.Context(), r.id); err != nil {
		t.Fatal(err)
	}
	<-r.waited
	r.nobody(t)
}

func TestReusedPidIsLeftAlone(t *testing.T) {
	t.Parallel()
	sleeper := exec.Command("sleep", "300")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() })
	id, err := Identify(sleeper.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	earlier, otherBoot := id, id
	earlier.Started--
	otherBoot.Boot = "another"
	for _, p := range []pieces.HostProcess{earlier, otherBoot, {}} {
		if Alive(p) {
			t.Errorf("%+v counts as alive", p)
		}
		if err := EndStale(t.Context(), p); err != nil {
			t.Errorf("EndStale(%+v) = %v", p, err)
		}
	}
	strikeProcess(Survivor{PID: id.PID, StartTime: id.Started - 1}, true)
	if !Alive(id) {
		t.Fatal("a process that only has the same pid was killed")
	}
}

func TestMissingCommandIsReported(t *testing.T) {
	t.Parallel()
	r := start(t, filepath.Join(t.TempDir(), "nothing"))
	if report := r.next(t); !strings.Contains(report.Failed, "no such file") {
		t.Fatalf("report is %+v", report)
	}
}

func TestWrongUsageIsRefused(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {"--"}, {"--nonsense", "--", "true"}} {
		if code := Serve(t.Context(), args, null, null, null); code != exitUsage {
			t.Errorf("Serve(%q) = %d", args, code)
		}
	}
}

func TestHostKeepsItsPipesAndLeadsASession(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "fds")
	r := start(t, "sh", "-c", `ls /proc/$$/fd >"$1.part"; ps -o sid= -p $PPID | tr -d ' ' >>"$1.part"; mv "$1.part" "$1"`, "sh", out)
	r.started(t)
	r.ended(t, 0)
	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(raw))
	for _, fd := range lines[:len(lines)-1] {
		if fd == "3" || fd == "4" {
			t.Errorf("the command holds fd %s of the host: %q", fd, lines)
		}
	}
	if session := lines[len(lines)-1]; session != strconv.Itoa(r.id.PID) {
		t.Errorf("the host %d leads no session of its own but is in %s", r.id.PID, session)
	}
}

// immortal is a family whose members survive a number of kills and bring forth others.
type immortal struct {
	lives map[Survivor]int
	child map[Survivor]Survivor
	asked []Survivor
}

func (*immortal) adopt() error            { return nil }
func (*immortal) watch(int) (stop func()) { return func() {} }

func (f *immortal) members() ([]Survivor, error) {
	var all []Survivor
	for m := range f.lives {
		all = append(all, m)
	}
	return all, nil
}

func (f *immortal) strike(m Survivor, kill bool) {
	if !kill {
		f.asked = append(f.asked, m)
		return
	}
	if f.lives[m]--; f.lives[m] > 0 {
		return
	}
	delete(f.lives, m)
	if next, ok := f.child[m]; ok {
		f.lives[next] = 1
	}
}

func TestSurvivorsAreReportedAtTheLimit(t *testing.T) {
	t.Parallel()
	stuck := Survivor{PID: 2, StartTime: 5, Command: "stuck"}
	f := &immortal{lives: map[Survivor]int{stuck: 1 << 30, {PID: 3}: 1}}
	left := ender{family: f, limit: 100 * time.Millisecond}.end()
	if len(left) != 1 || left[0] != stuck {
		t.Fatalf("left = %v, want the stuck one", left)
	}
}

func TestLateDescendantsAreEndedToo(t *testing.T) {
	t.Parallel()
	a, b, c := Survivor{PID: 1}, Survivor{PID: 2}, Survivor{PID: 3}
	f := &immortal{lives: map[Survivor]int{a: 1}, child: map[Survivor]Survivor{a: b, b: c}}
	if left := (ender{family: f, limit: 5 * time.Second}).end(); len(left) != 0 {
		t.Fatalf("left = %v", left)
	}
}

func TestMembersAreAskedOnceBeforeTheyAreKilled(t *testing.T) {
	t.Parallel()
	a := Survivor{PID: 1}
	f := &immortal{lives: map[Survivor]int{a: 1}}
	left := ender{family: f, grace: 60 * time.Millisecond, limit: 5 * time.Second}.end()
	if len(left) != 0 || len(f.asked) != 1 {
		t.Fatalf("left = %v, asked %d times", left, len(f.asked))
	}
}

func TestHurryEndsTheGrace(t *testing.T) {
	t.Parallel()
	hurry := make(chan struct{})
	close(hurry)
	f := &immortal{lives: map[Survivor]int{{PID: 1}: 1}}
	begun := time.Now()
	ender{family: f, grace: time.Minute, limit: 2 * time.Minute, hurry: hurry}.end()
	if took := time.Since(begun); took > 10*time.Second {
		t.Fatalf("took %v", took)
	}
}
