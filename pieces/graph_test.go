package pieces

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func plan(spec ...string) []PlannedAgent {
	var p []PlannedAgent
	for _, s := range spec {
		key, deps, _ := strings.Cut(s, "<")
		p = append(p, PlannedAgent{Key: key, Name: "Agent " + key, Brief: "Do " + key, DependsOn: strings.Fields(strings.ReplaceAll(deps, ",", " "))})
	}
	return p
}

func TestAPlanThatCannotRunIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	many := plan(strings.Fields(strings.Repeat("x ", MaxAgents+1))...)
	noBrief := plan("a")
	noBrief[0].Brief = " \n"
	cases := []struct {
		name string
		plan []PlannedAgent
		want string
	}{
		{"none", nil, "no agent"},
		{"too many", many, "at most 30"},
		{"two keys", plan("a", "a"), "two agents have the key"},
		{"unknown", plan("a<b"), "not in the plan"},
		{"self", plan("a<a"), "cycle"},
		{"cycle", plan("a<c", "b<a", "c<b"), "cycle"},
		{"empty brief", noBrief, "empty brief"},
	}
	for _, c := range cases {
		if err := CheckPlan(c.plan); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if err := CheckPlan(plan("a", "b<a", "c<a,b")); err != nil {
		t.Errorf("a good plan: %v", err)
	}
}

func graph(states map[string]TaskState, edges ...string) ([]Task, []Edge) {
	var tasks []Task
	for i, id := range []string{"a", "b", "c", "d"} {
		if s, ok := states[id]; ok {
			tasks = append(tasks, Task{ID: id, Ordinal: i + 1, Kind: TaskAgent, State: s})
		}
	}
	var es []Edge
	for _, e := range edges {
		from, to, _ := strings.Cut(e, ">")
		es = append(es, Edge{from, to})
	}
	return tasks, es
}

func ids(tasks []Task) string {
	var out []string
	for _, t := range tasks {
		out = append(out, t.ID)
	}
	return strings.Join(out, " ")
}

func TestOnlyTasksWhoseDependenciesCompletedMayStart(t *testing.T) {
	t.Parallel()
	tasks, edges := graph(map[string]TaskState{"a": TaskCompleted, "b": TaskPending, "c": TaskPending, "d": TaskPending}, "a>b", "b>c")
	if got := ids(Ready(tasks, edges)); got != "b d" {
		t.Errorf("ready: %q, want %q", got, "b d")
	}
}

func TestAFailedAgentBlocksEverythingBehindItAndARetryFreesIt(t *testing.T) {
	t.Parallel()
	tasks, edges := graph(map[string]TaskState{"a": TaskFailed, "b": TaskPending, "c": TaskPending, "d": TaskPending}, "a>b", "b>c")
	blocked := Block(tasks, edges)
	for i, want := range []TaskState{TaskFailed, TaskBlocked, TaskBlocked, TaskPending} {
		if blocked[i].State != want {
			t.Errorf("%s: %s, want %s", blocked[i].ID, blocked[i].State, want)
		}
	}
	if tasks[1].State != TaskPending {
		t.Error("Block changed what it was given")
	}
	blocked[0].State = TaskPending
	if freed := Block(blocked, edges); freed[1].State != TaskPending || freed[2].State != TaskPending {
		t.Errorf("not freed: %+v", freed)
	}
}

func TestAChainIsALineInWhichEachAgentNeedsTheOneBefore(t *testing.T) {
	t.Parallel()
	all := map[string]TaskState{"a": TaskPending, "b": TaskPending, "c": TaskPending}
	cases := []struct {
		edges []string
		want  bool
	}{
		{[]string{"a>b", "b>c"}, true},
		{[]string{"a>b", "b>c", "a>c"}, true},
		{[]string{"a>b", "a>c"}, false},
		{nil, false},
	}
	for _, c := range cases {
		tasks, edges := graph(all, c.edges...)
		if got := Chain(tasks, edges); got != c.want {
			t.Errorf("%v: chain %v, want %v", c.edges, got, c.want)
		}
	}
}

