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

func TestTheEditorOfADraftShowsItsFilesAndChangesThem(t *testing.T) {
	stage.Both(t, func(t *testing.T, word string, s *stage.Stage) {
		t.Helper()
		e := usual()
		e.drafts[0].Attachments = []pieces.Attachment{{Name: "notes.md", Bytes: 1_200}, {Name: "old.png", Bytes: 48_000}}
		w := openWindow(t, s, e, 1280, 900)
		w.click("card:draft")
		w.sees("edit:detach:1")
		w.Type(w.Window, "edit:title", "Not saved yet")
		w.click("edit:attach")
		w.sees("edit:detach:2")
		w.Until("it is said which files there are", func() bool { return shows(w, "sketch.png") && shows(w, "notes.md") })
		w.Keep(w.Window, "draft-files-"+word)
		w.click("edit:detach:1")
		w.Until("it is out", func() bool { return !stage.Has(w.Window, "edit:detach:2") && !shows(w, "old.png") })
		if got := w.text("edit:title"); got != "Not saved yet" || w.disabled("saveDraft") {
			t.Errorf("what was typed became %q", got)
		}
		// Files that come from elsewhere show too.
		e.change(func() { e.drafts[0].Attachments, e.drafts[0].Version = nil, e.drafts[0].Version+1 })
		w.Until("none is left", func() bool { return !stage.Has(w.Window, "edit:detach:0") })
		for _, edit := range e.edits {
			if edit.Title != nil {
				t.Error("a change of the files saved what was typed")
			}
		}
	})
}

func TestAFileCannotBeRemovedWhileAnotherIs(t *testing.T) {
	e := usual()
	e.editing = make(chan struct{})
	e.drafts[0].Attachments = []pieces.Attachment{{Name: "notes.md", Bytes: 1_200}, {Name: "old.png", Bytes: 48_000}}
	w := openWindow(t, stage.New(t), e, 1280, 900)
	w.click("card:draft")
	w.click("edit:detach:1")
	for _, name := range []string{"edit:attach", "edit:detach:0", "edit:detach:1"} {
		if !w.disabled(name) {
			t.Errorf("%s can be clicked, and would do nothing", name)
		}
	}
	close(e.editing)
	w.Until("it is out", func() bool { return !stage.Has(w.Window, "edit:detach:1") })
	w.click("edit:detach:0")
	w.Until("the other is out", func() bool { return !stage.Has(w.Window, "edit:detach:0") })
}
