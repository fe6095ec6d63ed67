package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/git"
	"fermata/pieces/piecestest"
	"fermata/store"
)

// command runs the command line without an app.
func command(t *testing.T, data string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), append([]string{"--data-dir", data, "--log-level", "error"}, args...), &out)
	return out.String(), err
}

// donePiece makes a data folder with a piece that was marked done while its worktree held a file that no commit has.
func donePiece(t *testing.T, data, file, text string) pieces.Piece {
	t.Helper()
	ctx := t.Context()
	f, err := dataFolder(data, os.Getenv)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	db, err := store.Open(ctx, store.Options{Path: f.database(), Log: slog.New(slog.DiscardHandler), Now: time.Now})
	check(err)
	e := engine.New(engine.Options{
		Store: db, Git: git.New(git.Options{LockDir: f.gitLocks(), Environ: piecestest.GitEnv}), WorktreeRoot: f.worktrees(),
		Now: time.Now, NewID: newID, Log: slog.New(slog.DiscardHandler),
	})
	check(e.Start(context.WithoutCancel(ctx)))
	project, _, err := e.RegisterProject(ctx, piecestest.NewRepo(t).WithRemote().Path)
	check(err)
	filed, err := e.FileDraft(ctx, engine.NewDraft{ProjectID: project.ID, Spec: "# Lost and found\n", Refine: pieces.RefineNone})
	check(err)
	s, err := e.ReleaseDraft(ctx, filed.Draft.ID, "", pieces.ByClient)
	check(err)
	c := pieces.Change{Piece: s.Piece, From: s.State(), Trigger: "test", By: pieces.ByFermata}
	c.Piece.Phase, c.Piece.Activity = pieces.PhaseReview, pieces.Idle
	p, err := db.Apply(ctx, c)
	check(err)
	check(os.WriteFile(filepath.Join(p.Worktree, file), []byte(text), 0o600))
	_, err = e.Act(ctx, engine.Request{PieceID: p.ID, Action: pieces.MarkDone, By: pieces.ByPerson})
	check(err)
	e.Close()
	check(db.Close())
	return p
}

func TestTheCommandLineRestoresWithoutAnApp(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := donePiece(t, data, "mine.txt", "mine")
	list, err := command(t, data, "restore", "list")
	if err != nil || !strings.Contains(list, pieces.SavedRefs(p.ID)) || !strings.Contains(list, "Lost and found") || strings.Contains(list, "expired") {
		t.Errorf("list %q, %v", list, err)
	}
	said, err := command(t, data, "restore", "lost and found")
	if err != nil || !strings.Contains(said, p.Worktree) || !strings.Contains(said, p.Branch) {
		t.Fatalf("restore said %q, %v", said, err)
	}
	if text, err := os.ReadFile(filepath.Join(p.Worktree, "mine.txt")); err != nil || string(text) != "mine" {
		t.Errorf("the file is %q, %v", text, err)
	}
	if _, err := command(t, data, "restore", "nobody"); err == nil || errors.Is(err, errUsage) {
		t.Errorf("an unknown piece: %v", err)
	}
	for _, args := range [][]string{{"restore"}, {"restore", "a", "b", "c"}, {"doctor"}, {"doctor", "a", "b"}} {
		if _, err := command(t, data, args...); !errors.Is(err, errUsage) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestTheCommandLinesDoctorEndsWithOneWhereItFindsSomething(t *testing.T) {
	t.Parallel()
	data, repo := t.TempDir(), piecestest.NewRepo(t).WithRemote()
	if said, err := command(t, data, "doctor", repo.Path); err != nil || !strings.Contains(said, "Nothing found") {
		t.Errorf("a healthy repository: %q, %v", said, err)
	}
	repo.Git("switch", "-q", "--detach")
	said, err := command(t, data, "doctor", repo.Path)
	if !errors.Is(err, errFindings) || !strings.Contains(said, "detached: ") || !strings.Contains(said, "Fix: `git switch main`") {
		t.Errorf("a detached HEAD: %q, %v", said, err)
	}
}
