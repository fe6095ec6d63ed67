package register

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// document is a JSON file as text, with the places in it that matter here. Decoding and encoding it would reorder
// and reformat what is not ours.
type document struct {
	text    []byte
	top     object
	servers *object // the value of mcpServers
}

// object is a JSON object at its place in the text.
type object struct {
	open, end int // of '{', and after '}'
	members   []member
}

// member is one name and value at its place in the text.
type member struct {
	name       string
	start      int // of the name
	value, end int
}

// parseDocument reads text; no text at all is an empty object.
func parseDocument(text []byte) (*document, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	if !json.Valid(text) {
		return nil, errors.New("not valid JSON")
	}
	d := &document{text: text}
	var err error
	if d.top, err = objectAt(text, 0); err != nil {
		return nil, err
	}
	if m := d.top.last("mcpServers"); m != nil {
		servers, err := objectAt(text, m.value)
		if err != nil {
			return nil, errors.New("mcpServers is not an object")
		}
		d.servers = &servers
	}
	return d, nil
}

// objectAt reads the object that starts at or after the white space at.
func objectAt(text []byte, at int) (object, error) {
	dec := json.NewDecoder(bytes.NewReader(text[at:]))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return object{}, errors.New("not a JSON object")
	}
	o := object{open: at + int(dec.InputOffset()) - 1}
	for dec.More() {
		before := at + int(dec.InputOffset())
		name, err := dec.Token()
		if err != nil {
			return object{}, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return object{}, err
		}
		end := at + int(dec.InputOffset())
		o.members = append(o.members, member{
			name:  name.(string),
			start: before + bytes.IndexByte(text[before:], '"'),
			value: end - len(value), end: end,
		})
	}
	if _, err := dec.Token(); err != nil {
		return object{}, err
	}
	o.end = at + int(dec.InputOffset())
	return o, nil
}

// last finds a member. Of several with one name the last counts, as it does for Claude Code.
func (o *object) last(name string) *member {
	for i := range slices.Backward(o.members) {
		if o.members[i].name == name {
			return &o.members[i]
		}
	}
	return nil
}

// lead is the white space before the first member; line breaks in it mean that the object is spread over lines.
func (o *object) lead(text []byte) (string, bool) {
	if len(o.members) == 0 {
		return "", false
	}
	return string(text[o.open+1 : o.members[0].start]), true
}

// entry returns our entry's JSON; nil when there is none.
func (d *document) entry() []byte {
	if d.servers == nil {
		return nil
	}
	m := d.servers.last(Name)
	if m == nil {
		return nil
	}
	return bytes.Clone(d.text[m.value:m.end])
}

// with returns the text with entry as our entry.
func (d *document) with(entry []byte) ([]byte, error) {
	lead, has := d.top.lead(d.text)
	if !has {
		lead = "\n  "
	}
	unit := lead[strings.LastIndexByte(lead, '\n')+1:]
	if d.servers == nil {
		value := "{" + deeper(lead, unit) + pair(Name, layout(entry, deeper(lead, unit), unit), lead) + lead + "}"
		return d.insert(&d.top, "mcpServers", value, lead, closing("", lead)), nil
	}
	if m := d.servers.last(Name); m != nil {
		inner, _ := d.servers.lead(d.text)
		return splice(d.text, m.value, m.end, layout(entry, inner, unit)), nil
	}
	inner, has := d.servers.lead(d.text)
	if !has {
		inner = deeper(lead, unit)
	}
	return d.insert(d.servers, Name, layout(entry, inner, unit), inner, lead), nil
}

// insert returns the text with a further member of o. tail is the white space before the brace of an object that
// had no member.
func (d *document) insert(o *object, name, value, lead, tail string) []byte {
	if len(o.members) == 0 {
		return splice(d.text, o.open, o.end, "{"+lead+pair(name, value, lead)+tail+"}")
	}
	at := o.members[len(o.members)-1].end
	return splice(d.text, at, at, ","+lead+pair(name, value, lead))
}

// without returns the text without our entry.
func (d *document) without() ([]byte, error) {
	if d.servers == nil {
		return d.text, nil
	}
	for i := range slices.Backward(d.servers.members) {
		ms := d.servers.members
		if ms[i].name != Name {
			continue
		}
		var from, to int
		switch {
		case len(ms) == 1:
			from, to = d.servers.open+1, d.servers.end-1
		case i == len(ms)-1:
			from, to = ms[i-1].end, ms[i].end
		default:
			from, to = ms[i].start, ms[i+1].start
		}
		next, err := parseDocument(splice(d.text, from, to, ""))
		if err != nil {
			return nil, err
		}
		return next.without() // an entry of the same name before it would come to life
	}
	return d.text, nil
}

func splice(text []byte, from, to int, with string) []byte {
	return slices.Concat(text[:from], []byte(with), text[to:])
}

// deeper is the white space one level further in.
func deeper(lead, unit string) string {
	if !strings.Contains(lead, "\n") {
		return lead
	}
	return lead + unit
}

// closing is the white space before a brace whose members stand at lead.
func closing(outer, lead string) string {
	if !strings.Contains(lead, "\n") {
		return ""
	}
	return "\n" + outer
}

func pair(name, value, lead string) string {
	if !strings.Contains(lead, "\n") {
		return `"` + name + `":` + value
	}
	return `"` + name + `": ` + value
}

// layout spreads a value over lines when the members around it, at lead, are.
func layout(value []byte, lead, unit string) string {
	if !strings.Contains(lead, "\n") {
		return string(value)
	}
	var b bytes.Buffer
	prefix := lead[strings.LastIndexByte(lead, '\n')+1:]
	if json.Indent(&b, value, prefix, unit) != nil {
		return string(value)
	}
	return b.String()
}
