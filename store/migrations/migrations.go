// Package migrations holds the numbered changes of the database's schema and carries them out.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed *.sql
var files embed.FS

// ApplicationID marks a SQLite file as Fermata's ("Ferm" in ASCII).
const ApplicationID = 0x4665726d

// Migration is one step of the schema. Once released it never changes.
type Migration struct {
	Number int // from 1
	Name   string
	SQL    string
}

// All lists the migrations of this build in their order.
func All() ([]Migration, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	var list []Migration
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, fmt.Errorf("read migration %s: %w", e.Name(), err)
		}
		digits, name, _ := strings.Cut(strings.TrimSuffix(e.Name(), ".sql"), "_")
		number, err := strconv.Atoi(digits)
		if err != nil {
			return nil, fmt.Errorf("read migration %s: its name does not start with a number", e.Name())
		}
		list = append(list, Migration{Number: number, Name: name, SQL: string(text)})
	}
	slices.SortFunc(list, func(a, b Migration) int { return a.Number - b.Number })
	return list, nil
}

// Applied lists the numbers of the migrations that a database went through, in order; none for an empty database.
func Applied(ctx context.Context, db *sql.DB) ([]int, error) {
	var tables int
	err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'`).Scan(&tables)
	if err != nil || tables == 0 {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT number FROM migrations ORDER BY number`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says all there is to say
	var applied []int
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		applied = append(applied, n)
	}
	return applied, rows.Err()
}

// Run carries the migration out and books it, in one transaction. The connection must not enforce foreign keys, so that a
// table can be rebuilt; they are checked before the commit instead.
func (m Migration) Run(ctx context.Context, db *sql.DB, now time.Time) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("run migration %04d %s: %w", m.Number, m.Name, err)
	}
	defer tx.Rollback() //nolint:errcheck // does nothing after a commit; before it, the first error counts
	if err := m.steps(ctx, tx, now); err != nil {
		return fmt.Errorf("run migration %04d %s: %w", m.Number, m.Name, err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit migration %04d %s: %w", m.Number, m.Name, err)
	}
	return nil
}

func (m Migration) steps(ctx context.Context, tx *sql.Tx, now time.Time) error {
	book := `CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT`
	mark := fmt.Sprintf("PRAGMA application_id = %d", ApplicationID)
	for _, statement := range []string{book, mark, m.SQL} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)`,
		m.Number, m.Name, now.UTC().Format(time.RFC3339))
	if err != nil {
		return err
	}
	return checkReferences(ctx, tx)
}

func checkReferences(ctx context.Context, tx *sql.Tx) error {
	var broken int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM pragma_foreign_key_check`).Scan(&broken); err != nil {
		return err
	}
	if broken > 0 {
		return fmt.Errorf("it would leave %d rows that refer to nothing", broken)
	}
	return nil
}
