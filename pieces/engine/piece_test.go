package engine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// specStep answers the spec step with the story's spec.
func specStep() piecestest.Rule {
	return piecestest.Rule{
		Name: "spec", Match: piecestest.Contains("# Step: spec"), Repeat: true, Replies: []piecestest.Reply{piecestest.Structured(map[string]any{
			"spec":     piecestest.StorySpec,
			"analysis": map[string]any{"size": "small", "risk": "low", "files": []string{}, "acceptanceCriteria": []string{"a"}},
		})},
	}
}

func TestAPromptBecomesAPieceOnceHoweverOftenItIsSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{specStep()})
	n := engine.NewPiece{
		ID: uuid.NewString(), ProjectID: w.id, Prompt: "Retry uploads\n\nThey fail on trains.", Name: "Trains",
		Depth: pieces.DepthThorough, Model: "claude-opus-4-5", By: pieces.ByClient,
	}
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			if s, err := w.engine.CreatePiece(t.Context(), n); err != nil || s.Piece.ID != n.ID {
				t.Errorf("%+v, %v", s.Piece, err)
			}
		})
	}
	calls.Wait()
	s := w.untilGate(n.ID, pieces.GateSpecReady)
	if s.Piece.Name != "Upload retry" || s.Piece.Branch != "fermata/trains" || s.Piece.Config.Lane != pieces.LaneManual {
		t.Errorf("piece %+v", s.Piece)
	}
	if branches := w.repo.Git("branch", "--list", "fermata/*", "--format=%(refname:short)"); strings.TrimSpace(branches) != "fermata/trains" {
		t.Errorf("branches %q", branches)
	}
	asked := 0
	for _, r := range w.model.Requests() {
		if r.Rule != "spec" || r.Index != 0 {
			continue
		}
		asked++
		if words := r.LastWords(); !strings.Contains(words, "They fail on trains.") || !strings.Contains(words, "Be thorough") {
			t.Errorf("the spec step was asked %q", words)
		}
	}
	if asked != 1 {
		t.Errorf("the spec step ran %d times", asked)
	}
	rows, err := w.engine.History(t.Context(), n.ID)
	if err != nil || rows[0].Trigger != pieces.OnSpecAsked || rows[0].By != pieces.ByClient {
		t.Errorf("history %+v, %v", rows, err)
	}
}

func TestAPieceIsNotMadeOutOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	filed, err := w.engine.FileDraft(t.Context(), engine.NewDraft{ProjectID: w.id, Seed: "later"})
	if err != nil {
		t.Fatal(err)
	}
	for want, n := range map[string]engine.NewPiece{
		"Unknown projectId":                 {ProjectID: "nope", Prompt: "x"},
		"needs a prompt":                    {ProjectID: w.id, Prompt: " \n"},
		"belongs to a draft in the Backlog": {ID: filed.Draft.ID, ProjectID: w.id, Prompt: "x"},
	} {
		if _, err := w.engine.CreatePiece(t.Context(), n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", n, err, want)
		}
	}
	if list, err := w.engine.Pieces(t.Context(), pieces.PieceFilter{IncludeArchived: true}); err != nil || len(list) != 0 {
		t.Errorf("made %+v, %v", list, err)
	}
}

func TestAWorkspaceIsMadeAgainFromItsBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, one(nil))
	s := w.toPlan()
	id, path := s.Piece.ID, s.Piece.Worktree
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(path, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opened := func(made bool) engine.Workspace {
		t.Helper()
		ws, err := w.engine.OpenWorkspace(t.Context(), id, pieces.ByClient)
		if err != nil || ws.Made != made || ws.Piece.Piece.Worktree != path || ws.Piece.Piece.WorktreeMissing {
			t.Fatalf("made %v, %+v, %v", ws.Made, ws.Piece.Piece, err)
		}
		return ws
	}
	write("untracked.txt")
	ws := opened(false)
	if !strings.Contains(ws.Spec, "# Upload retry") || !strings.Contains(ws.Strategy, "# Strategy") {
		t.Errorf("spec %q, strategy %q", ws.Spec, ws.Strategy)
	}
	if _, err := os.Stat(filepath.Join(path, "untracked.txt")); err != nil {
		t.Errorf("opening touched a file: %v", err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	w.untilGate(id, pieces.GateWorktreeMissing)
	if ws := opened(true); ws.Piece.Gate() != pieces.GatePlanReady {
		t.Errorf("gate %s", ws.Piece.Gate())
	}
	w.act(id, pieces.StartExecution)
	w.untilGate(id, pieces.GateReviewWork)
	w.act(id, pieces.MarkDone)
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Fatalf("markDone left the worktree: %v", err)
	}
	opened(true)
	if _, err := os.Stat(filepath.Join(path, "only.txt")); err != nil {
		t.Errorf("the branch's work is not there: %v", err)
	}
	records, err := w.store.Worktrees(t.Context(), id)
	if err != nil || len(records) != 1 || records[0].Path != path {
		t.Errorf("records %+v, %v", records, err)
	}
}

func TestAWorkspaceThatCannotBeOpenedIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{})
	s := w.release()
	if err := exec.Command("git", "-C", s.Piece.Worktree, "switch", "-q", "-c", "elsewhere").Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.engine.OpenWorkspace(t.Context(), s.Piece.ID, pieces.ByClient); err == nil || !strings.Contains(err.Error(), "elsewhere") {
		t.Errorf("a worktree on another branch: %v", err)
	}
	if err := os.Remove(filepath.Join(s.Piece.Worktree, ".git")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.engine.OpenWorkspace(t.Context(), s.Piece.ID, pieces.ByClient); err == nil || !strings.Contains(err.Error(), "changed nothing") {
		t.Errorf("a folder that is no worktree any more: %v", err)
	}
	if entries, err := os.ReadDir(s.Piece.Worktree); err != nil || len(entries) == 0 {
		t.Errorf("its files are gone: %v", err)
	}
	if _, err := w.engine.OpenWorkspace(t.Context(), "nope", pieces.ByClient); err == nil || err.Error() != "Unknown pieceId" {
		t.Errorf("an unknown piece: %v", err)
	}
}
