package store

import (
	"errors"
	"testing"

	"fermata/pieces"
)

func TestASplitIsWrittenWhollyOrNotAtAll(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	addProject(t, s, "p")
	original := release(t, s, "p", "o")
	part := func(id string) pieces.Change {
		return pieces.Change{
			Piece: pieces.Piece{ID: id, ProjectID: "p", Name: id, Phase: pieces.PhaseSpec, Activity: pieces.Idle, CreatedAt: start}, Trigger: pieces.OnReleased,
			Artifacts: []pieces.Artifact{{PieceID: id, Kind: pieces.ArtifactSpec, Content: "# " + id}},
			Links:     []pieces.Link{{BlockerID: "o", Origin: pieces.OriginSplit, CreatedAt: start}},
		}
	}
	change := pieces.Change{Piece: original, Trigger: pieces.OnSplitReviewed}
	change.Piece.Splits = pieces.Splits{Kin: []string{"a", "b"}}
	_, err := s.Split(t.Context(), change, []pieces.Change{part("a"), part("o")})
	if !errors.Is(err, pieces.ErrExists) {
		t.Fatalf("a taken id: %v", err)
	}
	if _, err := s.Piece(t.Context(), "a"); !errors.Is(err, pieces.ErrNotFound) {
		t.Errorf("half of a split was written: %v", err)
	}
	stale := change
	stale.Piece.Version += 7
	if _, err := s.Split(t.Context(), stale, []pieces.Change{part("a")}); !errors.Is(err, pieces.ErrStale) {
		t.Errorf("a stale split: %v", err)
	}
	_, err = s.Split(t.Context(), change, []pieces.Change{part("a"), part("b")})
	must(t, err)
	got, err := s.Piece(t.Context(), "o")
	must(t, err)
	same(t, "the original's kin", got.Piece.Splits.Kin, []string{"a", "b"})
	links, err := s.Links(t.Context())
	must(t, err)
	if len(links) != 2 || links[0].ItemID != "a" || links[0].Ignored {
		t.Errorf("links %+v", links)
	}
	a, err := s.Piece(t.Context(), "a")
	must(t, err)
	_, err = s.Apply(t.Context(), pieces.Change{Piece: a.Piece, Trigger: "test", IgnoreLinks: []string{"o"}})
	must(t, err)
	links, err = s.Links(t.Context())
	must(t, err)
	if !links[0].Ignored || links[1].Ignored {
		t.Errorf("after one was ignored: %+v", links)
	}
}
