package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"fermata/pieces"
)

// Apply writes a change when the piece still has c.Piece.Version. It returns the piece as it is now stored: with the next
// version, and changed now. The time of its making is kept, whatever the change says.
func (s *Store) Apply(ctx context.Context, c pieces.Change) (pieces.Piece, error) {
	read, now := c.Piece.Version, s.now().UTC().Round(0)
	c.Piece.Version, c.Piece.UpdatedAt = read+1, now
	err := s.write(ctx, fmt.Sprintf("change piece %s", c.Piece.ID), func(tx *gorm.DB) error {
		if err := updatePiece(tx, c.Piece, read); err != nil {
			return err
		}
		return saveParts(tx, c, now)
	})
	if err != nil {
		return pieces.Piece{}, err
	}
	return toPieceRow(c.Piece).piece(), nil
}

// Release turns the draft of c.Piece.ID, when it still has the version that was read, into the piece of c. The piece's
// version goes on from the draft's. A draft that was released meanwhile is stale, one that is gone is not found.
func (s *Store) Release(ctx context.Context, draftVersion int64, c pieces.Change) (pieces.Piece, error) {
	now := s.now().UTC().Round(0)
	c.Piece.Version, c.Piece.UpdatedAt = draftVersion+1, now
	if c.Piece.CreatedAt.IsZero() {
		c.Piece.CreatedAt = now
	}
	err := s.write(ctx, fmt.Sprintf("release draft %s", c.Piece.ID), func(tx *gorm.DB) error {
		if err := takeDraft(tx, c.Piece.ID, draftVersion); err != nil {
			return err
		}
		if err := insertPiece(tx, c.Piece); err != nil {
			return err
		}
		return saveParts(tx, c, now)
	})
	if err != nil {
		return pieces.Piece{}, err
	}
	return toPieceRow(c.Piece).piece(), nil
}

// AddPiece makes the piece of c, which no draft became; its version is 1. The id of a draft or a piece is taken.
func (s *Store) AddPiece(ctx context.Context, c pieces.Change) (pieces.Piece, error) {
	now := s.now().UTC().Round(0)
	c.Piece.Version, c.Piece.UpdatedAt = 1, now
	if c.Piece.CreatedAt.IsZero() {
		c.Piece.CreatedAt = now
	}
	err := s.write(ctx, fmt.Sprintf("add piece %s", c.Piece.ID), func(tx *gorm.DB) error {
		waits, err := exists(tx, &draftRow{}, c.Piece.ID)
		if err != nil {
			return err
		}
		if waits {
			return pieces.ErrExists
		}
		if err := insertPiece(tx, c.Piece); err != nil {
			return err
		}
		return saveParts(tx, c, now)
	})
	if err != nil {
		return pieces.Piece{}, err
	}
	return toPieceRow(c.Piece).piece(), nil
}

// Split makes the new pieces of a split and writes the change of the piece that they were split off from, when it still has
// c.Piece.Version, in one transaction. It returns that piece as it is now stored.
func (s *Store) Split(ctx context.Context, c pieces.Change, parts []pieces.Change) (pieces.Piece, error) {
	read, now := c.Piece.Version, s.now().UTC().Round(0)
	c.Piece.Version, c.Piece.UpdatedAt = read+1, now
	err := s.write(ctx, fmt.Sprintf("split piece %s", c.Piece.ID), func(tx *gorm.DB) error {
		if err := updatePiece(tx, c.Piece, read); err != nil {
			return err
		}
		for _, part := range parts {
			part.Piece.Version, part.Piece.UpdatedAt = 1, now
			if err := insertPiece(tx, part.Piece); err != nil {
				return err
			}
			if err := saveParts(tx, part, now); err != nil {
				return err
			}
		}
		return saveParts(tx, c, now)
	})
	if err != nil {
		return pieces.Piece{}, err
	}
	return toPieceRow(c.Piece).piece(), nil
}

func takeDraft(tx *gorm.DB, id string, version int64) error {
	released, err := exists(tx, &pieceRow{}, id)
	if err != nil {
		return err
	}
	if released {
		return pieces.ErrStale
	}
	return hit(tx, tx.Where("id = ? AND version = ?", id, version).Delete(&draftRow{}), &draftRow{}, id)
}

func saveParts(tx *gorm.DB, c pieces.Change, now time.Time) error {
	if c.ReplacePlan {
		if err := dropGraph(tx, c.Piece.ID); err != nil {
			return err
		}
	}
	if err := saveTasks(tx, c.Piece.ID, c.Tasks); err != nil {
		return err
	}
	if err := addEdges(tx, c.Piece.ID, c.Edges); err != nil {
		return err
	}
	if err := addLinks(tx, c.Piece.ID, c.Links); err != nil {
		return err
	}
	if err := dropLinks(tx, c.Piece.ID, c.DropLinks); err != nil {
		return err
	}
	if err := ignoreLinks(tx, c.Piece.ID, c.IgnoreLinks); err != nil {
		return err
	}
	if err := saveArtifacts(tx, c.Piece.ID, c.Artifacts, now); err != nil {
		return err
	}
	return addHistory(tx, c, now)
}
