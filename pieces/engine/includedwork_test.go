package engine_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// including makes new worktrees of the project get copies of its .env files.
func (w *world) including() {
	w.t.Helper()
	w.repo.Write(".gitignore", "*.env\nbuild/\n")
	w.repo.Write(".worktreeinclude", "*.env\n")
	w.repo.Commit("Ignore")
	w.repo.Git("push", "-q", "origin", "HEAD")
	w.repo.Write("own.env", "PORT=1\n")
}

func TestOwnVersionsOfIncludedFilesOutliveEveryRemoval(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(w *world, p pieces.Piece) pieces.Effect{
		"marked done": func(w *world, p pieces.Piece) pieces.Effect {
			effect, err := w.engine.Effect(w.t.Context(), engine.Request{PieceID: p.ID, Action: pieces.MarkDone, By: pieces.ByPerson})
			if err != nil {
				w.t.Fatal(err)
			}
			w.act(p.ID, pieces.MarkDone, func(r *engine.Request) { r.Bound = effect.Fingerprint })
			return effect
		},
		"deleted": func(w *world, p pieces.Piece) pieces.Effect {
			_, effect := w.deleted(p.ID)
			return effect
		},
		"released": func(w *world, p pieces.Piece) pieces.Effect {
			w.write(p.ID, func(p *pieces.Piece) { p.Phase = pieces.PhaseComplete })
			if err := w.engine.ReleaseWorktree(w.t.Context(), p.ID, pieces.ByPerson); err != nil {
				w.t.Fatal(err)
			}
			return pieces.Effect{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, piecestest.Script{})
			w.including()
			p := w.inReview()
			w.put(p.Worktree, "own.env", "PORT=2\n")
			w.put(p.Worktree, "build/out", "made")
			effect := remove(w, p)
			if _, err := os.Stat(p.Worktree); !errors.Is(err, os.ErrNotExist) {
				t.Fatal("the worktree stays", err)
			}
			for _, want := range []string{"saved too: own.env", "not saved: build/"} {
				if said := strings.Join(pieces.English(effect.Lines), "\n"); len(effect.Lines) > 0 && !strings.Contains(said, want) {
					t.Errorf("the effect does not say %q: %s", want, said)
				}
			}
			r := w.restore(p.ID, "")
			w.holds(r.Path, "own.env", "PORT=2\n")
		})
	}
}

func TestAMergedAgentsOwnVersionOfAnIncludedFileIsSaved(t *testing.T) {
	t.Parallel()
	script := piecestest.Story(piecestest.StoryAgents())
	i := slices.IndexFunc(script, func(r piecestest.Rule) bool { return r.Name == "retry" })
	script[i].Replies = slices.Insert(script[i].Replies, 0, piecestest.Use("Write", map[string]any{"file_path": "{{cwd}}/agents.env", "content": "PORT=3\n"}))
	w := newWorld(t, script)
	w.including()
	id := w.toReview().Piece.ID
	saved, err := w.engine.SavedWork(t.Context(), id)
	if err != nil || len(saved) != 1 || !saved[0].Agent {
		t.Fatalf("saved: %+v, %v", saved, err)
	}
	list, err := w.store.Worktrees(t.Context(), id)
	if err != nil || len(list) != 1 {
		t.Errorf("the agents' worktrees stay: %+v, %v", list, err)
	}
	r := w.restore(id, saved[0].Ref)
	w.holds(r.Path, "agents.env", "PORT=3\n")
}
