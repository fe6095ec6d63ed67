package piecestest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "fermata/pieces/piecestest"
)

type claudeResult struct {
	IsError    bool            `json:"is_error"`
	Result     string          `json:"result"`
	SessionID  string          `json:"session_id"`
	Cost       float64         `json:"total_cost_usd"`
	Structured json.RawMessage `json:"structured_output"`
}

func claudeCommand(t *testing.T, m *Model, home, dir string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, Claude(t), append([]string{"-p", "--output-format", "json"}, args...)...)
	cmd.Dir, cmd.Env = dir, ClaudeEnv(home, m.URL())
	return cmd
}

func runClaude(t *testing.T, cmd *exec.Cmd) claudeResult {
	t.Helper()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("claude: %v\n%s\n%s", err, out, errs.String())
	}
	var res claudeResult
	if err := json.Unmarshal(out, &res); err != nil {
		t.Fatalf("claude answered %q: %v", out, err)
	}
	return res
}

func TestModelDrivesClaudeCode(t *testing.T) {
	t.Parallel()
	m := NewModel(t, Script{{Name: "write", Match: Contains("# Step: write"), Replies: []Reply{
		{
			Failure: &Failure{Status: 529, Message: "busy"}, Times: 1,
			Blocks: []Block{Text("I write."), ToolUse("Write", map[string]string{"file_path": "{{cwd}}/a.txt", "content": "hi\n"})},
		},
		Structured(map[string]any{"file": "a.txt"}),
	}}})
	dir := t.TempDir()
	res := runClaude(t, claudeCommand(t, m, t.TempDir(), dir, "--permission-mode", "acceptEdits",
		"--json-schema", `{"type":"object","properties":{"file":{"type":"string"}},"required":["file"]}`,
		"--append-system-prompt", "# Step: write", "please go"))
	if res.IsError || res.Cost <= 0 || string(res.Structured) != `{"file":"a.txt"}` {
		t.Fatalf("result %+v", res)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(got) != "hi\n" {
		t.Fatal(string(got), err)
	}
	for _, r := range m.Requests() {
		if r.SessionID != res.SessionID || !r.Stream || r.Rule != "write" {
			t.Errorf("request %d: session %q, stream %v, rule %q", r.Seq, r.SessionID, r.Stream, r.Rule)
		}
	}
}

func TestReplyIndexSurvivesKillAndResume(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	defer close(hold)
	const session = "0b7c1f0e-5f5e-4c3b-9d52-0d2f3a3b1c11"
	m := NewModel(t, Script{
		{Name: "work", Match: Tag("work"), Replies: []Reply{
			Use("Bash", map[string]string{"command": "echo one"}),
			{Hold: hold, Blocks: []Block{Text("never read")}},
		}},
		{Name: "resumed", Match: Contains("carry on"), Replies: []Reply{
			Use("Bash", map[string]string{"command": "echo two"}), Say("got {{last_result}}"),
		}},
	})
	home, dir := t.TempDir(), t.TempDir()
	first := claudeCommand(t, m, home, dir, "--session-id", session, "--allowedTools", "Bash(echo *)", "--", "[[work]]")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := m.Wait(ctx, func(r Request) bool { return r.Rule == "work" && r.Index == 1 })
	_ = first.Process.Kill()
	_ = first.Wait()
	if err != nil {
		t.Fatal(err)
	}
	res := runClaude(t, claudeCommand(t, m, home, dir, "--resume", session, "--allowedTools", "Bash(echo *)", "--", "carry on"))
	if res.SessionID != session || strings.TrimSpace(res.Result) != "got two" {
		t.Fatalf("result %+v", res)
	}
}
