package store

import (
	"context"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"fermata/pieces"
)

type projectRow struct {
	ID              string `gorm:"primaryKey"`
	Name            string
	Path            string
	Branch          string
	AllowedCommands jsonOf[[]string]
	CreatedAt       string
	SetupScript     string
	SetupAllowed    string
	LoopPlaying     bool
	LoopAtOnce      int
	LoopOpenPRs     int `gorm:"column:loop_open_prs"`
}

// TableName is asked for by gorm.
func (projectRow) TableName() string { return "projects" }

func toProjectRow(p pieces.Project) projectRow {
	commands := p.AllowedCommands
	if commands == nil {
		commands = []string{}
	}
	return projectRow{
		p.ID, p.Name, p.Path, p.Branch,
		jsonOf[[]string]{commands},
		stamp(p.CreatedAt), p.SetupScript, p.SetupAllowed,
		p.LoopPlaying, p.LoopAtOnce, p.LoopOpenPRs,
	}
}

func (r projectRow) project() pieces.Project {
	p := pieces.Project{
		ID: r.ID, Name: r.Name, Path: r.Path, Branch: r.Branch, CreatedAt: moment(r.CreatedAt),
		SetupScript: r.SetupScript, SetupAllowed: r.SetupAllowed,
		LoopPlaying: r.LoopPlaying, LoopAtOnce: r.LoopAtOnce, LoopOpenPRs: r.LoopOpenPRs,
	}
	if len(r.AllowedCommands.V) > 0 {
		p.AllowedCommands = r.AllowedCommands.V
	}
	return p
}

// Projects lists the registered repositories by name.
func (s *Store) Projects(ctx context.Context) ([]pieces.Project, error) {
	return once(s, projectsAsk{}, ofProjects, cloneProjects, func() ([]pieces.Project, error) {
		var rows []projectRow
		err := s.query(ctx, "list projects", func(db *gorm.DB) error {
			return db.Order("name COLLATE NOCASE, name, path").Find(&rows).Error
		})
		return all(rows, projectRow.project), err
	})
}

type projectsAsk struct{}

func cloneProjects(list []pieces.Project) []pieces.Project {
	list = slices.Clone(list)
	for i := range list {
		list[i].AllowedCommands = slices.Clone(list[i].AllowedCommands)
	}
	return list
}

// Project reads one registered repository.
func (s *Store) Project(ctx context.Context, id string) (pieces.Project, error) {
	var row projectRow
	err := s.query(ctx, fmt.Sprintf("read project %s", id), func(db *gorm.DB) error {
		return db.Where("id = ?", id).Take(&row).Error
	})
	if err != nil {
		return pieces.Project{}, err
	}
	return row.project(), nil
}

// AddProject registers a repository. A taken path is refused like a taken id.
func (s *Store) AddProject(ctx context.Context, p pieces.Project) error {
	row := toProjectRow(p)
	return s.write(ctx, fmt.Sprintf("add project %s", p.ID), func(tx *gorm.DB) error {
		return tx.Create(&row).Error
	})
}

// SaveProject overwrites all but the id and the time of registration.
func (s *Store) SaveProject(ctx context.Context, p pieces.Project) error {
	row := toProjectRow(p)
	return s.write(ctx, fmt.Sprintf("save project %s", p.ID), func(tx *gorm.DB) error {
		done := tx.Model(&projectRow{}).Where("id = ?", p.ID).Select("*").Omit("id", "created_at").Updates(&row)
		if done.Error == nil && done.RowsAffected == 0 {
			return pieces.ErrNotFound
		}
		return done.Error
	})
}

// all converts every row; nil for no rows.
func all[R, T any](rows []R, convert func(R) T) []T {
	if len(rows) == 0 {
		return nil
	}
	list := make([]T, len(rows))
	for i, r := range rows {
		list[i] = convert(r)
	}
	return list
}
