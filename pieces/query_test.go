package pieces

import (
	"strings"
	"testing"
)

func TestEveryWordHasToBeFoundSomewhere(t *testing.T) {
	t.Parallel()
	s := Snapshot{Piece: Piece{Name: "Größere Bilder", Source: &Source{Key: "SUP-12"}}}
	for text, want := range map[string]bool{
		"": true, "  ": true, "bilder": true, "GRÖSSERE": false, "größere BILDER": true, "sup-12": true, "bilder sup": true, "bilder tags": false,
	} {
		if got := s.Names(ParseWords(text)); got != want {
			t.Errorf("%q found: %v", text, got)
		}
	}
	if n := len(ParseWords(strings.Repeat("a ", 100))); n != MaxQueryWords {
		t.Errorf("%d words count", n)
	}
	if d := (Draft{Title: "Smaller images"}); !d.Names(ParseWords("IMAGES small")) || d.Names(ParseWords("large")) {
		t.Error("a draft is not found by its title alone")
	}
}

func TestABusyPieceIsNotDeleted(t *testing.T) {
	t.Parallel()
	for _, st := range Stations() {
		s := Snapshot{Piece: Piece{Phase: st.Phase, Activity: st.Activity}}
		if refused := !s.Undeletable().Empty(); refused != (LiveState(st.State) || st.Activity == StopFailed) {
			t.Errorf("%v refused: %v", st.State, refused)
		}
	}
	s := Snapshot{Piece: Piece{Phase: PhaseAgents, Activity: Paused}, Tasks: []Task{{Kind: TaskAgent, State: TaskRunning}}}
	if s.Undeletable().Empty() {
		t.Error("a piece with a running agent may be deleted")
	}
}
