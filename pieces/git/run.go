package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// grace is how long git gets to take its lock files away after it was told to end, and how long its pipes may stay open
// after it ended because a child of a hook holds them.
const grace = 2 * time.Second

// Error is a git call that did not succeed.
type Error struct {
	Args   []string // as given, without the settings that every call gets
	Stderr string
	Code   int   // exit code; -1 when git did not exit by itself
	Err    error // why, when git did not get to answer
}

// Error carries git's own last words.
func (e *Error) Error() string {
	name := "git"
	if len(e.Args) > 0 {
		name += " " + e.Args[0]
	}
	said := words(e.Stderr)
	switch {
	case e.Err != nil && said != "":
		return fmt.Sprintf("%s: %v (%s)", name, e.Err, said)
	case e.Err != nil:
		return fmt.Sprintf("%s: %v", name, e.Err)
	case said != "":
		return fmt.Sprintf("%s: %s", name, said)
	}
	return fmt.Sprintf("%s: exit code %d", name, e.Code)
}

// Unwrap gives the reason when git did not get to answer.
func (e *Error) Unwrap() error { return e.Err }

var (
	secret = regexp.MustCompile(`(\w+://)[^/\s@]+@`)
	prefix = regexp.MustCompile(`^(fatal|error|warning): `)
)

// maxSaid is how many of git's last lines an error carries.
const maxSaid = 4

// words takes the last lines that git wrote, without its hints and without passwords in URLs.
func words(stderr string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(stderr, "\r", "\n"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "hint:") {
			continue
		}
		lines = append(lines, prefix.ReplaceAllString(line, ""))
	}
	if len(lines) > maxSaid {
		lines = lines[len(lines)-maxSaid:]
	}
	said := []rune(strings.ToValidUTF8(strings.Join(lines, "; "), "\uFFFD"))
	if len(said) > 600 {
		said = said[len(said)-600:]
	}
	return secret.ReplaceAllString(string(said), "${1}")
}

// settings come with every call: what git prints must not depend on what the person configured, and nothing may be left
// running behind a call (a file watcher would hold a worktree's folder open, a background gc the output pipes).
var settings = []string{
	"-c", "core.quotePath=false",
	"-c", "color.ui=false",
	"-c", "core.fsmonitor=false",
	"-c", "gc.auto=0",
	"-c", "maintenance.auto=false",
}

// noHooks switches the repository's hooks off for one call.
var noHooks = []string{"-c", "core.hooksPath=/dev/null"}

// call is one git process.
type call struct {
	dir   string
	args  []string
	set   []string // further "-c key=value" settings
	env   []string // further variables
	stdin string
	write bool          // the call is meant to change something; reads take no optional lock
	limit time.Duration // 0: the limit of a read
	max   int           // 0: no limit; else the output is cut here and git is stopped
}

// read runs git in dir for what it prints.
func (g *Git) read(ctx context.Context, dir string, args ...string) (string, error) {
	return g.run(ctx, call{dir: dir, args: args})
}

// line runs git in dir for one line.
func (g *Git) line(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := g.read(ctx, dir, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// test runs git in dir for a yes (exit code 0) or no (exit code 1).
func (g *Git) test(ctx context.Context, dir string, args ...string) (bool, error) {
	_, err := g.read(ctx, dir, args...)
	if exitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// exitCode is git's exit code in err; 0 without error, -1 when git did not exit by itself.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	var failed *Error
	if errors.As(err, &failed) {
		return failed.Code
	}
	return -1
}

// run starts git in a process group of its own, waits for it, and ends the whole group when the time is over.
func (g *Git) run(ctx context.Context, c call) (string, error) {
	if c.limit == 0 {
		c.limit = g.limits.read
	}
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()

	args := append(append([]string{}, settings...), c.set...)
	cmd := exec.CommandContext(limited, g.program, append(args, c.args...)...)
	cmd.Dir = c.dir
	cmd.Env = append(g.clean(limited, !c.write), c.env...)
	if c.stdin != "" {
		cmd.Stdin = strings.NewReader(c.stdin)
	}
	out := &bounded{max: c.max}
	errs := &bounded{max: 1 << 20}
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.WaitDelay = grace
	group(cmd)

	err := cmd.Run()
	if limited.Err() != nil {
		killGroup(cmd)
	}
	if out.cut && limited.Err() == nil {
		return out.String(), nil
	}
	return out.String(), g.failure(ctx, limited, c, errs.String(), err)
}

// failure turns how the process ended into an *Error, or nil.
func (g *Git) failure(ctx, limited context.Context, c call, stderr string, err error) error {
	// ErrWaitDelay is git's success: only a child that a hook left behind still holds the pipes.
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	failed := &Error{Args: c.args, Stderr: stderr, Code: -1}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		failed.Err = ctx.Err()
	case limited.Err() != nil:
		failed.Err = fmt.Errorf("no end within %v: %w", c.limit, limited.Err())
	case errors.As(err, &exit):
		failed.Code = exit.ExitCode()
		if failed.Code < 0 {
			failed.Err = err
		}
	default:
		failed.Err = err
	}
	return failed
}

// bounded keeps what is written up to max bytes; more is an error, which ends the writer. Max 0 keeps everything.
type bounded struct {
	bytes.Buffer
	max int
	cut bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.max == 0 || b.Len()+len(p) <= b.max {
		return b.Buffer.Write(p)
	}
	b.cut = true
	b.Buffer.Write(p[:b.max-b.Len()])
	return 0, io.ErrShortWrite
}
