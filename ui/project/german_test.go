package project_test

import (
	"slices"
	"testing"

	"fermata/pieces"
	"fermata/ui/stage"
)

// An agent that is named as Fermata names something keeps its name.
func TestTheBoardAndTheInspectorSpeakGerman(t *testing.T) {
	stage.Speak(t, pieces.LanguageGerman)
	s := stage.New(t)
	w := openWindow(t, s, usual(), 1280, 800)
	w.sees("card:planned")
	stage.Translated(t, w.Window, nil, "Backlog", "Strategie", "Agenten", "Fertig", "Neuer Entwurf", "Plan bereit", "Manuell", "12 Min.")
	s.Keep(w.Window, "german-board")
	for id, want := range map[string][]string{
		"planned": {"Der Plan ist bereit. Nichts läuft, bis du ihn startest.", "4 Agenten starten", "Überblick"},
		"running": {"Nachricht senden", "Agent fragt dich"},
		"failed":  {"1 gescheiterten Agenten wiederaufnehmen", "Agentenfehler"},
		"review":  {"2 Agenten prüfen", "Bereit zum Review"},
		"draft2":  {"Entwurf löschen"},
	} {
		w.project.ShowPiece(id)
		w.Until("the item "+id+" is shown", func() bool { return slices.Contains(stage.Texts(w.Window), want[0]) })
		stage.Settle(w.Window)
		stage.Translated(t, w.Window, []string{"Attachments"}, want...)
		s.Keep(w.Window, "german-"+id)
	}
	w.project.NewDraft()
	stage.Translated(t, w.Window, nil, "Neuer Entwurf", "Keim", "Abbrechen", "Entwurf ablegen")
}
