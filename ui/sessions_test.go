package ui_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/stage"
)

func (w *world) Sessions(context.Context, pieces.SessionFilter) ([]pieces.Session, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sessions), nil
}

func (w *world) Session(_ context.Context, id string) (pieces.Session, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.sessions {
		if s.ID == id {
			return s, nil
		}
	}
	return pieces.Session{}, &engine.Refusal{Sentence: pieces.Say("Unknown sessionId"), Cause: pieces.ErrNotFound}
}

func (w *world) Messages(context.Context, string, int) ([]pieces.Message, error) { return nil, nil }

func (w *world) SessionPrompts(string) []pieces.Prompt { return nil }

// sessionCues are those of the sessions that wait.
func (w *world) sessionCues() []engine.Cue {
	var list []engine.Cue
	for _, s := range w.sessions {
		if s.State == pieces.SessionAwaitingApproval {
			list = append(list, engine.Cue{
				Target: engine.Target{Kind: engine.TargetSession, ID: s.ID}, Group: pieces.RequiresApproval, Reason: string(s.State),
				Label: "A session asks for your approval", Title: s.Name, ProjectID: s.ProjectID, ProjectName: w.nameOf(s.ProjectID), Since: s.CreatedAt, Fingerprint: s.ID,
			})
		}
	}
	return list
}

func TestASessionThatWaitsIsOpenedFromWhereverItIsTold(t *testing.T) {
	const label, title = "A session asks for your approval: Tidy the docs", "Fermata: sessions of muse"
	now := time.Now()
	w := start(t, true, func(w *world) {
		w.sessions = []pieces.Session{
			{ID: "newer", ProjectID: "m", Kind: pieces.SessionCanvas, Name: "Newer", State: pieces.SessionCancelled, CreatedAt: now},
			{ID: "own", ProjectID: "m", Kind: pieces.SessionCanvas, Name: "Tidy the docs", State: pieces.SessionAwaitingApproval, CreatedAt: now},
			{ID: "agent", ProjectID: "m", PieceID: "p", Kind: pieces.SessionTask, Name: "Form", State: pieces.SessionCompleted, CreatedAt: now},
		}
	})
	home := w.waitFor("Fermata", "cue:own")
	for way, open := range map[string]func(){
		"home":           func() { w.Tap(home, "cue:own") },
		"the tray":       func() { w.Until("the tray has it", w.trayHas(label)); w.click(label) },
		"a notification": func() { w.shell.OpenNotice("session:own") },
		"the popover":    func() { w.Tap(w.cues("1 decision waits for you"), "open:session:own") },
		"a client":       func() { w.shell.OpenSession("own") },
	} {
		open()
		// The newer one, which the window shows by itself, cannot be stopped.
		o := w.waitFor(title, "canvas:stop")
		if !stage.Has(o, "session:newer") || stage.Has(o, "session:agent") {
			t.Errorf("from %s, the window does not list the person's own sessions", way)
		}
		o.Close()
		w.Until("it is closed", func() bool { return w.window(title) == nil })
	}
	w.shell.OpenSession("agent")
	w.wait("Fermata: muse")
	if w.window(title) != nil {
		t.Error("a piece's session is shown with the person's own")
	}
}
