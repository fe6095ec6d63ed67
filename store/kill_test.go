package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"fermata/pieces"
)

// writerOf names the database that a child of this test writes to until it is killed.
const writerOf = "FERMATA_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerOf); path != "" {
		fmt.Fprintln(os.Stderr, writeForever(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForever changes a piece again and again, and says each version once it is committed.
func writeForever(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, Options{Path: path})
	if err != nil {
		return err
	}
	snap, err := s.Piece(ctx, "a")
	if err != nil {
		return err
	}
	p := snap.Piece
	for {
		mark := fmt.Sprint(p.Version + 1)
		c := pieces.Change{Piece: p, ReplacePlan: true, Note: pieces.Quote(mark)}
		c.Tasks, c.Edges = graph("a", mark+"a", mark+"b", mark+"c")
		if p, err = s.Apply(ctx, c); err != nil {
			return err
		}
		if err := s.AppendMessages(ctx, "s", []pieces.Message{{Text: mark}, {Text: mark}, {Text: mark}}); err != nil {
			return err
		}
		fmt.Println(p.Version)
	}
}

func TestAKilledWriterLeavesEveryCommitAndNoHalfOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "fermata.db")
	s, err := Open(t.Context(), Options{Path: path})
	must(t, err)
	addProject(t, s, "p")
	release(t, s, "p", "a")
	must(t, s.SaveSession(t.Context(), pieces.Session{ID: "s", ProjectID: "p", PieceID: "a"}))
	must(t, s.Close())
	for round := range 5 {
		said := killWriter(t, path, 10+round)
		s, err := Open(t.Context(), Options{Path: path})
		must(t, err)
		checkAfterKill(t, s, said)
		must(t, s.Close())
	}
}

// killWriter ends a writing child after n commits, and returns the last version that it said.
func killWriter(t *testing.T, path string, n int) int64 {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this test's own binary
	child.Env = append(os.Environ(), writerOf+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	said, count := int64(0), 0
	for lines := bufio.NewScanner(out); lines.Scan(); { // on to what was said before the kill took effect
		said, err = strconv.ParseInt(lines.Text(), 10, 64)
		must(t, err)
		if count++; count == n {
			must(t, child.Process.Kill())
		}
	}
	if err := child.Wait(); err == nil || count < n {
		t.Fatalf("the writer ended by itself after %d commits: %v", count, err)
	}
	return said
}

func checkAfterKill(t *testing.T, s *Store, said int64) {
	t.Helper()
	var verdict string
	must(t, s.readers.Raw("PRAGMA integrity_check").Scan(&verdict).Error)
	same(t, "integrity", verdict, "ok")
	snap, err := s.Piece(t.Context(), "a")
	must(t, err)
	if snap.Piece.Version < said {
		t.Errorf("version %d was committed, %d is left", said, snap.Piece.Version)
	}
	mark := fmt.Sprint(snap.Piece.Version)
	tasks, edges := graph("a", mark+"a", mark+"b", mark+"c")
	same(t, "tasks", snap.Tasks, tasks)
	same(t, "edges", snap.Edges, edges)
	history, err := s.History(t.Context(), "a")
	must(t, err)
	if int64(len(history)) != snap.Piece.Version || history[len(history)-1].Note.String() != mark {
		t.Errorf("%d history rows of version %s", len(history), mark)
	}
	list, err := s.Messages(t.Context(), "s", -1)
	must(t, err)
	for i, m := range list {
		if len(list)%3 != 0 || m.Seq != int64(i+1) || m.Text != list[i/3*3].Text {
			t.Fatalf("message %d of %d is %+v", i, len(list), m)
		}
	}
}
