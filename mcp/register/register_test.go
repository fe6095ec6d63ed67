package register

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fermata/mcp"
	"fermata/pieces/piecestest"
)

const endpoint = "http://127.0.0.1:8787/0123456789abcdefghij/mcp"

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func exists(t *testing.T, r *Registrar) bool {
	t.Helper()
	yes, err := r.Exists(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return yes
}

func TestWithoutClaudeTheFileIsEdited(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := filepath.Join(home, ".claude.json")
	const before = "{\n  \"z\": 1.0,\n  \"a\": \"\\u00e9\",\n  \"mcpServers\": {\n    \"other\": {\"k\":  [1,2]}\n  },\n  \"big\": 12345678901234567890\n}\n"
	write(t, path, before, 0o600)
	r := New(Options{Home: home})
	if exists(t, r) {
		t.Error("an entry before there is one")
	}
	ctx := context.Background()
	if err := r.Register(ctx, endpoint, false); err != nil {
		t.Fatal(err)
	}
	text := read(t, path)
	i := strings.Index(text, ",\n    \"fermata\"")
	j := strings.Index(text, "\n  },\n  \"big\"")
	if i < 0 || j < i || text[:i]+text[j:] != before {
		t.Errorf("the rest changed:\n%s", text)
	}
	if err := r.Register(ctx, endpoint, false); !errors.Is(err, ErrExists) {
		t.Errorf("second time: %v", err)
	}
	if err := r.Register(ctx, strings.Replace(endpoint, "8787", "9999", 1), true); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != strings.Replace(text, "8787", "9999", 1) {
		t.Errorf("replaced:\n%s", got)
	}
	if got := read(t, path+".before-fermata"); got != text {
		t.Errorf("backup:\n%s", got)
	}
	if err := r.Unregister(ctx); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != before {
		t.Errorf("after unregister:\n%s", got)
	}
	if err := r.Unregister(ctx); err != nil {
		t.Errorf("second unregister: %v", err)
	}
	for _, name := range []string{path, path + ".before-fermata"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	if left, _ := os.ReadDir(home); len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNewFileIsForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	home, config := t.TempDir(), t.TempDir()
	r := New(Options{Home: home, Environ: func() []string { return []string{"CLAUDE_CONFIG_DIR=" + config} }})
	if err := r.Register(context.Background(), endpoint, false); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(config, ".claude.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

func TestLinkToTheFileStaysALink(t *testing.T) {
	t.Parallel()
	home, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "claude.json")
	write(t, elsewhere, "{}", 0o640)
	link := filepath.Join(home, ".claude.json")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Skip(err)
	}
	if err := New(Options{Home: home}).Register(context.Background(), endpoint, false); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("link: %v %v", info, err)
	}
	if info, err := os.Stat(elsewhere); err != nil || info.Mode().Perm() != 0o640 || !strings.Contains(read(t, elsewhere), endpoint) {
		t.Errorf("file: %v %v", info, err)
	}
}

func TestBrokenFileIsLeftAlone(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := filepath.Join(home, ".claude.json")
	write(t, path, `{"mcpServers":`, 0o600)
	r := New(Options{Home: home})
	if err := r.Register(context.Background(), endpoint, true); err == nil || !strings.Contains(err.Error(), "not valid JSON") {
		t.Errorf("register: %v", err)
	}
	if err := r.Unregister(context.Background()); err == nil {
		t.Error("unregister: no error")
	}
	if got := read(t, path); got != `{"mcpServers":` {
		t.Errorf("file %q", got)
	}
}

func TestLockOfClaudeCodeIsRespected(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	lock := filepath.Join(home, ".claude.json.lock")
	if err := os.Mkdir(lock, 0o700); err != nil {
		t.Fatal(err)
	}
	r := New(Options{Home: home})
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Millisecond)
	defer cancel()
	if err := r.Register(ctx, endpoint, false); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("under a fresh lock: %v", err)
	}
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(lock, old, old); err != nil {
		t.Fatal(err)
	}
	if err := r.Register(context.Background(), endpoint, false); err != nil {
		t.Errorf("under a forgotten lock: %v", err)
	}
	if _, err := os.Stat(lock); !os.IsNotExist(err) {
		t.Error("the lock stays")
	}
}

func TestEndpointMustBeAURL(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "127.0.0.1:8787", "https://x/y", "http://", "http://127.0.0.1:8787"} {
		if err := New(Options{Home: t.TempDir()}).Register(context.Background(), bad, false); err == nil {
			t.Errorf("took %q", bad)
		}
	}
}

// fakeClaude is a command that behaves as body, a shell script, says.
func fakeClaude(t *testing.T, body string) func() string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "claude")
	write(t, path, "#!/bin/sh\n"+body, 0o700)
	return func() string { return path }
}

func TestFailingClaudeIsReportedWithoutTheToken(t *testing.T) {
	t.Parallel()
	r := New(Options{Home: t.TempDir(), Claude: fakeClaude(t, `echo "cannot add $6" >&2; exit 1`)})
	err := r.Register(context.Background(), endpoint, false)
	if err == nil || !strings.Contains(err.Error(), "cannot add") || strings.Contains(err.Error(), "0123456789abcdefghij") {
		t.Errorf("error %v", err)
	}
}

