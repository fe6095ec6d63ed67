package agent

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const (
	configDirVariable = "CLAUDE_CONFIG_DIR"
	configName        = ".claude.json"
)

// loginFiles are what may hold a login, or the way to one, in Claude Code's folder.
var loginFiles = []string{".credentials.json", "settings.json"}

// loggedOut says whether Claude Code knows that nobody is logged in.
//
// The first claude command in a home makes the person's configuration there, without the lock that later ones take, and
// so may overwrite what a `claude mcp add` in a terminal writes in that moment. Such a home is asked about from a
// folder that is thrown away.
func (d *Driver) loggedOut(ctx context.Context, environ []string, claude string) bool {
	config, folder := configOf(environ)
	if _, err := os.Stat(config); errors.Is(err, fs.ErrNotExist) {
		away, err := os.MkdirTemp("", "fermata-login-")
		if err != nil {
			d.options.Log.Warn("ask Claude Code who is logged in", "err", err)
			return false
		}
		defer func() {
			if err := os.RemoveAll(away); err != nil {
				d.options.Log.Warn("remove the folder that Claude Code was asked in", "err", err)
			}
		}()
		if err := lend(folder, away); err != nil {
			// Asked without the login it would say that there is none.
			d.options.Log.Warn("ask Claude Code who is logged in", "err", err)
			return false
		}
		environ = append(slices.Clone(environ), configDirVariable+"="+away)
	}
	// The command's exit code is 1 when nobody is logged in, so only its words count; a version that lacks the command
	// says nothing, which is no reason to warn.
	out, _ := ask(ctx, environ, claude, "auth", "status")
	var status struct {
		LoggedIn *bool `json:"loggedIn"`
	}
	return json.Unmarshal(out, &status) == nil && status.LoggedIn != nil && !*status.LoggedIn
}

// configOf returns Claude Code's configuration file and its folder in an environment.
func configOf(environ []string) (file, folder string) {
	if dir := last(environ, configDirVariable); dir != "" {
		return filepath.Join(dir, configName), dir
	}
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	home := last(environ, name)
	return filepath.Join(home, configName), filepath.Join(home, ".claude")
}

// last is a variable's value; of several with one name the last counts.
func last(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, is := strings.CutPrefix(entry, name+"="); is {
			return value
		}
	}
	return ""
}

// lend links what may hold a login from folder into away: a copy would leave a secret in a second place.
func lend(folder, away string) error {
	for _, name := range loginFiles {
		path, err := filepath.Abs(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.Symlink(path, filepath.Join(away, name)); err != nil {
			return err
		}
	}
	return nil
}
