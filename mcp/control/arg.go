package control

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// kind is a JSON type that an argument can have.
type kind string

const (
	kindText   kind = "string"
	kindFlag   kind = "boolean"
	kindWhole  kind = "integer"
	kindTexts  kind = "array"  // of strings
	kindObject kind = "object" // of fields
)

// format is a further rule for a string, or for each string of an array.
type format int

const (
	anyText format = iota
	oneUUID
	absolutePath
	modelID
	trackerKey
	notBlank
)

// formatRule is how a format is tested, told to a model and written into a schema.
type formatRule struct {
	test   func(string) bool
	rule   string
	schema map[string]any
}

const uuidPattern = `^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`

var (
	uuidShape   = regexp.MustCompile(uuidPattern)
	modelShape  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]*$`)
	linearShape = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*-[1-9][0-9]*$`)
	githubShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+#[1-9][0-9]*$`)

	formatRules = map[format]formatRule{
		oneUUID:      {uuidShape.MatchString, "must be a UUID", map[string]any{"format": "uuid"}},
		absolutePath: {filepath.IsAbs, "must be an absolute path", nil},
		modelID:      {func(s string) bool { return s == "" || modelShape.MatchString(s) }, "must be an exact model id, such as claude-opus-4-5", nil},
		trackerKey: {
			func(s string) bool { return linearShape.MatchString(s) || githubShape.MatchString(s) },
			"must be a tracker key, SUP-12 for Linear or owner/repo#12 for GitHub, not a URL", nil,
		},
		notBlank: {func(s string) bool { return strings.TrimSpace(s) != "" }, "must not be empty", map[string]any{"minLength": 1}},
	}
)

// arg defines one argument. The JSON schema, the validation and the golden files are all read from it.
type arg struct {
	name     string
	kind     kind
	required bool
	enum     []string
	format   format
	// maxLen is the longest string in characters; of an array, the longest of each item.
	maxLen             int
	minItems, maxItems int   // of an array
	min, max           int   // of a whole number
	fields             []arg // of an object
	def                any   // the default, where it is a value
	note               string
}

// Lengths that no honest argument has.
const (
	maxID   = 100
	maxPath = 4096
)

// schema is the argument's JSON schema.
func (d arg) schema() map[string]any {
	s := map[string]any{"type": string(d.kind)}
	of := s
	if d.kind == kindTexts {
		of = map[string]any{"type": string(kindText)}
		s["items"] = of
		s["maxItems"] = d.maxItems
		if d.minItems > 0 {
			s["minItems"] = d.minItems
		}
	}
	if d.kind == kindWhole {
		s["minimum"], s["maximum"] = d.min, d.max
	}
	if d.kind == kindObject {
		maps.Copy(s, objectSchema(d.fields))
	}
	if d.maxLen > 0 {
		of["maxLength"] = d.maxLen
	}
	if d.enum != nil {
		of["enum"] = d.enum
	}
	for k, v := range formatRules[d.format].schema {
		of[k] = v
	}
	if d.def != nil {
		s["default"] = d.def
	}
	if d.note != "" {
		s["description"] = d.note
	}
	return s
}

// objectSchema is the JSON schema of an object with these members and no others.
func objectSchema(fields []arg) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range fields {
		properties[f.name] = f.schema()
		if f.required {
			required = append(required, f.name)
		}
	}
	s := map[string]any{"type": string(kindObject), "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// read decodes a value and says which rule it breaks; empty when it breaks none.
func (d arg) read(raw json.RawMessage) (value any, broken string) {
	switch d.kind {
	case kindFlag:
		var b *bool
		if json.Unmarshal(raw, &b) != nil || b == nil {
			return nil, "must be true or false"
		}
		return *b, ""
	case kindWhole:
		var n *float64
		if json.Unmarshal(raw, &n) != nil || n == nil || *n != math.Trunc(*n) {
			return nil, "must be a whole number"
		}
		if *n < float64(d.min) || *n > float64(d.max) {
			return nil, fmt.Sprintf("must be from %d to %d", d.min, d.max)
		}
		return int(*n), ""
	case kindTexts:
		return d.readTexts(raw)
	case kindText:
		return d.readText(raw)
	case kindObject:
		return d.readObject(raw)
	}
	return nil, "has no type" // a table without a kind: its first test fails
}

func (d arg) readText(raw json.RawMessage) (value any, broken string) {
	var s *string
	if json.Unmarshal(raw, &s) != nil || s == nil {
		return nil, "must be a string"
	}
	return d.normal(*s), d.breaks(*s)
}

func (d arg) readTexts(raw json.RawMessage) (value any, broken string) {
	var list []*string
	if json.Unmarshal(raw, &list) != nil || list == nil || slices.Contains(list, nil) {
		return nil, "must be an array of strings"
	}
	switch n := len(list); {
	case n < d.minItems:
		return nil, fmt.Sprintf("must hold at least %d, not %d", d.minItems, n)
	case n > d.maxItems:
		return nil, fmt.Sprintf("must hold at most %d, not %d", d.maxItems, n)
	}
	out := make([]string, 0, len(list))
	for _, s := range list {
		if broken := d.breaks(*s); broken != "" {
			return nil, fmt.Sprintf("%s: %q", broken, clip(*s))
		}
		known := func(o string) bool { return strings.EqualFold(o, *s) }
		if !slices.ContainsFunc(out, known) {
			out = append(out, d.normal(*s))
		}
	}
	return out, ""
}

// readObject reads an object into args.
func (d arg) readObject(raw json.RawMessage) (value any, broken string) {
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil || given == nil {
		return nil, "must be an object with " + strings.Join(namesOf(d.fields), " and ")
	}
	out := args{}
	for _, f := range d.fields {
		v, ok := given[f.name]
		if !ok {
			if f.required {
				return nil, fmt.Sprintf("needs '%s'", f.name)
			}
			continue
		}
		delete(given, f.name)
		read, broken := f.read(v)
		if broken != "" {
			return nil, fmt.Sprintf("has a '%s' that %s", f.name, broken)
		}
		out[f.name] = read
	}
	for name := range given {
		return nil, fmt.Sprintf("takes no '%s', only %s", clip(name), strings.Join(namesOf(d.fields), " and "))
	}
	return out, ""
}

func namesOf(list []arg) []string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = d.name
	}
	return out
}

// normal gives ids their one spelling, so that a client that writes UUIDs in capitals finds what it filed.
func (d arg) normal(s string) string {
	if uuidShape.MatchString(s) {
		return strings.ToLower(s)
	}
	return s
}

func (d arg) breaks(s string) string {
	switch {
	case strings.ContainsRune(s, 0):
		return "must not contain a NUL character"
	case d.enum != nil && !slices.Contains(d.enum, s):
		return "must be one of " + strings.Join(d.enum, ", ")
	case d.maxLen > 0 && utf8.RuneCountInString(s) > d.maxLen:
		return "must be at most " + thousands(d.maxLen) + " characters"
	}
	if f, ok := formatRules[d.format]; ok && !f.test(s) {
		return f.rule
	}
	return ""
}

// thousands writes a number as people read it: 2,000.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// clip shortens what a client sent before it is shown.
func clip(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
