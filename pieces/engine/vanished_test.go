package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
)

// sideBySide is a plan of two agents that need nothing of one another.
const sideBySide = `{"agents":[{"key":"a","name":"A","brief":"Do it.","dependsOn":[]},{"key":"b","name":"B","brief":"Do it.","dependsOn":[]}]}`

// taskOf finds the piece's task in whose worktree a session runs.
func (a *arena) taskOf(id string, run *patientTalk) pieces.Task {
	a.t.Helper()
	s, err := a.engine.Piece(a.t.Context(), id)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, t := range s.Tasks {
		if t.Worktree == run.launch.Dir {
			return t
		}
	}
	a.t.Fatalf("no agent works in %s", run.launch.Dir)
	return pieces.Task{}
}

// fails ends the session's turn with a failure.
func (c *patientTalk) fails(words string) {
	c.emit(pieces.SessionEvent{Turn: &pieces.TurnEnd{Failure: pieces.FailureOther, Error: words}})
}

// toFailed brings a new piece to one agent that failed beside one that completed, and returns the failed one.
func (a *arena) toFailed() (string, pieces.Task) {
	a.t.Helper()
	id, first := a.toRunOf(sideBySide)
	second := a.next()
	second.says(`{"changed":"y"}`)
	first.fails("broken")
	s := a.untilGate(id, pieces.GateAgentsFailed)
	t := a.taskOf(id, first)
	if t.State != pieces.TaskFailed {
		a.t.Fatalf("tasks %+v", s.Tasks)
	}
	return id, t
}

func (a *arena) passes(id string) {
	a.t.Helper()
	a.next().says(`{"verdict":"pass","criteria":[],"failedAgents":[],"summary":"s","learnings":"l"}`)
	a.untilGate(id, pieces.GateReviewWork)
}

func TestAnAgentWhoseWorktreeVanishedGoesOnInOneMadeAgain(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, task := a.toFailed()
	commit := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(task.Worktree, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"add", "."}, {"commit", "--quiet", "-m", name}} {
			if _, err := a.repo.Run(append([]string{"-C", task.Worktree}, args...)...); err != nil {
				t.Fatal(err)
			}
		}
	}
	commit("before.txt")
	// Replaced by an empty folder.
	if err := os.RemoveAll(task.Worktree); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(task.Worktree, 0o755); err != nil {
		t.Fatal(err)
	}
	a.act(id, pieces.RetryFailedAgents)
	run := a.next()
	if run.launch.Dir != task.Worktree || !run.launch.Resume || run.launch.SessionID != task.SessionID {
		t.Errorf("it goes on with %+v", run.launch)
	}
	if _, err := os.Stat(filepath.Join(task.Worktree, "before.txt")); err != nil {
		t.Errorf("what it had committed is not there: %v", err)
	}
	if said := a.said(task.SessionID); !strings.Contains(said, "was made again from the branch "+task.Branch) {
		t.Errorf("the transcript says %q", said)
	}
	run.fails("broken again")
	a.untilGate(id, pieces.GateAgentsFailed)

	// Taken away with its branch, and struck off git's list.
	if err := os.RemoveAll(task.Worktree); err != nil {
		t.Fatal(err)
	}
	a.repo.Git("worktree", "prune")
	a.repo.Git("branch", "--quiet", "-D", task.Branch)
	a.act(id, pieces.RetryFailedAgents)
	run = a.next()
	if _, err := os.Stat(filepath.Join(run.launch.Dir, "README.md")); err != nil || run.launch.Dir != task.Worktree {
		t.Errorf("it works in %s: %v", run.launch.Dir, err)
	}
	commit("after.txt")
	run.says(`{"changed":"x"}`)
	a.passes(id)
	s, err := a.engine.Piece(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if files := a.repo.Git("ls-tree", "--name-only", s.Piece.Branch); !strings.Contains(files, "after.txt") {
		t.Errorf("the piece's branch holds %q", files)
	}
}

// said is all that a session's transcript says.
func (a *arena) said(sessionID string) string {
	a.t.Helper()
	list, err := a.engine.Messages(a.t.Context(), sessionID, -1)
	if err != nil {
		a.t.Fatal(err)
	}
	var words []string
	for _, m := range list {
		words = append(words, m.Text)
	}
	return strings.Join(words, "\n")
}

func TestAVanishedWorktreeOfAnAgentDoesNotKeepThePieceFromBeingDone(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(a *arena, path string) error{
		"deleted": func(_ *arena, path string) error { return os.RemoveAll(path) },
		"an empty folder": func(_ *arena, path string) error {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o755)
		},
		"pruned": func(a *arena, path string) error {
			err := os.RemoveAll(path)
			a.repo.Git("worktree", "prune")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArena(t)
			id, task := a.toFailed()
			if err := harm(a, task.Worktree); err != nil {
				t.Fatal(err)
			}
			r := engine.Request{PieceID: id, Action: pieces.MarkDone, By: pieces.ByClient}
			effect, err := a.engine.Effect(t.Context(), r)
			if words := strings.Join(pieces.English(effect.Lines), "\n"); err != nil || !strings.Contains(words, task.Worktree+" is gone already") {
				t.Fatalf("the card says %q, %v", words, err)
			}
			r.Bound = effect.Fingerprint
			res, err := a.engine.Act(t.Context(), r)
			if err != nil || res.Piece.Piece.Phase != pieces.PhaseComplete {
				t.Fatalf("at %s, %v", res.Piece.Piece.Phase, err)
			}
			// What somebody put in its place is left alone, and so is the record of what was there.
			recorded, folders := a.worktrees()
			if stays := name == "an empty folder"; stays != (len(recorded) == 1) || stays != (len(folders) == 1) {
				t.Errorf("recorded are %+v, and there are %v", recorded, folders)
			}
			if head := a.repo.Git("rev-parse", "--verify", task.Branch); head == "" {
				t.Error("the agent's branch is gone")
			}
		})
	}
}
