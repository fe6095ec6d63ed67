package project_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/inspector"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

func (f *fakeEngine) SessionPrompts(id string) []pieces.Prompt {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(f.asked), func(p pieces.Prompt) bool { return p.SessionID != id })
}

func (f *fakeEngine) OpenSession(_ context.Context, n engine.NewSession) (pieces.Session, error) {
	s := pieces.Session{ID: fmt.Sprint("c", len(f.sessions)), ProjectID: n.ProjectID, Kind: pieces.SessionCanvas, Name: n.Prompt, State: pieces.SessionWorking, Worktree: f.project.Path, CreatedAt: noon}
	f.change(func() {
		f.log = append(f.log, fmt.Sprintf("open %+v", n))
		if f.refuse == nil {
			f.sessions = append([]pieces.Session{s}, f.sessions...)
		}
	})
	return s, f.refuse
}

func (f *fakeEngine) SayToSession(_ context.Context, id, text string) error {
	f.change(func() { f.log = append(f.log, "say "+id+" "+text) })
	return f.refuse
}

func (f *fakeEngine) StopSession(_ context.Context, id string) error {
	f.change(func() { f.log = append(f.log, "stop "+id); f.sessions[0].State = pieces.SessionCancelled })
	return f.refuse
}

func (f *fakeEngine) RenameSession(_ context.Context, id, name string) error {
	f.change(func() { f.log = append(f.log, "rename "+id+" "+name); f.sessions[0].Name = name })
	return f.refuse
}

func (f *fakeEngine) HideSession(_ context.Context, id string, hide bool) error {
	f.change(func() {
		f.log = append(f.log, fmt.Sprintf("hide %s %v", id, hide))
		for i := range f.sessions {
			if f.sessions[i].ID == id && f.refuse == nil {
				f.sessions[i].Hidden = hide
			}
		}
	})
	return f.refuse
}

func openCanvas(t *testing.T, s *stage.Stage, e *fakeEngine, width, height float32) *window {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c := inspector.NewCanvas(ctx, inspector.CanvasOptions{ProjectID: "p1", Engine: e, Pump: s.Pump, Now: func() time.Time { return noon }, OpenURL: func(string) {}})
	t.Cleanup(func() { c.Close(); cancel(); s.Drain() })
	w := s.Open(container.NewStack(canvas.NewRectangle(theme.Color(kit.ColorBackground)), c.Content()), width, height)
	return &window{T: t, Stage: s, Window: w, engine: e}
}

func TestThePersonOpensASessionAnswersItTalksAndStopsIt(t *testing.T) {
	e := usual()
	e.sessions = slices.DeleteFunc(e.sessions, func(s pieces.Session) bool { return s.Kind == pieces.SessionCanvas })
	w := openCanvas(t, stage.New(t), e, 760, 760)
	w.click("canvas:first")
	w.click("canvas:start")
	w.Until("silence is refused", func() bool { return shows(w, "Say what the session should do.") })
	w.filled("canvas:prompt", "Tidy the docs")
	w.click("canvas:start")
	w.logged("open {ProjectID:p1 PieceID: Name: Model: Prompt:Tidy the docs}")
	w.sees("session:c3")
	if !w.disabled("canvas:send") || !shows(w, "in the project's folder") || stage.Has(w.Window, "session:s3") {
		t.Error("a working session takes a message, or sessions of pieces are listed")
	}

	ask := approval()
	ask.SessionID, ask.PieceID = "c3", ""
	w.engine.change(func() { e.asked, e.sessions[0].State = []pieces.Prompt{ask}, pieces.SessionAwaitingApproval })
	w.click("prompt:allow")
	w.Until("it is answered", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.answers["q1"].Allow
	})
	w.engine.change(func() { e.asked, e.sessions[0].State = nil, pieces.SessionIdle })
	w.Until("the question is gone", func() bool { return !stage.Has(w.Window, "prompt:allow") })

	// What could not be sent stays.
	w.engine.change(func() {
		e.refuse = &engine.Refusal{Sentence: pieces.Say("The session is still starting; try again in a moment.")}
	})
	w.filled("canvas:message", "And the readme")
	w.click("canvas:send")
	w.Until("the refusal is shown", func() bool { return shows(w, "still starting") })
	if got := w.text("canvas:message"); got != "And the readme" {
		t.Errorf("what was typed became %q", got)
	}
	w.engine.change(func() { e.refuse, e.log = nil, nil })
	w.Until("it can be sent again", func() bool { return !w.disabled("canvas:send") })
	w.click("canvas:send")
	w.logged("say c3 And the readme")
	w.Until("it was sent", func() bool { return w.text("canvas:message") == "" })

	w.click("canvas:rename")
	w.filled("canvas:name", "Docs")
	w.click("canvas:named")
	w.logged("rename c3 Docs")
	w.click("canvas:stop")
	w.logged("stop c3")
	w.Until("it can be continued", func() bool {
		return w.label("canvas:send") == "Continue the session" && !stage.Has(w.Window, "canvas:stop")
	})
}

// own puts two sessions of the person's own into the world, the first of which runs.
func own(e *fakeEngine) {
	for i, name := range []string{"Tidy the docs", "Why is the import slow?"} {
		e.sessions = append([]pieces.Session{{
			ID: fmt.Sprint("c", i), ProjectID: "p1", Kind: pieces.SessionCanvas, Name: name, State: []pieces.SessionState{pieces.SessionCancelled, pieces.SessionIdle}[i],
			Worktree: []string{e.project.Path, "/w/muse/search-by-tag"}[i], CreatedAt: noon.Add(-time.Hour), CostUSD: 0.12,
		}}, e.sessions...)
	}
}

