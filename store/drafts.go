package store

import (
	"context"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"fermata/pieces"
)

type draftRow struct {
	ID         string `gorm:"primaryKey"`
	ProjectID  string
	Title      string
	Seed       string
	Spec       string
	Lane       string
	Refine     string
	Model      string
	RunAt      string
	ReleasedBy string
	Version    int64
	CreatedAt  string
	UpdatedAt  string

	Attachments jsonOf[[]pieces.Attachment]
}

// TableName is asked for by gorm.
func (draftRow) TableName() string { return "drafts" }

func toDraftRow(d pieces.Draft) draftRow {
	return draftRow{
		d.ID, d.ProjectID, d.Title, d.Seed, d.Spec, string(d.Lane), string(d.Refine), d.Model, d.RunAt, string(d.ReleasedBy), d.Version,
		stamp(d.CreatedAt), stamp(d.UpdatedAt), attachmentsOf(d.Attachments),
	}
}

func (r draftRow) draft() pieces.Draft {
	return pieces.Draft{
		ID: r.ID, ProjectID: r.ProjectID, Title: r.Title, Seed: r.Seed, Spec: r.Spec, Lane: pieces.Lane(r.Lane),
		Refine: pieces.Refine(r.Refine), Model: r.Model, RunAt: r.RunAt, ReleasedBy: pieces.Actor(r.ReleasedBy), Version: r.Version,
		CreatedAt: moment(r.CreatedAt), UpdatedAt: moment(r.UpdatedAt), Attachments: someOf(r.Attachments.V),
	}
}

// someOf is nil for an empty list.
func someOf[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// attachmentsOf keeps no files as an empty list.
func attachmentsOf(list []pieces.Attachment) jsonOf[[]pieces.Attachment] {
	if list == nil {
		list = []pieces.Attachment{}
	}
	return jsonOf[[]pieces.Attachment]{list}
}

// Drafts lists the Backlog of a project, or of all projects when projectID is empty, oldest first.
func (s *Store) Drafts(ctx context.Context, projectID string) ([]pieces.Draft, error) {
	return once(s, draftsAsk{projectID}, ofDrafts, cloneDrafts, func() ([]pieces.Draft, error) {
		var rows []draftRow
		err := s.query(ctx, "list drafts", func(db *gorm.DB) error {
			if projectID != "" {
				db = db.Where("project_id = ?", projectID)
			}
			return db.Order("created_at, rowid").Find(&rows).Error
		})
		return all(rows, draftRow.draft), err
	})
}

func cloneDrafts(list []pieces.Draft) []pieces.Draft {
	list = slices.Clone(list)
	for i := range list {
		list[i].Attachments = slices.Clone(list[i].Attachments)
	}
	return list
}

type draftsAsk struct{ projectID string }

// Draft reads one item of the Backlog.
func (s *Store) Draft(ctx context.Context, id string) (pieces.Draft, error) {
	var row draftRow
	err := s.query(ctx, fmt.Sprintf("read draft %s", id), func(db *gorm.DB) error {
		return db.Where("id = ?", id).Take(&row).Error
	})
	if err != nil {
		return pieces.Draft{}, err
	}
	return row.draft(), nil
}

// AddDraft files a draft, with its version as given, and what it waits on. The id of a draft or a piece is taken.
func (s *Store) AddDraft(ctx context.Context, d pieces.Draft, links ...pieces.Link) error {
	row := toDraftRow(d)
	return s.write(ctx, fmt.Sprintf("add draft %s", d.ID), func(tx *gorm.DB) error {
		released, err := exists(tx, &pieceRow{}, d.ID)
		if err != nil {
			return err
		}
		if released {
			return pieces.ErrExists
		}
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
		return addLinks(tx, d.ID, links)
	})
}

// SaveDraft overwrites the draft when it still has d.Version, and raises the version by one. UpdatedAt becomes now.
func (s *Store) SaveDraft(ctx context.Context, d pieces.Draft) error {
	row := toDraftRow(d)
	row.Version, row.UpdatedAt = d.Version+1, stamp(s.now())
	return s.write(ctx, fmt.Sprintf("save draft %s", d.ID), func(tx *gorm.DB) error {
		done := tx.Model(&draftRow{}).Where("id = ? AND version = ?", d.ID, d.Version).Select("*").Omit("id", "created_at").Updates(&row)
		return hit(tx, done, &draftRow{}, d.ID)
	})
}

// DeleteDraft removes an item of the Backlog and its links. Links of others to it stay.
func (s *Store) DeleteDraft(ctx context.Context, id string) error {
	return s.write(ctx, fmt.Sprintf("delete draft %s", id), func(tx *gorm.DB) error {
		done := tx.Where("id = ?", id).Delete(&draftRow{})
		if done.Error == nil && done.RowsAffected == 0 {
			return pieces.ErrNotFound
		}
		if done.Error != nil {
			return done.Error
		}
		return tx.Where("item_id = ?", id).Delete(&linkRow{}).Error
	})
}
