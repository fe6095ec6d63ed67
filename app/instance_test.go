package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestASocketFolderThatOthersCanEnterIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // there are no permission bits, and the socket is in the data folder
	}
	t.Setenv("TMPDIR", t.TempDir())
	f := folder(filepath.Join(t.TempDir(), strings.Repeat("long", 30)))
	dir := filepath.Dir(f.socket())
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // what the test is about
		t.Fatal(err)
	}
	if l, err := listen(f, slog.New(slog.DiscardHandler), nil, nil); err == nil {
		l.close()
		t.Error("the app listens where others can enter")
	}
	if err := os.WriteFile(f.socket(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tell(context.Background(), f, order{Do: orderShow}, nil); err == nil || !strings.Contains(err.Error(), "open to other users") {
		t.Errorf("the command line asks whoever is there: %v", err)
	}
}
