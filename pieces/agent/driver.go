// Package agent runs Claude Code sessions as subprocesses and speaks their control protocol.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fermata/pieces"
	"fermata/pieces/agent/host"
)

// Options is what a Driver needs.
type Options struct {
	// Claude returns the setting claude.path; "" or a nil function means that claude is looked up.
	Claude func() string
	// Host is the command line that runs host.Serve.
	Host []string
	// Environ returns the app's environment; nil means the process's.
	Environ func() []string
	// CheckDir refuses a folder that is not the worktree it should be; nil accepts every folder.
	CheckDir func(ctx context.Context, dir string) error
	Log      *slog.Logger // nil discards
}

// Driver starts Claude Code sessions.
type Driver struct{ options Options }

// New returns a Driver.
func New(options Options) *Driver {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	return &Driver{options: options}
}

func (d *Driver) claude() string {
	if d.options.Claude == nil {
		return ""
	}
	return d.options.Claude()
}

func (d *Driver) environ() []string {
	if d.options.Environ == nil {
		return os.Environ()
	}
	return d.options.Environ()
}

// Start runs a session. The run ends when it is finished or stopped, when Claude Code ends by itself, or when ctx, the
// app's context, is done. emit gets the run's events in order from one goroutine, SessionEnd last; it may call the run's
// Send and Answer, but must not wait for the run's end. An error means that nothing was started and no event will come.
func (d *Driver) Start(ctx context.Context, launch pieces.Launch, emit func(pieces.SessionEvent)) (*Run, error) {
	if err := check(launch); err != nil {
		return nil, fmt.Errorf("start session %s: %w", launch.SessionID, err)
	}
	claude, err := d.find()
	if err != nil {
		return nil, fmt.Errorf("start session %s: %w", launch.SessionID, err)
	}
	if d.options.CheckDir != nil {
		if err := d.options.CheckDir(ctx, launch.Dir); err != nil {
			return nil, fmt.Errorf("start session %s: check %s: %w", launch.SessionID, launch.Dir, err)
		}
	}
	p, err := d.spawn(ctx, launch, claude)
	if err != nil {
		return nil, fmt.Errorf("start session %s: %w", launch.SessionID, err)
	}
	r := newRun(launch, p, d.options.Log.With("session", launch.SessionID))
	r.begin(ctx, emit)
	return r, nil
}

var sessionID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func check(launch pieces.Launch) error {
	switch {
	case !sessionID.MatchString(launch.SessionID):
		return errors.New("the session id is no UUID")
	case !filepath.IsAbs(launch.Dir):
		return fmt.Errorf("the folder %q is not absolute", launch.Dir)
	case launch.Schema != nil && !json.Valid(launch.Schema):
		return errors.New("the answer's schema is no JSON")
	case launch.Profile != "" && !slices.Contains(pieces.Profiles(), launch.Profile):
		return fmt.Errorf("the permission profile %q is unknown", launch.Profile)
	}
	return nil
}

// withheld are built-in tools that no session of ours gets: they would leave the worktree that we chose, or keep the
// session alive for a later time.
var withheld = []string{"EnterWorktree", "ExitWorktree", "CronCreate", "CronDelete", "CronList", "ScheduleWakeup"}

// touching are the built-in tools that a session which only reads does not get. Without Bash, Claude Code offers Glob
// and Grep instead.
var touching = []string{
	"Bash", "Edit", "MultiEdit", "Write", "NotebookEdit", "Workflow", "SendMessage", "Skill", "EnterPlanMode", "ExitPlanMode",
}

// arguments is Claude Code's command line. Everybody on the machine can read it, so the prompt, the system prompt and
// the schema go over stdin. A value is joined to its flag, so that it can't be taken for another flag.
func arguments(launch pieces.Launch) []string {
	args := []string{
		"-p", "--input-format=stream-json", "--output-format=stream-json", "--verbose",
		"--permission-prompt-tool=stdio", "--permission-mode=default",
	}
	if launch.Resume {
		args = append(args, "--resume="+launch.SessionID)
	} else {
		args = append(args, "--session-id="+launch.SessionID)
	}
	if launch.Model != "" {
		args = append(args, "--model="+launch.Model)
	}
	if launch.Effort != "" {
		args = append(args, "--effort="+launch.Effort)
	}
	for _, folder := range launch.Folders {
		args = append(args, "--add-dir="+folder)
	}
	if launch.BudgetUSD > 0 {
		args = append(args, "--max-budget-usd="+strconv.FormatFloat(launch.BudgetUSD, 'f', -1, 64))
	}
	removed := slices.Clone(withheld)
	if launch.ReadOnly {
		removed = append(removed, touching...)
		for _, tool := range writeTools {
			removed = append(removed, "mcp__fermata__"+tool)
		}
	}
	return append(args, "--disallowedTools="+strings.Join(removed, ","))
}

