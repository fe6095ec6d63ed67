//go:build demo

package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fermata/app/apptest"
	"fermata/pieces"
	"fermata/pieces/piecestest"
)

// demo plays one piece from a draft to an open pull request. Without a display it clicks by itself and writes a picture
// of each step; on a display the person watches and clicks.
type demo struct {
	*rig
	shots string // folder of the pictures; empty on a display
	n     int
}

func TestDemo(t *testing.T) {
	agents := piecestest.StoryAgents()
	agents[2].Asks = "mkdir -p build"
	hold := make(chan struct{})
	agents[0].Hold = hold
	d := newDemo(t, piecestest.Story(agents))
	d.start()
	d.step("The first start: turn the server on and register it in Claude Code", "welcome:register")
	var url string
	d.until("the server", func() bool {
		out, code := d.fermata("endpoint")
		url = out
		return code == 0
	})
	d.until("the welcome window to close", func() bool { return !d.shown("welcome:register") })
	m := d.connect(url)
	m.call("register_project", map[string]any{"path": d.repo.Path})
	draft := m.call("create_draft", map[string]any{"spec": piecestest.StorySpec, "cwd": d.repo.Path})
	id := draft["draftId"].(string)
	project := m.call("list_projects", nil)["projects"].([]any)[0].(map[string]any)["id"].(string)
	d.step("An outside Claude Code has filed a draft: open its project", "project:"+project)
	d.step("Open the draft on the board", "card:"+id)
	d.picture("The draft")
	m.call("release_draft", map[string]any{"draftId": id})
	d.step("The draft was released: approve its spec", "action:approveSpec")
	d.untilGate(m, id, "strategyReady")
	d.step("Claude Code wrote the strategy: approve it", "action:approveStrategy")
	d.untilGate(m, id, "planReady")
	d.step("The plan: start its agents", "action:startExecution")
	if _, err := d.model.Wait(t.Context(), piecestest.AnsweredBy("retry")); err != nil {
		t.Fatal(err)
	}
	d.click("tab:agents")
	d.picture("Agents at work, two side by side")
	close(hold)
	d.untilGate(m, id, "agentWaiting")
	d.step("An agent asks for a command that its profile does not allow: allow it once", "prompt:allow")
	p := d.untilGate(m, id, "reviewWork")
	d.place("action:review")
	d.picture("The work review passed: the work waits for you")
	for _, task := range p["tasks"].([]any) {
		if task := task.(map[string]any); task["kind"] == "agent" {
			m.act(id, "approveTask", map[string]any{"taskId": task["id"]})
		}
	}
	if out, code := d.fermata("settings", "set", pieces.KeyMCPAskBefore, "true"); code != 0 {
		t.Fatal(out)
	}
	done := make(chan string, 1)
	go func() {
		text, _, err := m.try(context.WithoutCancel(t.Context()), "piece_action", map[string]any{"pieceId": id, "action": "createPR"})
		if err != nil {
			text = err.Error()
		}
		done <- text
	}()
	d.step("The client wants to open the pull request: allow it", "card:allow")
	fmt.Println("The client reads:", <-done)
	d.untilGate(m, id, "mergePullRequest")
	d.place("action:viewPullRequest")
	d.picture("The pull request is open; merging stays with you")
	for _, pull := range d.github.Pulls() {
		fmt.Printf("Pull request %d: %s (%s into %s)\n", pull.Number, pull.Title, pull.Head, pull.Base)
	}
	if d.shots != "" {
		fmt.Println("The pictures are in", d.shots)
	}
	d.quit()
}

func newDemo(t *testing.T, script piecestest.Script) *demo {
	t.Helper()
	if os.Getenv("DISPLAY") == "" {
		shots, err := filepath.Abs("../.cache/demo")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(shots, 0o755); err != nil {
			t.Fatal(err)
		}
		return &demo{rig: newRig(t, script, apptest.Options{Screen: "1440x900", Bus: apptest.BusStandard, Tray: true, Notifications: true, Keyring: true}), shots: shots}
	}
	bin, err := buildApp()
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, bin: bin, home: filepath.Join(t.TempDir(), "home")}
	r.surround(script)
	return &demo{rig: r}
}

// step shows what there is to do, and does it or waits until the person has: the widget is gone then.
func (d *demo) step(what, widget string) {
	d.t.Helper()
	d.place(widget)
	d.picture(what)
	if d.shots != "" {
		d.click(widget)
		return
	}
	fmt.Printf("  → click it in the window (%s)\n", widget)
	for d.shown(widget) {
		if strings.HasPrefix(widget, "project:") || (strings.HasPrefix(widget, "card:") && widget != "card:allow") {
			return // it stays where it is after a click
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-d.t.Context().Done():
			return
		}
	}
}

// picture says what is to be seen and, without a display, keeps a picture of it.
func (d *demo) picture(what string) {
	d.t.Helper()
	d.n++
	fmt.Printf("%2d. %s\n", d.n, what)
	if d.shots != "" {
		d.desk.Screenshot(d.t, filepath.Join(d.shots, fmt.Sprintf("%02d-%s.png", d.n, strings.Map(letters, strings.ToLower(what)))))
	}
}

func letters(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return '-'
}
