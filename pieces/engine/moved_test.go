package engine_test

import (
	"os"
	"testing"

	"fermata/pieces"
)

func TestARepositoryThatMovesWhileAnAgentRunsFailsItAndARetryGoesOn(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, first := a.toRunOf(sideBySide)
	second := a.next()
	task := a.taskOf(id, first)
	moved := a.repo.Path + " moved"
	if err := os.Rename(a.repo.Path, moved); err != nil {
		t.Fatal(err)
	}
	first.says(`{"changed":"x"}`)
	second.says(`{"changed":"y"}`)
	s := a.untilGate(id, pieces.GateAgentsFailed)
	for _, agent := range s.Tasks[:2] {
		if agent.State != pieces.TaskFailed || agent.Failure == "" {
			t.Errorf("%s is %s, %q", agent.Name, agent.State, agent.Failure)
		}
	}
	if s.Piece.WorktreeMissing {
		t.Error("a repository that is out of reach says nothing of its worktrees")
	}
	if _, err := os.Stat(task.Worktree); err != nil {
		t.Errorf("the agent's worktree: %v", err)
	}
	if recorded, _ := a.worktrees(); len(recorded) != 3 {
		t.Errorf("recorded are %+v", recorded)
	}
	if _, err := a.engine.MoveProject(t.Context(), a.id, moved); err != nil {
		t.Fatal(err)
	}
	a.act(id, pieces.RetryFailedAgents)
	for range 2 {
		run := a.next()
		if !run.launch.Resume {
			t.Errorf("it goes on with %+v", run.launch)
		}
		run.says(`{"changed":"z"}`)
	}
	a.passes(id)
}
