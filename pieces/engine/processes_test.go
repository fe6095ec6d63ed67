package engine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/git"
)

// countedGit is a git program that notes each of its calls in a file, a line each.
func countedGit(t *testing.T) (program string, calls func() []string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	book, program := filepath.Join(dir, "calls"), filepath.Join(dir, "git")
	script := "#!/bin/sh\nprintf '%s ' \"$@\" >>'" + book + "'\necho >>'" + book + "'\nexec '" + real + "' \"$@\"\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil { //nolint:gosec // it has to run
		t.Fatal(err)
	}
	return program, func() []string {
		t.Helper()
		said, err := os.ReadFile(book)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(book); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(said), "\n"), "\n")
	}
}

// What an agent's start costs before Claude Code runs is counted in processes of git: it is what a person waits for.
func TestAnAgentStartsAfterFewCallsOfGit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plan string
		most int
	}{
		// Where the piece stands and whether its worktree is there; branch and commit; the worktree; whether it is there.
		"in a worktree of its own": {sideBySide, 4},
		"in the piece's worktree":  {`{"agents":[{"key":"a","name":"A","brief":"Do it.","dependsOn":[]}]}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, calls := countedGit(t)
			a := newArenaWith(t, git.Options{Program: program})
			if err := a.engine.SetSetting(t.Context(), pieces.KeyAgentsAtOnce, "1"); err != nil {
				t.Fatal(err)
			}
			id := a.release().Piece.ID
			a.act(id, pieces.ApproveSpec)
			a.next().says(`{"strategy":"Do it."}`)
			a.untilGate(id, pieces.GateStrategyReady)
			a.act(id, pieces.ApproveStrategy)
			a.next().says(c.plan)
			a.untilGate(id, pieces.GatePlanReady)
			calls()
			a.act(id, pieces.StartExecution)
			a.next()
			if made := calls(); len(made) > c.most {
				t.Errorf("%d calls of git before the agent starts, want at most %d:\n%s", len(made), c.most, strings.Join(made, "\n"))
			}
		})
	}
}
