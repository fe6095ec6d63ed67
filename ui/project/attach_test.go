package project_test

import (
	"slices"
	"testing"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

func TestANewDraftTakesFilesAndDependenciesAlong(t *testing.T) {
	e := usual()
	e.on = map[string][]pieces.Dependency{}
	w := openWindow(t, stage.New(t), e, 1280, 900)
	w.sees("card:spec")
	w.click("newDraft")
	w.Type(w.Window, "draft:seed", "A button")
	w.click("draft:attach")
	w.click("draft:attach") // the same one stays once
	w.project.DropFiles([]string{"/tmp/a.txt", "/tmp/b.txt"})
	w.click("draft:file:1")
	o, _ := stage.Find(w.Window, "draft:depends")
	choose := o.(*kit.Select)
	if slices.Contains(choose.Options, merged().Piece.Name) || !slices.Contains(choose.Options, "Smaller images") {
		t.Errorf("offered are %q", choose.Options)
	}
	choose.SetSelected("Offline mode")
	w.Keep(w.Window, "newDraft-filled")
	w.click("draft:file")
	w.Until("it is filed", func() bool { return w.project.Shown() == "filed" })
	n := e.filed[0]
	if !slices.Equal(n.Attach, []string{"/home/ada/sketch.png", "/tmp/b.txt"}) || !slices.Equal(n.DependsOn, []string{"strategy"}) {
		t.Errorf("filed %+v", n)
	}
}

func TestFilesDroppedOnTheWindowBeginADraft(t *testing.T) {
	w := openWindow(t, stage.New(t), usual(), 1280, 900)
	w.sees("card:spec")
	w.project.DropFiles([]string{"/tmp/a.txt"})
	w.sees("draft:file:0")
	if stage.Has(w.Window, "draft:depends") {
		t.Error("dependencies are offered although they are turned off")
	}
	w.click("draft:cancel")
	w.click("newPiece")
	w.project.DropFiles([]string{"/tmp/b.txt"})
	if stage.Has(w.Window, "draft:file") {
		t.Error("a drop replaced another form")
	}
}
