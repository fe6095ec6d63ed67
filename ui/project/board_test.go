package project_test

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

// dropOn drags a card to the middle of a column, counted from the Backlog.
func (w *window) dropOn(id string, column int) {
	w.Helper()
	w.sees("card:" + id)
	stage.Settle(w.Window)
	press, _ := stage.Find(w.Window, "card:"+id)
	size := w.Canvas().Size()
	to := fyne.NewPos((float32(column)+0.5)*size.Width/6, size.Height-100)
	x, y, _, _ := kit.Rect(press)
	card, found := draggable(w.Content(), fyne.NewPos(x+5, y+5))
	if !found {
		w.Fatalf("%s cannot be dragged", id)
	}
	for _, at := range []fyne.Position{{X: x, Y: y}, to} {
		card.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{AbsolutePosition: at}, Dragged: fyne.NewDelta(at.X-x, at.Y-y)})
	}
	card.DragEnd()
}

// draggable finds what a pointer at a place would drag: a board's card, which kit.Find passes through.
func draggable(o fyne.CanvasObject, at fyne.Position) (found fyne.Draggable, ok bool) {
	var walk func(fyne.CanvasObject)
	walk = func(o fyne.CanvasObject) {
		if !o.Visible() {
			return
		}
		if d, is := o.(fyne.Draggable); is {
			if x, y, w, h := kit.Rect(o); at.X >= x && at.X < x+w && at.Y >= y && at.Y < y+h {
				found, ok = d, true
			}
		}
		for _, child := range kit.Children(o) {
			walk(child)
		}
	}
	walk(o)
	return found, ok
}

func TestADropAsksTheEngineForTheActionThatLeadsThere(t *testing.T) {
	w := openWindow(t, stage.New(t), usual(), 1280, 800)
	w.dropOn("spec", 2)
	if r := w.acted(); r.Action != pieces.ApproveSpec || r.PieceID != "spec" || r.By != pieces.ByPerson || r.Lane != pieces.LaneManual {
		t.Errorf("the engine was asked for %+v", r)
	}
	w.dropOn("draft", 1)
	w.logged("release by person")
}

func TestADropThatTearsDownShowsItsEffectFirst(t *testing.T) {
	e := usual()
	e.effect = pieces.Effect{Lines: []pieces.Sentence{pieces.Say("Removes the worktree.")}, Fingerprint: "f"}
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.dropOn("review", 5)
	w.sees("effect:ok")
	if len(e.acts) != 0 {
		t.Fatal("it was done before it was confirmed")
	}
	if w.Canvas().Focused().(kit.Named).Name() != "effect:cancel" {
		t.Error("the focus is not on Cancel")
	}
	e.change(func() { e.effect.Fingerprint = "g" })
	w.click("effect:ok")
	w.acted()
	w.Until("the new effect is shown", func() bool { return shows(w, "What this does changed meanwhile. Nothing was done.") })
	w.click("effect:ok")
	if r := w.acted(); r.Action != pieces.MarkDone || r.Bound != "g" {
		t.Errorf("the engine was asked for %+v", r)
	}
}

func TestARefusedDropSaysWhy(t *testing.T) {
	e := usual()
	e.refuse = &engine.Refusal{Sentence: pieces.Say("It moved meanwhile.")}
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.dropOn("spec", 2)
	w.acted()
	w.Until("the sentence is shown", func() bool { return shows(w, "It moved meanwhile.") })
	w.click("projectUndone:hide")
	if shows(w, "It moved meanwhile.") {
		t.Error("the sentence stays")
	}
}

func TestASearchLooksThroughSpecs(t *testing.T) {
	e := usual()
	e.found = map[string][]string{"bucket": {"review"}}
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.sees("card:spec")
	w.Canvas().(fyne.Shortcutable).TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyF, Modifier: fyne.KeyModifierShortcutDefault})
	if f, _ := w.Canvas().Focused().(kit.Named); f == nil || f.Name() != "board:search" {
		t.Fatal("Ctrl+F does not lead to the search")
	}
	w.Type(w.Window, "board:search", "bucket")
	w.Until("the piece is found", func() bool { return stage.Has(w.Window, "card:review") && !stage.Has(w.Window, "card:spec") })
	e.change(func() { e.found["bucket"] = []string{"spec"} })
	w.Until("the search follows the engine", func() bool { return stage.Has(w.Window, "card:spec") && !stage.Has(w.Window, "card:review") })
}

