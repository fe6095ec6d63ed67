package app

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"fermata/app/apptest"
	"fermata/pieces/piecestest"
	"fermata/ui"
)

// patience bounds every wait for the app and the real Claude Code on a busy machine.
const patience = 3 * time.Minute

// builtIn is the folder of what buildApp built, "" while it built nothing.
var builtIn string

var buildApp = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "fermata-bin-")
	if err != nil {
		return "", err
	}
	builtIn = dir
	bin := filepath.Join(dir, "fermata")
	// Without the race detector: the tray library has a race of its own.
	out, err := exec.Command("go", "build", "-tags", "gles", "-o", bin, "fermata").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the app: %w\n%s", err, out)
	}
	return bin, nil
})

// TestMain lets the test binary be the app without its windows, and the agent host of that.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == hostCommand {
		os.Exit(Main())
	}
	if len(os.Args) > 1 && os.Args[1] == crashCommand {
		if err := crashChild(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if builtIn != "" {
		os.RemoveAll(builtIn)
	}
	os.Exit(code)
}

// rig is the real app on a desktop of its own, with everything outside it that a piece needs.
type rig struct {
	t      *testing.T
	desk   *apptest.Desktop
	bin    string
	home   string
	data   folder
	repo   *piecestest.Repo
	model  *piecestest.Model
	github *piecestest.GitHub
	app    *apptest.App
}

func newRig(t *testing.T, script piecestest.Script, o apptest.Options) *rig {
	t.Helper()
	bin, err := buildApp()
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, bin: bin, home: filepath.Join(t.TempDir(), "home"), desk: apptest.NewDesktop(t, o)}
	r.surround(script)
	return r
}

// surround makes everything outside the app that a piece needs.
func (r *rig) surround(script piecestest.Script) {
	t := r.t
	t.Helper()
	r.data = folder(filepath.Join(t.TempDir(), "data"))
	r.repo = piecestest.NewRepo(t).WithRemote()
	r.model = piecestest.NewModel(t, script)
	r.github = piecestest.NewGitHub(t, piecestest.GitHubOptions{Token: "gh-test", Bare: r.repo.Bare})
	claude := filepath.Join(r.home, "bin", "claude")
	if err := os.MkdirAll(filepath.Dir(claude), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(piecestest.Claude(t), claude); err != nil {
		t.Fatal(err)
	}
}

// env is the whole environment of the app: nothing of this machine's user reaches it.
func (r *rig) env() []string {
	env := append(r.desk.Env(r.home), piecestest.ClaudeEnv(r.home, r.model.URL())...)
	return append(env,
		"PATH="+filepath.Join(r.home, "bin")+":/usr/local/bin:/usr/bin:/bin", "LANG=en_US.UTF-8",
		"FERMATA_DATA_DIR="+string(r.data), "GITHUB_TOKEN=gh-test", "GITHUB_API_URL="+r.github.URL(), locateVariable+"=1")
}

func (r *rig) start() {
	r.t.Helper()
	r.app = apptest.Start(r.t, r.bin, nil, r.env())
	r.until("the app's socket", func() bool {
		var all map[string]string
		return tell(r.t.Context(), r.data, order{Do: orderSettings}, &all) == nil
	})
}

// until waits for something outside the app that raises no event.
func (r *rig) until(what string, ok func() bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			shot := filepath.Join(os.TempDir(), "fermata-"+strings.ReplaceAll(r.t.Name(), "/", "-")+".png")
			r.desk.Screenshot(r.t, shot)
			r.t.Fatalf("waited for %s; the screen is in %s; the app said:\n%s", what, shot, r.app.Log())
		}
	}
}

// fermata runs the command line beside the app.
func (r *rig) fermata(args ...string) (string, int) {
	r.t.Helper()
	cmd := exec.Command(r.bin, args...)
	cmd.Env = r.env()
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(string(out)), cmd.ProcessState.ExitCode()
}

