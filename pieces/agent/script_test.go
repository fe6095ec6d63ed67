package agent

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// scripts is a driver whose host is the test binary.
func scripts(t *testing.T, environ ...string) *Driver {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Host: []string{self, "agent-host"}, Environ: func() []string {
		return append([]string{"PATH=" + os.Getenv("PATH")}, environ...)
	}})
}

func TestAScriptRunsInItsFolderWithoutOurSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := scripts(t, "ANTHROPIC_API_KEY=sk-1", "GITHUB_TOKEN=gh-1", "FERMATA_MCP_TOKEN=f-1", "GIT_DIR=/elsewhere", "NPM_CONFIG_X=yes")
	out, err := d.Script(t.Context(), dir, "pwd; env; if read line; then echo input; fi; echo made > made.txt\r\necho to stderr >&2")
	if err != nil {
		t.Fatal(out, err)
	}
	for _, secret := range []string{"sk-1", "gh-1", "f-1", "GIT_DIR", "input"} {
		if strings.Contains(out, secret) {
			t.Errorf("the script saw %s: %s", secret, out)
		}
	}
	for _, want := range []string{dir, "NPM_CONFIG_X=yes", "to stderr"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "made.txt")); err != nil || string(text) != "made\n" {
		t.Errorf("it made %q, %v", text, err)
	}
}

func TestAScriptStopsAtTheFirstFailureAndSaysSo(t *testing.T) {
	t.Parallel()
	d, dir := scripts(t), t.TempDir()
	out, err := d.Script(t.Context(), dir, "echo before\nfalse\necho after")
	if err == nil || !strings.Contains(err.Error(), "exit code 1") || out != "before\n" {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := d.Script(t.Context(), dir, "#!/usr/bin/env cat\nthe text itself"); err != nil || !strings.Contains(out, "the text itself") {
		t.Errorf("another interpreter: %q, %v", out, err)
	}
}

func TestAScriptThatHangsIsEndedWithAllItStarted(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("setsid is not installed")
	}
	d, dir := scripts(t), t.TempDir()
	began := time.Now()
	out, err := d.script(t.Context(), dir, "setsid sh -c 'trap \"\" TERM; echo $$ > pid; sleep 600' & \nwhile [ ! -s pid ]; do sleep 0.05; done\necho waiting\nsleep 600", 2*time.Second)
	if err == nil || !strings.Contains(err.Error(), "longer than 2s") || !strings.Contains(out, "waiting") {
		t.Errorf("%q, %v", out, err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	pid, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if exec.Command("kill", "-0", strings.TrimSpace(string(pid))).Run() == nil {
		t.Error("a child of the script lives on")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Script(ctx, dir, "echo ran > ran"); err == nil {
		t.Error("it ran for a caller that is gone")
	}
}
