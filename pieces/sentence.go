package pieces

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Sentence is something that Fermata says, with the facts kept apart from the words. Its String is the English text, which
// clients, the command line, logs and the database get; the windows look Format up in the catalogue of their language and put
// the same facts in. The zero value says nothing.
type Sentence struct {
	// Format is the English text as fmt.Sprintf takes it, or the text itself where there are no facts.
	Format string
	// One is what is said instead of Format where the only fact is the number 1; empty when it makes no difference.
	One string
	// Facts are strings, ints, floats, and sentences that stand in this one; Say makes them so.
	Facts []any
}

// Say makes a sentence. The format has to be a literal: the catalogue is checked against those.
func Say(format string, facts ...any) Sentence {
	if len(facts) == 1 && (format == "%s" || format == "%v") {
		if s, ok := facts[0].(Sentence); ok {
			return s
		}
	}
	s := Sentence{Format: format}
	for _, f := range facts {
		s.Facts = append(s.Facts, factOf(f))
	}
	return s
}

// Count says a number of things: one for 1, many for every other. Both have a %d for the number.
func Count(n int, one, many string) Sentence {
	return Sentence{Format: many, One: one, Facts: []any{n}}
}

// Term is a text of a table of Fermata's own, such as an action's label, that the catalogue knows as a whole.
func Term(text string) Sentence { return Sentence{Format: text} }

// Quote is what somebody else wrote: no language changes it.
func Quote(text string) Sentence {
	if text == "" {
		return Sentence{}
	}
	return Sentence{Format: "%s", Facts: []any{text}}
}

// Sayer is an error whose whole text is a sentence.
type Sayer interface {
	error
	// Said is the sentence that Error gives in English.
	Said() Sentence
}

// Said is the sentence of an error; one that is no Sayer is quoted.
func Said(err error) Sentence {
	if s, ok := err.(Sayer); ok { //nolint:errorlint // a wrapped one says more than its sentence
		return s.Said()
	}
	return Quote(err.Error())
}

// fault is an error that is one sentence.
type fault struct{ sentence Sentence }

// Fault makes an error of a sentence, as Say makes the sentence; it is a Sayer.
func Fault(format string, facts ...any) error { return fault{Say(format, facts...)} }

func (f fault) Error() string { return f.sentence.String() }

// Said is the sentence.
func (f fault) Said() Sentence { return f.sentence }

// factOf brings a fact into one of the kinds that a sentence holds.
func factOf(f any) any {
	switch f := f.(type) {
	case Sentence, string, int, float64:
		return f
	case error:
		return Said(f)
	case fmt.Stringer:
		return f.String()
	}
	switch v := reflect.ValueOf(f); {
	case v.Kind() == reflect.String:
		return v.String()
	case v.CanInt():
		return int(v.Int())
	}
	return fmt.Sprint(f)
}

// Empty says whether the sentence says nothing.
func (s Sentence) Empty() bool { return s.Format == "" }

// String is the sentence in English.
func (s Sentence) String() string {
	format := s.Format
	if s.IsOne() {
		format = s.One
	}
	if len(s.Facts) == 0 {
		return format
	}
	return fmt.Sprintf(format, s.Facts...)
}

// IsOne says whether the sentence counts one thing, so that One is said.
func (s Sentence) IsOne() bool { return s.One != "" && len(s.Facts) == 1 && s.Facts[0] == 1 }

// Quoted returns what somebody else wrote, when the sentence is nothing but that.
func (s Sentence) Quoted() (text string, quoted bool) {
	if s.Format != "%s" || len(s.Facts) != 1 {
		return "", s.Empty()
	}
	text, quoted = s.Facts[0].(string)
	return text, quoted
}

// Then is the sentence followed by another one.
func (s Sentence) Then(next Sentence) Sentence { return Say("%s %s", s, next) }

// English gives sentences in English, for clients.
func English(list []Sentence) []string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = s.String()
	}
	return words
}

// Listed are sentences in one, with commas between them; nothing of none.
func Listed(list []Sentence) Sentence {
	if len(list) == 0 {
		return Sentence{}
	}
	facts := make([]any, len(list))
	for i, s := range list {
		facts[i] = s
	}
	return Sentence{Format: strings.TrimSuffix(strings.Repeat("%s, ", len(list)), ", "), Facts: facts}
}

// written is how a sentence is stored.
type written struct {
	Format string            `json:"f"`
	One    string            `json:"o,omitempty"`
	Facts  []json.RawMessage `json:"a,omitempty"`
}

// fraction keeps a float from being read back as an int.
type fraction struct {
	Float float64 `json:"x"`
}

// MarshalJSON writes the sentence so that UnmarshalJSON reads the same one. It never fails for one that Say made.
func (s Sentence) MarshalJSON() ([]byte, error) {
	w := written{Format: s.Format, One: s.One}
	for _, f := range s.Facts {
		if x, ok := f.(float64); ok {
			f = fraction{x}
		}
		raw, err := json.Marshal(f)
		if err != nil {
			return nil, fmt.Errorf("write sentence %q: %w", s.Format, err)
		}
		w.Facts = append(w.Facts, raw)
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Sentence) UnmarshalJSON(data []byte) error {
	var w written
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("read sentence: %w", err)
	}
	*s = Sentence{Format: w.Format, One: w.One}
	for _, raw := range w.Facts {
		f, err := readFact(raw)
		if err != nil {
			return fmt.Errorf("read sentence %q: %w", w.Format, err)
		}
		s.Facts = append(s.Facts, f)
	}
	return nil
}

func readFact(raw json.RawMessage) (any, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var n int
	if json.Unmarshal(raw, &n) == nil {
		return n, nil
	}
	var kind struct {
		Float  *float64 `json:"x"`
		Format *string  `json:"f"`
	}
	if err := json.Unmarshal(raw, &kind); err != nil {
		return nil, err
	}
	if kind.Float != nil {
		return *kind.Float, nil
	}
	var s Sentence
	err := json.Unmarshal(raw, &s)
	return s, err
}
