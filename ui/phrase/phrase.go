// Package phrase gives the texts of the windows in the person's language.
//
// There is one catalogue for everything that Fermata itself says on the screen: a file of Fyne's lang for each language
// beside English. Its keys are the English texts word for word, so English needs no file, and a text that the catalogue
// does not know is shown as it is. What people, Claude Code, clients and the engine wrote never goes through it, and
// neither do logs, the command line and the answers to clients: they are English.
//
// Like Fyne's lang, which it fills, the language is one for the process. Use may be called at any time; Of, F and N may
// be called from every goroutine.
package phrase

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"fermata/pieces"
)

//go:embed en.json de.json
var catalogues embed.FS

// spoken is the language that was set last; empty until one was, which is English. The lock also keeps Fyne's catalogue
// from being read while it grows.
var spoken struct {
	sync.RWMutex
	language string
	known    map[string]any // its texts, by the English ones
}

// Use makes a language that of all texts from now on; what is drawn already stays as it is. A language without a
// catalogue is English. It fails only when a catalogue in the program is broken, and leaves English then.
func Use(language string) error {
	language = chosen(language, lang.SystemLocale())
	spoken.Lock()
	defer spoken.Unlock()
	if language == pieces.LanguageEnglish && spoken.language == "" && chosen(pieces.LanguageDesktop, lang.SystemLocale()) == language {
		return nil // Fyne speaks it already
	}
	spoken.language, spoken.known = pieces.LanguageEnglish, nil
	data, err := catalogues.ReadFile(language + ".json")
	if err != nil {
		return fmt.Errorf("read the catalogue of %q: %w", language, err)
	}
	return speak(language, data)
}

// speak makes a catalogue the one of all texts. It is called with the lock.
func speak(language string, data []byte) error {
	// Fyne looks texts up in the desktop's language alone. So that another one can be chosen, the catalogue is filed
	// under that name; it brings Fyne's own words with it.
	if err := lang.AddTranslationsForLocale(data, lang.SystemLocale()); err != nil {
		return fmt.Errorf("read the catalogue of %q: %w", language, err)
	}
	var known map[string]any
	if err := json.Unmarshal(data, &known); err != nil {
		return fmt.Errorf("read the catalogue of %q: %w", language, err)
	}
	spoken.language, spoken.known = language, known
	return nil
}

// chosen is the language to use for what the settings say, on a desktop.
func chosen(language string, desktop fyne.Locale) string {
	if language == pieces.LanguageDesktop {
		language, _, _ = strings.Cut(desktop.LanguageString(), "-")
	}
	if language == pieces.LanguageGerman {
		return pieces.LanguageGerman
	}
	return pieces.LanguageEnglish
}

// Of gives a fixed text in the language. It takes only what Fermata itself says, never what somebody wrote.
func Of(text string) string {
	spoken.RLock()
	defer spoken.RUnlock()
	if !translated(text) {
		return text
	}
	return lang.L(text)
}

// translated says whether the language has a text of its own for an English one. Fyne would log that it has none. It is
// called with the lock.
func translated(text string) bool {
	return spoken.language != "" && spoken.language != pieces.LanguageEnglish && spoken.known[text] != nil
}

// F gives a sentence with facts in it, as fmt.Sprintf does: the format is the key, the facts are put in as they are.
func F(format string, facts ...any) string { return fmt.Sprintf(Of(format), facts...) }

// Said gives a sentence of the domain in the language; the facts, and what it quotes, are put in as they are.
func Said(s pieces.Sentence) string {
	if len(s.Facts) == 0 {
		return Of(s.Format)
	}
	if n, counts := s.Facts[0].(int); counts && s.One != "" && len(s.Facts) == 1 {
		return N(n, s.One, s.Format)
	}
	facts := make([]any, len(s.Facts))
	for i, f := range s.Facts {
		if inner, is := f.(pieces.Sentence); is {
			f = Said(inner)
		}
		facts[i] = f
	}
	return F(s.Format, facts...)
}

// Err gives in the language what an error says to the person: the sentence of a refusal, the words of any other.
func Err(err error) string {
	if s := pieces.Sayer(nil); errors.As(err, &s) {
		return Said(s.Said())
	}
	return err.Error()
}

// Counted gives a caption that may end in a count, such as "Agents 2/4": the words are the key.
func Counted(text string) string {
	words, count, found := strings.Cut(text, " ")
	if !found || count == "" || count[0] < '0' || count[0] > '9' || strings.Contains(count, " ") {
		return Of(text)
	}
	return Of(words) + " " + count
}

// N gives a count in words: one for 1, and many, which has a %d for the number, for every other.
func N(n int, one, many string) string {
	spoken.RLock()
	defer spoken.RUnlock()
	text := many
	if n == 1 {
		text = one
	}
	if translated(many) {
		// The catalogue has all the forms that its language needs under the one for many.
		text = lang.N(many, n)
	}
	if !strings.Contains(text, "%d") {
		return text
	}
	return fmt.Sprintf(text, n)
}
