package piecestest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// claudeInModule is where `make test` puts the pinned Claude Code, from the module's root.
const claudeInModule = ".cache/npm/node_modules/@anthropic-ai/claude-code-linux-x64/claude"

// Claude is the path of the real Claude Code that tests drive; the test fails when there is none.
func Claude(tb testing.TB) string {
	tb.Helper()
	path, err := FindClaude()
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// FindClaude is the path in FERMATA_TEST_CLAUDE, or else the Claude Code installed in the module's cache folder.
func FindClaude() (string, error) {
	if path := os.Getenv("FERMATA_TEST_CLAUDE"); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("find Claude Code for tests (FERMATA_TEST_CLAUDE): %w", err)
		}
		return path, nil
	}
	root, err := moduleRoot()
	if err != nil {
		return "", fmt.Errorf("find Claude Code for tests: %w", err)
	}
	path := filepath.Join(root, filepath.FromSlash(claudeInModule))
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("find Claude Code for tests (run make test, which installs it): %w", err)
	}
	return path, nil
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = parent
	}
}

// ClaudeEnv is the whole environment for a Claude Code that knows nothing of this machine's user: a home of its own, the
// scripted model, no traffic beside it, and two retries instead of ten.
func ClaudeEnv(home, modelURL string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + home,
		"LANG=C.UTF-8",
		"TERM=dumb",
		"ANTHROPIC_BASE_URL=" + modelURL,
		"ANTHROPIC_API_KEY=dummy",
		"CLAUDE_CODE_MAX_RETRIES=2",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_ERROR_REPORTING=1",
	}
}
