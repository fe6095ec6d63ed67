package store

import (
	"context"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"fermata/pieces"
)

type linkRow struct {
	ItemID    string `gorm:"primaryKey"`
	BlockerID string `gorm:"primaryKey"`
	Name      string
	Origin    string
	Ignored   bool
	CreatedAt string
}

// TableName is asked for by gorm.
func (linkRow) TableName() string { return "links" }

func toLinkRow(l pieces.Link) linkRow {
	return linkRow{l.ItemID, l.BlockerID, l.Name, string(l.Origin), l.Ignored, stamp(l.CreatedAt)}
}

func (r linkRow) link() pieces.Link {
	return pieces.Link{ItemID: r.ItemID, BlockerID: r.BlockerID, Name: r.Name, Origin: pieces.Origin(r.Origin), Ignored: r.Ignored, CreatedAt: moment(r.CreatedAt)}
}

// Links lists what all pieces and drafts wait on, oldest first.
func (s *Store) Links(ctx context.Context) ([]pieces.Link, error) {
	return once(s, linksAsk{}, ofLinks, slices.Clone, func() ([]pieces.Link, error) {
		var rows []linkRow
		err := s.query(ctx, "list links", func(db *gorm.DB) error { return db.Order("created_at, rowid").Find(&rows).Error })
		return all(rows, linkRow.link), err
	})
}

type linksAsk struct{}

// AddLink lets a draft wait on another item; the links of a piece are written with the piece. One that is there is
// pieces.ErrExists, a draft that is none pieces.ErrNotFound.
func (s *Store) AddLink(ctx context.Context, l pieces.Link) error {
	return s.write(ctx, fmt.Sprintf("link draft %s", l.ItemID), func(tx *gorm.DB) error {
		if err := mustExist(tx, &draftRow{}, l.ItemID); err != nil {
			return err
		}
		return addLinks(tx, l.ItemID, []pieces.Link{l})
	})
}

// DropLink removes a draft's link; one that is not there is pieces.ErrNotFound.
func (s *Store) DropLink(ctx context.Context, itemID, blockerID string) error {
	return s.write(ctx, fmt.Sprintf("unlink draft %s", itemID), func(tx *gorm.DB) error {
		done := tx.Where("item_id = ? AND blocker_id = ?", itemID, blockerID).Delete(&linkRow{})
		if done.Error == nil && done.RowsAffected == 0 {
			return pieces.ErrNotFound
		}
		return done.Error
	})
}

func addLinks(tx *gorm.DB, itemID string, links []pieces.Link) error {
	for _, l := range links {
		l.ItemID = itemID
		row := toLinkRow(l)
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
	}
	return nil
}

// ignoreLinks keeps links that hold nothing any more.
func ignoreLinks(tx *gorm.DB, itemID string, blockerIDs []string) error {
	if len(blockerIDs) == 0 {
		return nil
	}
	return tx.Model(&linkRow{}).Where("item_id = ? AND blocker_id IN ?", itemID, blockerIDs).Update("ignored", true).Error
}

func dropLinks(tx *gorm.DB, itemID string, blockerIDs []string) error {
	if len(blockerIDs) == 0 {
		return nil
	}
	return tx.Where("item_id = ? AND blocker_id IN ?", itemID, blockerIDs).Delete(&linkRow{}).Error
}