func TestClaudeThatWritesNothingIsNotBelieved(t *testing.T) {
	t.Parallel()
	r := New(Options{Home: t.TempDir(), Claude: fakeClaude(t, "exit 0")})
	if err := r.Register(context.Background(), endpoint, false); err == nil {
		t.Error("believed")
	}
}

func TestFailedReplacementKeepsTheOldEntry(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := filepath.Join(home, ".claude.json")
	write(t, path, `{"mcpServers":{"fermata":{"url":"old"}}}`, 0o600)
	r := New(Options{Home: home, Claude: fakeClaude(t, `test "$2" = remove || exit 1; echo '{"mcpServers":{}}' > "$HOME/.claude.json"`)})
	if err := r.Register(context.Background(), endpoint, true); err == nil {
		t.Error("no error")
	}
	if got := read(t, path); !strings.Contains(got, `"url":"old"`) {
		t.Errorf("file %s", got)
	}
}

func TestHangingClaudeIsEnded(t *testing.T) {
	t.Parallel()
	r := New(Options{Home: t.TempDir(), Claude: fakeClaude(t, "sleep 600 & sleep 600")})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := r.Register(ctx, endpoint, false); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestTextsForThePerson(t *testing.T) {
	t.Parallel()
	r := New(Options{Home: t.TempDir()})
	if got := r.Instructions(endpoint); !strings.HasSuffix(got, `claude mcp add-json -s user fermata '{"type":"http","url":"`+endpoint+`","timeout":604800000,"alwaysLoad":true}'`) {
		t.Errorf("instructions %s", got)
	}
	var c struct {
		MCPServers map[string]entry `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(r.InlineConfig(endpoint)), &c); err != nil || c.MCPServers["fermata"] != connection(endpoint) {
		t.Errorf("inline config %v %v", err, c)
	}
}

// realServer is a running server with one tool.
func realServer(t *testing.T) *mcp.Server {
	t.Helper()
	tools := server.NewMCPServer("fermata", "test", server.WithToolCapabilities(false))
	tools.AddTool(mcpgo.NewTool("dummy", mcpgo.WithDescription("Does nothing.")), func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		return mcpgo.NewToolResultText("nothing"), nil
	})
	s, err := mcp.New(mcp.Options{Tools: tools, Token: mcp.NewToken()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Listen(0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

func claudeSays(t *testing.T, claude string, environ []string, dir string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, claude, args...)
	cmd.Env, cmd.Dir = environ, dir
	out, err := cmd.CombinedOutput()
	if err != nil && !bytes.Contains(out, []byte("No MCP server")) {
		t.Fatalf("claude %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestRealClaudeCodeConnects(t *testing.T) {
	t.Parallel()
	claude := piecestest.Claude(t)
	s := realServer(t)
	for _, by := range []string{"command", "file", "pasted"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			environ := piecestest.ClaudeEnv(home, "http://127.0.0.1:9")
			o := Options{Home: home, Environ: func() []string { return environ }}
			if by == "command" {
				o.Claude = func() string { return claude }
			}
			r, ctx := New(o), context.Background()
			register := func(replace bool) error {
				if by != "pasted" {
					return r.Register(ctx, s.Endpoint(), replace)
				}
				cmd := exec.CommandContext(ctx, "sh", "-c", `claude() { "`+claude+`" "$@"; }; `+r.Instructions(s.Endpoint()))
				cmd.Env, cmd.Dir = environ, home
				if out, err := cmd.CombinedOutput(); err != nil {
					return fmt.Errorf("%w: %s", err, out)
				}
				return nil
			}
			if err := register(false); err != nil {
				t.Fatal(err)
			}
			if by != "pasted" {
				if err := r.Register(ctx, s.Endpoint(), false); !errors.Is(err, ErrExists) {
					t.Errorf("second time: %v", err)
				}
			}
			if err := register(true); err != nil {
				t.Fatal(err)
			}
			if got := claudeSays(t, claude, environ, home, "mcp", "list"); !strings.Contains(got, "Connected") || !strings.Contains(got, s.Endpoint()) {
				t.Errorf("list says\n%s", got)
			}
			if got := claudeSays(t, claude, environ, home, "mcp", "get", "fermata"); !strings.Contains(got, "User config") || !strings.Contains(got, "604800000") {
				t.Errorf("get says\n%s", got)
			}
			if info, err := os.Stat(filepath.Join(home, ".claude.json")); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("file: %v %v", info, err)
			}
			if err := r.Unregister(ctx); err != nil {
				t.Fatal(err)
			}
			if exists(t, r) {
				t.Error("the entry stays")
			}
			if got := claudeSays(t, claude, environ, home, "mcp", "get", "fermata"); !strings.Contains(got, "No MCP server") {
				t.Errorf("after unregister get says\n%s", got)
			}
		})
	}
}
