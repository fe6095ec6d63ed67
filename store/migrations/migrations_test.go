package migrations

import (
	"fmt"
	"testing"
)

func TestMigrationsAreNumberedWithoutAGap(t *testing.T) {
	t.Parallel()
	list, err := All()
	if err != nil || len(list) == 0 {
		t.Fatalf("got %d migrations: %v", len(list), err)
	}
	for i, m := range list {
		if m.Number != i+1 || m.Name == "" || m.SQL == "" {
			t.Errorf("migration %d is %04d %q", i+1, m.Number, m.Name)
		}
		if _, err := files.ReadFile(fmt.Sprintf("%04d_%s.sql", m.Number, m.Name)); err != nil {
			t.Error(err)
		}
	}
}
