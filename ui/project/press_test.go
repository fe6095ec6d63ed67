package project_test

import (
	"testing"

	"fermata/pieces"
)

func TestAClickCountsThoughThePageIsReadAnewUnderIt(t *testing.T) {
	e := usual()
	w := opened(t, e, "spec")
	w.sees("action:approveSpec")
	up := w.Down(w.Window, "action:approveSpec")
	before := e.reads.Load()
	// What is read now makes the buttons anew: there is one more of them.
	e.change(func() { e.list[0].Piece.Name, e.list[0].Piece.Worktree = "Rate limits, renamed", "" })
	w.Until("it was read anew", func() bool { return e.reads.Load() > before })
	if shows(w, "Rate limits, renamed") {
		t.Error("the page changes under the pressed button")
	}
	up()
	if r := w.acted(); r.Action != pieces.ApproveSpec {
		t.Errorf("the click did %q", r.Action)
	}
	w.Until("the page shows what was read", func() bool { return shows(w, "Rate limits, renamed") })
}
