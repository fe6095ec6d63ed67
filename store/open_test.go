package store

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/store/migrations"
)

// twoSteps are the schema of this build as a first step, since rows are written as this build does, and one more.
func twoSteps(t *testing.T) []migrations.Migration {
	t.Helper()
	list, err := migrations.All()
	must(t, err)
	first := migrations.Migration{Number: 1, Name: "first"}
	for _, m := range list {
		first.SQL += m.SQL
	}
	return append([]migrations.Migration{first}, migrations.Migration{
		Number: 2, Name: "second",
		SQL: `ALTER TABLE settings ADD COLUMN note TEXT NOT NULL DEFAULT ''; CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT;`,
	})
}

// oldDatabase makes a database of the first step, with something in it, that is closed again.
func oldDatabase(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fermata.db")
	s, err := open(context.Background(), Options{Path: path}, twoSteps(t)[:1])
	must(t, err)
	addProject(t, s, "p")
	release(t, s, "p", "a")
	must(t, s.Close())
	return path
}

func TestACopyIsKeptBeforeAnExistingDatabaseIsMigrated(t *testing.T) {
	t.Parallel()
	path := oldDatabase(t)
	same(t, "copies of a new database", migrations.Backups(path), []string(nil))
	must(t, os.WriteFile(path+".before-0002", []byte("of an earlier day"), 0o600))

	s, err := open(t.Context(), Options{Path: path}, twoSteps(t))
	must(t, err)
	_, err = s.Piece(t.Context(), "a")
	must(t, err)
	must(t, s.writer.Exec("INSERT INTO extra VALUES (1)").Error)
	must(t, s.Close())
	same(t, "copies", migrations.Backups(path), []string{path + ".before-0002", path + ".before-0002.2"})
	kept, err := os.ReadFile(path + ".before-0002")
	must(t, err)
	same(t, "the earlier copy", string(kept), "of an earlier day")

	copied, err := open(t.Context(), Options{Path: path + ".before-0002.2"}, twoSteps(t)[:1])
	must(t, err)
	_, err = copied.Piece(t.Context(), "a")
	must(t, err)
	must(t, copied.Close())

	again, err := open(t.Context(), Options{Path: path}, twoSteps(t))
	must(t, err)
	must(t, again.Close())
	if list := migrations.Backups(path); len(list) != 2 {
		t.Errorf("after a start without a migration: %v", list)
	}
}

// The copy must hold what is only in the write-ahead log: that is where the newest changes are after a crash.
func TestTheCopyHoldsWhatTheLogHolds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "fermata.db")
	s, err := open(t.Context(), Options{Path: path}, twoSteps(t)[:1])
	must(t, err)
	addProject(t, s, "p")
	crashed := filepath.Join(t.TempDir(), "fermata.db")
	for _, end := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + end)
		must(t, err)
		must(t, os.WriteFile(crashed+end, b, 0o600))
	}
	must(t, s.Close())
	s, err = open(t.Context(), Options{Path: crashed}, twoSteps(t))
	must(t, err)
	must(t, s.Close())
	copied, err := open(t.Context(), Options{Path: crashed + ".before-0002"}, twoSteps(t)[:1])
	must(t, err)
	_, err = copied.Project(t.Context(), "p")
	must(t, err)
	must(t, copied.Close())
}

func TestAFailedMigrationChangesNothing(t *testing.T) {
	t.Parallel()
	for what, bad := range map[string]string{
		"broken SQL":       "CREATE TABLE extra (id INTEGER PRIMARY KEY); DROP TABLE nothing;",
		"broken reference": "DELETE FROM projects;",
	} {
		path := oldDatabase(t)
		list := twoSteps(t)
		list[1].SQL = bad
		_, err := open(t.Context(), Options{Path: path}, list)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "0002 second") {
			t.Errorf("%s: got %v", what, err)
		}
		s, err := open(t.Context(), Options{Path: path}, twoSteps(t))
		must(t, err)
		_, err = s.Piece(t.Context(), "a")
		must(t, err)
		must(t, s.Close())
		same(t, what+": copies", migrations.Backups(path), []string{path + ".before-0002"})
	}
}

