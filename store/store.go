// Package store keeps pieces, sessions and settings in a SQLite database.
//
// There is one connection that writes and a pool that only reads. Every method is one transaction: a read sees one moment,
// a write happens wholly or not at all, and watchers are woken after it is on disk. All methods are safe for concurrent use.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gorm.io/gorm"

	"fermata/pieces/signal"
	"fermata/store/migrations"
)

// Options is what a Store is made of. Only Path is needed.
type Options struct {
	// Path is the database's file, made when it is missing. Its folder belongs to Fermata alone: both are closed to other users.
	Path string
	Log  *slog.Logger     // nowhere when nil
	Now  func() time.Time // time.Now when nil
}

// Store is an open database.
type Store struct {
	path    string
	now     func() time.Time
	hub     signal.Hub
	writer  *gorm.DB
	readers *gorm.DB
	known   known
	answers answers
}

// Open opens the database and brings its schema up to date, keeping a copy of it beside it before each change. A damaged
// file, one of a newer Fermata and one of another program are refused and left as they are.
func Open(ctx context.Context, o Options) (*Store, error) {
	list, err := migrations.All()
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", o.Path, err)
	}
	return open(ctx, o, list)
}

// Close ends all connections. Calls that still run fail.
func (s *Store) Close() error {
	err := errors.Join(closePool(s.readers), closePool(s.writer)) // the last to go folds the write-ahead log into the file
	if err != nil {
		return fmt.Errorf("close database %s: %w", s.path, err)
	}
	return nil
}

// Revision counts the writes, but not those of transcripts: whatever else is read is the same as long as it is.
func (s *Store) Revision() int64 {
	_, write := s.answers.to(nil, ofAll)
	return write
}

// Watch returns a wake for every committed change, and the function that ends it.
func (s *Store) Watch() (<-chan struct{}, func()) { return s.hub.Watch() }

func closePool(g *gorm.DB) error {
	if g == nil {
		return nil
	}
	db, err := g.DB()
	if err != nil {
		return err
	}
	return db.Close()
}