func TestSessionsAreHiddenAndShownAgain(t *testing.T) {
	e := usual()
	e.sessions = nil
	own(e)
	e.sessions[1].Error = "It broke."
	w := openCanvas(t, stage.New(t), e, 760, 760)
	w.sees("session:c0")
	if stage.Has(w.Window, "canvas:hidden") || stage.Has(w.Window, "canvas:show") {
		t.Error("without hidden sessions it offers to show them")
	}
	// One that runs is stopped first, if the person says so.
	w.click("canvas:hide")
	w.click("canvas:cancel")
	w.click("canvas:hide")
	w.click("canvas:stopAndHide")
	w.logged("stop c1")
	w.logged("hide c1 true")
	w.Until("it is out of sight", func() bool { return !stage.Has(w.Window, "session:c1") && w.label("canvas:hidden") == "Hidden (1)" })
	if e.log[0] != "stop c1" {
		t.Errorf("it did %q", e.log)
	}
	// What cannot be hidden stays, and says why.
	w.engine.change(func() {
		e.refuse = &engine.Refusal{Sentence: pieces.Say("The session still runs: stop it first, then hide it.")}
	})
	w.click("canvas:hide")
	w.Until("the refusal is shown", func() bool { return shows(w, "stop it first") })
	w.sees("session:c0")
	w.engine.change(func() { e.refuse = nil })
	w.click("canvas:hide")
	w.Until("none is left", func() bool {
		return shows(w, "There is no session to show here.") && w.label("canvas:hidden") == "Hidden (2)"
	})

	w.click("canvas:hidden")
	w.sees("session:c1")
	w.sees("session:c0")
	if !shows(w, "Hidden sessions") || stage.Has(w.Window, "canvas:hide") {
		t.Error("the hidden ones can be hidden")
	}
	w.click("canvas:back")
	w.Until("the others are back", func() bool { return !stage.Has(w.Window, "session:c1") })
	w.click("canvas:hidden")
	w.click("session:c0")
	w.Until("it is chosen", func() bool { return shows(w, "It broke.") })
	w.click("canvas:show")
	w.logged("hide c0 false")
	w.Until("it is shown with the others", func() bool {
		return stage.Has(w.Window, "session:c0") && !stage.Has(w.Window, "session:c1") && w.label("canvas:hidden") == "Hidden (1)"
	})
}

func TestTheFreshSessionIsOpenedThatTookThePlaceOfOne(t *testing.T) {
	e := usual()
	e.sessions = nil
	own(e)
	w := openCanvas(t, stage.New(t), e, 760, 760)
	w.click("session:c0")
	w.Until("it is chosen", func() bool { return w.label("canvas:send") == "Continue the session" })
	w.filled("canvas:message", "Go on")
	w.click("canvas:send")
	w.logged("say c0 Go on")
	w.engine.change(func() {
		old := &e.sessions[1]
		fresh := *old
		fresh.ID, fresh.State, fresh.Name = "fresh", pieces.SessionIdle, "Tidy the docs, afresh"
		old.State, old.ReplacedBy, old.Error = pieces.SessionFailed, "fresh", "This session could not be resumed; a fresh one took its place."
		e.sessions = append([]pieces.Session{fresh}, e.sessions...)
	})
	w.Until("the fresh one is open", func() bool { return w.label("canvas:send") == "Send" && stage.Has(w.Window, "canvas:stop") })
	w.filled("canvas:message", "And now?")
	w.click("canvas:send")
	w.logged("say fresh And now?")
	// The old one can still be read.
	w.click("session:c0")
	w.Until("the old one is open", func() bool { return shows(w, "a fresh one took its place") })
	w.Drain()
	if w.label("canvas:send") != "Continue the session" {
		t.Error("the old one cannot be looked at")
	}
}

func TestCanvasPictures(t *testing.T) {
	stage.Both(t, func(t *testing.T, word string, s *stage.Stage) {
		t.Helper()
		none := usual()
		none.sessions = nil
		w := openCanvas(t, s, none, 760, 760)
		w.sees("canvas:first")
		s.Keep(w.Window, "canvas-empty-"+word)
		w.click("canvas:first")
		s.Keep(w.Window, "canvas-new-"+word)
		many := full()
		for n := range many.sessions {
			many.sessions[n].Kind, many.sessions[n].ProjectID = pieces.SessionCanvas, "p1"
		}
		many.asked = []pieces.Prompt{approval()}
		many.asked[0].SessionID = many.sessions[0].ID
		w = openCanvas(t, s, many, 760, 760)
		w.sees("prompt:allow")
		s.Keep(w.Window, "canvas-crowded-"+word)
		w = openCanvas(t, s, many, 720, 480)
		w.sees("prompt:allow")
		s.Keep(w.Window, "canvas-small-"+word)
		e := usual()
		own(e)
		hidden := e.sessions[0]
		hidden.ID, hidden.Hidden, hidden.State, hidden.Name = "c9", true, pieces.SessionCompleted, "An old one"
		e.sessions = append(e.sessions, hidden)
		w = openCanvas(t, s, e, 760, 760)
		w.sees("session:c1")
		s.Keep(w.Window, "canvas-"+word)
		w.click("canvas:hidden")
		w.sees("session:c9")
		s.Keep(w.Window, "canvas-hidden-"+word)
	})
}
