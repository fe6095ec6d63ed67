package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// clashing are two agents side by side that write the same file.
func clashing() []piecestest.StoryAgent {
	return []piecestest.StoryAgent{
		{Key: "one", Name: "One", File: "shared.txt"},
		{Key: "two", Name: "Two", File: "shared.txt"},
	}
}

// resolves answers the session that gets a conflict back with a command.
func resolves(command string) piecestest.Rule {
	return piecestest.Rule{Name: "conflict", Match: piecestest.Contains("conflicts with the work of other agents"), Replies: []piecestest.Reply{
		piecestest.Use("Bash", map[string]any{"command": command, "description": "Resolve the conflict"}), handoff("Both words are there."),
	}, Repeat: true}
}

func TestAConflictIsResolvedByTheSessionOfTheAgentThatMetIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(piecestest.Script{resolves("printf 'both\\n' >shared.txt && git add shared.txt && git commit --no-edit")}, piecestest.Story(clashing())...))
	w.set(pieces.KeyPermissionProfile, string(pieces.ProfileTrusted))
	id := w.toPlan().Piece.ID
	w.act(id, pieces.StartExecution)
	s := w.untilGate(id, pieces.GateReviewWork)
	if text := w.repo.Git("show", s.Piece.Branch+":shared.txt"); text != "both" {
		t.Errorf("the piece's branch holds %q", text)
	}
	var met []string
	for _, r := range w.model.Requests() {
		if r.Rule == "conflict" {
			met = append(met, r.SessionID)
		}
	}
	met = slices.Compact(met)
	if len(met) != 1 || met[0] != s.Tasks[0].SessionID && met[0] != s.Tasks[1].SessionID {
		t.Errorf("the conflict was met by %v; the agents' sessions are %s and %s", met, s.Tasks[0].SessionID, s.Tasks[1].SessionID)
	}
	for _, task := range s.Tasks[:2] {
		if task.State != pieces.TaskCompleted || task.Attempts != 1 {
			t.Errorf("%s is %s after %d attempts", task.Name, task.State, task.Attempts)
		}
		a, ok, err := w.engine.Artifact(t.Context(), id, pieces.ArtifactHandoff, task.ID)
		if want := task.SessionID == met[0]; err != nil || !ok || strings.Contains(a.Content, "Both words") != want {
			t.Errorf("the handoff of %s is %q (%v)", task.Name, a.Content, err)
		}
	}
}

func TestAConflictThatIsNotResolvedFailsItsAgentAloneAndARetryResolvesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(piecestest.Script{resolves("git status")}, piecestest.Story(clashing())...))
	w.set(pieces.KeyPermissionProfile, string(pieces.ProfileTrusted))
	id := w.toPlan().Piece.ID
	w.act(id, pieces.StartExecution)
	s := w.untilGate(id, pieces.GateAgentsFailed)
	i := slices.IndexFunc(s.Tasks, func(t pieces.Task) bool { return t.State == pieces.TaskFailed })
	if i < 0 || s.Tasks[1-i].State != pieces.TaskCompleted || !strings.Contains(s.Tasks[i].Failure, "conflict") {
		t.Fatalf("tasks %+v", s.Tasks)
	}
	failed, other := s.Tasks[i], s.Tasks[1-i]
	if text := w.repo.Git("show", s.Piece.Branch+":shared.txt"); text != other.Name {
		t.Errorf("the piece's branch holds %q", text)
	}
	if left := w.repo.Git("-C", s.Piece.Worktree, "status", "--porcelain"); left != "" {
		t.Errorf("the piece's worktree is left with %q", left)
	}
	if _, err := os.Stat(filepath.Join(failed.Worktree, "shared.txt")); err != nil {
		t.Errorf("the agent's work is gone: %v", err)
	}

	again := resolves("printf 'both\\n' >shared.txt && git add shared.txt && git commit --no-edit")
	again.Match = piecestest.All(piecestest.Contains("the merge waits in its worktree"), piecestest.Contains("Keep both words."))
	w.model.SetScript(append(piecestest.Script{again}, piecestest.Story(clashing())...))
	w.act(id, pieces.RetryFailedAgents, func(r *engine.Request) { r.Guidance = "Keep both words." })
	s = w.untilGate(id, pieces.GateReviewWork)
	if got := s.Tasks[i]; got.SessionID != failed.SessionID || got.State != pieces.TaskCompleted {
		t.Errorf("after the retry it is %+v", got)
	}
	if text := w.repo.Git("show", s.Piece.Branch+":shared.txt"); text != "both" {
		t.Errorf("the piece's branch holds %q", text)
	}
}