// claude runs the real Claude Code as the person would in a terminal.
func (r *rig) claude(args ...string) string {
	r.t.Helper()
	cmd := exec.Command(piecestest.Claude(r.t), args...)
	cmd.Env = piecestest.ClaudeEnv(r.home, r.model.URL())
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("claude %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// place waits until a named widget is on the screen and holds still.
func (r *rig) place(name string) ui.Place {
	r.t.Helper()
	var last, now ui.Place
	same := 0
	r.until("the widget "+name, func() bool {
		if err := tell(r.t.Context(), r.data, order{Do: orderLocate, Key: name}, &now); err != nil {
			same = 0
			return false
		}
		if now == last {
			same++
		} else {
			last, same = now, 0
		}
		return same >= 2
	})
	return now
}

// shown says whether a named widget is on the screen.
func (r *rig) shown(name string) bool {
	var p ui.Place
	return tell(r.t.Context(), r.data, order{Do: orderLocate, Key: name}, &p) == nil
}

// click clicks a named widget with a real input event.
func (r *rig) click(name string) {
	r.t.Helper()
	p := r.place(name)
	w := r.desk.Window(r.t, p.Window)
	w.Activate()
	w.ClickAt(image.Rect(p.X, p.Y, p.X+p.W, p.Y+p.H))
}

// clickAway clicks a named widget that goes with its click. On a busy machine the screen can move between the look and the
// click, as it does under a person's hand; then it clicks again, as a person does.
func (r *rig) clickAway(name string) {
	r.t.Helper()
	const tries, wait = 4, 10 * time.Second
	for range tries {
		r.click(name)
		ctx, cancel := context.WithTimeout(r.t.Context(), wait)
		gone := func() bool { return !r.shown(name) }
		for !gone() && ctx.Err() == nil {
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
			}
		}
		cancel()
		if gone() {
			return
		}
		r.t.Logf("%s was clicked and is still there", name)
	}
	r.t.Fatalf("%s stays, however often it is clicked; the app said:\n%s", name, r.app.Log())
}

// serverOn turns the MCP server on by the command line and returns its URL.
func (r *rig) serverOn() string {
	r.t.Helper()
	if out, code := r.fermata("settings", "set", "mcp.enabled", "true"); code != 0 {
		r.t.Fatalf("settings set: %d %s", code, out)
	}
	var url string
	r.until("the server", func() bool {
		out, code := r.fermata("endpoint")
		url = out
		return code == 0
	})
	return url
}

// mcpClient is an outside MCP client.
type mcpClient struct {
	t *testing.T
	c *client.Client
}

func (r *rig) connect(url string) *mcpClient {
	r.t.Helper()
	m, err := r.tryConnect(url)
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

// tryConnect is connect to an app that may be gone.
func (r *rig) tryConnect(url string) (*mcpClient, error) {
	r.t.Helper()
	c, err := client.NewStreamableHttpClient(url)
	if err != nil {
		return nil, err
	}
	r.t.Cleanup(func() { c.Close() })
	if err := c.Start(r.t.Context()); err != nil {
		return nil, err
	}
	var init mcpgo.InitializeRequest
	init.Params.ProtocolVersion = mcpgo.LATEST_PROTOCOL_VERSION
	init.Params.ClientInfo = mcpgo.Implementation{Name: "e2e", Version: "1"}
	if _, err := c.Initialize(r.t.Context(), init); err != nil {
		return nil, err
	}
	return &mcpClient{r.t, c}, nil
}

// try calls a tool and returns its text, and whether it is an error of the tool.
func (m *mcpClient) try(ctx context.Context, tool string, args map[string]any) (string, bool, error) {
	var req mcpgo.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	res, err := m.c.CallTool(ctx, req)
	if err != nil {
		return "", false, err
	}
	text, ok := res.Content[0].(mcpgo.TextContent)
	if !ok {
		return "", false, fmt.Errorf("%s answered with %T", tool, res.Content[0])
	}
	return text.Text, res.IsError, nil
}

// call calls a tool that has to succeed, and decodes its JSON.
func (m *mcpClient) call(tool string, args map[string]any) map[string]any {
	m.t.Helper()
	text, failed, err := m.try(m.t.Context(), tool, args)
	if err != nil || failed {
		m.t.Fatalf("%s %v: %s %v", tool, args, text, err)
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		m.t.Fatalf("%s answered %s: %v", tool, text, err)
	}
	return v
}

func (m *mcpClient) act(id, action string, more ...map[string]any) map[string]any {
	m.t.Helper()
	args := map[string]any{"pieceId": id, "action": action}
	for _, add := range more {
		for k, v := range add {
			args[k] = v
		}
	}
	return m.call("piece_action", args)
}

// untilGate polls a piece as a client does.
func (r *rig) untilGate(m *mcpClient, id, gate string) map[string]any {
	r.t.Helper()
	var p map[string]any
	r.until("the gate "+gate, func() bool {
		p = m.call("get_piece", map[string]any{"pieceId": id})
		return p["gate"] == gate
	})
	return p
}
