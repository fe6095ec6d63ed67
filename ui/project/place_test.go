package project_test

import (
	"errors"
	"testing"

	"fermata/pieces"
)

func TestAWorktreeIsOpenedElsewhere(t *testing.T) {
	w := opened(t, usual(), "running")
	w.engine.change(func() { w.engine.list[slot(w.engine, "running")].Prompts = nil })
	w.click("tab:overview")
	folder := running().Piece.Worktree
	for name, place := range map[string]string{"open:terminal": "terminal", "open:editor": "editor", "open:files": "file manager"} {
		w.click(name)
		w.logged(place + " " + folder)
	}
	w.engine.change(func() {
		w.engine.refuse = errors.New("no editor was found; name its command in the setting app.editor")
	})
	w.click("open:editor")
	w.Until("the failure is told", func() bool {
		return shows(w, "The editor was not opened: no editor was found; name its command in the setting app.editor")
	})
}

func TestAWorktreeThatIsGoneIsMadeAgain(t *testing.T) {
	e := usual()
	e.list[slot(e, "failed")].Piece.WorktreeMissing = true
	w := opened(t, e, "failed")
	w.click("action:openWorkspace")
	w.logged("workspace failed by " + string(pieces.ByPerson))
}
