package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// oneAgent is a story of a single agent, so that the piece works in one worktree.
func oneAgent(before ...piecestest.Rule) piecestest.Script {
	return append(piecestest.Script(before), piecestest.Story([]piecestest.StoryAgent{{Key: "retry", Name: "Retry loop", File: "retry.txt"}})...)
}

// toReviewable brings a new piece to its review; the Edge feature Code review is on.
func (w *world) toReviewable() pieces.Snapshot {
	w.t.Helper()
	for _, key := range []string{pieces.KeyEdgeEnabled, pieces.KeyEdgeCodeReview} {
		if err := w.engine.SetSetting(w.t.Context(), key, "true"); err != nil {
			w.t.Fatal(err)
		}
	}
	return w.toReview()
}

func (w *world) untilReviewed(id string, state pieces.CodeReviewState) pieces.Snapshot {
	w.t.Helper()
	return w.until(id, "the code review to be "+string(state), func(s pieces.Snapshot) bool { return s.Piece.CodeReview.State == state })
}

func TestACodeReviewFindsProblemsBesideTheGate(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	w := newWorld(t, oneAgent(piecestest.CodeReview(hold)))
	s := w.toReviewable()
	id, cost := s.Piece.ID, s.Piece.CostUSD
	_, err := w.engine.Act(t.Context(), engine.Request{PieceID: id, Action: pieces.RunCodeReview, Level: "low"})
	w.mustRefuse("another level", err, "high or max")
	res := w.act(id, pieces.RunCodeReview, func(r *engine.Request) { r.Level = "high" })
	if s = res.Piece; !res.Started || s.Gate() != pieces.GateReviewWork || s.Piece.Activity != pieces.Idle || s.Piece.CodeReview.State != pieces.CodeReviewRunning {
		t.Errorf("started %v, gate %s, activity %s, review %+v", res.Started, s.Gate(), s.Piece.Activity, s.Piece.CodeReview)
	}
	w.refusesAction(id, pieces.RunCodeReview, "running already")
	if s.Legal(pieces.Archive) {
		t.Error("a piece whose code is being reviewed can be archived")
	}
	req, err := w.model.Wait(t.Context(), piecestest.AnsweredBy("code review"))
	if err != nil || req.Effort != "high" || !strings.Contains(string(req.Body), "+Retry loop") {
		t.Errorf("the model was asked at the effort %q, or without the diff: %v", req.Effort, err)
	}
	close(hold)
	s = w.untilReviewed(id, pieces.CodeReviewDone)
	if s.Gate() != pieces.GateReviewWork || s.Piece.CostUSD <= cost {
		t.Errorf("gate %s, cost %v after %v", s.Gate(), s.Piece.CostUSD, cost)
	}
	record, err := pieces.ParseCodeReview(w.document(id, pieces.ArtifactCodeReview))
	if err != nil || record.Level != "high" || len(record.Findings) != 2 || record.Findings[0].Title != "Endless loop" || record.Findings[0].File != "retry.txt" ||
		record.Head == "" || record.SessionID != res.SessionID || record.CostUSD <= 0 {
		t.Errorf("the record is %+v, %v", record, err)
	}
	if o, err := w.engine.Session(t.Context(), res.SessionID); err != nil || o.State != pieces.SessionCompleted || o.Kind != pieces.SessionCodeReview || o.Effort != "high" {
		t.Errorf("the session is %+v, %v", o, err)
	}
}

func TestNoCodeReviewWhileItsEdgeFeatureIsOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oneAgent())
	s := w.toReviewable()
	for _, key := range []string{pieces.KeyEdgeEnabled, pieces.KeyEdgeCodeReview} {
		if err := w.engine.SetSetting(t.Context(), key, "false"); err != nil {
			t.Fatal(err)
		}
		w.refusesAction(s.Piece.ID, pieces.RunCodeReview, "the Edge feature Code review is turned off")
		if err := w.engine.SetSetting(t.Context(), key, "true"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.engine.SetSetting(t.Context(), pieces.KeyEdgeCodeReview, "true"); err != nil || !w.piece(s.Piece.ID).Legal(pieces.RunCodeReview) {
		t.Errorf("turned on again it is not legal: %v", err)
	}
}

func TestACodeReviewThatARestartCutOffSaysSo(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	w := newWorld(t, oneAgent(piecestest.CodeReview(hold)))
	id := w.toReviewable().Piece.ID
	res := w.act(id, pieces.RunCodeReview)
	if _, err := w.model.Wait(t.Context(), piecestest.AnsweredBy("code review")); err != nil {
		t.Fatal(err)
	}
	w.close()
	w.open()
	s := w.piece(id)
	if s.Piece.CodeReview.State != pieces.CodeReviewFailed || !strings.Contains(s.Piece.CodeReview.Failure, "Fermata stopped") || s.Gate() != pieces.GateReviewWork {
		t.Errorf("after a restart: %+v, gate %s", s.Piece.CodeReview, s.Gate())
	}
	if o, err := w.engine.Session(t.Context(), res.SessionID); err != nil || o.State.Live() {
		t.Errorf("the session is %s, %v", o.State, err)
	}
	if w.document(id, pieces.ArtifactCodeReview) != "" {
		t.Error("a review that did not end left a record")
	}
	w.model.SetScript(oneAgent())
	w.act(id, pieces.RunCodeReview)
	w.untilReviewed(id, pieces.CodeReviewDone)
}

func TestMarkDoneEndsACodeReview(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	w := newWorld(t, oneAgent(piecestest.CodeReview(hold)))
	id := w.toReviewable().Piece.ID
	res := w.act(id, pieces.RunCodeReview)
	effect, err := w.engine.Effect(t.Context(), engine.Request{PieceID: id, Action: pieces.MarkDone})
	if err != nil || !strings.Contains(strings.Join(pieces.English(effect.Lines), "\n"), "Ends the code review that runs now") {
		t.Errorf("markDone would: %q, %v", effect.Lines, err)
	}
	if _, err := w.model.Wait(t.Context(), piecestest.AnsweredBy("code review")); err != nil {
		t.Fatal(err)
	}
	w.act(id, pieces.MarkDone)
	s := w.piece(id)
	if s.Piece.Phase != pieces.PhaseComplete || s.Piece.Worktree != "" || s.Piece.CodeReview.State != pieces.CodeReviewFailed {
		t.Errorf("phase %s, worktree %q, review %+v", s.Piece.Phase, s.Piece.Worktree, s.Piece.CodeReview)
	}
	if o, err := w.engine.Session(t.Context(), res.SessionID); err != nil || o.State != pieces.SessionCancelled {
		t.Errorf("the session is %s, %v", o.State, err)
	}
}

func TestACodeReviewThatFailsSaysWhyAndLeavesTheLastRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oneAgent())
	id := w.toReviewable().Piece.ID
	w.act(id, pieces.RunCodeReview)
	w.untilReviewed(id, pieces.CodeReviewDone)
	before := w.document(id, pieces.ArtifactCodeReview)
	broken := piecestest.CodeReview(nil)
	broken.Replies = []piecestest.Reply{piecestest.Fail(400, "the model is on strike")}
	w.model.SetScript(oneAgent(broken))
	w.act(id, pieces.RunCodeReview)
	s := w.untilReviewed(id, pieces.CodeReviewFailed)
	if !strings.Contains(s.Piece.CodeReview.Failure, "the model is on strike") || w.document(id, pieces.ArtifactCodeReview) != before {
		t.Errorf("failed because %q", s.Piece.CodeReview.Failure)
	}
	if !json.Valid([]byte(before)) {
		t.Error("the record is no JSON")
	}
}
