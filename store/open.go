package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"fermata/store/migrations"
)

const (
	maxReaders = 4
	// wholeCheck is the size in bytes up to which a database is checked page by page at every start; a larger one only
	// before a migration, since it would hold up the start.
	wholeCheck = 64 << 20
)

// How the three kinds of connection are opened. FULL makes a commit outlive a power cut; immediate transactions wait for
// one another instead of failing halfway. What readers cache, in KiB each, is little: what they read is kept by the Store, and the
// file by the system.
const (
	asWriter   = "mode=rw&_journal_mode=WAL&_synchronous=FULL&_txlock=immediate&_busy_timeout=5000&_foreign_keys=on"
	asMigrator = "mode=rw&_journal_mode=WAL&_synchronous=FULL&_txlock=immediate&_busy_timeout=5000&_foreign_keys=off"
	asReader   = "mode=ro&_query_only=on&_txlock=deferred&_busy_timeout=5000&_foreign_keys=on&_cache_size=-500"
)

func open(ctx context.Context, o Options, list []migrations.Migration) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s, err := openAt(ctx, o, list)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", o.Path, err)
	}
	return s, nil
}

func openAt(ctx context.Context, o Options, list []migrations.Migration) (*Store, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil || o.Path == "" {
		return nil, errors.Join(errors.New("its path is not usable"), err)
	}
	applied, err := inspect(ctx, path, list)
	if err != nil {
		return nil, err
	}
	if err := closeToOthers(path); err != nil {
		return nil, err
	}
	if err := migrate(ctx, o, path, applied, list); err != nil {
		return nil, err
	}
	s := &Store{path: path, now: o.Now}
	if s.writer, err = pool(path, asWriter, 1); err == nil {
		err = noteTouched(s.writer)
	}
	if err == nil {
		s.readers, err = pool(path, asReader, maxReaders)
	}
	if err == nil {
		// On macOS a plain sync leaves the data in the drive's cache; elsewhere this changes nothing.
		err = s.writer.WithContext(ctx).Exec("PRAGMA fullfsync = ON").Error
	}
	if err != nil {
		return nil, errors.Join(err, closePool(s.writer), closePool(s.readers))
	}
	return s, nil
}

// inspect looks at an existing database without writing to it, and returns the migrations it went through. A file that
// is missing or empty went through none.
func inspect(ctx context.Context, path string, list []migrations.Migration) ([]int, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file; move it aside and start again")
	}
	if info.Size() == 0 {
		return nil, nil
	}
	db, err := connect(path, "mode=ro&_query_only=on&_busy_timeout=5000")
	if err != nil {
		return nil, err
	}
	defer db.Close() //nolint:errcheck // nothing was written
	applied, err := recognise(ctx, db, list)
	if err != nil {
		return nil, explain(path, err)
	}
	if info.Size() <= wholeCheck || len(applied) < len(list) {
		err = checkPages(ctx, db)
	}
	return applied, explain(path, err)
}

// recognise says which migrations the database went through, or that it is not one this Fermata can use.
func recognise(ctx context.Context, db *sql.DB, list []migrations.Migration) ([]int, error) {
	var application, tables int
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&application); err != nil {
		return nil, err
	}
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return nil, err
	}
	if tables == 0 && application == 0 {
		return nil, nil
	}
	if application != migrations.ApplicationID {
		return nil, errors.New("it is the database of another program, nothing was changed; move it aside or choose another folder")
	}
	applied, err := migrations.Applied(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, n := range applied {
		if !slices.ContainsFunc(list, func(m migrations.Migration) bool { return m.Number == n }) {
			return nil, fmt.Errorf("it was last opened by a newer Fermata (its schema has step %04d, which this version does not know), "+
				"nothing was changed; start the newer version, or move the file aside to begin anew", n)
		}
	}
	return applied, nil
}

func checkPages(ctx context.Context, db *sql.DB) error {
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return &damage{cause: errors.New(strings.Join(strings.Fields(verdict), " "))}
	}
	return nil
}

// closeToOthers makes the folder and the file where they are missing, and takes other users' rights away. SQLite gives
// the log files that it makes the rights of the database. An existing file is not opened: closing it again would end the
// locks of a connection of this process.
func closeToOthers(path string) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Chmod(file, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Chmod(folder, 0o700) //nolint:gosec // a folder
}

func migrate(ctx context.Context, o Options, path string, applied []int, list []migrations.Migration) error {
	if len(applied) == len(list) {
		return nil
	}
	db, err := connect(path, asMigrator)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // every migration was committed or rolled back
	for _, m := range list {
		if slices.Contains(applied, m.Number) {
			continue
		}
		saved := ""
		if len(applied) > 0 {
			if saved, err = m.Backup(ctx, db, path); err != nil {
				return err
			}
		}
		if err := m.Run(ctx, db, o.Now()); err != nil {
			if saved != "" { // it was rolled back, so the copy is what the database still is
				err = errors.Join(err, os.Remove(saved))
			}
			return err
		}
		o.Log.InfoContext(ctx, "database migrated", "number", m.Number, "name", m.Name, "copy", saved)
	}
	return nil
}

func pool(path, how string, size int) (*gorm.DB, error) {
	db, err := connect(path, how)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	g, err := gorm.Open(sqlite.New(sqlite.Config{Conn: db}), &gorm.Config{
		SkipDefaultTransaction: true, DisableAutomaticPing: true, Logger: logger.Discard,
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return g, nil
}

// connect opens a pool of one connection.
func connect(path, how string) (*sql.DB, error) {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") { // a drive letter
		slashed = "/" + slashed
	}
	db, err := sql.Open(sqlite.DriverName, "file:"+(&url.URL{Path: slashed}).EscapedPath()+"?"+how)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}
