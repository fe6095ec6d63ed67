package pieces

import "strings"

// MaxQueryWords is how many words of a search count; what is typed behind them is left out.
const MaxQueryWords = 12

// Words are what a search looks for: each of them has to be found somewhere in an item.
type Words []string

// ParseWords reads a search as it was typed. Case does not count; no words find everything.
func ParseWords(text string) Words {
	words := strings.Fields(strings.ToLower(text))
	return words[:min(len(words), MaxQueryWords)]
}

// In says whether every word is found in at least one of the texts.
func (w Words) In(texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	for _, word := range w {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

// Names says whether the draft's title has the words.
func (d Draft) Names(w Words) bool { return w.In(d.Title) }

// Names says whether the piece's name or its tracker key has the words.
func (s Snapshot) Names(w Words) bool {
	key := ""
	if s.Piece.Source != nil {
		key = s.Piece.Source.Key
	}
	return w.In(s.Piece.Name, key)
}
