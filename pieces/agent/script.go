package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"fermata/pieces/agent/host"
)

// ScriptLimit is how long a project's script may take.
const ScriptLimit = 5 * time.Minute

// Script runs a project's script in dir and returns the end of what it printed. The script runs under a host as agents do,
// so that nothing of it lives on; it has no input, no secret of ours, and at most ScriptLimit. The error says in one
// sentence how it went wrong; ctx ends the script.
func (d *Driver) Script(ctx context.Context, dir, script string) (output string, err error) {
	return d.script(ctx, dir, script, ScriptLimit)
}

func (d *Driver) script(ctx context.Context, dir, script string, limit time.Duration) (string, error) {
	folder, err := os.MkdirTemp("", "fermata-script-")
	if err != nil {
		return "", fmt.Errorf("write the script: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	command, err := scriptCommand(folder, script)
	if err != nil {
		return "", fmt.Errorf("write the script: %w", err)
	}
	p, err := d.under(ctx, dir, withoutSecrets(clean(d.environ(), dir)), command)
	if err != nil {
		return "", fmt.Errorf("start the script: %w", err)
	}
	return attend(ctx, p, limit)
}

// scriptCommand writes the script to a file and returns what runs it: the interpreter of its first line, else the shell,
// which stops at the first command that fails.
func scriptCommand(folder, script string) ([]string, error) {
	script = strings.ReplaceAll(script, "\r\n", "\n")
	if !strings.HasSuffix(script, "\n") {
		script += "\n"
	}
	if runtime.GOOS == "windows" {
		file := filepath.Join(folder, "setup.cmd")
		return []string{"cmd", "/d", "/c", file}, os.WriteFile(file, []byte(strings.ReplaceAll(script, "\n", "\r\n")), 0o600)
	}
	file := filepath.Join(folder, "setup")
	if strings.HasPrefix(script, "#!") {
		return []string{file}, os.WriteFile(file, []byte(script), 0o700) //nolint:gosec // it is there to be run
	}
	return []string{"/bin/sh", "-e", file}, os.WriteFile(file, []byte(script), 0o600)
}

// secrets begin the names of variables that agents need and a project's script does not.
var secrets = []string{"ANTHROPIC_", "CLAUDE_", "GITHUB_TOKEN=", "GH_TOKEN=", "LINEAR_API_KEY=", "AWS_SECRET_ACCESS_KEY=", "AWS_SESSION_TOKEN="}

func withoutSecrets(environ []string) []string {
	var kept []string
	for _, entry := range environ {
		secret := false
		for _, name := range secrets {
			secret = secret || strings.HasPrefix(entry, name)
		}
		if !secret {
			kept = append(kept, entry)
		}
	}
	return kept
}

// attend waits for a script's end, brings it about when its time is over, and reads what it printed meanwhile.
func attend(ctx context.Context, p *spawned, limit time.Duration) (string, error) {
	defer p.close()
	_ = p.stdin.Close()
	var said tail
	var reading sync.WaitGroup
	for _, pipe := range []io.Reader{p.stdout, p.stderr} {
		reading.Go(func() { said.read(pipe) })
	}
	gone := make(chan struct{})
	var exit *int
	var left []host.Survivor
	go func() {
		defer close(gone)
		exit, left = lastReports(p.reports)
		_ = p.cmd.Wait()
	}()
	cut := endInTime(ctx, p, limit, gone)
	deadline := time.Now().Add(drainLimit)
	for _, f := range []*os.File{p.stdout, p.stderr} {
		_ = f.SetReadDeadline(deadline)
	}
	reading.Wait()
	switch {
	case cut != nil && ctx.Err() != nil:
		return said.String(), cut
	case cut != nil:
		return said.String(), fmt.Errorf("it took longer than %v and was ended", limit)
	case exit == nil:
		return said.String(), errors.New("its host ended before it")
	case *exit != 0:
		return said.String(), fmt.Errorf("it ended with exit code %d", *exit)
	case len(left) > 0:
		return said.String(), fmt.Errorf("a process of it could not be ended: %s", left[0].Command)
	}
	return said.String(), nil
}

func lastReports(reports *json.Decoder) (exit *int, left []host.Survivor) {
	for {
		var r host.Report
		if err := reports.Decode(&r); err != nil {
			return exit, left
		}
		if r.Exit != nil {
			exit = r.Exit
		}
		if r.Left != nil {
			left = *r.Left
		}
	}
}

// endInTime waits until the host is gone; the error says why it was told to end.
func endInTime(ctx context.Context, p *spawned, limit time.Duration, gone <-chan struct{}) error {
	clock := time.NewTimer(limit)
	defer clock.Stop()
	var why error
	select {
	case <-gone:
		return nil
	case <-clock.C:
		why = context.DeadlineExceeded
	case <-ctx.Done():
		why = context.Cause(ctx)
	}
	_ = json.NewEncoder(p.control).Encode(host.Order{Do: "stop", GraceMs: termGrace.Milliseconds()})
	last := time.NewTimer(termGrace + hostLimit)
	defer last.Stop()
	select {
	case <-gone:
	case <-last.C:
		_ = p.cmd.Process.Kill()
		<-gone
		_ = host.EndStale(context.WithoutCancel(ctx), p.host)
	}
	return why
}
