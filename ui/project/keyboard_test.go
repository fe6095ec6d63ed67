package project_test

import (
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/stage"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// sheets are the ways to all that is asked over a project's window, with a widget that is seen while it is open.
func sheets() map[string]struct {
	engine func(e *fakeEngine)
	open   func(w *window)
	sees   string
} {
	type sheet = struct {
		engine func(e *fakeEngine)
		open   func(w *window)
		sees   string
	}
	effect := func(e *fakeEngine) {
		e.effect = pieces.Effect{Lines: []pieces.Sentence{pieces.Say("It goes.")}, Fingerprint: "f"}
	}
	return map[string]sheet{
		"settings": {open: func(w *window) { w.click("projectSettings") }, sees: "project:save"},
		"piece":    {open: func(w *window) { w.click("newPiece") }, sees: "piece:start"},
		"draft":    {open: func(w *window) { w.click("newDraft") }, sees: "draft:file"},
		"disk": {engine: func(e *fakeEngine) {
			e.disk = []engine.DiskUse{{PieceID: "done", Piece: "Dark theme", Bytes: 500_000_000}}
		}, open: func(w *window) { w.project.ShowDisk() }, sees: "disk:release"},
		"delete": {engine: effect, open: func(w *window) { w.click("card:done"); w.click("deletePiece") }, sees: "effect:ok"},
		"stop": {engine: func(e *fakeEngine) { effect(e); e.list[3].Prompts = nil }, open: func(w *window) {
			w.project.ShowPiece("running")
			w.click("action:stopAgents")
		}, sees: "confirm:ok"},
	}
}

func TestKeysReachAllOfASheetAndEscLeavesIt(t *testing.T) {
	for name, s := range sheets() {
		t.Run(name, func(t *testing.T) {
			e := usual()
			if s.engine != nil {
				s.engine(e)
			}
			w := openWindow(t, stage.New(t), e, 1280, 800)
			w.sees("card:running")
			s.open(w)
			w.sees(s.sees)
			before := e.actions()
			goal, _ := stage.Find(w.Window, s.sees)
			first := w.Canvas().Focused()
			if first == nil {
				t.Fatal("nothing has the focus")
			}
			if first == goal.(fyne.Focusable) {
				t.Error("the focus starts on what does it, so that a key that was meant for another thing does it")
			}
			stops, reached := 0, false
			for stops < 40 {
				test.FocusNext(w.Canvas())
				stops++
				f := w.Canvas().Focused()
				reached = reached || f == goal.(fyne.Focusable)
				if f == first {
					break
				}
			}
			if !reached {
				t.Errorf("Tab never reaches %q", s.sees)
			}
			stage.Press(w.Window, fyne.KeyEscape)
			for i := range stops {
				if stage.Has(w.Window, s.sees) {
					t.Fatalf("Esc does not close it from stop %d of the Tab key", i)
				}
				s.open(w)
				w.sees(s.sees)
				for range i + 1 {
					test.FocusNext(w.Canvas())
				}
				stage.Press(w.Window, fyne.KeyEscape)
			}
			if n := e.actions(); n != before {
				t.Errorf("it did %d things", n-before)
			}
		})
	}
}

func TestEnterDestroysNothing(t *testing.T) {
	for _, name := range []string{"delete", "stop"} {
		t.Run(name, func(t *testing.T) {
			s, e := sheets()[name], usual()
			s.engine(e)
			w := openWindow(t, stage.New(t), e, 1280, 800)
			w.sees("card:running")
			s.open(w)
			w.sees(s.sees)
			before := e.actions()
			stage.Press(w.Window, fyne.KeyReturn)
			w.Drain()
			if stage.Has(w.Window, s.sees) || e.actions() != before {
				t.Errorf("Enter did %d things, and the sheet is open: %v; want Cancel", e.actions()-before, stage.Has(w.Window, s.sees))
			}
		})
	}
}

func TestEscWithoutAFocusLeavesTheSheetAndNotThePiece(t *testing.T) {
	w := openWindow(t, stage.New(t), usual(), 1280, 800)
	w.sees("card:running")
	w.project.ShowPiece("running")
	w.click("newPiece")
	w.sees("piece:start")
	w.Canvas().Unfocus()
	w.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if stage.Has(w.Window, "piece:start") || w.project.Shown() != "running" {
		t.Errorf("the sheet is open: %v, the open piece is %q", stage.Has(w.Window, "piece:start"), w.project.Shown())
	}
	w.Canvas().Unfocus()
	w.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if w.project.Shown() != "" {
		t.Error("the next Esc does not close the piece")
	}
}

func (e *fakeEngine) actions() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.acts)
}
