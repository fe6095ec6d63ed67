package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// talking is the script of a session that asks for a command, and that answers a second message.
func talking() piecestest.Script {
	return append(piecestest.Script{
		{Name: "first", Match: piecestest.Contains("Look around."), Replies: []piecestest.Reply{
			piecestest.Use("Bash", map[string]any{"command": "mkdir -p seen", "description": "Make a folder"}), piecestest.Say("I looked."),
		}},
		{Name: "second", Match: piecestest.Contains("And now?"), Replies: []piecestest.Reply{piecestest.Say("Nothing more.")}},
		{Name: "third", Match: piecestest.Contains("Go on."), Replies: []piecestest.Reply{piecestest.Say("Still here.")}},
	}, one(nil)...)
}

// untilSession waits for a session's state.
func (w *world) untilSession(id string, state pieces.SessionState) pieces.Session {
	w.t.Helper()
	wake, done := w.engine.Watch()
	defer done()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for {
		s, err := w.engine.Session(w.t.Context(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		if s.State == state {
			return s
		}
		select {
		case <-wake:
		case <-ctx.Done():
			w.t.Fatalf("waited for %s; the session is %+v", state, s)
		}
	}
}

func wants(t *testing.T, err error, words string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("it says %v, want %q", err, words)
	}
}

func TestASessionThatThePersonOpensAsksIsStoppedAndGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, talking())
	ctx := t.Context()
	_, err := w.engine.OpenSession(ctx, engine.NewSession{ProjectID: w.id, Prompt: " "})
	wants(t, err, "Say what")
	s, err := w.engine.OpenSession(ctx, engine.NewSession{ProjectID: w.id, Prompt: "Look around.\nPlease."})
	if err != nil || s.Kind != pieces.SessionCanvas || s.PieceID != "" || s.Worktree != w.repo.Path || s.Name != "Look around." {
		t.Fatalf("opened as %+v, %v", s, err)
	}

	// What it asks is a cue of its own, and is answered.
	w.untilSession(s.ID, pieces.SessionAwaitingApproval)
	cues, err := w.engine.Cues(ctx, w.id)
	if err != nil || len(cues.Items) != 1 || cues.Items[0].Target != (engine.Target{Kind: engine.TargetSession, ID: s.ID}) || cues.Items[0].Group != pieces.RequiresApproval {
		t.Errorf("the cues are %+v, %v", cues.Items, err)
	}
	wants(t, w.engine.SayToSession(ctx, s.ID, "And now?"), "waits for you")
	asked := w.engine.SessionPrompts(s.ID)
	if len(asked) != 1 || !strings.Contains(string(asked[0].Input), "mkdir -p seen") {
		t.Fatalf("it asks %+v", asked)
	}
	if err := w.engine.AnswerPrompt(ctx, asked[0].ID, pieces.PromptAnswer{Allow: true}); err != nil {
		t.Fatal(err)
	}
	s = w.untilSession(s.ID, pieces.SessionIdle)
	w.untilMessage(s.ID, "I looked.")
	if _, err := os.Stat(filepath.Join(w.repo.Path, "seen")); err != nil || s.Branch != "main" {
		t.Errorf("it works on %q: %v", s.Branch, err)
	}

	if err := w.engine.RenameSession(ctx, s.ID, "Looking"); err != nil {
		t.Fatal(err)
	}
	if err := w.engine.SayToSession(ctx, s.ID, "And now?"); err != nil {
		t.Fatal(err)
	}
	w.untilMessage(s.ID, "Nothing more.")
	w.untilSession(s.ID, pieces.SessionIdle)
	if err := w.engine.StopSession(ctx, s.ID); err != nil {
		t.Fatal(err)
	}
	if s = w.untilSession(s.ID, pieces.SessionCancelled); s.Name != "Looking" || s.EndedAt == nil {
		t.Errorf("stopped it is %+v", s)
	}

	w.close()
	w.open()
	if err := w.engine.SayToSession(ctx, s.ID, "Go on."); err != nil {
		t.Fatal(err)
	}
	w.untilMessage(s.ID, "Still here.")
	if s = w.untilSession(s.ID, pieces.SessionIdle); s.Resumed != 1 || s.Name != "Looking" {
		t.Errorf("it goes on as %+v", s)
	}

	// Quitting leaves no session that says that it lives.
	w.close()
	w.open()
	if s, err = w.engine.Session(ctx, s.ID); err != nil || s.State.Live() {
		t.Errorf("after quitting it is %s, %v", s.State, err)
	}
}

// untilMessage waits for words in a transcript.
func (w *world) untilMessage(id, words string) {
	w.t.Helper()
	wake, done := w.engine.Watch()
	defer done()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for {
		list, err := w.engine.Messages(w.t.Context(), id, -1)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, m := range list {
			if m.Text == words {
				return
			}
		}
		select {
		case <-wake:
		case <-ctx.Done():
			w.t.Fatalf("waited for %q: %+v", words, list)
		}
	}
}

