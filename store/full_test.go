package store

import (
	"fmt"
	"strings"
	"testing"

	"fermata/pieces"
)

func TestAFullDiskRefusesAChangeWholeAndLosesNothing(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	p := release(t, s, "p", "a")
	before, err := s.Piece(ctx, "a")
	must(t, err)
	// SQLite's own answer to a disk without room: the file may not grow by a page.
	var pages int64
	must(t, s.writer.Raw("PRAGMA page_count").Scan(&pages).Error)
	must(t, s.writer.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)).Error)
	c := pieces.Change{Piece: p, From: before.State(), Trigger: "test", By: pieces.ByFermata, ReplacePlan: true}
	c.Piece.Name = "Another name"
	c.Tasks, c.Edges = graph("a", "x", "y")
	c.Artifacts = []pieces.Artifact{{Kind: pieces.ArtifactSpec, Content: strings.Repeat("long ", 1<<18)}}
	if _, err := s.Apply(ctx, c); err == nil || !strings.Contains(err.Error(), "full") {
		t.Fatalf("a change without room for it: %v", err)
	}
	after, err := s.Piece(ctx, "a")
	must(t, err)
	if after.Piece.Version != before.Piece.Version || after.Piece.Name != before.Piece.Name || len(after.Tasks) != len(before.Tasks) {
		t.Errorf("half of it was written: %+v, was %+v", after, before)
	}
	must(t, s.writer.Exec("PRAGMA max_page_count = 1073741823").Error)
	if _, err := s.Apply(ctx, c); err != nil {
		t.Errorf("once there is room again: %v", err)
	}
}
