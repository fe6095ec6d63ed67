package fence

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"slices"
	"testing"

	"fermata/pieces"
)

// fake is a machine with made-up processes.
type fake struct {
	holders  []int
	err      error
	parents  map[int]int
	started  map[int]uint64 // of living processes
	environ  map[int]string
	onParent func(pid int)
}

const mark = "TEST_MARK"

func (f *fake) owners(context.Context, netip.AddrPort, netip.AddrPort) ([]int, error) {
	return f.holders, f.err
}

func (f *fake) parent(pid int) (int, error) {
	if f.onParent != nil {
		f.onParent(pid)
	}
	if f.started[pid] == 0 {
		return 0, os.ErrProcessDone
	}
	return f.parents[pid], nil
}

func (f *fake) variable(pid int, name string) string {
	if name != mark {
		return ""
	}
	return f.environ[pid]
}

func (f *fake) identify(pid int) (pieces.HostProcess, error) {
	if f.started[pid] == 0 {
		return pieces.HostProcess{}, os.ErrProcessDone
	}
	return pieces.HostProcess{PID: pid, Started: f.started[pid], Boot: "b"}, nil
}

const (
	app       = 10
	hostPID   = 20
	claude    = 21
	shell     = 22
	curl      = 23
	desktop   = 30
	terminal  = 31
	person    = 32
	opened    = 40 // a terminal that the app opened
	recordedT = 200
)

// world is the app with one host, its agent's processes, the person's terminal and one that the app opened.
func world() *fake {
	return &fake{
		parents: map[int]int{app: desktop, hostPID: app, claude: hostPID, shell: claude, curl: shell, desktop: 1, terminal: desktop, person: terminal, opened: app},
		started: map[int]uint64{app: 100, hostPID: recordedT, claude: 210, shell: 220, curl: 230, desktop: 50, terminal: 60, person: 70, opened: 150},
		environ: map[int]string{},
	}
}

func (f *fake) fence() *Fence {
	return &Fence{
		Options: Options{
			Hosts: func(context.Context) ([]pieces.HostProcess, error) {
				return []pieces.HostProcess{{PID: hostPID, Started: recordedT, Boot: "b"}}, nil
			},
			Identify: f.identify, Mark: mark,
		},
		machine: f, self: app,
	}
}

const (
	clientEnd = "127.0.0.1:50000"
	serverEnd = "127.0.0.1:8787"
)

func TestTheCallerIsPlacedByItsAncestors(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		holders []int
		change  func(f *fake)
		want    Kind
	}{
		{"the agent itself", []int{claude}, nil, OwnAgent},
		{"a program that the agent's shell started", []int{curl}, nil, OwnAgent},
		{"an orphan that the host inherited", []int{curl}, func(f *fake) { f.parents[curl] = hostPID }, OwnAgent},
		{"the host", []int{hostPID}, nil, OwnAgent},
		{"the person's program", []int{person}, nil, Outside},
		{"the app", []int{app}, nil, Outside},
		{"a terminal that the app opened", []int{opened}, nil, Outside},
		{"shared with an agent", []int{person, curl}, nil, OwnAgent},
		{"shared with one that is gone", []int{person, 99}, nil, Unknown},
		{"shared with one that is gone and an agent", []int{99, person, curl}, nil, OwnAgent},
		{"nobody seen", nil, nil, Unknown},
		{"gone meanwhile", []int{99}, nil, Unknown},
		{"another process with the host's pid", []int{curl}, func(f *fake) { f.started[hostPID]++ }, Outside},
		{"an ancestor that cannot be read", []int{person}, func(f *fake) { delete(f.started, terminal) }, Unknown},
		{"the tables cannot be read", []int{person}, func(f *fake) { f.err = errors.New("no") }, Unknown},
		{"a circle of ancestors", []int{person}, func(f *fake) { f.parents[desktop] = person }, Unknown},
		{"marked, the line lost", []int{person}, func(f *fake) { f.environ[person] = "20:200:b" }, OwnAgent},
		{"an ancestor is marked", []int{person}, func(f *fake) { f.environ[terminal] = "20:200:b" }, OwnAgent},
		{"marked by a recorded host that was killed", []int{person}, func(f *fake) { f.environ[person] = "20:200:b"; delete(f.started, hostPID) }, OwnAgent},
		{"marked by a host that is not recorded yet", []int{person}, func(f *fake) { f.environ[person] = "21:210:b" }, OwnAgent},
		{"marked by a host that is gone", []int{person}, func(f *fake) { f.environ[person] = "20:199:b" }, Unknown},
		{"marked with nonsense", []int{person}, func(f *fake) { f.environ[person] = "x" }, Unknown},
		{"marked by a host that is gone, under a host", []int{curl}, func(f *fake) { f.environ[curl] = "7:7:b" }, OwnAgent},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := world()
			f.holders = c.holders
			if c.change != nil {
				c.change(f)
			}
			got, err := f.fence().Who(t.Context(), clientEnd, serverEnd)
			if got != c.want || (err != nil) != (c.want == Unknown) {
				t.Errorf("got %v (%v), want %v", got, err, c.want)
			}
		})
	}
}

func TestAMarkThatTheAppInheritedIsNoSign(t *testing.T) {
	t.Parallel()
	f := world()
	f.environ[person] = "21:210:b"
	x := f.fence()
	x.own = "21:210:b"
	if got, err := x.WhoPID(t.Context(), person); got != Outside {
		t.Errorf("got %v (%v)", got, err)
	}
}

