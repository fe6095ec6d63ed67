package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// Backup writes a consistent copy of the database beside its file, with everything that was committed, and returns the
// copy's path: "<path>.before-0002", or "<path>.before-0002.2" and so on when there is one already. A copy is never
// overwritten, and it gets its name only once it is whole and on disk.
func (m Migration) Backup(ctx context.Context, db *sql.DB, path string) (string, error) {
	to, err := freeName(fmt.Sprintf("%s.before-%04d", path, m.Number))
	if err != nil {
		return "", fmt.Errorf("back up %s: %w", path, err)
	}
	part := to + ".part"
	if err := copyDatabase(ctx, db, part); err != nil {
		return "", errors.Join(fmt.Errorf("back up %s: %w", path, err), removeIfThere(part))
	}
	if err := os.Rename(part, to); err != nil {
		return "", fmt.Errorf("back up %s: %w", path, err)
	}
	return to, nil
}

// Backups lists the copies beside a database, the newest last.
func Backups(path string) []string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	name := regexp.MustCompile("^" + regexp.QuoteMeta(filepath.Base(path)) + `\.before-\d{4,}(\.\d+)?$`)
	var list []string
	for _, e := range entries {
		if name.MatchString(e.Name()) {
			list = append(list, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	return list
}

func freeName(name string) (string, error) {
	for n, try := 1, name; ; n++ {
		_, err := os.Lstat(try)
		if errors.Is(err, fs.ErrNotExist) {
			return try, nil
		}
		if err != nil {
			return "", err
		}
		try = name + "." + strconv.Itoa(n+1)
	}
}

// copyDatabase lets SQLite write the copy, so that it is consistent whatever the write-ahead log holds. SQLite takes an
// empty file as its target; making it here keeps it from other users.
func copyDatabase(ctx context.Context, db *sql.DB, to string) error {
	if err := removeIfThere(to); err != nil { // left by a start that was ended while copying
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // the content was synced
	if _, err := db.ExecContext(ctx, `VACUUM INTO ?`, to); err != nil {
		return err
	}
	return f.Sync()
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