func TestAPlanWithMoreWaysThanCanBeWalkedIsStillTold(t *testing.T) {
	t.Parallel()
	// The second agent stands alone; every other one needs all before it: about 2^(MaxAgents-3) ways lead past the second.
	var tasks []Task
	var edges []Edge
	for n := range MaxAgents {
		tasks = append(tasks, Task{ID: fmt.Sprint(n), Ordinal: n + 1, Kind: TaskAgent, State: TaskPending})
		for before := range n {
			if n != 1 && before != 1 {
				edges = append(edges, Edge{fmt.Sprint(before), fmt.Sprint(n)})
			}
		}
	}
	told := make(chan bool, 1)
	go func() { told <- Chain(tasks, edges) }()
	select {
	case chain := <-told:
		if chain {
			t.Error("two agents that need nothing of one another are a chain")
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it walks every way")
	}
}

func TestADraftIsNamedByItsSpecThenItsTitleThenItsSeed(t *testing.T) {
	t.Parallel()
	cases := []struct{ spec, title, seed, want string }{
		{"# From the spec\ntext", "From the title", "seed", "From the spec"},
		{"no heading", "From the title", "seed", "From the title"},
		{"```\n# not a heading\n```\n# Real ##\n", "", "", "Real"},
		{"", "", "\n\n  From   the seed \nmore", "From the seed"},
		{"plain first line\nmore", "", "", "plain first line"},
		{"", "", "", "Untitled"},
		{"#nospace", "", "s", "s"},
	}
	for _, c := range cases {
		if got := TitleOf(c.spec, c.title, c.seed); got != c.want {
			t.Errorf("TitleOf(%q, %q, %q) = %q, want %q", c.spec, c.title, c.seed, got, c.want)
		}
	}
	if got := TitleOf("# "+strings.Repeat("한", 400), "", ""); len([]rune(got)) != MaxTitle {
		t.Errorf("a title of %d characters", len([]rune(got)))
	}
}

func TestACueThatComesBackIsANewCue(t *testing.T) {
	t.Parallel()
	s := Snapshot{Piece: Piece{ID: "p", Phase: PhaseSpec, Activity: Idle, Branch: "b", Worktree: "/w"}, HistoryID: 1}
	first, ok := s.Cue()
	if !ok || first.Primary != ApproveSpec || first.Group != RequiresApproval {
		t.Fatalf("%+v %v", first, ok)
	}
	s.HistoryID = 3
	if second, _ := s.Cue(); second.Fingerprint == first.Fingerprint {
		t.Error("the same fingerprint after a transition")
	}
}

func TestSettingsTakeOnlyWhatFitsTheirKind(t *testing.T) {
	t.Parallel()
	cases := []struct{ key, value, want, err string }{
		{KeyMCPEnabled, "ON", "true", ""},
		{KeyMCPEnabled, "perhaps", "", "true or false"},
		{KeyMCPPreferredPort, " 9000 ", "9000", ""},
		{KeyMCPPreferredPort, "80", "", "from 1024 to 65535"},
		{KeyPermissionProfile, "trusted", "trusted", ""},
		{KeyPermissionProfile, "yolo", "", `one of "safe", "standard", "trusted"`},
		{KeyBudgetUSD, "2.50", "2.5", ""},
		{KeyBudgetUSD, "-1", "", "US dollars"},
		{KeyClaudePath, "/a\n/b", "", "one line"},
	}
	for _, c := range cases {
		s, ok := SettingOf(c.key)
		if !ok {
			t.Fatalf("no setting %s", c.key)
		}
		got, err := s.Check(c.value)
		if got != c.want || (err == nil) != (c.err == "") || (err != nil && !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s=%q: %q, %v", c.key, c.value, got, err)
		}
	}
}
