package app

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fermata/mcp/control"
	"fermata/mcp/register"
	"fermata/pieces"
	"fermata/pieces/piecestest"
)

// outsideClaude is a real Claude Code of the person's that works at a prompt.
type outsideClaude struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  bytes.Buffer
	done chan struct{}
}

// byHand is an entry as a person writes it: without the longer limits that the app's own entry sets.
func byHand(url string) string {
	return `{"mcpServers":{"fermata":{"type":"http","url":"` + url + `","alwaysLoad":true}}}`
}

// startClaude gives a prompt to a Claude Code with an MCP configuration.
func (r *rig) startClaude(servers, prompt string) *outsideClaude {
	r.t.Helper()
	config := filepath.Join(r.t.TempDir(), "mcp.json")
	if err := os.WriteFile(config, []byte(servers), 0o600); err != nil {
		r.t.Fatal(err)
	}
	c := &outsideClaude{t: r.t, done: make(chan struct{})}
	c.cmd = exec.Command(piecestest.Claude(r.t), "-p", prompt, "--mcp-config", config, "--strict-mcp-config",
		"--allowedTools", "mcp__fermata__list_pieces,mcp__fermata__get_piece,mcp__fermata__piece_action")
	c.cmd.Dir = r.t.TempDir()
	c.cmd.Env = piecestest.ClaudeEnv(r.home, r.model.URL())
	c.cmd.Stdout, c.cmd.Stderr, c.cmd.WaitDelay = &c.out, &c.out, time.Second
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	go func() {
		defer close(c.done)
		_ = c.cmd.Wait() // what it said is what counts
	}()
	r.t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		<-c.done
	})
	return c
}

// said waits for the end and returns what it printed.
func (c *outsideClaude) said() string {
	c.t.Helper()
	select {
	case <-c.done:
		return c.out.String()
	case <-time.After(patience):
		c.t.Fatal("Claude Code does not end")
		return ""
	}
}

// person is a conversation that looks at the pieces, then acts on one, and tells what it read last.
func person(replies ...piecestest.Reply) piecestest.Script {
	return piecestest.Script{{Name: "person", Match: piecestest.Tag("person"), Replies: append(replies, piecestest.Say("it read: {{last_result}}"))}}
}

func callOf(tool string, args map[string]any) piecestest.Reply {
	return piecestest.Use("mcp__fermata__"+tool, args)
}

// toReview brings a piece of one agent to its review, where it can be marked done.
func toReview(t *testing.T) (r *rig, m *mcpClient, url, id string) {
	t.Helper()
	r = newRig(t, piecestest.Story([]piecestest.StoryAgent{{Key: "only", Name: "Only agent", File: "only.txt"}}), fullDesktop())
	r.start()
	r.click("welcome:later")
	url = r.serverOn()
	m = r.connect(url)
	id = r.toPlan(m)
	m.act(id, "startExecution")
	r.untilGate(m, id, "reviewWork")
	return r, m, url, id
}

// waitOnACard lets the real Claude Code mark a piece done, and clicks Allow after a while.
func waitOnACard(t *testing.T, wait time.Duration) {
	t.Helper()
	r, m, url, id := toReview(t)
	r.model.SetScript(person(callOf("list_pieces", map[string]any{}), callOf("piece_action", map[string]any{"pieceId": id, "action": "markDone"})))
	c := r.startClaude(byHand(url), "[[person]] mark it done")
	r.place("card:allow")
	select {
	case <-c.done:
		t.Fatalf("Claude Code did not wait for the card: %s", c.out.String())
	case <-time.After(wait):
	}
	r.click("card:allow")
	if out := c.said(); !strings.Contains(out, "it read: ") || !strings.Contains(out, `"key":"complete"`) {
		t.Errorf("after Allow Claude Code said %s", out)
	}
	if p := m.call("get_piece", map[string]any{"pieceId": id}); p["gate"] != "confirmDone" || p["worktreePath"] != nil {
		t.Errorf("the piece is %v", p)
	}
	first, err := r.model.Wait(t.Context(), piecestest.AnsweredBy("person"))
	if err != nil {
		t.Fatal(err)
	}
	offered := 0
	for _, tool := range first.Tools {
		if strings.HasPrefix(tool, "mcp__fermata__") {
			offered++
		}
	}
	if offered != control.ToolCount() {
		t.Errorf("Claude Code was offered %d tools of %d: %v", offered, control.ToolCount(), first.Tools)
	}
	acts, err := r.model.Wait(t.Context(), func(q piecestest.Request) bool { return q.Rule == "person" && q.Index == 1 })
	if err != nil || !strings.Contains(acts.LastResult(), id) {
		t.Errorf("list_pieces answered %s (%v)", acts.LastResult(), err)
	}
}

func TestTheRealClaudeCodeWaitsOnACardBeyondItsHeaderLimit(t *testing.T) {
	t.Parallel()
	waitOnACard(t, 75*time.Second)
}

func TestAClaudeCodeThatIsInterruptedTakesItsCardAway(t *testing.T) {
	t.Parallel()
	r, m, url, id := toReview(t)
	before := m.call("get_piece", map[string]any{"pieceId": id})
	r.model.SetScript(person(callOf("piece_action", map[string]any{"pieceId": id, "action": "markDone"})))
	c := r.startClaude(byHand(url), "[[person]] mark it done")
	r.place("card:allow")
	if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.said()
	r.until("the card to go with its client", func() bool { return !r.shown("card:allow") })
	if after := m.call("get_piece", map[string]any{"pieceId": id}); after["updatedAt"] != before["updatedAt"] || after["gate"] != before["gate"] {
		t.Errorf("the piece changed: %v, was %v", after, before)
	}
}

// freePort is a port that nobody listens on now.
func freePort(t *testing.T) string {
	t.Helper()
	for {
		// Below the ports that outgoing connections get, which could take it while the app restarts.
		port := strconv.Itoa(20_000 + rand.IntN(12_000))
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			return port
		}
	}
}

func TestARestartOfTheAppGoesUnnoticedByClaudeCode(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, fullDesktop())
	r.start()
	r.click("welcome:later")
	if out, code := r.fermata("settings", "set", pieces.KeyMCPPreferredPort, freePort(t)); code != 0 {
		t.Fatal(out)
	}
	url := r.serverOn()
	m := r.connect(url)
	id := r.fileDraft(m)
	hold := make(chan struct{})
	second := callOf("get_piece", map[string]any{"pieceId": id})
	second.Hold = hold
	r.model.SetScript(person(callOf("list_pieces", map[string]any{}), second))
	c := r.startClaude(register.New(register.Options{}).InlineConfig(url), "[[person]] look at the draft")
	listed, err := r.model.Wait(t.Context(), func(q piecestest.Request) bool { return q.Rule == "person" && q.Index == 1 })
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(listed.LastResult(), id) {
		t.Errorf("before the restart it read %s", listed.LastResult())
	}
	r.app.Kill()
	r.app.Wait()
	r.start()
	if again := r.serverOn(); again != url {
		t.Fatalf("the app came back as another endpoint")
	}
	close(hold)
	out := c.said()
	_, read, _ := strings.Cut(out, "it read: ")
	var draft map[string]any
	if err := json.Unmarshal([]byte(strings.TrimSpace(read)), &draft); err != nil || draft["id"] != id || draft["kind"] != "draft" {
		t.Errorf("after the restart it said %s", out)
	}
	r.quit()
}
