package project_test

import (
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

func (w *window) disabled(name string) bool {
	w.Helper()
	w.sees(name)
	o, _ := stage.Find(w.Window, name)
	return o.(*kit.Button).Disabled()
}

func TestTheSpecIsEditedAtItsGateAndNothingTypedIsLost(t *testing.T) {
	w := opened(t, usual(), "spec")
	w.click("text:edit")
	if got := w.text("text:entry"); got != specText || !w.disabled("text:save") {
		t.Errorf("the editor starts with %q", got)
	}
	w.filled("text:entry", "# Mine")

	// What is read meanwhile does not overwrite it, and another page does not lose it.
	w.engine.change(func() { w.engine.artifacts[pieces.ArtifactSpec] = "# Theirs" })
	w.Until("the other change is told", func() bool { return shows(w, "changed from elsewhere while you edited") })
	w.click("tab:history")
	w.click("tab:spec")
	if got := w.text("text:entry"); got != "# Mine" {
		t.Errorf("after another page it says %q", got)
	}

	w.engine.change(func() {
		w.engine.refuse = &engine.Refusal{Sentence: pieces.Say("The spec was written anew meanwhile.")}
	})
	w.click("text:save")
	w.Until("the refusal is shown", func() bool { return shows(w, "The spec was written anew meanwhile.") })
	if got := w.text("text:entry"); got != "# Mine" {
		t.Errorf("after a refusal it says %q", got)
	}
	w.engine.change(func() { w.engine.refuse = nil })
	w.click("text:save")
	w.logged("edit spec spec")
	w.Until("the text is shown again", func() bool { return !stage.Has(w.Window, "text:entry") && shows(w, "Mine") })
	if w.engine.artifacts[pieces.ArtifactSpec] != "# Mine" {
		t.Errorf("written was %q", w.engine.artifacts[pieces.ArtifactSpec])
	}
}

func TestATextPastItsGateIsKeptButNotSaved(t *testing.T) {
	w := opened(t, usual(), "spec")
	w.click("text:edit")
	w.filled("text:entry", "# Mine")
	w.engine.change(func() { w.engine.list[slot(w.engine, "spec")].Piece.Activity = pieces.Interviewing })
	w.Until("it is told", func() bool { return shows(w, "no longer waits for your approval") })
	if got := w.text("text:entry"); got != "# Mine" || !w.disabled("text:save") {
		t.Errorf("it says %q", got)
	}
	w.click("text:discard")
	w.Until("it is closed", func() bool { return !stage.Has(w.Window, "text:entry") })
	if stage.Has(w.Window, "text:edit") {
		t.Error("it can be edited past its gate")
	}
}
