package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
)

// folder is where Fermata keeps its data; every path in it is made from here.
type folder string

func (f folder) database() string  { return filepath.Join(string(f), "fermata.db") }
func (f folder) lock() string      { return filepath.Join(string(f), "fermata.lock") }
func (f folder) worktrees() string { return filepath.Join(string(f), "worktrees") }
func (f folder) attached() string  { return filepath.Join(string(f), "attachments") }
func (f folder) gitLocks() string  { return filepath.Join(string(f), "locks") }
func (f folder) token() string     { return filepath.Join(string(f), "mcp-token") }
func (f folder) logFile() string   { return filepath.Join(string(f), "fermata.log") }
func (f folder) audit() string     { return filepath.Join(string(f), "audit.jsonl") }
func (f folder) icon() string      { return filepath.Join(string(f), "icon.png") }
func (f folder) crash() string     { return filepath.Join(string(f), "crash.txt") }
func (f folder) fonts() string     { return filepath.Join(string(f), "cache") }

// maxSocketPath is the shortest limit that a platform has for a socket's path.
const maxSocketPath = 100

// socket is where the running app listens for the command line. A path that is too long for a socket is replaced by one
// of the same folder's in the temporary folder.
func (f folder) socket() string {
	path := filepath.Join(string(f), "fermata.sock")
	if len(path) <= maxSocketPath {
		return path
	}
	sum := sha256.Sum256([]byte(f))
	return filepath.Join(os.TempDir(), fmt.Sprintf("fermata-%d-%s", os.Getuid(), hex.EncodeToString(sum[:8])), "s")
}

// dataFolder returns the data folder, made for this user alone: the flag's, FERMATA_DATA_DIR's, or the platform's.
func dataFolder(flag string, env func(string) string) (folder, error) {
	dir := flag
	if dir == "" {
		dir = env("FERMATA_DATA_DIR")
	}
	if dir == "" {
		var err error
		if dir, err = platformData(env); err != nil {
			return "", err
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the data folder: %w", err)
	}
	// Git names worktrees by their real path, so ours are kept under one too.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", fmt.Errorf("find the data folder: %w", err)
	}
	return folder(dir), nil
}

func platformData(env func(string) string) (string, error) {
	switch runtime.GOOS {
	case "darwin", "windows":
		dir, err := os.UserConfigDir()
		if err != nil {
			return "", fmt.Errorf("find the data folder: %w", err)
		}
		return filepath.Join(dir, "Fermata"), nil
	}
	if dir := env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "fermata"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w", err)
	}
	return filepath.Join(home, ".local", "share", "fermata"), nil
}

// maxLog is how large the log file may be when the program starts, in bytes.
const maxLog = 10 << 20

// newLog returns the log, written to standard error and to a file in the data folder.
func newLog(level string, f folder) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, usage("--log-level takes debug, info, warn or error, not %q", level)
	}
	var out io.Writer = os.Stderr
	if info, err := os.Stat(f.logFile()); err == nil && info.Size() > maxLog {
		// The last log is kept beside the new one, and the one before it goes: a log must not fill the disk.
		if err := os.Rename(f.logFile(), f.logFile()+".1"); err != nil {
			return nil, fmt.Errorf("put the old log aside: %w", err)
		}
	}
	file, err := os.OpenFile(f.logFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		out = io.MultiWriter(os.Stderr, file)
	}
	log := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: l}))
	if err != nil {
		log.Warn("write the log file", "err", err)
	}
	return log, nil
}
