package pieces

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MaxAgents is how many agents one plan may have.
const MaxAgents = 30

// PlannedAgent is one agent as a plan names it, before it has an id.
type PlannedAgent struct {
	Key       string   `json:"key"`
	Name      string   `json:"name"`
	Brief     string   `json:"brief"`
	DependsOn []string `json:"dependsOn"`
}

// CheckPlan says in one sentence what makes a plan unusable; nil when it can be run.
func CheckPlan(plan []PlannedAgent) error {
	if len(plan) == 0 {
		return errors.New("the plan has no agent")
	}
	if len(plan) > MaxAgents {
		return fmt.Errorf("the plan has %d agents; at most %d are allowed", len(plan), MaxAgents)
	}
	known := map[string]bool{}
	for _, a := range plan {
		switch {
		case strings.TrimSpace(a.Key) == "":
			return fmt.Errorf("agent %q has no key", a.Name)
		case known[a.Key]:
			return fmt.Errorf("two agents have the key %q", a.Key)
		case strings.TrimSpace(a.Name) == "":
			return fmt.Errorf("agent %q has no name", a.Key)
		case strings.TrimSpace(a.Brief) == "":
			return fmt.Errorf("agent %q has an empty brief", a.Key)
		}
		known[a.Key] = true
	}
	for _, a := range plan {
		for _, d := range a.DependsOn {
			if !known[d] {
				return fmt.Errorf("agent %q depends on %q, which is not in the plan", a.Key, d)
			}
		}
	}
	if k := cycleIn(plan); k != "" {
		return fmt.Errorf("the dependencies of agent %q form a cycle", k)
	}
	return nil
}

func cycleIn(plan []PlannedAgent) string {
	deps := map[string][]string{}
	for _, a := range plan {
		deps[a.Key] = a.DependsOn
	}
	const open, closed = 1, 2
	mark := map[string]int{}
	var visit func(string) bool
	visit = func(k string) bool {
		switch mark[k] {
		case open:
			return true
		case closed:
			return false
		}
		mark[k] = open
		if slices.ContainsFunc(deps[k], visit) {
			return true
		}
		mark[k] = closed
		return false
	}
	for _, a := range plan {
		if visit(a.Key) {
			return a.Key
		}
	}
	return ""
}

// Chain says whether the agents form one line, each depending on exactly the one before it, so that all can work in the
// piece's own worktree.
func Chain(tasks []Task, edges []Edge) bool {
	agents := agentsOf(tasks)
	for i := 1; i < len(agents); i++ {
		if !reaches(edges, agents[i-1].ID, agents[i].ID, map[string]bool{}) {
			return false
		}
	}
	return true
}

// reaches looks at each task once: a plan may have more ways than can be walked.
func reaches(edges []Edge, from, to string, seen map[string]bool) bool {
	if seen[from] {
		return false
	}
	seen[from] = true
	for _, e := range edges {
		if e.From == from && (e.To == to || reaches(edges, e.To, to, seen)) {
			return true
		}
	}
	return false
}

func agentsOf(tasks []Task) []Task {
	var agents []Task
	for _, t := range tasks {
		if t.Kind == TaskAgent {
			agents = append(agents, t)
		}
	}
	slices.SortFunc(agents, func(a, b Task) int { return a.Ordinal - b.Ordinal })
	return agents
}

// Ready lists the tasks that may start now: pending, with every task they depend on completed.
func Ready(tasks []Task, edges []Edge) []Task {
	state := statesOf(tasks)
	var ready []Task
	for _, t := range tasks {
		if t.State != TaskPending {
			continue
		}
		ok := true
		for _, e := range edges {
			if e.To == t.ID && state[e.From] != TaskCompleted {
				ok = false
			}
		}
		if ok {
			ready = append(ready, t)
		}
	}
	return ready
}

// Block returns the tasks with those marked blocked that can no longer start because one they depend on failed, and those
// freed again whose way is open.
func Block(tasks []Task, edges []Edge) []Task {
	out := slices.Clone(tasks)
	for i := range out {
		if out[i].State == TaskBlocked {
			out[i].State = TaskPending
		}
	}
	for changed := true; changed; {
		changed = false
		state := statesOf(out)
		for i := range out {
			if out[i].State != TaskPending {
				continue
			}
			for _, e := range edges {
				if e.To == out[i].ID && cannotComplete(state[e.From]) {
					out[i].State, changed = TaskBlocked, true
				}
			}
		}
	}
	return out
}

func cannotComplete(s TaskState) bool {
	switch s {
	case TaskFailed, TaskBlocked, TaskInterrupted, TaskCancelled:
		return true
	default:
		return false
	}
}

func statesOf(tasks []Task) map[string]TaskState {
	m := make(map[string]TaskState, len(tasks))
	for _, t := range tasks {
		m[t.ID] = t.State
	}
	return m
}

// DependsOn lists the tasks that a task starts after, directly.
func DependsOn(edges []Edge, id string) []string {
	var deps []string
	for _, e := range edges {
		if e.To == id {
			deps = append(deps, e.From)
		}
	}
	return deps
}