func TestArchivedPiecesAreShownOnDemand(t *testing.T) {
	e := usual()
	old := piece("old", "An old one", pieces.PhaseComplete, pieces.Idle)
	old.Piece.Archived = true
	e.list = append(e.list, old)
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.sees("card:done")
	if stage.Has(w.Window, "card:old") {
		t.Fatal("an archived piece is shown unasked")
	}
	w.click("board:archived")
	w.click("card:old")
	w.click("action:unarchive")
	if r := w.acted(); r.Action != pieces.Unarchive || r.PieceID != "old" {
		t.Errorf("the engine was asked for %+v", r)
	}
	w.click("board:archived")
	w.Until("it is hidden again", func() bool { return !stage.Has(w.Window, "card:old") })
}

func TestDeletingAPieceIsConfirmedAndSaysHowToBringItBack(t *testing.T) {
	e := usual()
	e.effect, e.saved = pieces.Effect{Lines: []pieces.Sentence{pieces.Say("Deletes the piece.")}, Fingerprint: "f"}, "refs/fermata/saved/done/x"
	w := opened(t, e, "done")
	w.click("deletePiece")
	w.sees("effect:ok")
	if shows(w, "fermata restore done") {
		t.Error("it is deleted before it was confirmed")
	}
	w.click("effect:ok")
	w.logged("delete done")
	w.sees("told:ok")
	if w.project.Shown() != "" {
		t.Error("the deleted piece stays open")
	}
	w.click("told:ok")
	w.Until("its card goes", func() bool { return !stage.Has(w.Window, "card:done") })
}

func TestABusyPieceIsNotDeleted(t *testing.T) {
	w := opened(t, usual(), "running")
	w.click("deletePiece")
	w.Until("the reason is shown", func() bool { return shows(w, running().Undeletable().String()) })
	if stage.Has(w.Window, "effect:ok") {
		t.Error("deleting is offered")
	}
}

func TestDiskUseIsMeasuredAndReleased(t *testing.T) {
	e := usual()
	e.disk = []engine.DiskUse{
		{PieceID: "review", Piece: "Export to CSV", Bytes: 2_000_000, Keeps: "The piece is not done"},
		{PieceID: "done", Piece: "Dark theme", Bytes: 500_000_000},
		{PieceID: "half", Piece: "Half", Bytes: 5},
		{PieceID: "half", Piece: "Half", Agent: "One", Bytes: 5, Keeps: "It has changes that no commit holds"},
	}
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.sees("card:done")
	w.click("projectSettings")
	w.click("project:disk")
	w.sees("disk:release")
	if got := w.label("disk:release"); got != "Release 1" || !shows(w, "502 MB") {
		t.Errorf("the button says %q", got)
	}
	w.click("disk:release")
	w.logged("release done")
	w.Until("it is measured again", func() bool { return !stage.Has(w.Window, "disk:release") })
}

func TestAProjectIsMovedAndRemoved(t *testing.T) {
	e := usual()
	e.effect = pieces.Effect{Lines: []pieces.Sentence{pieces.Say("Nothing on disk is touched.")}, Fingerprint: "f"}
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.sees("card:done")
	w.click("projectSettings")
	w.click("project:move")
	w.Type(w.Window, "move:path", "/new/place")
	w.click("move:ok")
	w.logged("move /new/place")
	w.Until("the form closes", func() bool { return !stage.Has(w.Window, "move:path") })
	w.click("projectSettings")
	w.click("project:remove")
	w.click("effect:ok")
	w.logged("remove project")
}

func TestANewPieceStartsFromItsIdea(t *testing.T) {
	e := usual()
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.click("newPiece")
	w.click("piece:start")
	if !shows(w, "Write the idea first.") {
		t.Error("a piece without an idea is started")
	}
	w.Type(w.Window, "piece:prompt", "Let people remap keys")
	w.click("piece:start")
	w.Until("it is open", func() bool { return w.project.Shown() == "made" })
	if !slices.ContainsFunc(e.made, func(n engine.NewPiece) bool {
		return strings.HasPrefix(n.Prompt, "Let people") && n.Depth == pieces.DepthBalanced && n.By == pieces.ByPerson && n.ProjectID == "p1"
	}) {
		t.Errorf("made %+v", e.made)
	}
}
