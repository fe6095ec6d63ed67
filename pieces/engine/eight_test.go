package engine_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

func TestEightPiecesOfOneRepositoryStartInTheSameMoment(t *testing.T) {
	t.Parallel()
	eightAtOnce(t, 2)
}

// eightAtOnce releases and starts eight pieces of one name in one moment, again and again in the same repository, whose remote
// goes on meanwhile and whose main checkout is in the middle of something.
func eightAtOnce(t *testing.T, rounds int) {
	t.Helper()
	const eight = 8
	w := newWorld(t, piecestest.Story(piecestest.StoryAgents()))
	w.repo.Write("half.txt", "half done\n")
	w.repo.Git("add", "half.txt")
	w.repo.Write("half.txt", "and more\n")
	before := w.checkout()
	worktrees, branches := map[string]bool{}, map[string]bool{}
	for round := range rounds {
		base := w.repo.CommitElsewhere("main", "theirs.txt", strings.Repeat("theirs\n", round+1))
		ids := make([]string, eight)
		for i := range ids {
			filed, err := w.engine.FileDraft(t.Context(), engine.NewDraft{ProjectID: w.id, Spec: piecestest.StorySpec, Refine: pieces.RefineNone})
			if err != nil {
				t.Fatal(err)
			}
			ids[i] = filed.Draft.ID
		}
		errs := make([]error, eight)
		now := make(chan struct{})
		var all sync.WaitGroup
		for i, id := range ids {
			all.Go(func() {
				<-now
				if _, errs[i] = w.engine.ReleaseDraft(t.Context(), id, "", pieces.ByClient); errs[i] == nil {
					_, errs[i] = w.engine.Act(t.Context(), engine.Request{PieceID: id, Action: pieces.ApproveSpec, By: pieces.ByClient})
				}
			})
		}
		close(now)
		all.Wait()
		for i, id := range ids {
			if errs[i] != nil {
				t.Fatalf("round %d, piece %d: %v", round, i, errs[i])
			}
			p := w.untilGate(id, pieces.GateStrategyReady).Piece
			if worktrees[p.Worktree] || branches[p.Branch] || p.Worktree == "" || p.Branch == "" {
				t.Fatalf("round %d: the worktree %q or the branch %q has another piece", round, p.Worktree, p.Branch)
			}
			worktrees[p.Worktree], branches[p.Branch] = true, true
			if p.Base.Commit != base || !p.Base.Fetched {
				t.Errorf("round %d: the piece starts from %+v, want %s", round, p.Base, base)
			}
			if got := strings.TrimSpace(w.repo.Git("-C", p.Worktree, "rev-parse", "HEAD", "--abbrev-ref", "HEAD")); got != base+"\n"+p.Branch {
				t.Errorf("round %d: the worktree is at %q, want %s on %s", round, got, base, p.Branch)
			}
			sessions, err := w.engine.Sessions(t.Context(), pieces.SessionFilter{PieceID: id, IncludeHidden: true})
			if err != nil || len(sessions) != 1 || sessions[0].Worktree != p.Worktree {
				t.Errorf("round %d: sessions %+v, %v", round, sessions, err)
			}
		}
		if after := w.checkout(); after != before {
			t.Fatalf("round %d changed the main checkout:\n%s\nwas\n%s", round, after, before)
		}
	}
	list := w.repo.Git("worktree", "list", "--porcelain")
	for path := range worktrees {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || !strings.Contains(list, "worktree "+real+"\n") {
			t.Errorf("git does not know the worktree %s (%v)", path, err)
		}
	}
	ran := w.live.where()
	if len(ran) != eight*rounds {
		t.Errorf("%d processes ran, want %d", len(ran), eight*rounds)
	}
	for _, dir := range ran {
		if !worktrees[dir] {
			t.Errorf("a process ran in %s", dir)
		}
	}
}

// checkout is everything of the main checkout in one text: what is checked out, what git says of it, and every byte of its
// files, its index and its configuration.
func (w *world) checkout() string {
	w.t.Helper()
	all := []string{
		w.repo.Git("rev-parse", "HEAD", "--abbrev-ref", "HEAD"), w.repo.Git("rev-parse", "refs/heads/main"),
		w.repo.Git("ls-files", "--stage"), w.repo.Git("--no-optional-locks", "status", "--porcelain=v2", "--ignored"),
	}
	add := func(path string) error {
		content, err := os.ReadFile(path)
		sum := sha256.Sum256(content)
		all = append(all, path+" "+hex.EncodeToString(sum[:]))
		return err
	}
	err := filepath.WalkDir(w.repo.Path, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		return add(path)
	})
	for _, name := range []string{"HEAD", "index", "config"} {
		if err == nil {
			err = add(filepath.Join(w.repo.Path, ".git", name))
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Join(all, "\n")
}
