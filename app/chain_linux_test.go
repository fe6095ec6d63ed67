package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/piecestest"
	"fermata/store"
)

// fileDraft registers the rig's repository and files the story's spec as a draft, as an outside client does.
func (r *rig) fileDraft(m *mcpClient) string {
	r.t.Helper()
	m.call("register_project", map[string]any{"path": r.repo.Path})
	d := m.call("create_draft", map[string]any{"spec": piecestest.StorySpec, "cwd": r.repo.Path})
	return d["draftId"].(string)
}

// toPlan releases a draft and takes it through its gates to the plan.
func (r *rig) toPlan(m *mcpClient) string {
	r.t.Helper()
	id := r.fileDraft(m)
	if p := m.call("release_draft", map[string]any{"draftId": id}); p["id"] != id || p["activity"] != "interviewing" {
		r.t.Fatalf("release: %v", p)
	}
	r.untilGate(m, id, "specReady")
	m.act(id, "approveSpec")
	r.untilGate(m, id, "strategyReady")
	m.act(id, "approveStrategy")
	r.untilGate(m, id, "planReady")
	return id
}

// database reads the store after the app has quit.
func (r *rig) database(id string) (pieces.Snapshot, []pieces.HistoryRow) {
	r.t.Helper()
	db, err := store.Open(r.t.Context(), store.Options{Path: r.data.database()})
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	s, err := db.Piece(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	h, err := db.History(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return s, h
}

func (r *rig) quit() {
	r.t.Helper()
	r.app.Signal(syscall.SIGTERM)
	if code := r.app.Wait(); code != 0 {
		r.t.Errorf("quit with %d:\n%s", code, r.app.Log())
	}
}

func TestAnOutsideClientTakesADraftToAnOpenPullRequest(t *testing.T) {
	t.Parallel()
	agents := piecestest.StoryAgents()
	agents[2].Asks = "mkdir -p build"
	r := newRig(t, piecestest.Story(agents), fullDesktop())
	r.start()
	r.click("welcome:register")
	var url string
	r.until("the server", func() bool {
		out, code := r.fermata("endpoint")
		url = out
		return code == 0
	})
	r.until("the entry in Claude Code", func() bool {
		config, err := os.ReadFile(filepath.Join(r.home, ".claude.json"))
		return err == nil && strings.Contains(string(config), url) && !r.shown("welcome:register")
	})
	if out := r.claude("mcp", "list"); !strings.Contains(out, "Connected") {
		t.Errorf("claude mcp list after Register: %s", out)
	}
	m := r.connect(url)
	id := r.toPlan(m)
	m.act(id, "startExecution")

	// The last agent asks for a command that its profile does not allow: the person allows it in the inspector.
	r.untilGate(m, id, "agentWaiting")
	project := m.call("list_projects", nil)["projects"].([]any)[0].(map[string]any)["id"].(string)
	r.click("project:" + project)
	r.click("card:" + id)
	r.clickAway("prompt:allow")
	p := r.untilGate(m, id, "reviewWork")
	for _, task := range p["tasks"].([]any) {
		if task := task.(map[string]any); task["kind"] == "agent" {
			m.act(id, "approveTask", map[string]any{"taskId": task["id"]})
		}
	}

	// With the setting on, opening the pull request waits for the card, and the person clicks Allow.
	if out, code := r.fermata("settings", "set", pieces.KeyMCPAskBefore, "true"); code != 0 {
		t.Fatal(out)
	}
	done := make(chan string, 1)
	go func() {
		text, failed, err := m.try(context.WithoutCancel(t.Context()), "piece_action", map[string]any{"pieceId": id, "action": "createPR"})
		if err != nil || failed {
			text = "failed: " + text
		}
		done <- text
	}()
	r.clickAway("card:allow")
	select {
	case text := <-done:
		if !strings.Contains(text, "/pull/1") {
			t.Fatalf("createPR answered %s", text)
		}
	case <-time.After(patience):
		t.Fatalf("createPR did not answer after the click:\n%s", r.app.Log())
	}
	pulls := r.github.Pulls()
	if len(pulls) != 1 {
		t.Fatalf("pull requests %+v", pulls)
	}
	want := piecestest.Pull{Title: "Try failed uploads again", Body: "Uploads that fail are tried three times, with a growing pause.", Head: "fermata/upload-retry", Base: "main"}
	if got := pulls[0]; got.Title != want.Title || got.Body != want.Body || got.Head != want.Head || got.Base != want.Base || got.Draft {
		t.Errorf("pull request %+v", got)
	}
	log := strings.Split(r.repo.Git("--git-dir", r.repo.Bare, "log", "--format=%s", "main.."+want.Head), "\n")
	for _, subject := range []string{"Add retry.txt", "Add backoff.txt", "Add wire.txt"} {
		if !slices.Contains(log, subject) {
			t.Errorf("the branch lacks the commit %q: %q", subject, log)
		}
	}
	r.quit()
	s, history := r.database(id)
	if s.Piece.Phase != pieces.PhaseComplete || s.Piece.PR == nil || s.Piece.PR.Number != 1 || s.Piece.CompletedAt == nil {
		t.Errorf("in the database: %+v", s.Piece)
	}
	var triggers []pieces.Trigger
	for _, h := range history {
		triggers = append(triggers, h.Trigger)
	}
	for _, on := range []pieces.Trigger{pieces.OnSpecAsked, pieces.OnSpecChecked, "approveSpec", pieces.OnStrategyWritten, "approveStrategy", pieces.OnPlanBuilt, "startExecution", pieces.OnReviewPassed, "createPR", pieces.OnPROpened} {
		if !slices.Contains(triggers, on) {
			t.Errorf("the history lacks %s: %v", on, triggers)
		}
	}
	for _, sess := range s.Sessions {
		if sess.State.Live() {
			t.Errorf("a session is said to be %s after quitting", sess.State)
		}
	}
}

// bytesOf reads every file under a folder, to compare it before and after.
func bytesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestADeniedOrCancelledCallChangesNothing(t *testing.T) {
	t.Parallel()
	a := piecestest.StoryAgent{Key: "only", Name: "Only agent", File: "only.txt"}
	r := newRig(t, piecestest.Story([]piecestest.StoryAgent{a}), fullDesktop())
	r.start()
	r.click("welcome:later")
	url := r.serverOn()
	m := r.connect(url)
	id := r.toPlan(m)
	m.act(id, "startExecution")
	p := r.untilGate(m, id, "reviewWork")
	worktree := p["worktreePath"].(string)
	if err := os.WriteFile(filepath.Join(worktree, "mine.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, row := bytesOf(t, worktree), m.call("get_piece", map[string]any{"pieceId": id})
	done := make(chan string, 1)
	go func() {
		text, _, err := m.try(context.WithoutCancel(t.Context()), "piece_action", map[string]any{"pieceId": id, "action": "markDone"})
		if err != nil {
			text = err.Error()
		}
		done <- text
	}()
	r.clickAway("card:deny")
	if text := <-done; !strings.Contains(text, "denied") {
		t.Errorf("a denied call answered %q", text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, _, err := m.try(ctx, "piece_action", map[string]any{"pieceId": id, "action": "markDone"})
		gone <- err
	}()
	r.place("card:allow")
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled call: %v", err)
	}
	r.until("the card to go with its call", func() bool { return !r.shown("card:allow") })
	if after := bytesOf(t, worktree); !equal(after, files) {
		t.Error("the worktree changed")
	}
	if after := m.call("get_piece", map[string]any{"pieceId": id}); after["updatedAt"] != row["updatedAt"] || after["gate"] != row["gate"] {
		t.Errorf("the piece changed: %v, was %v", after, row)
	}
	r.quit()
}

func equal(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

func TestAnAppKilledInMidRunResumesItsAgentsWithTheSameSessions(t *testing.T) {
	t.Parallel()
	script := piecestest.Story([]piecestest.StoryAgent{{Key: "only", Name: "Only agent", File: "only.txt"}})
	hold := make(chan struct{})
	for i := range script {
		if script[i].Name == "only" {
			script[i].Replies[1].Hold = hold
		}
	}
	r := newRig(t, script, fullDesktop())
	r.start()
	m := r.connect(r.serverOn())
	id := r.toPlan(m)
	m.act(id, "startExecution")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := r.model.Wait(ctx, func(q piecestest.Request) bool { return q.Rule == "only" && q.Index == 1 }); err != nil {
		t.Fatal(err)
	}
	session := m.call("get_piece", map[string]any{"pieceId": id})["tasks"].([]any)[0].(map[string]any)["sessionId"]
	r.app.Kill()
	r.app.Wait()
	r.start()
	m = r.connect(r.serverOn())
	p := r.untilGate(m, id, "interrupted")
	task := p["tasks"].([]any)[0].(map[string]any)
	if task["state"] != "interrupted" || task["sessionId"] != session {
		t.Errorf("after the kill: %v", task)
	}
	close(hold)
	m.act(id, "resumeAgents")
	p = r.untilGate(m, id, "reviewWork")
	if got := p["tasks"].([]any)[0].(map[string]any)["sessionId"]; got != session {
		t.Errorf("resumed in the session %v, want %v", got, session)
	}
	r.quit()
}
