package app

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"fermata/app/apptest"
	"fermata/pieces"
	"fermata/pieces/piecestest"
)

func fullDesktop() apptest.Options {
	return apptest.Options{Bus: apptest.BusStandard, Tray: true, Notifications: true, Keyring: true}
}

func TestTheRealClaudeCodeConnectsAndStrangersAreRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), fullDesktop())
	r.start()
	endpoint := r.serverOn()
	r.claude("mcp", "add", "--transport", "http", "--scope", "user", "fermata", endpoint)
	if out := r.claude("mcp", "list"); !strings.Contains(out, "Connected") {
		t.Errorf("claude mcp list: %s", out)
	}
	if _, err := os.Stat(r.data.token()); !os.IsNotExist(err) {
		t.Errorf("the token is in a file although there is a keychain: %v", err)
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	wrong := *u
	wrong.Path = "/" + strings.Repeat("A", 43) + "/mcp"
	cases := []struct {
		name         string
		url          string
		host, origin string
		want         int
		empty        bool
	}{
		{"wrong token", wrong.String(), "", "", 404, true},
		{"foreign Host", endpoint, "evil.example:" + u.Port(), "", 403, false},
		{"foreign Origin", endpoint, "", "https://evil.example", 403, false},
		{"null Origin", endpoint, "", "null", 403, false},
	}
	for _, c := range cases {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if c.host != "" {
			req.Host = c.host
		}
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != c.want || (c.empty && len(body) > 0) || strings.Contains(string(body), "tools") {
			t.Errorf("%s: %d %q %v", c.name, res.StatusCode, body, err)
		}
	}
	token := strings.Split(u.Path, "/")[1]
	if strings.Contains(r.app.Log(), token) {
		t.Error("the token is in the log")
	}
	r.app.Signal(syscall.SIGTERM)
	if code := r.app.Wait(); code != 0 {
		t.Errorf("quit with %d:\n%s", code, r.app.Log())
	}
}

func TestTheCommandLineTalksToTheRunningAppAndASecondStartShowsIt(t *testing.T) {
	t.Parallel()
	r := newRig(t, piecestest.Story(piecestest.StoryAgents()), apptest.Options{Bus: apptest.BusNone})
	for _, args := range [][]string{{"bogus"}, {"settings"}, {"settings", "set", "mcp.enabled"}, {"settings", "get", "no.such"}, {"--log-level", "loud"}, {"--nope"}, {"version", "x"}} {
		out, code := r.fermata(args...)
		if code != exitUsage || strings.Contains(out, "\n") || !strings.HasPrefix(out, "fermata: ") {
			t.Errorf("fermata %v: %d %q", args, code, out)
		}
	}
	if out, code := r.fermata("endpoint"); code != exitFailed || out != "fermata: Fermata is not running" {
		t.Errorf("endpoint without an app: %d %q", code, out)
	}
	if out, code := r.fermata("settings", "set", "pieces.agentsAtOnce", "5"); code != 0 || out != "pieces.agentsAtOnce=5" {
		t.Errorf("set without an app: %d %q", code, out)
	}
	// The preferred port may be another app's until this one is killed, and this one's after.
	if out, code := r.fermata("settings", "set", pieces.KeyMCPPreferredPort, freePort(t)); code != 0 {
		t.Fatalf("choose a port: %d %s", code, out)
	}
	r.start()
	if out, code := r.fermata("settings", "get", "pieces.agentsAtOnce"); code != 0 || out != "5" {
		t.Errorf("get from the app: %d %q", code, out)
	}
	if out, code := r.fermata("endpoint"); code != exitFailed || !strings.Contains(out, "server is off") {
		t.Errorf("endpoint of a server that is off: %d %q", code, out)
	}
	url := r.serverOn()
	if mode, err := os.Stat(r.data.token()); err != nil || mode.Mode().Perm() != 0o600 {
		t.Errorf("without a keychain the token's file: %v %v", mode, err)
	}
	if out, code := r.fermata(); code != 0 || !strings.Contains(out, "its window is shown") {
		t.Errorf("a second start: %d %q", code, out)
	}
	r.app.Kill()
	r.app.Wait()
	r.start()
	if again := r.serverOn(); again != url {
		t.Error("after a kill the URL is another")
	}
	r.app.Signal(syscall.SIGTERM)
	if code := r.app.Wait(); code != 0 {
		t.Errorf("quit with %d:\n%s", code, r.app.Log())
	}
}
