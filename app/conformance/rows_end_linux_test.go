package conformance

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// waiting begins a call that waits for a card: the release of a draft on Auto with the setting on.
func (p *probe) waiting() (*pending, string) {
	p.Helper()
	id := p.file(args{"spec": betaSpec, "lane": "auto"})
	c := p.w.wire.begin("release_draft", args{"draftId": id})
	p.Cleanup(c.cancel)
	p.until("the call to wait", func() bool { return len(c.heard) > 0 })
	return c, id
}

// endRows end what the other rows need.
func endRows() []row {
	return join(part("003", "The cards",
		is("a card shows in the window of the project that the piece belongs to", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			p.call("reveal", args{"pieceId": gammaID})
			p.w.place(p, "card:"+gammaID)
			c, id := p.waiting()
			title, _ := p.w.place(p, "card:deny")
			p.holds("the window's title", title, p.projectName())
			p.w.click(p, "card:deny")
			p.sentence("the call", p.end(c), "denied")
			p.drop(id)
		}),
	), part("003", "What denies every waiting card",
		is("Retry in Settings → MCP", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			p.openMCPPane()
			c, id := p.waiting()
			p.w.click(p, "mcp:retry")
			p.sentence("the call", p.end(c), "nothing was changed")
			p.back(p.w.wire.url)
			p.same("kind", p.get(id)["kind"], "draft")
			p.drop(id)
		}),
		is("switching the server off, which ends it", func(p *probe) {
			p.during("mcp.askBeforeRunsAndPullRequests", "true")
			c, id := p.waiting()
			p.setting("mcp.enabled", "false")
			p.sentence("the call", p.end(c), "nothing was changed")
			p.until("the server to be off", func() bool {
				_, err := p.w.wire.rpc(p.Context(), "ping", object{}, nil)
				return err != nil
			})
			p.back(p.w.serverOn(p))
			p.same("kind", p.get(id)["kind"], "draft")
			p.drop(id)
		}),
	), part("003", "The connection itself",
		is("a client goes on with its old session after the server was off: token and port stay", func(p *probe) {
			p.call("list_projects", nil)
		}),
		is("Regenerate Token retires it for every client at once", func(p *probe) {
			old := *p.w.wire.fork()
			p.openMCPPane()
			p.w.click(p, "mcp:regenerate")
			p.w.click(p, "confirm:ok")
			p.until("the old token to be refused", func() bool {
				r, err := old.rpc(p.Context(), "ping", object{}, nil)
				return err == nil && r.status == http.StatusNotFound
			})
			p.w.wire.url, _ = p.w.cli("endpoint")
			if p.w.wire.url == old.url {
				p.Error("the endpoint is the old one")
			}
			p.call("list_projects", nil)
		}),
	), part("003", "What denies every waiting card",
		is("quitting Fermata", func(p *probe) {
			p.setting("mcp.askBeforeRunsAndPullRequests", "true")
			c, _ := p.waiting()
			p.w.app.Signal(syscall.SIGTERM)
			p.sentence("the call", p.end(c), "nothing was changed")
			p.ends()
			if code := p.w.app.Wait(); code != 0 {
				p.Errorf("it quit with %d", code)
			}
			if strings.Contains(p.w.app.Log(), p.w.token()) {
				p.Error("the log holds the token")
			}
		}),
	))
}

// ends waits for the app to end, and has it say where it hangs when it does not.
func (p *probe) ends() {
	p.Helper()
	ended := func(limit time.Duration) bool {
		for end := time.Now().Add(limit); p.w.app.Running(); {
			if time.Now().After(end) {
				return false
			}
			time.Sleep(20 * time.Millisecond)
		}
		return true
	}
	if ended(25 * time.Second) {
		return
	}
	p.w.app.Signal(syscall.SIGQUIT)
	ended(5 * time.Second)
	crash, _ := os.ReadFile(filepath.Join(p.w.data, "crash.txt"))
	p.Fatalf("the app runs on after it was told to quit; it was here:\n%s\n%s", crash, p.w.app.Log())
}

// openMCPPane shows Settings → MCP.
func (p *probe) openMCPPane() {
	p.Helper()
	for _, way := range []string{"settings", "home:settings"} { // of a project's window, and of Home
		if !p.w.shown(p, "pane:MCP") && p.w.shown(p, way) {
			p.w.click(p, way)
			break
		}
	}
	p.w.click(p, "pane:MCP")
}

// back waits until the server answers at a URL, which has to be the one that it had.
func (p *probe) back(url string) {
	p.Helper()
	p.same("the endpoint", url, p.w.wire.url)
	p.until("the server to be back", func() bool {
		r, err := p.w.wire.rpc(p.Context(), "ping", object{}, nil)
		return err == nil && r.status == http.StatusOK
	})
}

// fork is another client with the same URL and session.
func (c *wire) fork() *wire { return &wire{url: c.url, session: c.session} }
