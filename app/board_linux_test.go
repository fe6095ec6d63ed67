package app

import (
	"context"
	"errors"
	"image"
	"os"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/piecestest"
	"fermata/store"
)

// board opens the window of the repository's project, with one draft for each spec, and returns the drafts' ids.
func (r *rig) board(m *mcpClient, specs ...string) []string {
	r.t.Helper()
	m.call("register_project", map[string]any{"path": r.repo.Path})
	project := m.call("list_projects", nil)["projects"].([]any)[0].(map[string]any)["id"].(string)
	var ids []string
	for _, spec := range specs {
		d := m.call("create_draft", map[string]any{"projectId": project, "spec": spec, "refine": "none"})
		ids = append(ids, d["draftId"].(string))
	}
	r.click("project:" + project)
	for _, id := range ids {
		r.place("card:" + id)
	}
	return ids
}

// stored asks the store after the app has quit.
func (r *rig) stored(ask func(ctx context.Context, db *store.Store) error) error {
	r.t.Helper()
	db, err := store.Open(r.t.Context(), store.Options{Path: r.data.database()})
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	return ask(r.t.Context(), db)
}

// dragTo drags a card to the middle of a column, counted from the Backlog.
func (r *rig) dragTo(id string, column int) {
	r.t.Helper()
	p := r.place("card:" + id)
	w := r.desk.Window(r.t, p.Window)
	w.Activate()
	wide, high := w.Size()
	w.Drag(image.Pt(p.X+p.W/2, p.Y+p.H/2), image.Pt((2*column+1)*wide/12, high*2/3))
}

func TestThePersonSearchesAndDragsACard(t *testing.T) {
	t.Parallel()
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), fullDesktop())
	r.start()
	r.click("welcome:later")
	m := r.connect(r.serverOn())
	ids := r.board(m, piecestest.StorySpec, "# Smaller images\n\nServe AVIF where a bucket accepts it.\n")
	story, images := ids[0], ids[1]

	w := r.desk.Window(t, r.place("board:search").Window)
	w.Activate()
	w.Key("ctrl+f")
	w.Type("bucket")
	r.until("only what has the word", func() bool { return r.shown("card:"+images) && !r.shown("card:"+story) })
	w.Key("Escape")
	r.until("everything again", func() bool { return r.shown("card:" + story) })

	r.dragTo(images, 3) // a draft starts in Spec, so nothing happens
	r.dragTo(story, 1)
	p := r.untilGate(m, story, "specReady")
	if p["phase"].(map[string]any)["key"] != "spec" {
		t.Errorf("dropped on Spec the draft is in %v", p["phase"])
	}
	r.until("its card in its new column", func() bool { return r.place("card:"+story).X > r.place("card:"+images).X })
	r.dragTo(story, 2)
	r.untilGate(m, story, "strategyReady")
	r.quit()
	s, _ := r.database(story)
	if s.Piece.Phase != pieces.PhaseStrategy || s.Piece.Config.Lane != pieces.LaneManual {
		t.Errorf("the store has the piece in %s on %s", s.Piece.Phase, s.Piece.Config.Lane)
	}
	if err := r.stored(func(ctx context.Context, db *store.Store) error {
		_, err := db.Draft(ctx, images)
		return err
	}); err != nil {
		t.Errorf("the draft that was dropped where nothing accepts it: %v", err)
	}
}

func TestThePersonDeletesAPiece(t *testing.T) {
	t.Parallel()
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), fullDesktop())
	r.start()
	r.click("welcome:later")
	m := r.connect(r.serverOn())
	id := r.board(m, piecestest.StorySpec)[0]
	r.dragTo(id, 1)
	p := r.untilGate(m, id, "specReady")
	worktree, branch := p["worktreePath"].(string), p["branchName"].(string)
	if err := os.WriteFile(worktree+"/lost.txt", []byte("not committed"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.click("card:" + id)
	r.click("deletePiece")
	r.clickAway("effect:ok")
	r.place("told:ok")
	r.clickAway("told:ok")
	r.until("its card to go", func() bool { return !r.shown("card:" + id) })
	if text, failed, err := m.try(t.Context(), "get_piece", map[string]any{"pieceId": id}); err != nil || !failed || !strings.Contains(text, "Unknown pieceId") {
		t.Errorf("get_piece says %s, %v", text, err)
	}
	if _, err := os.Stat(worktree); !errors.Is(err, os.ErrNotExist) {
		t.Error("the worktree stays", err)
	}
	if r.repo.Git("-C", r.repo.Path, "branch", "--list", branch) == "" {
		t.Error("the branch is gone")
	}
	if saved := r.repo.Git("-C", r.repo.Path, "for-each-ref", pieces.SavedRefs(id)); saved == "" {
		t.Error("nothing was saved")
	}
	r.quit()
	if err := r.stored(func(ctx context.Context, db *store.Store) error {
		_, err := db.Piece(ctx, id)
		return err
	}); !errors.Is(err, pieces.ErrNotFound) {
		t.Errorf("the store still has the piece: %v", err)
	}
}
