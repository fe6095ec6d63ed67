package store

import (
	"errors"
	"testing"

	"fermata/pieces"
)

func TestEveryFieldOfALinkComesBack(t *testing.T) {
	t.Parallel()
	s, ctx, n := newStore(t), t.Context(), 0
	addProject(t, s, "p")
	filed, added, ofPiece := filled[pieces.Link](&n), filled[pieces.Link](&n), filled[pieces.Link](&n)
	filed.ItemID, added.ItemID = "d", "d"
	must(t, s.AddDraft(ctx, pieces.Draft{ID: "d", ProjectID: "p", CreatedAt: start}, filed))
	must(t, s.AddLink(ctx, added))
	p := release(t, s, "p", "a")
	ofPiece.ItemID = "a"
	p, err := s.Apply(ctx, pieces.Change{Piece: p, Links: []pieces.Link{ofPiece}})
	must(t, err)
	list, err := s.Links(ctx)
	must(t, err)
	same(t, "links", list, []pieces.Link{filed, added, ofPiece})

	must(t, s.DropLink(ctx, "d", filed.BlockerID))
	_, err = s.Apply(ctx, pieces.Change{Piece: p, DropLinks: []string{ofPiece.BlockerID}})
	must(t, err)
	list, err = s.Links(ctx)
	must(t, err)
	same(t, "left", list, []pieces.Link{added})
}

func TestALinkIsThereOnceAndOfADraftThatExists(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	l := pieces.Link{ItemID: "d", BlockerID: "b", CreatedAt: start}
	if err := s.AddLink(ctx, l); !errors.Is(err, pieces.ErrNotFound) {
		t.Errorf("of no draft: %v", err)
	}
	must(t, s.AddDraft(ctx, pieces.Draft{ID: "d", ProjectID: "p", CreatedAt: start}))
	must(t, s.AddLink(ctx, l))
	if err := s.AddLink(ctx, l); !errors.Is(err, pieces.ErrExists) {
		t.Errorf("twice: %v", err)
	}
	must(t, s.DropLink(ctx, "d", "b"))
	if err := s.DropLink(ctx, "d", "b"); !errors.Is(err, pieces.ErrNotFound) {
		t.Errorf("dropped twice: %v", err)
	}
}

func TestLinksGoWithTheirDraftAndStayForItsWaiters(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	addProject(t, s, "p")
	to := func(item, blocker string) pieces.Link {
		return pieces.Link{ItemID: item, BlockerID: blocker, Name: blocker, Origin: pieces.OriginManual, CreatedAt: start}
	}
	must(t, s.AddDraft(ctx, pieces.Draft{ID: "b", ProjectID: "p", CreatedAt: start}, to("b", "other")))
	must(t, s.AddDraft(ctx, pieces.Draft{ID: "d", ProjectID: "p", CreatedAt: start}, to("d", "b")))
	must(t, s.DeleteDraft(ctx, "b"))
	_, err := s.Release(ctx, 0, pieces.Change{Piece: pieces.Piece{ID: "d", ProjectID: "p", CreatedAt: start}})
	must(t, err)
	list, err := s.Links(ctx)
	must(t, err)
	same(t, "links", list, []pieces.Link{to("d", "b")})
}
