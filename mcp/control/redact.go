package control

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on what the audit book keeps of a call.
const (
	mostText  = 200 // characters of a text
	mostItems = 20  // of an array or object
	mostDepth = 4   // of values in values
	cut       = "[cut]"
)

// secrets are the shapes of keys and tokens, and what is left of each.
var secrets = []struct {
	shape *regexp.Regexp
	left  string
}{
	{regexp.MustCompile(strings.Join([]string{
		`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`,
		`\bsk-[A-Za-z0-9_-]{16,}`, `\bgh[pousr]_[A-Za-z0-9]{16,}`, `\bgithub_pat_[A-Za-z0-9_]{16,}`, `\bglpat-[A-Za-z0-9_-]{16,}`,
		`\bxox[abeprs]-[A-Za-z0-9-]{10,}`, `\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`, `\bAIza[A-Za-z0-9_-]{30,}`, `\bfk_[A-Za-z0-9_-]{16,}`,
		`\blin_(?:api|oauth)_[A-Za-z0-9]{16,}`, `\bnpm_[A-Za-z0-9]{30,}`, `\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*`,
	}, "|")), cut},
	{regexp.MustCompile(`(?i)(\b(?:authorization|cookie)["']?\s*[:=]\s*["']?)[^"'\r\n]+`), "${1}" + cut},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{12,}`), "$1 " + cut},
	{regexp.MustCompile(`(://[^/\s:@]*:)[^@\s/]+@`), "${1}" + cut + "@"},
	{regexp.MustCompile(`(://(?:127\.0\.0\.1|localhost)(?::[0-9]+)?/)[A-Za-z0-9_-]{16,}`), "${1}" + cut},
	{regexp.MustCompile(`(?i)([\w-]*(?:passwor[dt]|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)[\w-]*["']?\s*[:=]\s*)("[^"\n]*"|'[^'\n]*'|[^\s,;&]+)`), "${1}" + cut},
}

// secretName is the name of a member whose value is a secret whatever it looks like.
var secretName = regexp.MustCompile(`(?i)passwor[dt]|passwd|passphrase|secret|token|credential|authorization|api[_-]?key|access[_-]?key|private[_-]?key`)

// random is a word as long as the token of this server, or longer, that stands by itself.
var random = regexp.MustCompile(`[A-Za-z0-9_-]{43,}`)

// cutSecrets takes what looks like a key, a token or a password out of a text.
func cutSecrets(s string) string {
	if harmless(s) {
		return s
	}
	for _, k := range secrets {
		s = k.shape.ReplaceAllString(s, k.left)
	}
	return random.ReplaceAllStringFunc(s, func(word string) string {
		// Hashes have no capitals, and names have no digits among them.
		if strings.ContainsAny(word, "0123456789") && strings.ContainsFunc(word, unicode.IsUpper) && strings.ContainsFunc(word, unicode.IsLower) {
			return cut
		}
		return word
	})
}

// shortestSecret is the length of the shortest text that is a secret without a name or an address before it.
const shortestSecret = 15

// harmless says of nearly every argument at once what all the shapes would say of it: it is an id, or too short a word.
func harmless(s string) bool {
	return uuidShape.MatchString(s) || len(s) < shortestSecret && !strings.ContainsAny(s, ":= \t\n\f\r")
}

// shorten keeps the beginning of a long text and says how long it was.
func shorten(s string) string {
	n := utf8.RuneCountInString(s)
	if n <= mostText {
		return s
	}
	return string([]rune(s)[:mostText]) + fmt.Sprintf("… (%s characters)", thousands(n))
}

// redact returns a call's arguments for the audit book: the same shape, with secrets cut and long texts shortened.
func redact(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 {
		return json.RawMessage("{}")
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	if d.Decode(&v) != nil {
		v = redacted(string(arguments), 0)
	}
	out, err := encode(redacted(v, 0))
	if err != nil {
		return json.RawMessage(`"[unreadable]"`)
	}
	return out
}

func redacted(v any, depth int) any {
	switch v := v.(type) {
	case string:
		return redactedText(v)
	case json.Number:
		if len(v) > 30 {
			return shorten(string(v)) // a number that no argument takes
		}
		return v
	case []any:
		return redactedList(v, depth)
	case map[string]any:
		return redactedObject(v, depth)
	}
	return v // true, false or null
}

// redactedText looks at no more of a text than what is kept of it and a secret that begins there.
func redactedText(s string) string {
	const most = 16 * mostText
	n := utf8.RuneCountInString(s)
	if n <= mostText {
		return cutSecrets(s)
	}
	head := s
	if len(s) > most {
		head = strings.ToValidUTF8(s[:most], "")
	}
	head = cutSecrets(head)
	if r := []rune(head); len(r) > mostText {
		head = string(r[:mostText])
	}
	return head + fmt.Sprintf("… (%s characters)", thousands(n))
}

func redactedList(list []any, depth int) any {
	if depth >= mostDepth {
		return "[…]"
	}
	out := make([]any, 0, min(len(list), mostItems+1))
	for i, item := range list {
		if i == mostItems {
			out = append(out, fmt.Sprintf("… (%s items)", thousands(len(list))))
			break
		}
		out = append(out, redacted(item, depth+1))
	}
	return out
}

func redactedObject(object map[string]any, depth int) any {
	if depth >= mostDepth {
		return "{…}"
	}
	out := map[string]any{}
	for name, item := range object {
		if len(out) == mostItems {
			out["…"] = fmt.Sprintf("(%s members)", thousands(len(object)))
			break
		}
		if secretName.MatchString(name) {
			out[clip(name)] = cut
			continue
		}
		out[clip(name)] = redacted(item, depth+1)
	}
	return out
}