func TestAParentThatDiesMeanwhileHandsItsChildrenOn(t *testing.T) {
	t.Parallel()
	f := world()
	looks := 0
	f.onParent = func(pid int) {
		if pid != curl {
			return
		}
		// After the first look the shell dies, the host inherits curl, and the person gets the shell's pid.
		if looks++; looks == 2 {
			f.parents[curl] = hostPID
			f.parents[shell], f.started[shell] = terminal, 300
		}
	}
	if got, err := f.fence().WhoPID(t.Context(), curl); got != OwnAgent {
		t.Errorf("got %v (%v)", got, err)
	}
}

func TestAPidThatIsGivenOutAgainMeanwhileIsUnknown(t *testing.T) {
	t.Parallel()
	f := world()
	looks := 0
	f.onParent = func(pid int) {
		if looks++; pid == curl && looks == 1 {
			f.parents[curl], f.started[curl] = terminal, 300
		}
	}
	if got, err := f.fence().WhoPID(t.Context(), curl); got != Unknown || err == nil {
		t.Errorf("got %v (%v)", got, err)
	}
}

func TestWithoutTheRecordedHostsNobodyIsPlaced(t *testing.T) {
	t.Parallel()
	x := world().fence()
	x.Hosts = func(context.Context) ([]pieces.HostProcess, error) { return nil, errors.New("no store") }
	if got, err := x.WhoPID(t.Context(), person); got != Unknown || err == nil {
		t.Errorf("got %v (%v)", got, err)
	}
}

func TestNonsenseForAnAddressIsUnknown(t *testing.T) {
	t.Parallel()
	x := world().fence()
	for _, ends := range [][2]string{{"", serverEnd}, {clientEnd, ""}, {"@", "@"}, {"host:80", serverEnd}} {
		if got, err := x.Who(t.Context(), ends[0], ends[1]); got != Unknown || err == nil {
			t.Errorf("%q: got %v (%v)", ends, got, err)
		}
	}
	for _, pid := range []int{0, -1} {
		if got, err := x.WhoPID(t.Context(), pid); got != Unknown || err == nil {
			t.Errorf("pid %d: got %v (%v)", pid, got, err)
		}
	}
}

func ports(t *testing.T, s ...string) (list []netip.AddrPort) {
	t.Helper()
	for _, each := range s {
		a, err := endpoint(each)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	return list
}

func TestEveryPlatformsTableGivesTheOwners(t *testing.T) {
	t.Parallel()
	v4, v6 := ports(t, clientEnd, serverEnd), ports(t, "[::1]:50000", "[::1]:8787")
	lsof := "p7\nf3\nn127.0.0.1:8787->127.0.0.1:50000\np8\nf5\nn127.0.0.1:50000->127.0.0.1:8787\nf6\nn127.0.0.1:50000->127.0.0.1:8787\n" +
		"p9\nf1\nn127.0.0.1:50000->127.0.0.1:9999\np10\nf1\nn127.0.0.1:50000\np11\nf4\nn[::ffff:127.0.0.1]:50000->[::ffff:127.0.0.1]:8787\np12\nf4\nn[::1]:50000->[::1]:8787\n"
	four := []byte{
		3, 0, 0, 0,
		5, 0, 0, 0, 127, 0, 0, 1, 0x22, 0x53, 0, 0, 127, 0, 0, 1, 0xc3, 0x50, 0, 0, 7, 0, 0, 0,
		5, 0, 0, 0, 127, 0, 0, 1, 0xc3, 0x50, 0, 0, 127, 0, 0, 1, 0x22, 0x53, 0, 0, 8, 1, 0, 0,
		5, 0, 0, 0, 127, 0, 0, 1, 0xc3, 0x50, 0, 0, 127, 0, 0, 2, 0x22, 0x53, 0, 0, 9, 0, 0, 0,
	}
	loop := append(make([]byte, 15), 1)
	six := slices.Concat([]byte{1, 0, 0, 0}, loop, []byte{0, 0, 0, 0, 0xc3, 0x50, 0, 0}, loop, []byte{0, 0, 0, 0, 0x22, 0x53, 0, 0}, []byte{5, 0, 0, 0, 12, 0, 0, 0})
	cases := []struct {
		name string
		got  []int
		want []int
	}{
		{"lsof", lsofOwners([]byte(lsof), v4[0], v4[1]), []int{8, 11}},
		{"lsof, IPv6", lsofOwners([]byte(lsof), v6[0], v6[1]), []int{12}},
		{"lsof found nothing", lsofOwners(nil, v4[0], v4[1]), nil},
		{"Windows", ownerRows(four, false, v4[0], v4[1]), []int{264}},
		{"Windows, IPv6", ownerRows(six, true, v6[0], v6[1]), []int{12}},
		{"Windows, cut short", ownerRows(six[:40], true, v6[0], v6[1]), nil},
		{"Windows, empty", ownerRows(nil, false, v4[0], v4[1]), nil},
	}
	for _, c := range cases {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestTheEnvironmentOfMacOSFollowsTheArguments(t *testing.T) {
	t.Parallel()
	raw := []byte("\x02\x00\x00\x00/bin/sh\x00\x00\x00\x00sh\x00TEST_MARK=an argument\x00A=1\x00TEST_MARK=7:8:b\x00\x00")
	if got := variableInArgs(raw, mark); got != "7:8:b" {
		t.Errorf("got %q", got)
	}
	for _, short := range [][]byte{nil, raw[:4], raw[:16]} {
		if got := variableInArgs(short, mark); got != "" {
			t.Errorf("%q gives %q", short, got)
		}
	}
}
