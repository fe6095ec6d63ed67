package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"
	"gorm.io/gorm"

	"fermata/pieces"
	"fermata/store/migrations"
)

// write runs one intent as one transaction, and wakes the watchers once it is on disk.
func (s *Store) write(ctx context.Context, intent string, fn func(tx *gorm.DB) error) error {
	touched := ofNothing
	err := s.writer.WithContext(context.WithValue(ctx, touchedKey{}, &touched)).Transaction(fn)
	s.answers.forget(touched) // before anybody is woken to ask again
	if err != nil {
		return s.failed(intent, err)
	}
	s.hub.Wake()
	return nil
}

type touchedKey struct{}

// noteTouched lets each statement of a writer add what it makes untrue to what its transaction does.
func noteTouched(writer *gorm.DB) error {
	note := func(tx *gorm.DB) {
		if touched, ok := tx.Statement.Context.Value(touchedKey{}).(*subject); ok {
			*touched |= subjectOf(tx.Statement.Table)
		}
	}
	on := writer.Callback()
	return errors.Join(
		on.Create().After("gorm:create").Register("store:touched", note),
		on.Update().After("gorm:update").Register("store:touched", note),
		on.Delete().After("gorm:delete").Register("store:touched", note),
		on.Raw().After("gorm:raw").Register("store:touched", note),
	)
}

// read runs queries that all see the database at one moment.
func (s *Store) read(ctx context.Context, intent string, fn func(tx *gorm.DB) error) error {
	return s.query(ctx, intent, func(db *gorm.DB) error { return db.Transaction(fn) })
}

// query runs one query, which sees one moment without a transaction.
func (s *Store) query(ctx context.Context, intent string, fn func(db *gorm.DB) error) error {
	// A query that can be cancelled costs a goroutine for each row. Reads are short, so only their start is cancelled.
	if err := ctx.Err(); err != nil {
		return s.failed(intent, err)
	}
	if err := fn(s.readers.WithContext(context.WithoutCancel(ctx))); err != nil {
		return s.failed(intent, err)
	}
	return nil
}

// failed says what was tried, and turns the database's own errors into those that callers test for.
func (s *Store) failed(intent string, err error) error {
	var refused sqlite3.Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		err = pieces.ErrNotFound
	case !errors.As(err, &refused):
	case refused.ExtendedCode == sqlite3.ErrConstraintUnique, refused.ExtendedCode == sqlite3.ErrConstraintPrimaryKey:
		err = pieces.ErrExists
	case refused.ExtendedCode == sqlite3.ErrConstraintForeignKey: // it names something that is not there
		err = pieces.ErrNotFound
	default:
		err = explain(s.path, err)
	}
	return fmt.Errorf("%s: %w", intent, err)
}

// damage is the error of a file that is no sound database.
type damage struct {
	cause error
	file  string
	copy  string // the newest copy beside it; empty when there is none
}

func (d *damage) Error() string {
	advice := "move it aside to begin anew"
	if d.copy != "" {
		advice = fmt.Sprintf("move it aside, and put a copy of %s in its place", d.copy)
	}
	return fmt.Sprintf("the file %s is damaged (%v), nothing was changed; quit Fermata, %s", d.file, d.cause, advice)
}

func (d *damage) Unwrap() error { return d.cause }

// explain adds the file and what to do to the errors of a damaged file. It passes others on.
func explain(path string, err error) error {
	var refused sqlite3.Error
	d := &damage{cause: err}
	if !errors.As(err, &d) {
		if !errors.As(err, &refused) || (refused.Code != sqlite3.ErrCorrupt && refused.Code != sqlite3.ErrNotADB) {
			return err
		}
	}
	d.file = path
	if copies := migrations.Backups(path); len(copies) > 0 {
		d.copy = copies[len(copies)-1]
	}
	return d
}

// hit says whether a conditional statement wrote its row. When it did not, the row of that id in the table of model is
// missing, or has another version.
func hit(tx, done *gorm.DB, model any, id string) error {
	if done.Error != nil || done.RowsAffected == 1 {
		return done.Error
	}
	if err := mustExist(tx, model, id); err != nil {
		return err
	}
	return pieces.ErrStale
}

func mustExist(tx *gorm.DB, model any, id string) error {
	there, err := exists(tx, model, id)
	if err == nil && !there {
		err = pieces.ErrNotFound
	}
	return err
}

func exists(tx *gorm.DB, model any, id string) (bool, error) {
	var n int64
	err := tx.Model(model).Where("id = ?", id).Count(&n).Error
	return n > 0, err
}
