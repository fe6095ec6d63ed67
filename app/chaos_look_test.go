package app

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"fermata/pieces"
	"fermata/pieces/piecestest"
	"fermata/store"
)

// readResults reads the schemas of the tools' results.
func readResults(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	dir, err := filepath.Abs(filepath.Join("..", "mcp", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := os.Open(filepath.Join(dir, "rows.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	doc, err := jsonschema.UnmarshalJSON(rows)
	if err != nil {
		t.Fatal(err)
	}
	// The schemas name it as if it lay beside them.
	if err := c.AddResource("file://"+filepath.ToSlash(dir)+"/results/rows.json", doc); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "results", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*jsonschema.Schema{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if all[name], err = c.Compile("file://" + filepath.ToSlash(path)); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// promised says how a result breaks the schema of its tool.
func (w *chaosWorld) promised(tool string, r chaosReply) error {
	if r.failed {
		return nil
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(r.text))
	if err != nil {
		return err
	}
	return w.results[tool].Validate(v)
}

// checkout is every byte and mode of the main checkout's files, and where its branch stands.
func checkout(t *testing.T, repo *piecestest.Repo) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(repo.Path, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(repo.Path, path)
		if err != nil {
			return err
		}
		inGit := strings.HasPrefix(rel, ".git"+string(filepath.Separator))
		switch {
		case inGit && e.IsDir():
			return fs.SkipDir // what worktrees and branches change
		case inGit && !slices.Contains([]string{"HEAD", "index", "config", "ORIG_HEAD", "MERGE_HEAD"}, filepath.Base(rel)), e.IsDir():
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %s %x\n", rel, info.Mode(), sha256.Sum256(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all.WriteString(repo.Git("rev-parse", "refs/heads/main"))
	return all.String()
}

// look checks what must hold whatever the clients did.
func (w *chaosWorld) look(ctx context.Context, when string) {
	w.t.Helper()
	db, err := store.Open(ctx, store.Options{Path: filepath.Join(w.dir, "fermata.db"), Now: time.Now})
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	list, err := db.Pieces(ctx, pieces.PieceFilter{IncludeArchived: true})
	if err != nil {
		w.t.Fatal(err)
	}
	drafts, err := db.Drafts(ctx, "")
	if err != nil {
		w.t.Fatal(err)
	}
	w.lookForDoubles(list, drafts, when)
	if len(list) == 0 || w.calls.Load() == 0 {
		w.t.Errorf("%s: %d pieces after %d calls prove nothing", when, len(list), w.calls.Load())
	}
	phases := map[string]int{}
	for _, s := range list {
		history, err := db.History(ctx, s.Piece.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		if err := replay(s.Piece, history); err != nil {
			w.t.Errorf("%s: piece %s: %v", when, s.Piece.Name, err)
		}
		phases[string(s.Piece.Phase)+"/"+string(s.Piece.Activity)]++
	}
	w.lookAtWorktrees(ctx, db, list, when)
	live, err := db.Sessions(ctx, pieces.SessionFilter{LiveOnly: true, IncludeHidden: true})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range live {
		w.t.Errorf("%s: the %s session %s is said to be %s", when, s.Kind, s.ID, s.State)
	}
	w.t.Logf("%s: %d pieces %v, %d drafts, %d calls, %d cards", when, len(list), phases, len(drafts), w.calls.Load(), w.cards.Load())
}

func (w *chaosWorld) lookForDoubles(list []pieces.Snapshot, drafts []pieces.Draft, when string) {
	w.t.Helper()
	seen := map[string]string{}
	once := func(what, value, owner string) {
		if other, taken := seen[what+value]; taken && value != "" {
			w.t.Errorf("%s: %s and %s share the %s %s", when, other, owner, what, value)
		}
		seen[what+value] = owner
	}
	for _, s := range list {
		once("id", s.Piece.ID, "piece "+s.Piece.Name)
		once("branch", s.Piece.Branch, s.Piece.ID)
		once("worktree", s.Piece.Worktree, s.Piece.ID)
		if !slices.Contains(w.ids, s.Piece.ID) {
			w.t.Errorf("%s: nobody asked for the piece %s", when, s.Piece.ID)
		}
	}
	for _, d := range drafts {
		once("id", d.ID, "draft "+d.Title)
		if !slices.Contains(w.ids, d.ID) {
			w.t.Errorf("%s: nobody asked for the draft %s", when, d.ID)
		}
	}
}

// lookAtWorktrees compares the records with the disk and with git.
func (w *chaosWorld) lookAtWorktrees(ctx context.Context, db *store.Store, list []pieces.Snapshot, when string) {
	w.t.Helper()
	records, err := db.Worktrees(ctx, "")
	if err != nil {
		w.t.Fatal(err)
	}
	byID := map[string]pieces.Piece{}
	for _, s := range list {
		byID[s.Piece.ID] = s.Piece
	}
	recorded := map[string]bool{}
	for _, r := range records {
		recorded[r.Path] = true
		p, known := byID[r.PieceID]
		_, err := os.Stat(r.Path)
		switch {
		case !known:
			w.t.Errorf("%s: the worktree %s is recorded for no piece", when, r.Path)
		case err != nil && w.spoiled[r.Path] && w.unmended:
		case err != nil && (p.Worktree != r.Path || !p.WorktreeMissing):
			w.t.Errorf("%s: the recorded worktree %s (agent %q) of the piece %s in %s/%s is not on disk", when, r.Path, r.TaskID, p.Name, p.Phase, p.Activity)
		}
	}
	for _, s := range list {
		if p := s.Piece; p.Worktree != "" && !recorded[p.Worktree] {
			w.t.Errorf("%s: the worktree %s of the piece %s in %s/%s is not recorded", when, p.Worktree, p.Name, p.Phase, p.Activity)
		}
	}
	folders, err := filepath.Glob(filepath.Join(w.worktrees(), "*", "*"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, path := range folders {
		if !recorded[path] {
			w.t.Errorf("%s: nobody knows the folder %s", when, path)
		}
	}
	for line := range strings.Lines(w.repo.Git("worktree", "list", "--porcelain")) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree ")
		if ok && path != w.repo.Path && !recorded[path] {
			w.t.Errorf("%s: git knows the worktree %s and the store does not", when, path)
		}
	}
}

// permissive are facts of which one lets any guard of the rail pass: what passed then is not in the history.
func permissive() []pieces.Facts {
	free := pieces.Facts{
		AgentWaiting: true, AgentsFailed: 1, Unapproved: 1, WorkReview: pieces.WorkReviewFailed, HasBranch: true, HasWorktree: true,
		CodeReviewOn: true, DependenciesOn: true, Feedback: true,
	}
	held := free
	held.Held = true
	failed := held
	failed.DependencyFailed = true
	split := held
	split.SplitProposals, split.SplitHold = true, true
	still := free
	still.Feedback = false
	return []pieces.Facts{free, held, failed, split, still}
}

// leads says whether the rail has a way from one state to another on a trigger.
func leads(from, to pieces.State, before pieces.Activity, on pieces.Trigger) bool {
	return slices.ContainsFunc(permissive(), func(f pieces.Facts) bool {
		got, ok := pieces.Next(from, before, on, f)
		return ok && got == to
	})
}

// replay walks a piece's history over the rail and says where it leaves it, or ends elsewhere than the piece.
func replay(p pieces.Piece, history []pieces.HistoryRow) error {
	at := pieces.State{Phase: pieces.PhaseBacklog, Activity: pieces.Idle}
	var before pieces.Activity
	archived := false
	for i, h := range history {
		made := h.Trigger == pieces.OnReleased || h.Trigger == pieces.OnSpecAsked
		if made != (i == 0) {
			return fmt.Errorf("row %d of %d is %s", i, len(history), h.Trigger)
		}
		if h.From != at {
			return fmt.Errorf("row %d (%s) starts at %v, the piece was at %v", i, h.Trigger, h.From, at)
		}
		action := pieces.Action(h.Trigger)
		if _, is := pieces.RuleOf(action); is && archived != (action == pieces.Unarchive) {
			return fmt.Errorf("row %d: %s on a piece that is archived: %v", i, action, archived)
		}
		if !leads(at, h.To, before, h.Trigger) {
			return fmt.Errorf("row %d: %s does not lead from %v to %v", i, h.Trigger, at, h.To)
		}
		switch {
		case h.To.Activity == pieces.CreatingPR && h.To != at:
			before = at.Activity
		case h.To.Activity == pieces.CreatingPR && h.Trigger == pieces.OnChangesDone:
			before = pieces.Idle // the feedback session ended while the pull request was being created
		}
		at, archived = h.To, action == pieces.Archive || archived && action != pieces.Unarchive
	}
	if at != (pieces.State{Phase: p.Phase, Activity: p.Activity}) || archived != p.Archived {
		return fmt.Errorf("it is at %s/%s (archived %v), its history ends at %v (archived %v)", p.Phase, p.Activity, p.Archived, at, archived)
	}
	return nil
}
