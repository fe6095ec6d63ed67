package control

import (
	"strings"
	"testing"
	"time"

	"fermata/pieces"
)

func TestTheEndOfAUsageLimitIsToldWithTheFailure(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	p := &k.engine.pieces[0].Piece
	p.Phase, p.Activity, p.Pause = pieces.PhaseAgents, pieces.Paused, pieces.PauseLimitReached
	p.Failure, p.LimitEnds = "Claude's usage limit is reached.", time.Date(2026, 5, 4, 15, 0, 0, 0, time.UTC)
	const ends = `"failure":"Claude's usage limit is reached. The usage limit ends at 2026-05-04T15:00:00.000Z.`
	for resumes, want := range map[bool]string{true: ends + ` Fermata goes on by itself then."`, false: ends + `"`} {
		p.Config.ResumeAfterLimit = resumes
		if got := k.call("get_piece", values{"pieceId": pieceID}).text; !strings.Contains(got, want) {
			t.Errorf("get_piece answers %s, want %s", got, want)
		}
	}
}
