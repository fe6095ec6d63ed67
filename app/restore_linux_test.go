package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fermata/app/apptest"
)

func TestTheRunningAppRestoresForTheCommandLine(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, apptest.Options{Bus: apptest.BusNone})
	p := donePiece(t, string(r.data), "mine.txt", "mine")
	r.start()
	if out, code := r.fermata("restore", "list", p.ID); code != 0 || !strings.Contains(out, p.ID) {
		t.Errorf("restore list: %d %s", code, out)
	}
	out, code := r.fermata("restore", p.Branch)
	if code != 0 || !strings.Contains(out, p.Worktree) {
		t.Fatalf("restore: %d %s", code, out)
	}
	if text, err := os.ReadFile(filepath.Join(p.Worktree, "mine.txt")); err != nil || string(text) != "mine" {
		t.Errorf("the file is %q, %v", text, err)
	}
	if out, code := r.fermata("restore", "nobody"); code != 1 {
		t.Errorf("an unknown piece: %d %s", code, out)
	}
	r.repo.Git("switch", "-q", "--detach")
	if out, code := r.fermata("doctor", r.repo.Path); code != 1 || !strings.Contains(out, "git switch main") {
		t.Errorf("doctor: %d %s", code, out)
	}
}