func TestAWorktreeInWhichThePersonHasASessionIsNotRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, talking())
	ctx := t.Context()
	p := w.toReview().Piece
	s, err := w.engine.OpenSession(ctx, engine.NewSession{ProjectID: w.id, PieceID: p.ID, Prompt: "And now?"})
	if err != nil || s.Worktree != p.Worktree || s.PieceID != "" {
		t.Fatalf("opened as %+v, %v", s, err)
	}
	if s = w.untilSession(s.ID, pieces.SessionIdle); s.Branch != p.Branch {
		t.Errorf("it works on %q", s.Branch)
	}
	w.refused(p.ID, engine.Request{Action: pieces.MarkDone}, "stop it first")
	if _, err := os.Stat(p.Worktree); err != nil {
		t.Fatalf("the worktree: %v", err)
	}
	if snapshot, err := w.engine.Piece(ctx, p.ID); err != nil || len(snapshot.Sessions) == 0 || snapshot.Sessions[0].Kind == pieces.SessionCanvas {
		t.Errorf("the session is linked to the piece: %+v, %v", snapshot.Sessions, err)
	}
	if err := w.engine.StopSession(ctx, s.ID); err != nil {
		t.Fatal(err)
	}
	w.act(p.ID, pieces.MarkDone)
	wants(t, w.engine.SayToSession(ctx, s.ID, "Go on."), "no longer there")
	wants(t, w.engine.StopSession(ctx, w.anySession(p.ID)), "belongs to a piece")
}

func (w *world) anySession(pieceID string) string {
	w.t.Helper()
	list, err := w.engine.Sessions(w.t.Context(), pieces.SessionFilter{PieceID: pieceID, IncludeHidden: true})
	if err != nil || len(list) == 0 {
		w.t.Fatalf("no session: %v", err)
	}
	return list[0].ID
}

// stopped opens a session in the project's folder, and stops it after its first turn.
func (w *world) stopped() pieces.Session {
	w.t.Helper()
	s, err := w.engine.OpenSession(w.t.Context(), engine.NewSession{ProjectID: w.id, Prompt: "And now?"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.untilSession(s.ID, pieces.SessionIdle)
	if err := w.engine.StopSession(w.t.Context(), s.ID); err != nil {
		w.t.Fatal(err)
	}
	return w.untilSession(s.ID, pieces.SessionCancelled)
}

func TestASessionIsHiddenOnceItIsStoppedAndShowsAgainWhenItGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, talking())
	ctx := t.Context()
	s, err := w.engine.OpenSession(ctx, engine.NewSession{ProjectID: w.id, Prompt: "And now?"})
	if err != nil {
		t.Fatal(err)
	}
	w.untilSession(s.ID, pieces.SessionIdle)
	wants(t, w.engine.HideSession(ctx, s.ID, true), "stop it first")
	if err := w.engine.StopSession(ctx, s.ID); err != nil {
		t.Fatal(err)
	}
	listed := func(all bool) bool {
		t.Helper()
		list, err := w.engine.Sessions(ctx, pieces.SessionFilter{ProjectID: w.id, IncludeHidden: all})
		if err != nil {
			t.Fatal(err)
		}
		return len(list) == 1 && list[0].ID == s.ID
	}
	for _, hide := range []bool{true, true, false, true} { // what is hidden already stays so
		if err := w.engine.HideSession(ctx, s.ID, hide); err != nil {
			t.Fatal(err)
		}
		if listed(false) == hide || !listed(true) {
			t.Errorf("hidden %v, it is listed: %v, with the hidden ones: %v", hide, listed(false), listed(true))
		}
	}
	w.close()
	w.open()
	if listed(false) {
		t.Error("after a restart it is shown")
	}
	if err := w.engine.SayToSession(ctx, s.ID, "Go on."); err != nil {
		t.Fatal(err)
	}
	w.untilMessage(s.ID, "Still here.")
	if !listed(false) {
		t.Error("a session that works is hidden")
	}
}

func TestASessionThatCannotBeResumedIsReplacedByAFreshOneThatSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, talking())
	ctx := t.Context()
	old := w.stopped()
	if err := os.RemoveAll(filepath.Join(w.dir, "home", ".claude")); err != nil {
		t.Fatal(err)
	}
	if err := w.engine.SayToSession(ctx, old.ID, "Go on."); err != nil {
		t.Fatal(err)
	}
	old = w.untilSession(old.ID, pieces.SessionFailed)
	wake, done := w.engine.Watch()
	defer done()
	for old.ReplacedBy == "" {
		select {
		case <-wake:
		case <-time.After(patience):
			t.Fatalf("no session took the place of %+v", old)
		}
		var err error
		if old, err = w.engine.Session(ctx, old.ID); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(old.Error, "a fresh one took its place") {
		t.Errorf("it says %q", old.Error)
	}
	w.untilMessage(old.ReplacedBy, "Still here.")
	w.untilMessage(old.ReplacedBy, "The earlier session could not be resumed, so this is a fresh one.")
	fresh := w.untilSession(old.ReplacedBy, pieces.SessionIdle)
	if fresh.Name != old.Name || fresh.Worktree != old.Worktree || fresh.Kind != pieces.SessionCanvas || fresh.Resumed != 0 || fresh.Error != "" {
		t.Errorf("in the place of %+v came %+v", old, fresh)
	}
	// The fresh one is the one to talk to, and to stop.
	if err := w.engine.SayToSession(ctx, fresh.ID, "And now?"); err != nil {
		t.Fatal(err)
	}
	w.untilMessage(fresh.ID, "Nothing more.")
	w.untilSession(fresh.ID, pieces.SessionIdle)
	if err := w.engine.StopSession(ctx, fresh.ID); err != nil {
		t.Fatal(err)
	}
	w.untilSession(fresh.ID, pieces.SessionCancelled)
}
