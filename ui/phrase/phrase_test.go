package phrase_test

import (
	"errors"
	"fmt"
	"testing"

	"fyne.io/fyne/v2/lang"

	"fermata/pieces"
	"fermata/ui/phrase"
)

// The language is one for the process, so this is one test, and the only one here that speaks.
func TestTheLanguageIsChosen(t *testing.T) {
	for name, value := range map[string]string{"LC_ALL": "", "LC_MESSAGES": "", "LANGUAGE": "", "LANG": "fr_FR.UTF-8"} {
		t.Setenv(name, value)
	}
	said := func() [6]string {
		return [6]string{
			phrase.Of("Sessions"), phrase.F("%d of %d", 2, 4), phrase.N(1, "1 call", "%d calls"), phrase.N(3, "1 call", "%d calls"),
			phrase.Counted("Agents 2/4"), phrase.Of("what somebody wrote"),
		}
	}
	english := [6]string{"Sessions", "2 of 4", "1 call", "3 calls", "Agents 2/4", "what somebody wrote"}
	inGerman := [6]string{"Sitzungen", "2 von 4", "1 Aufruf", "3 Aufrufe", "Agenten 2/4", "what somebody wrote"}
	if got := said(); got != english {
		t.Errorf("before a language was chosen: %q", got)
	}
	for _, one := range []struct {
		desktop, language string
		want              [6]string
		copies            string // Fyne's own word
	}{
		{"fr_FR.UTF-8", pieces.LanguageDesktop, english, "Copy"},
		{"de_AT.UTF-8", pieces.LanguageDesktop, inGerman, "Kopieren"},
		{"de_AT.UTF-8", pieces.LanguageEnglish, english, "Copy"},
		{"en_US.UTF-8", pieces.LanguageGerman, inGerman, "Kopieren"},
		{"en_US.UTF-8", pieces.LanguageDesktop, english, "Copy"},
		{"de_DE.UTF-8", "xx", english, "Copy"},
	} {
		t.Setenv("LANG", one.desktop)
		if err := phrase.Use(one.language); err != nil {
			t.Fatal(err)
		}
		if got := said(); got != one.want {
			t.Errorf("%q on %s says %q", one.language, one.desktop, got)
		}
		if got := lang.L("Copy"); got != one.copies {
			t.Errorf("%q on %s: Fyne says %q", one.language, one.desktop, got)
		}
		if one.language != pieces.LanguageGerman {
			continue
		}
		// Some words mean something of their own in Fyne's files, and are no keys then.
		for text, forms := range german(t) {
			if said, whole := forms.(string); whole && phrase.Of(text) != said {
				t.Errorf("%q is said as %q", text, phrase.Of(text))
			}
		}
	}
}

// A sentence of the domain takes its facts along, and what somebody wrote stays theirs.
func TestSentencesAreSaidInTheLanguage(t *testing.T) {
	t.Setenv("LANG", "en_US.UTF-8")
	if err := phrase.Use(pieces.LanguageGerman); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := phrase.Use(pieces.LanguageEnglish); err != nil {
			t.Error(err)
		}
	})
	agents := func(n int) pieces.Sentence { return pieces.Count(n, "%d running agent", "%d running agents") }
	for want, s := range map[string]pieces.Sentence{
		"Stoppt 1 laufenden Agenten: Sessions.": pieces.Say("Stops %s: %s.", agents(1), "Sessions"),
		"Stoppt 2 laufende Agenten: A, B.":      pieces.Say("Stops %s: %s.", agents(2), "A, B"),
		"Sessions":                              pieces.Quote("Sessions"),
		"Sitzungen":                             pieces.Term("Sessions"),
		"Ein externer MCP-Client will bei „x“ (muse) die Agenten stoppen.": pieces.Say(
			"An external MCP client wants to %s on '%s' (%s).", pieces.Term("stop agents"), "x", "muse"),
	} {
		if got := phrase.Said(s); got != want {
			t.Errorf("%q is said as %q, want %q", s, got, want)
		}
	}
	refused := pieces.Fault("The worktree stays: %v", pieces.Fault("A piece needs a prompt."))
	if got := phrase.Err(fmt.Errorf("release: %w", refused)); got != "Der Worktree bleibt: Ein Stück braucht eine Idee." {
		t.Errorf("the refusal is said as %q", got)
	}
	if got := phrase.Err(errors.New("Sessions")); got != "Sessions" {
		t.Errorf("an error of somebody else's is said as %q", got)
	}
}
