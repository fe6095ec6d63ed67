package project_test

import (
	"context"
	"testing"

	"fermata/pieces"
	"fermata/ui/stage"
)

// unpushed is a piece whose pull request lacks what a feedback session committed.
func unpushed() pieces.Snapshot {
	s := piece("unpushed", "Export to CSV, again", pieces.PhaseComplete, pieces.Idle)
	s.Piece.PR = &pieces.PullRequest{
		Number: 7, URL: "https://github.com/acme/muse/pull/7", Host: "github.com", State: pieces.PullRequestOpen,
		PushNote: "Commits on fermata/export-to-csv are not in pull request #7: push fermata/export-to-csv to origin: git push: ! [rejected]. They can be pushed at any time; nothing is forced.",
	}
	return s
}

func (f *fakeEngine) StopChanges(_ context.Context, id string, by pieces.Actor) (pieces.Snapshot, error) {
	f.change(func() { f.log = append(f.log, "stop "+id+" by "+string(by)) })
	return pieces.Snapshot{}, f.refuse
}

func (f *fakeEngine) PushChanges(_ context.Context, id string, by pieces.Actor) (pieces.Snapshot, error) {
	f.change(func() { f.log = append(f.log, "push "+id+" by "+string(by)) })
	return pieces.Snapshot{}, f.refuse
}

func TestAFeedbackSessionIsStoppedAndItsCommitsPushed(t *testing.T) {
	e := usual()
	e.list = append(e.list, unpushed())
	p := &e.list[len(e.list)-1].Piece
	w := opened(t, e, "unpushed")
	w.sees("action:pushChanges")
	if !shows(w, p.PR.PushNote) {
		t.Error("nothing says what the pull request lacks")
	}
	w.click("action:pushChanges")
	w.logged("push unpushed by person")
	e.change(func() { p.PR.PushNote = "" })
	w.Until("there is nothing to push", func() bool { return !stage.Has(w.Window, "action:pushChanges") && !shows(w, "rejected") })
	e.change(func() { p.Activity = pieces.Changing })
	w.sees("action:stopChanges")
	w.click("action:stopChanges")
	w.click("confirm:cancel")
	w.click("action:stopChanges")
	w.click("confirm:ok")
	w.logged("stop unpushed by person")
}
