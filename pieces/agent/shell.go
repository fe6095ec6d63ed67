package agent

import (
	"strings"
	"unicode"
)

// plainCommands splits a shell line into the words of its commands, if it is nothing but plain commands joined by "&&":
// no expansion, no substitution, no redirection, no background. The one exception is a quoted here-document as a word,
// "$(cat <<'EOF' …)", which is how Claude Code writes commit messages. Whatever a shell could read in another way than
// word for word is refused.
func plainCommands(line string) ([][]string, bool) {
	s := scanner{rest: strings.TrimSpace(line)}
	var commands [][]string
	var words []string
	for {
		s.rest = strings.TrimLeft(s.rest, " \t")
		if s.rest == "" || strings.HasPrefix(s.rest, "&&") {
			if len(words) == 0 {
				return nil, false
			}
			commands, words = append(commands, words), nil
			if s.rest == "" {
				return commands, true
			}
			s.rest = s.rest[len("&&"):]
			continue
		}
		word, ok := s.word()
		if !ok {
			return nil, false
		}
		words = append(words, word)
	}
}

type scanner struct{ rest string }

// word reads one word up to a blank, "&&" or the end.
func (s *scanner) word() (string, bool) {
	var word strings.Builder
	previous := rune(0)
	for s.rest != "" {
		switch c := firstRune(s.rest); {
		case c == ' ' || c == '\t' || strings.HasPrefix(s.rest, "&&"):
			return word.String(), true
		case c == '\'':
			text, after, ok := strings.Cut(s.rest[1:], "'")
			if !ok {
				return "", false
			}
			word.WriteString(text)
			s.rest, previous = after, c
		case c == '"':
			text, ok := s.quoted()
			if !ok {
				return "", false
			}
			word.WriteString(text)
			previous = c
		case plain(c, previous):
			word.WriteRune(c)
			s.rest, previous = s.rest[len(string(c)):], c
		default:
			return "", false
		}
	}
	return word.String(), true
}

func firstRune(s string) rune {
	for _, c := range s {
		return c
	}
	return 0
}

// plain says whether every shell takes c as itself outside quotes, after the rune previous of the same word (0: none).
func plain(c, previous rune) bool {
	switch {
	case unicode.IsLetter(c), unicode.IsDigit(c), strings.ContainsRune("_-./:@%+,^", c):
		return c != unicode.ReplacementChar
	case c == '=':
		return previous != 0 // zsh expands a word that begins with it
	case c == '~':
		return unicode.IsLetter(previous) || unicode.IsDigit(previous) || previous == '^'
	}
	return false
}

// quoted reads a double-quoted part; the quote is the next byte.
func (s *scanner) quoted() (string, bool) {
	if text, ok := s.document(); ok {
		return text, true
	}
	var text strings.Builder
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; c {
		case '"':
			s.rest = s.rest[i+1:]
			return text.String(), true
		case '$', '`':
			return "", false
		case '\\':
			i++
			if i >= len(s.rest) || s.rest[i] != '"' && s.rest[i] != '\\' {
				return "", false
			}
			text.WriteByte(s.rest[i])
		default:
			text.WriteByte(c)
		}
	}
	return "", false
}

// document reads "$(cat <<'DELIMITER' … )". Characters that an old bash would find meaning in, since it looks for the
// closing parenthesis without knowing of the document, are refused.
func (s *scanner) document() (string, bool) {
	rest, ok := strings.CutPrefix(s.rest, `"$(cat <<'`)
	if !ok {
		return "", false
	}
	delimiter, rest, ok := strings.Cut(rest, "'\n")
	if !ok || delimiter == "" || strings.Trim(delimiter, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
		return "", false
	}
	body, rest, ok := strings.Cut("\n"+rest, "\n"+delimiter+"\n")
	if !ok || strings.ContainsAny(body, "\"`$\\") {
		return "", false
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t\n"), `)"`)
	if !ok {
		return "", false
	}
	s.rest = rest
	return strings.TrimPrefix(body, "\n"), true
}