func TestAnUnusableDatabaseIsNamedAndLeftAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what  string
		spoil func(path string)
		says  []string
	}{
		{"newer", func(path string) {
			s, err := open(context.Background(), Options{Path: path}, twoSteps(t))
			must(t, err)
			must(t, s.Close())
			must(t, os.Remove(path+".before-0002"))
		}, []string{"newer Fermata", "0002", "start the newer version"}},
		{"not a database", func(path string) {
			must(t, os.WriteFile(path, bytes.Repeat([]byte("no database "), 1000), 0o600))
		}, []string{"damaged", "move it aside"}},
		{"damaged within, with a copy", func(path string) {
			b, err := os.ReadFile(path)
			must(t, err)
			for i := 4096; i < len(b); i += 4096 {
				copy(b[i:], bytes.Repeat([]byte{0xa5}, 512))
			}
			must(t, os.WriteFile(path, b, 0o600))
			must(t, os.WriteFile(path+".before-0001", nil, 0o600))
		}, []string{"damaged", ".before-0001"}},
		{"cut", func(path string) { must(t, os.Truncate(path, 8192)) }, []string{"damaged"}},
		{"another program's", func(path string) {
			must(t, os.Remove(path))
			db, err := sql.Open("sqlite3", path)
			must(t, err)
			_, err = db.Exec("CREATE TABLE t (x)")
			must(t, err)
			must(t, db.Close())
		}, []string{"another program"}},
	} {
		path := oldDatabase(t)
		c.spoil(path)
		before, err := os.ReadFile(path)
		must(t, err)
		_, err = open(t.Context(), Options{Path: path}, twoSteps(t)[:1])
		if err == nil {
			t.Errorf("%s: was opened", c.what)
			continue
		}
		for _, says := range append(c.says, path, "nothing was changed") {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %q is not in: %v", c.what, says, err)
			}
		}
		after, err := os.ReadFile(path)
		must(t, err)
		if !bytes.Equal(before, after) {
			t.Errorf("%s: the file was changed", c.what)
		}
	}
}

func TestAFolderIsNoDatabase(t *testing.T) {
	t.Parallel()
	for _, path := range []string{t.TempDir(), ""} {
		if _, err := Open(t.Context(), Options{Path: path}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: got %v", path, err)
		}
	}
}

func TestOtherUsersAreKeptOut(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	folder := filepath.Join(t.TempDir(), "a b%20c?d#e", "ü")
	path := filepath.Join(folder, "fermata.db")
	for range 2 { // made, then found with loose rights
		s, err := Open(t.Context(), Options{Path: path})
		must(t, err)
		must(t, s.SetSetting(t.Context(), "k", "v"))
		for file, want := range map[string]os.FileMode{folder: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
			info, err := os.Stat(file)
			must(t, err)
			if info.Mode().Perm() != want {
				t.Errorf("%s has %v", file, info.Mode().Perm())
			}
		}
		must(t, s.Close())
		must(t, os.Chmod(path, 0o644))   //nolint:gosec // the loose rights
		must(t, os.Chmod(folder, 0o755)) //nolint:gosec // the loose rights
	}
}

func TestTwoOpensOfOneFileReadOneAnother(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "fermata.db")
	one, err := Open(t.Context(), Options{Path: path})
	must(t, err)
	addProject(t, one, "p")
	release(t, one, "p", "a")
	two, err := Open(t.Context(), Options{Path: path})
	must(t, err)
	p, err := one.Piece(t.Context(), "a")
	must(t, err)
	_, err = two.Apply(t.Context(), pieces.Change{Piece: p.Piece})
	must(t, err)
	_, err = one.Apply(t.Context(), pieces.Change{Piece: p.Piece})
	wantErr(t, "the other's change", err, pieces.ErrStale)
	must(t, one.Close())
	must(t, two.Close())
}

func TestReadersCannotWriteAndTheWriterWaitsForTheDisk(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if err := s.readers.Exec("DELETE FROM settings").Error; err == nil {
		t.Error("a reader wrote")
	}
	for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal", "foreign_keys": "1", "busy_timeout": "5000"} {
		var got string
		must(t, s.writer.Raw("PRAGMA "+pragma).Scan(&got).Error)
		if got != want {
			t.Errorf("%s is %s", pragma, got)
		}
	}
}
