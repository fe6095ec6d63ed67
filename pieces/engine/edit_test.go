package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"fermata/pieces"
	"fermata/pieces/piecestest"
)

func TestTheSpecIsRewrittenByHandWhileItWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, one(nil))
	s := w.release()
	id := s.Piece.ID
	edit := func(k pieces.ArtifactKind, before, text, words string) {
		t.Helper()
		was := w.document(id, k)
		_, err := w.engine.EditText(t.Context(), id, k, before, text)
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("it says %v, want %q", err, words)
		}
		if w.document(id, k) != was {
			t.Errorf("a refused edit wrote the %s", k)
		}
	}
	edit(pieces.ArtifactSpec, piecestest.StorySpec, " \n", "can't be empty")
	edit(pieces.ArtifactSpec, piecestest.StorySpec, strings.Repeat("x", pieces.MaxSpec+1), "longer")
	edit(pieces.ArtifactSpec, "what somebody read before", "# Mine", "written anew")
	edit(pieces.ArtifactStrategy, "", "# Mine", "only while it waits")
	edit(pieces.ArtifactSummary, "", "# Mine", "Only the spec")

	s, err := w.engine.EditText(t.Context(), id, pieces.ArtifactSpec, piecestest.StorySpec, "# Retry twice\n\nMind the clock.\n")
	if err != nil || s.Piece.Name != "Retry twice" || s.Gate() != pieces.GateSpecReady {
		t.Fatalf("%q at %s: %v", s.Piece.Name, s.Gate(), err)
	}
	rows, err := w.engine.History(t.Context(), id)
	last := rows[len(rows)-1]
	if err != nil || last.Trigger != pieces.OnTextEdited || last.By != pieces.ByPerson || last.Note.String() != "The spec" {
		t.Errorf("the history ends with %+v, %v", last, err)
	}
	// Who still has the text of before would overwrite it unseen.
	_, err = w.engine.EditText(t.Context(), id, pieces.ArtifactSpec, piecestest.StorySpec, "# Other")
	if !errors.Is(err, pieces.ErrStale) {
		t.Errorf("a stale edit: %v", err)
	}

	w.act(id, pieces.ApproveSpec)
	w.untilGate(id, pieces.GateStrategyReady)
	if !slices.ContainsFunc(w.model.Requests(), func(r piecestest.Request) bool { return strings.Contains(string(r.Body), "Mind the clock.") }) {
		t.Error("the strategy was not written from the text by hand")
	}
	edit(pieces.ArtifactSpec, w.document(id, pieces.ArtifactSpec), "# Late", "only while it waits")
	strategy := w.document(id, pieces.ArtifactStrategy)
	if _, err = w.engine.EditText(t.Context(), id, pieces.ArtifactStrategy, strategy, "# By hand"); err != nil || w.document(id, pieces.ArtifactStrategy) != "# By hand" {
		t.Errorf("the strategy is %q: %v", w.document(id, pieces.ArtifactStrategy), err)
	}
}
