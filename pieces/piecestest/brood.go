package piecestest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Brood is a shell command that starts descendants of each stubborn kind, all of which carry the mark in their command line,
// makes the file ready, and waits.
func Brood(mark, ready string) string {
	return strings.NewReplacer("MARK", mark, "READY", ready).Replace(`
setsid sh -c 'while :; do sleep 1; done; : MARK' >/dev/null 2>&1 &
nohup sh -c 'while :; do sleep 1; done; : MARK' >/dev/null 2>&1 &
sh -c 'trap "" TERM HUP INT; : >READY.trap; while :; do sleep 1; done; : MARK' >/dev/null 2>&1 &
(setsid sh -c '(setsid sh -c "while :; do sleep 1; done; : MARK" &) ; exit 0' >/dev/null 2>&1)
until [ -e READY.trap ]; do sleep 0.05; done
: >READY
sleep 100`)
}

// Marked counts the living processes with the mark in their command line, this one apart.
func Marked(tb testing.TB, mark string) int {
	tb.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		tb.Fatal(err)
	}
	n := 0
	for _, path := range paths {
		if line, err := os.ReadFile(path); err == nil && bytes.Contains(line, []byte(mark)) {
			n++
		}
	}
	return n
}
