package engine_test

import (
	"testing"

	"fermata/pieces"
)

func TestARegisteredProjectIsLookedOver(t *testing.T) {
	t.Parallel()
	a := newArena(t) // its repository has no remote
	wake, done := a.engine.Watch()
	defer done()
	for {
		if found, known := a.engine.Findings(a.id); known {
			if len(found) != 1 || found[0].Key != pieces.FindingNoRemote {
				t.Errorf("found %+v", found)
			}
			break
		}
		select {
		case <-wake:
		case <-t.Context().Done():
			t.Fatal("it was not looked over")
		}
	}
	a.repo.WithRemote()
	if found, err := a.engine.Examine(t.Context(), a.id); err != nil || len(found) != 0 {
		t.Errorf("found %+v, %v", found, err)
	}
	if found, known := a.engine.Findings(a.id); !known || len(found) != 0 {
		t.Errorf("remembers %+v, %v", found, known)
	}
	if _, err := a.engine.Examine(t.Context(), "nope"); err == nil {
		t.Error("an unknown project was looked over")
	}
}
