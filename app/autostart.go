package app

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// autostart has the desktop start this program when the person logs in. Each platform has its own way; all of them take the
// same command, and set is safe to repeat.
type autostart interface {
	set(on bool) error
}

// atLogin is what the desktop is told to run, as the engine wants it.
type atLogin struct{ way autostart }

// StartAtLogin makes the desktop start Fermata at login, or no longer.
func (a atLogin) StartAtLogin(on bool) error { return a.way.set(on) }

// newAtLogin prepares the start of this program with its data folder.
func newAtLogin(f folder, env func(string) string) (atLogin, error) {
	program, err := os.Executable()
	if err != nil {
		return atLogin{}, fmt.Errorf("find this program: %w", err)
	}
	// An AppImage runs from a place that is gone when it ends.
	if image := env("APPIMAGE"); image != "" {
		program = image
	}
	command := []string{program, "--" + hiddenFlag}
	usual, err := platformData(env)
	if err != nil || filepath.Clean(usual) != string(f) {
		command = append(command, "--data-dir", string(f))
	}
	way, err := platformAutostart(command, env)
	if err != nil {
		return atLogin{}, err
	}
	return atLogin{way}, nil
}

// startFile is the way of the desktops that start what a file in some folder names.
type startFile struct {
	path    string
	content []byte
}

func (s startFile) set(on bool) error {
	if !on {
		if err := os.Remove(s.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	if now, err := os.ReadFile(s.path); err == nil && bytes.Equal(now, s.content) {
		return nil
	}
	const folderMode, fileMode = 0o755, 0o644
	if err := os.MkdirAll(filepath.Dir(s.path), folderMode); err != nil {
		return err
	}
	return os.WriteFile(s.path, s.content, fileMode)
}
