package agent

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"fermata/pieces"
)

// ErrNotInstalled says that there is no Claude Code to run; its text names the command that mends it.
var ErrNotInstalled error = advice(notInstalledSentence)

// advice is an error whose text is shown to the person as it is.
type advice string

func (a advice) Error() string { return string(a) }

// usualPlaces are where installers put claude, below the home folder or absolute. A desktop app's PATH often lacks them.
var usualPlaces = []string{
	".claude/local/claude", ".local/bin/claude", ".npm-global/bin/claude", ".npm-packages/bin/claude",
	"/usr/local/bin/claude", "/opt/homebrew/bin/claude", "AppData/Roaming/npm/claude.cmd", ".local/bin/claude.exe",
}

// find returns the path of claude: the setting's, which must then be right, or the first that is found.
func (d *Driver) find() (string, error) {
	if set := d.claude(); set != "" {
		path, err := exec.LookPath(set)
		if err != nil {
			return "", fmt.Errorf("find %s (the setting claude.path): %w", set, ErrNotInstalled)
		}
		return path, nil
	}
	if path, err := exec.LookPath("claude"); err == nil {
		return filepath.Abs(path)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "/"
	}
	for _, place := range usualPlaces {
		if !filepath.IsAbs(place) {
			place = filepath.Join(home, filepath.FromSlash(place))
		}
		if path, err := exec.LookPath(place); err == nil {
			return path, nil
		}
	}
	return "", ErrNotInstalled
}

const healthLimit = 20 * time.Second

// Health looks for Claude Code and asks it who is logged in, without the network. It returns the version where there is
// one, and what is wrong in a kind and a sentence that names the command to mend it; FailureNone when nothing is.
func (d *Driver) Health(ctx context.Context) (version string, kind pieces.FailureKind, sentence string) {
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	claude, err := d.find()
	if err != nil {
		return "", pieces.FailureNotInstalled, err.Error()
	}
	environ := clean(d.environ(), os.TempDir())
	out, err := ask(ctx, environ, claude, "--version")
	if err != nil {
		return "", pieces.FailureOther, fmt.Sprintf("Claude Code at %s does not run: %v.", claude, err)
	}
	version, _, _ = strings.Cut(strings.TrimSpace(string(out)), " ")
	if d.loggedOut(ctx, environ, claude) {
		return version, pieces.FailureNotLoggedIn, notLoggedInSentence
	}
	return version, pieces.FailureNone, ""
}

// ask runs a short command of claude outside every project.
func ask(ctx context.Context, environ []string, claude string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, claude, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = os.TempDir(), environ, time.Second
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	if words := firstLine(complaint.String()); err != nil && words != "" {
		err = fmt.Errorf("%s: %w", words, err)
	}
	return out.Bytes(), err
}
