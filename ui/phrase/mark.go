package phrase

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// The brackets around what Mark says.
const (
	MarkOpen  = "⟦"
	MarkClose = "⟧"
)

// verbs are the places of the facts in a format.
var verbs = regexp.MustCompile(`%(\[\d\])?[+.0-9]*[a-z%]`)

// Mark makes each text of the catalogue its English one between brackets, without the facts that are put into it, until Use is
// called. What stands outside of the brackets on the screen then is no text of the catalogue. It is for tests.
func Mark() error {
	spoken.Lock()
	defer spoken.Unlock()
	data, err := catalogues.ReadFile("de.json")
	if err != nil {
		return fmt.Errorf("mark the texts: %w", err)
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("mark the texts: %w", err)
	}
	for text, forms := range all {
		if _, many := forms.(map[string]any); many {
			all[text] = map[string]string{"one": marked(text), "other": marked(text)}
		} else {
			all[text] = marked(text)
		}
	}
	if data, err = json.Marshal(all); err != nil {
		return fmt.Errorf("mark the texts: %w", err)
	}
	return speak("marked", data)
}

// marked puts the words of a format between brackets, and leaves out what has no letters.
func marked(format string) string {
	var b strings.Builder
	words := func(s string) {
		if strings.ToUpper(s) == strings.ToLower(s) {
			b.WriteString(s)
			return
		}
		b.WriteString(MarkOpen + s + MarkClose)
	}
	last := 0
	for _, at := range verbs.FindAllStringIndex(format, -1) {
		words(format[last:at[0]])
		b.WriteString(format[at[0]:at[1]])
		last = at[1]
	}
	words(format[last:])
	return b.String()
}
