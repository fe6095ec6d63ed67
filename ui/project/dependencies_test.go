package project_test

import (
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/stage"
)

func TestDependenciesAreShownAddedAndRemoved(t *testing.T) {
	e := usual()
	e.candidates = []engine.Candidate{{ID: "b1", Name: "First", State: "Review"}, {ID: "b2", Name: "Second", State: "Backlog"}}
	e.list = append(e.list, piece("waiter", "Waiter", pieces.PhaseStrategy, pieces.Waiting))
	s := &e.list[len(e.list)-1]
	s.Flags.Dependencies = true
	s.Dependencies = []pieces.Dependency{
		{ID: "b0", Key: "SUP-1", Name: "Login", State: "Agents 1/2"}, {ID: "b9", Name: "Old", State: pieces.StateDeleted, Standing: pieces.Wrong},
	}
	w := opened(t, e, "waiter")
	w.click("tab:overview")
	w.sees("addDependency")
	for _, words := range []string{"SUP-1 Login · Agents 1/2", "Old · deleted", "It does not start before what failed, stopped or is gone is brought on again, or removed here."} {
		if !shows(w, words) {
			t.Errorf("%q is not shown", words)
		}
	}
	w.click("removeDependency:1")
	if r := w.acted(); r.Action != pieces.RemoveDependency || r.PieceID != "waiter" || r.Blocker != "b9" || r.By != pieces.ByPerson {
		t.Errorf("the engine was asked for %+v", r)
	}
	w.click("addDependency")
	w.click("dependency:add")
	if r := w.acted(); r.Action != pieces.AddDependency || r.PieceID != "waiter" || r.Blocker != "b1" {
		t.Errorf("the engine was asked for %+v", r)
	}
	e.change(func() { s.Flags.Dependencies = false })
	w.Until("they are hidden", func() bool { return !stage.Has(w.Window, "addDependency") })
}

func TestAHeldDraftSaysThatItStartsByItself(t *testing.T) {
	e := usual()
	e.drafts[0].Lane, e.drafts[0].ReleasedBy = pieces.LaneAuto, pieces.ByClient
	id := e.drafts[0].ID
	e.on = map[string][]pieces.Dependency{id: {{ID: "b0", Name: "Login", State: "Spec"}}}
	w := opened(t, e, id)
	w.sees("removeDependency:0")
	if !shows(w, "It was released, and starts by itself once these are done.") {
		t.Error("nothing says that it was released")
	}
	w.click("addDependency")
	w.click("confirm:cancel") // there is nothing to wait on
	w.click("removeDependency:0")
	if r := w.acted(); r.Action != pieces.RemoveDependency || r.PieceID != id || r.Blocker != "b0" {
		t.Errorf("the engine was asked for %+v", r)
	}
}