// spawned is a host that runs Claude Code, with our ends of its pipes.
type spawned struct {
	cmd            *exec.Cmd
	host           pieces.HostProcess
	stdin, control *os.File // we write
	stdout, stderr *os.File // we read
	reports        *json.Decoder
	reportPipe     *os.File
}

func (p *spawned) close() {
	for _, f := range []*os.File{p.stdin, p.control, p.stdout, p.stderr, p.reportPipe} {
		if f != nil {
			_ = f.Close()
		}
	}
}

const startLimit = 30 * time.Second

// spawn starts Claude Code under a host.
func (d *Driver) spawn(ctx context.Context, launch pieces.Launch, claude string) (*spawned, error) {
	p, err := d.under(ctx, launch.Dir, clean(d.environ(), launch.Dir), append([]string{claude}, arguments(launch)...))
	if err != nil {
		return nil, fmt.Errorf("start Claude Code: %w", err)
	}
	return p, nil
}

// under starts a command under a host and waits for the host's word that it runs.
func (d *Driver) under(ctx context.Context, dir string, env, command []string) (*spawned, error) {
	if len(d.options.Host) == 0 {
		return nil, errors.New("no agent host is configured")
	}
	p := &spawned{}
	theirs, err := p.open()
	defer func() {
		for _, f := range theirs {
			_ = f.Close()
		}
	}()
	if err != nil {
		p.close()
		return nil, fmt.Errorf("open pipes: %w", err)
	}
	// The host outlives ctx by as long as it takes to end what runs under it.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), d.options.Host[0], d.options.Host[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	cmd.Args = append(cmd.Args, host.Arrange(cmd, theirs[3], theirs[4])...)
	cmd.Args = append(append(cmd.Args, "--"), command...)
	cmd.Dir, cmd.Env = dir, env
	p.cmd = cmd
	if err := cmd.Start(); err != nil {
		p.close()
		return nil, fmt.Errorf("start agent host: %w", err)
	}
	for _, f := range theirs {
		_ = f.Close()
	}
	theirs = nil
	if err := p.await(ctx); err != nil {
		p.close() // the control pipe's end is the host's order to end everything
		_ = cmd.Wait()
		return nil, err
	}
	return p, nil
}

// open makes the pipes and returns the host's ends: stdin, stdout, stderr, control, report.
func (p *spawned) open() (theirs []*os.File, err error) {
	for _, ours := range []**os.File{&p.stdin, &p.stdout, &p.stderr, &p.control, &p.reportPipe} {
		read, write, err := os.Pipe()
		if err != nil {
			return theirs, err
		}
		if ours == &p.stdin || ours == &p.control {
			*ours, theirs = write, append(theirs, read)
		} else {
			*ours, theirs = read, append(theirs, write)
		}
	}
	p.reports = json.NewDecoder(p.reportPipe)
	return theirs, nil
}

func (p *spawned) await(ctx context.Context) error {
	_ = p.reportPipe.SetReadDeadline(time.Now().Add(startLimit))
	unhook := context.AfterFunc(ctx, func() { _ = p.reportPipe.SetReadDeadline(time.Now()) })
	var first host.Report
	err := p.reports.Decode(&first)
	if !unhook() {
		return ctx.Err()
	}
	switch {
	case errors.Is(err, io.EOF):
		words := make([]byte, 512)
		_ = p.stderr.SetReadDeadline(time.Now().Add(time.Second))
		n, _ := p.stderr.Read(words)
		return fmt.Errorf("start agent host: it ended at once: %s", firstLine(string(words[:n])))
	case err != nil:
		return fmt.Errorf("start agent host: no word from it: %w", err)
	case first.Started == nil:
		return errors.New(first.Failed)
	}
	p.host = first.Started.Process()
	return p.reportPipe.SetReadDeadline(time.Time{})
}
