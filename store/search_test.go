package store

import (
	"slices"
	"testing"

	"fermata/pieces"
)

func TestSearchFindsEveryWordInTitleKeySeedOrSpec(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	addProject(t, s, "q")
	must(t, s.AddDraft(ctx, pieces.Draft{ID: "draft", ProjectID: "p", Title: "Smaller images", Seed: "Serve AVIF", Spec: "Bilder in Übergröße, 100% of them"}))
	must(t, s.AddDraft(ctx, pieces.Draft{ID: "elsewhere", ProjectID: "q", Title: "Smaller images"}))
	p := release(t, s, "p", "piece")
	p.Name, p.Source, p.Archived = "Login", &pieces.Source{Key: "SUP-12"}, true
	_, err := s.Apply(ctx, pieces.Change{Piece: p, Artifacts: []pieces.Artifact{
		{Kind: pieces.ArtifactSpec, Content: "Log in with a passkey_2 and images"}, {Kind: pieces.ArtifactStrategy, Content: "bucket"},
	}})
	must(t, err)
	for text, want := range map[string][]string{
		"IMAGES": {"draft", "piece"}, "images avif": {"draft"}, "sup-12 passkey": {"piece"}, "login images": {"piece"},
		"bucket": nil, "100%": {"draft"}, "1%": nil, "passkey_2": {"piece"}, "passkey_": {"piece"}, "key_key": nil, `\`: nil,
		"übergröße": {"draft"}, "ÜBERGRÖSSE": nil, "elsewhere": nil,
	} {
		got, err := s.Search(ctx, "p", pieces.ParseWords(text))
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q (%v)", text, got, want, err)
		}
	}
}

func TestADeletedPieceIsGoneWithAllThatIsItsAlone(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	release(t, s, "p", "other")
	tasks, edges := graph("gone", "a", "b")
	p, err := s.Apply(ctx, pieces.Change{
		Piece: release(t, s, "p", "gone"), Tasks: tasks, Edges: edges, Artifacts: []pieces.Artifact{{Kind: pieces.ArtifactSpec, Content: "x"}},
		Trigger: pieces.OnPlanBuilt, Links: []pieces.Link{{BlockerID: "other", Name: "Other"}},
	})
	must(t, err)
	must(t, s.SaveSession(ctx, pieces.Session{ID: "s", ProjectID: "p", PieceID: "gone"}))
	must(t, s.AppendMessages(ctx, "s", []pieces.Message{{Role: pieces.RolePerson, Text: "hello"}}))
	must(t, s.RecordWorktree(ctx, pieces.WorktreeRecord{Path: "/w", ProjectID: "p", PieceID: "gone"}))
	must(t, s.AddDraft(ctx, pieces.Draft{ID: "d", ProjectID: "p"}, pieces.Link{BlockerID: "gone", Name: "Gone"}))
	_, err = s.Pieces(ctx, pieces.PieceFilter{})
	must(t, err)
	wantErr(t, "an old version", s.DeletePiece(ctx, "gone", p.Version-1), pieces.ErrStale)
	if again, err := s.Piece(ctx, "gone"); err != nil || len(again.Tasks) != 2 {
		t.Fatalf("a refused deletion left %+v, %v", again, err)
	}
	must(t, s.DeletePiece(ctx, "gone", p.Version))
	_, err = s.Piece(ctx, "gone")
	wantErr(t, "read", err, pieces.ErrNotFound)
	wantErr(t, "delete again", s.DeletePiece(ctx, "gone", p.Version), pieces.ErrNotFound)
	list, err := s.Pieces(ctx, pieces.PieceFilter{IncludeArchived: true})
	if err != nil || len(list) != 1 || list[0].Piece.ID != "other" {
		t.Errorf("listed %+v, %v", list, err)
	}
	for table, want := range map[string]int64{"tasks": 0, "edges": 0, "artifacts": 0, "sessions": 0, "messages": 0, "worktrees": 1, "links": 1} {
		var n int64
		must(t, s.readers.Table(table).Count(&n).Error)
		if n != want {
			t.Errorf("%d rows of %s are left, want %d", n, table, want)
		}
	}
}
