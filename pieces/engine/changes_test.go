package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/piecestest"
)

// changing is the script of a piece whose feedback session writes a file and commits it; hold keeps its first answer back.
func changing(hold <-chan struct{}) piecestest.Script {
	replies := []piecestest.Reply{
		piecestest.Use("Write", map[string]any{"file_path": "{{cwd}}/wish.txt", "content": "as you wish\n"}),
		piecestest.Use("Bash", map[string]any{"command": "git add wish.txt", "description": "Stage the file"}),
		piecestest.Use("Bash", map[string]any{"command": "git commit -m 'Add the wish'", "description": "Commit the file"}),
		piecestest.Say("The wish is there."),
	}
	replies[0].Hold = hold
	return append(piecestest.Script{{Name: "changes", Match: piecestest.Contains("# Step: requested changes"), Replies: replies}}, one(nil)...)
}

func wish(r *engine.Request) { r.Text = "Add a wish." }

// toReview brings a new piece to its review.
func (w *world) toReview() pieces.Snapshot {
	w.t.Helper()
	id := w.toPlan().Piece.ID
	w.act(id, pieces.StartExecution)
	return w.untilGate(id, pieces.GateReviewWork)
}

func TestRequestedChangesAreMadeInTheWorktreeAndAPullRequestMayBeOpenedMeanwhile(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	w := newWorld(t, changing(hold))
	s := w.toPlan()
	id := s.Piece.ID
	w.refused(id, engine.Request{Action: pieces.RequestChanges, Text: "x"}, "not legal now")
	w.act(id, pieces.StartExecution)
	w.untilGate(id, pieces.GateReviewWork)
	w.refused(id, engine.Request{Action: pieces.RequestChanges}, "Say what should change.")

	res := w.act(id, pieces.RequestChanges, wish)
	session, err := w.engine.Session(t.Context(), res.SessionID)
	if err != nil || session.Kind != pieces.SessionFeedback || session.PieceID != id || res.Piece.State() != (pieces.State{Phase: pieces.PhaseReview, Activity: pieces.Changing}) {
		t.Fatalf("session %+v, %v; the piece is at %v", session, err, res.Piece.State())
	}
	request, err := w.model.Wait(t.Context(), piecestest.AnsweredBy("changes"))
	if err != nil || !strings.Contains(request.LastWords(), "Add a wish.") || request.Dir() != s.Piece.Worktree {
		t.Errorf("the session works in %q at %q (%v)", request.Dir(), request.LastWords(), err)
	}
	w.refused(id, engine.Request{Action: pieces.RequestChanges, Text: "x"}, "not legal now")
	pr := func(r *engine.Request) { r.Title, r.HasTitle = "T", true }
	effect, err := w.engine.Effect(t.Context(), engine.Request{PieceID: id, Action: pieces.CreatePR})
	if err != nil || !strings.Contains(strings.Join(pieces.English(effect.Lines), "\n"), "what it has committed is pushed") {
		t.Errorf("effect %q, %v", effect.Lines, err)
	}
	res = w.act(id, pieces.CreatePR, pr)
	if res.Piece.State() != (pieces.State{Phase: pieces.PhaseComplete, Activity: pieces.Changing}) || !strings.Contains(res.Message, "what it has committed is pushed") {
		t.Errorf("with the pull request: %v, %q", res.Piece.State(), res.Message)
	}
	close(hold)
	s = w.untilGate(id, pieces.GateMergePullRequest)
	if s.Piece.Failure != "" || strings.TrimSpace(w.repo.Git("show", s.Piece.Branch+":wish.txt")) != "as you wish" {
		t.Errorf("failure %q; the change is not on the branch", s.Piece.Failure)
	}
	w.isPushed(s)
	if session, err = w.engine.Session(t.Context(), session.ID); err != nil || session.State != pieces.SessionCompleted {
		t.Errorf("the session is %s (%v)", session.State, err)
	}
}

func TestMarkDoneSaysThatItEndsTheFeedbackSessionAndDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, changing(make(chan struct{})))
	s := w.toReview()
	id := s.Piece.ID
	session := w.act(id, pieces.RequestChanges, wish).SessionID
	if _, err := w.model.Wait(t.Context(), piecestest.AnsweredBy("changes")); err != nil {
		t.Fatal(err)
	}
	r := engine.Request{PieceID: id, Action: pieces.MarkDone, By: pieces.ByClient}
	effect, err := w.engine.Effect(t.Context(), r)
	if err != nil || !strings.Contains(effect.Lines[0].String(), "Ends the feedback session") {
		t.Fatalf("effect %q, %v", effect.Lines, err)
	}
	// The session writes on while the card stands; the card says what becomes of that.
	if err := os.WriteFile(filepath.Join(s.Piece.Worktree, "half.txt"), []byte("half done"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Bound = effect.Fingerprint
	res, err := w.engine.Act(t.Context(), r)
	if err != nil || res.Piece.Gate() != pieces.GateConfirmDone {
		t.Fatalf("markDone: %v, gate %s", err, res.Piece.Gate())
	}
	if row, err := w.engine.Session(t.Context(), session); err != nil || row.State != pieces.SessionCancelled {
		t.Errorf("the session is %s (%v)", row.State, err)
	}
	if got := w.repo.Git("show", res.Piece.Piece.SavedRef+":half.txt"); strings.TrimSpace(got) != "half done" {
		t.Errorf("saved %q", got)
	}
	// Its branch is there, so changes can still be asked for: the worktree is made again.
	w.model.SetScript(changing(nil))
	again := w.act(id, pieces.RequestChanges, wish)
	s = w.untilGate(id, pieces.GateConfirmDone)
	if again.SessionID == session || s.Piece.Failure != "" || strings.TrimSpace(w.repo.Git("show", s.Piece.Branch+":wish.txt")) != "as you wish" {
		t.Errorf("session %s, failure %q", again.SessionID, s.Piece.Failure)
	}
}

func TestQuittingEndsTheFeedbackSessionAndThePieceSaysSo(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, run := a.toRun()
	run.says(`{"changed":"x"}`)
	a.next().says(`{"verdict":"pass","criteria":[],"failedAgents":[],"summary":"s","learnings":"l"}`)
	a.untilGate(id, pieces.GateReviewWork)
	a.act(id, pieces.RequestChanges, wish)
	a.next()
	a.engine.Close()
	if s, err := a.engine.Piece(t.Context(), id); err != nil || s.Piece.Activity != pieces.Changing {
		t.Fatalf("the quit wrote %s (%v)", s.Piece.Activity, err)
	}
	if err := a.engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := a.untilGate(id, pieces.GateReviewWork)
	if !strings.Contains(s.Piece.Failure, "Fermata stopped") {
		t.Errorf("failure %q", s.Piece.Failure)
	}
}

func TestAFeedbackSessionThatFailsLeavesThePieceWhereItWas(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	id, run := a.toRun()
	run.says(`{"changed":"x"}`)
	a.next().says(`{"verdict":"pass","criteria":[],"failedAgents":[],"summary":"s","learnings":"l"}`)
	a.untilGate(id, pieces.GateReviewWork)
	a.act(id, pieces.RequestChanges, wish)
	a.next().emit(pieces.SessionEvent{Turn: &pieces.TurnEnd{Failure: pieces.FailureOther, Error: "no luck", CostUSD: 2}})
	s := a.untilGate(id, pieces.GateReviewWork)
	if !strings.Contains(s.Piece.Failure, "no luck") || s.Piece.CostUSD != 2 {
		t.Errorf("failure %q, cost %v", s.Piece.Failure, s.Piece.CostUSD)
	}
}
