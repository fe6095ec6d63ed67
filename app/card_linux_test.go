package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fermata/app/apptest"
	"fermata/pieces"
	"fermata/pieces/piecestest"
)

// calling begins a call that waits for a card; what it was answered comes on the channel.
func (m *mcpClient) calling(ctx context.Context, id, action string) <-chan string {
	done := make(chan string, 1)
	go func() {
		text, _, err := m.try(ctx, "piece_action", map[string]any{"pieceId": id, "action": action})
		if err != nil {
			text = err.Error()
		}
		done <- text
	}()
	return done
}

// asking brings a piece to its plan, with its project's window open and the setting on that asks before runs.
func asking(t *testing.T) (r *rig, m *mcpClient, id string, window *apptest.Window) {
	t.Helper()
	r = newRig(t, piecestest.Story([]piecestest.StoryAgent{{Key: "only", Name: "Only agent", File: "only.txt"}}), fullDesktop())
	r.start()
	r.click("welcome:later")
	m = r.connect(r.serverOn())
	id = r.toPlan(m)
	if out, code := r.fermata("settings", "set", pieces.KeyMCPAskBefore, "true"); code != 0 {
		t.Fatal(out)
	}
	m.call("reveal", map[string]any{"pieceId": id})
	return r, m, id, r.desk.Window(t, r.place("action:startExecution").Window)
}

// other is a program of somebody else's that says which keys it gets.
func (r *rig) other() (*apptest.App, *apptest.Window) {
	r.t.Helper()
	const title = "Somebody else's"
	a := apptest.Start(r.t, "/usr/bin/stdbuf", []string{"-oL", "xev", "-name", title, "-event", "keyboard"}, r.desk.Env(r.home))
	w := r.desk.Window(r.t, title)
	w.Activate()
	r.until("the other program to have the focus", w.Focused)
	return a, w
}

func isAbout(body string) func(apptest.Notification) bool {
	return func(n apptest.Notification) bool { return strings.Contains(n.Body, body) }
}

func TestACardNeverTakesTheFocusFromAnotherApp(t *testing.T) {
	t.Parallel()
	r, m, id, window := asking(t)
	other, w := r.other()
	ctx := context.WithoutCancel(t.Context())
	for _, word := range []string{"quay", "jump"} {
		minimised := word == "jump"
		if minimised {
			window.Minimise()
			r.until("the window to be minimised", func() bool { return !window.OnScreen() })
			w.Activate()
			r.until("the other program to have the focus again", w.Focused)
		}
		before := len(r.desk.Notifications())
		done := m.calling(ctx, id, "startExecution")
		r.place("card:deny") // it is on its window and takes an answer
		r.desk.Press(t, "Return")
		r.desk.Press(t, "space")
		r.desk.Type(t, word)
		for letter := range strings.SplitSeq(word, "") {
			other.WaitLog(", " + letter + ")")
		}
		if !w.Focused() {
			t.Error("the other program has lost the focus")
		}
		select {
		case text := <-done:
			t.Errorf("keys that were typed elsewhere answered the card: %s", text)
		default:
		}
		r.desk.WaitNotification(t, func(n apptest.Notification) bool { return !n.Closed && isAbout("wants to start agents on")(n) })
		if after := len(r.desk.Notifications()); after != before+1 {
			t.Errorf("%d notifications came for one card", after-before)
		}
		if minimised && window.OnScreen() {
			t.Error("the card brought its minimised window up")
		}
		window.Activate() // the person comes back
		r.clickAway("card:deny")
		if text := <-done; !strings.Contains(text, "denied") {
			t.Errorf("the call was answered with %s", text)
		}
		w.Activate()
		r.until("the other program to have the focus again", w.Focused)
	}
	r.quit()
}

func TestAFileThatIsWrittenWhileTheCardWaitsBringsAnotherCard(t *testing.T) {
	t.Parallel()
	r, m, _, id := toReview(t)
	worktree := m.call("get_piece", map[string]any{"pieceId": id})["worktreePath"].(string)
	done := m.calling(context.WithoutCancel(t.Context()), id, "markDone")
	r.place("card:allow")
	if r.shown("card:again") {
		t.Error("the first card says that it is another")
	}
	late := filepath.Join(worktree, "late.txt")
	if err := os.WriteFile(late, []byte("late"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.clickFor("card:allow", "card:again")
	r.clickAway("card:deny")
	if text := <-done; !strings.Contains(text, "denied") {
		t.Errorf("the call was answered with %s", text)
	}
	if text, err := os.ReadFile(late); err != nil || string(text) != "late" {
		t.Errorf("what was written while the card waited: %q, %v", text, err)
	}
	var answers []string
	rows := r.booked()
	for _, c := range rows[len(rows)-1].Cards {
		answers = append(answers, c.Answer)
	}
	if !slices.Equal(answers, []string{"allowed", "denied"}) {
		t.Errorf("the book has the answers %q", answers)
	}
	r.quit()
}
