package control

import (
	"testing"

	"fermata/pieces"
	"fermata/pieces/engine"
)

func TestACodeReviewTellsItsRecordAndWhereTheLastOneStands(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	read := func(present, content, message string) {
		t.Helper()
		same(t, k.ok("get_artifact", values{"pieceId": pieceID, "kind": "codeReview"}),
			`{"pieceId": "`+pieceID+`", "kind": "codeReview", "present": `+present+`, "format": "json", "content": `+content+`, "message": `+message+`}`)
	}
	delete(k.engine.artifacts, pieces.ArtifactCodeReview)
	read("false", "null", "null")
	p := &k.engine.pieces[0].Piece
	p.CodeReview.State = pieces.CodeReviewRunning
	read("false", "null", `"A code review is running."`)
	const record = `{"summary": "s", "findings": [{"severity": "low", "title": "t", "file": "", "line": 0, "problem": "p", "suggestion": ""}],
		"level": "max", "costUSD": 0.5, "sessionId": "` + sessionID + `", "head": "4f1c", "cut": false, "at": "2026-05-04T11:40:00Z"}`
	k.engine.artifacts[pieces.ArtifactCodeReview] = record
	p.CodeReview.State = pieces.CodeReviewDone
	read("true", record, "null")
	p.CodeReview.State, p.CodeReview.Failure = pieces.CodeReviewFailed, "The usage limit is reached."
	read("true", record, `"The last code review failed: The usage limit is reached."`)
}

func TestRunCodeReviewAnswersOnStart(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	k.engine.everythingLegal = true
	k.engine.act = func(engine.Request) (engine.Result, error) {
		return engine.Result{Piece: k.engine.pieces[0], Started: true, SessionID: sessionID}, nil
	}
	same(t, k.ok("piece_action", values{"pieceId": pieceID, "action": "runCodeReview"}),
		`{"ok": true, "pieceId": "`+pieceID+`", "phase": {"key": "agents", "display": "Agents 0/1"}, "gate": null, "started": true}`)
	if got := k.engine.acted()[0]; got.Level != "max" || got.By != pieces.ByClient {
		t.Errorf("acted %+v", got)
	}
}
