package engine

import (
	"testing"

	"fermata/pieces"
)

func TestTheRevisionGrowsWithWhatTheStoreDoesNotKnow(t *testing.T) {
	t.Parallel()
	var l liveSessions
	var z snoozes
	s := &liveSession{id: "s", pieceID: "p"}
	for _, step := range []struct {
		name   string
		change func()
	}{
		{"a session starts", func() { l.add(s) }},
		{"it asks", func() { l.addPrompt(s, pieces.Prompt{ID: "q"}) }},
		{"it is answered", func() { l.dropPrompt(s, "q") }},
		{"it ends", func() { l.remove(s) }},
		{"a cue is snoozed", func() { z.add(Target{TargetPiece, "p"}, "f") }},
	} {
		before := l.revision.Load() + z.revision.Load()
		step.change()
		if l.revision.Load()+z.revision.Load() <= before {
			t.Errorf("%s: the revision stays %d", step.name, before)
		}
	}
}
