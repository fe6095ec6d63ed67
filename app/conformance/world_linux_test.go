package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fermata/app/apptest"
	"fermata/pieces/piecestest"
)

// world is the real app on a desktop of its own, with everything outside it that a piece needs.
type world struct {
	desk   *apptest.Desktop
	app    *apptest.App
	bin    string
	home   string
	data   string
	repo   *piecestest.Repo
	model  *piecestest.Model
	github *piecestest.GitHub
	wire   *wire
	hello  message // the answer to initialize

	project string // the id of repo's project
	stories stories
	covered coverage // of the action table
}

// newWorld builds and starts the app, turns its server on and says hello.
func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := os.MkdirTemp("", "fermata-conf-") // not the test's folder: its long name would not fit into a socket's address
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	w := &world{bin: filepath.Join(dir, "fermata"), home: filepath.Join(dir, "home"), data: filepath.Join(dir, "data")}
	// Without the race detector: the tray library has a race of its own.
	if out, err := exec.Command("go", "build", "-tags", "gles", "-o", w.bin, "fermata").CombinedOutput(); err != nil {
		t.Fatalf("build the app: %v\n%s", err, out)
	}
	w.desk = apptest.NewDesktop(t, apptest.Options{Bus: apptest.BusStandard, Tray: true, Notifications: true, Keyring: true})
	w.repo = piecestest.NewRepo(t).WithRemote()
	w.stories = newStories()
	w.model = piecestest.NewModel(t, w.script())
	w.github = piecestest.NewGitHub(t, piecestest.GitHubOptions{Token: "gh-test", Bare: w.repo.Bare})
	claude := filepath.Join(w.home, "bin", "claude")
	if err := os.MkdirAll(filepath.Dir(claude), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(piecestest.Claude(t), claude); err != nil {
		t.Fatal(err)
	}
	p := &probe{t, w}
	w.app = apptest.Start(t, w.bin, nil, w.env())
	w.click(p, "welcome:later")
	p.setting("mcp.preferredPort", freePort(p))
	w.wire = &wire{url: w.serverOn(p)}
	for _, name := range []string{"fermata", "helper"} {
		w.claude(p, "mcp", "add-json", "-s", "user", name, `{"type":"http","url":"`+w.wire.url+`","alwaysLoad":true}`)
	}
	if w.hello, err = w.wire.hello(t.Context(), "conformance"); err != nil {
		t.Fatal(err)
	}
	return w
}

// env is the whole environment of the app: nothing of this machine's user reaches it.
func (w *world) env() []string {
	env := append(w.desk.Env(w.home), piecestest.ClaudeEnv(w.home, w.model.URL())...)
	return append(env,
		"PATH="+filepath.Join(w.home, "bin")+":/usr/local/bin:/usr/bin:/bin", "LANG=en_US.UTF-8",
		"FERMATA_DATA_DIR="+w.data, "GITHUB_TOKEN=gh-test", "GITHUB_API_URL="+w.github.URL(), "FERMATA_LOCATE=1")
}

// cli runs the command line beside the app.
func (w *world) cli(args ...string) (string, int) {
	cmd := exec.Command(w.bin, args...)
	cmd.Env = w.env()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return err.Error(), -1
	}
	return strings.TrimSpace(string(out)), cmd.ProcessState.ExitCode()
}

// claude runs the real Claude Code as the person would in a terminal.
func (w *world) claude(p *probe, args ...string) string {
	p.Helper()
	cmd := exec.Command(piecestest.Claude(p), args...)
	cmd.Env = piecestest.ClaudeEnv(w.home, w.model.URL())
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("claude %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// serverOn turns the MCP server on by the command line and returns its URL.
func (w *world) serverOn(p *probe) string {
	p.Helper()
	p.setting("mcp.enabled", "true")
	endpoint := ""
	p.until("the server", func() bool {
		out, code := w.cli("endpoint")
		endpoint = out
		return code == 0
	})
	return endpoint
}

// locate asks the app where a named widget is on the screen.
func (w *world) locate(ctx context.Context, name string) (title string, at image.Rectangle, err error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(w.data, "fermata.sock"))
	if err != nil {
		return "", at, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return "", at, err
	}
	var reply struct {
		Error string
		Value struct {
			Window     string
			X, Y, W, H int
		}
	}
	if err := json.NewEncoder(conn).Encode(map[string]string{"do": "locate", "key": name}); err != nil {
		return "", at, err
	}
	if err := json.NewDecoder(conn).Decode(&reply); err != nil {
		return "", at, err
	}
	if reply.Error != "" {
		return "", at, fmt.Errorf("locate %s: %s", name, reply.Error)
	}
	v := reply.Value
	return v.Window, image.Rect(v.X, v.Y, v.X+v.W, v.Y+v.H), nil
}

// shown says whether a named widget is on the screen and takes input.
func (w *world) shown(p *probe, name string) bool {
	_, _, err := w.locate(p.Context(), name)
	return err == nil
}

// place waits until a named widget is on the screen and holds still, and returns the title of its window.
func (w *world) place(p *probe, name string) (string, image.Rectangle) {
	p.Helper()
	var window string
	var last image.Rectangle
	same := 0
	p.until("the widget "+name, func() bool {
		title, at, err := w.locate(p.Context(), name)
		if err != nil || title != window || at != last {
			window, last, same = title, at, 0
			return false
		}
		same++
		return same >= 2
	})
	return window, last
}

// click clicks a named widget with a real input event.
func (w *world) click(p *probe, name string) {
	p.Helper()
	title, at := w.place(p, name)
	window := w.desk.Window(p, title)
	window.Activate()
	window.ClickAt(at)
}

// clickUntil clicks a named widget until something holds: a click goes astray when the page is laid out anew in its moment.
// It is for widgets that take a second click for none.
func (w *world) clickUntil(p *probe, name, what string, ok func() bool) {
	p.Helper()
	const again = 5 * time.Second
	w.click(p, name)
	next := time.Now().Add(again)
	p.until(what, func() bool {
		if ok() {
			return true
		}
		if time.Now().Before(next) {
			return false
		}
		next = time.Now().Add(again)
		if title, at, err := w.locate(p.Context(), name); err == nil {
			window := w.desk.Window(p, title)
			window.Activate()
			window.ClickAt(at)
		}
		return false
	})
}

// notice is a card as its notification tells of it.
type notice struct{ title, body string }

// notice waits for the notification of a card among those after the first seen ones.
func (w *world) notice(p *probe, seen int) notice {
	p.Helper()
	var got notice
	p.until("the card's notification", func() bool {
		for _, n := range w.desk.Notifications()[seen:] {
			if strings.HasPrefix(n.Summary, "Allow the MCP client to") {
				got = notice{n.Summary, n.Body}
				return true
			}
		}
		return false
	})
	return got
}

// freePort is a port that nothing else here takes, so that a server which comes back has it again.
func freePort(p *probe) string {
	p.Helper()
	for range 100 {
		port := strconv.Itoa(20_000 + rand.IntN(10_000)) // below those that the system gives away
		if ln, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			ln.Close()
			return port
		}
	}
	p.Fatal("no port is free")
	return ""
}

// port is the server's.
func (w *world) port(p *probe) string {
	p.Helper()
	u, err := url.Parse(w.wire.url)
	if err != nil {
		p.Fatal(err)
	}
	return u.Port()
}
