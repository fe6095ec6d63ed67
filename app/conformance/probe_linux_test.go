package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience bounds every wait for the app and the real Claude Code on a busy machine.
const patience = 2 * time.Minute

// probe is one row's view of the world.
type probe struct {
	*testing.T
	w *world
}

// call calls a tool that has to succeed and decodes its JSON.
func (p *probe) call(tool string, a args) object {
	p.Helper()
	o := p.result(tool, p.w.wire.tool(p.Context(), tool, a, nil))
	p.w.covered.carried(tool, a)
	return o
}

// result decodes what a call that has to succeed came to.
func (p *probe) result(what string, o outcome) object {
	p.Helper()
	if o.err != nil || o.failed || o.code != 0 {
		p.Fatalf("%s: %s", what, o)
	}
	var v object
	if err := json.Unmarshal([]byte(o.text), &v); err != nil {
		p.Fatalf("%s answered %q: %v", what, o.text, err)
	}
	return v
}

// refused calls a tool that has to fail with a tool error, whose sentence holds the words.
func (p *probe) refused(tool string, a args, words ...string) string {
	p.Helper()
	sentence := p.sentence(tool, p.w.wire.tool(p.Context(), tool, a, nil), words...)
	p.w.covered.refused(tool, a, sentence)
	return sentence
}

// sentence is the tool error that an outcome has to be.
func (p *probe) sentence(what string, o outcome, words ...string) string {
	p.Helper()
	if !o.failed || o.text == "" {
		p.Fatalf("%s is no tool error: %s", what, o)
	}
	p.holds(what, o.text, words...)
	return o.text
}

// malformed calls a tool that has to fail as invalid params, with a message that holds the words.
func (p *probe) malformed(tool string, a args, words ...string) {
	p.Helper()
	o := p.w.wire.tool(p.Context(), tool, a, nil)
	if o.code != -32602 {
		p.Fatalf("%s %v: %s, want an invalid-params error", tool, a, o)
	}
	p.holds(tool, o.text, words...)
}

func (p *probe) holds(what, text string, words ...string) {
	p.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			p.Errorf("%s says %q, which lacks %q", what, text, w)
		}
	}
}

// same compares a decoded value with a Go one.
func (p *probe) same(what string, got, want any) {
	p.Helper()
	raw, err := json.Marshal(want)
	if err != nil {
		p.Fatal(err)
	}
	var w any
	if err := json.Unmarshal(raw, &w); err != nil {
		p.Fatal(err)
	}
	if !reflect.DeepEqual(got, w) {
		p.Errorf("%s is %v, want %s", what, got, raw)
	}
}

var (
	uuidShape = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	timeShape = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)
)

// shape checks that an object has every field of a list such as "id uuid, gate string?, tasks array", of that type. A
// question mark lets it be null. Nothing lets it be missing.
func (p *probe) shape(what string, o object, fields string) {
	p.Helper()
	for f := range strings.SplitSeq(fields, ",") {
		name, kind, _ := strings.Cut(strings.TrimSpace(f), " ")
		v, ok := o[name]
		if !ok {
			p.Errorf("%s lacks %s: %v", what, name, o)
			continue
		}
		kind, nullable := strings.CutSuffix(kind, "?")
		if v == nil {
			if !nullable {
				p.Errorf("%s has a null %s", what, name)
			}
			continue
		}
		if !isKind(v, kind) {
			p.Errorf("%s has %s %v, which is no %s", what, name, v, kind)
		}
	}
}

func isKind(v any, kind string) bool {
	switch s, text := v.(string); kind {
	case "string":
		return text
	case "uuid":
		return text && uuidShape.MatchString(s)
	case "time":
		return text && timeShape.MatchString(s)
	}
	switch v := v.(type) {
	case bool:
		return kind == "bool"
	case float64:
		return kind == "number" || kind == "int" && v == float64(int64(v))
	case []any:
		return kind == "array"
	case object:
		return kind == "object"
	}
	return false
}

// only checks that an object has these fields and no others.
func (p *probe) only(what string, o object, fields ...string) {
	p.Helper()
	var got []string
	for name := range o {
		got = append(got, name)
	}
	slices.Sort(got)
	slices.Sort(fields)
	if !slices.Equal(got, fields) {
		p.Errorf("%s has the fields %v, want %v", what, got, fields)
	}
}

// list is an array of objects in a result.
func list(o object, field string) []object {
	items, _ := o[field].([]any)
	out := make([]object, 0, len(items))
	for _, i := range items {
		if i, ok := i.(object); ok {
			out = append(out, i)
		}
	}
	return out
}

// find is the object of a list whose field has a value; nil when there is none.
func find(items []object, field string, value any) object {
	for _, i := range items {
		if i[field] == value {
			return i
		}
	}
	return nil
}

func str(o object, field string) string {
	s, _ := o[field].(string)
	return s
}

// strs is an array of strings in a result.
func strs(o object, field string) []string {
	items, _ := o[field].([]any)
	out := []string{}
	for _, i := range items {
		if s, ok := i.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// until waits for something that raises no event.
func (p *probe) until(what string, ok func() bool) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			p.Fatalf("waited for %s", what)
		}
	}
}

// gate polls a piece, as a client does, until a gate stands.
func (p *probe) gate(id, gate string) object {
	p.Helper()
	var o object
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	defer cancel()
	for tick := time.NewTicker(100 * time.Millisecond); ; {
		o = p.call("get_piece", args{"pieceId": id})
		if o["gate"] == gate {
			return o
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			p.Fatalf("waited for the gate %s; the piece is at %v with %v (%v)", gate, o["phase"], o["gate"], o["failure"])
		}
	}
}

// act carries out an action that has to succeed at once.
func (p *probe) act(id, action string, more ...args) object {
	p.Helper()
	return p.call("piece_action", acting(id, action, more...))
}

// acting are the arguments of an action.
func acting(id, action string, more ...args) args {
	a := args{"pieceId": id, "action": action}
	for _, m := range more {
		for k, v := range m {
			a[k] = v
		}
	}
	return a
}

// begin starts a call that waits for its card, and returns once the card is there with its words.
func (p *probe) begin(tool string, a args) (*pending, notice) {
	p.Helper()
	before := len(p.w.desk.Notifications())
	call := p.w.wire.begin(tool, a)
	p.Cleanup(call.cancel)
	n := p.w.notice(p, before)
	p.w.place(p, "card:deny")
	return call, n
}

// end waits for a call that was begun.
func (p *probe) end(c *pending) outcome {
	p.Helper()
	select {
	case o := <-c.done:
		return o
	case <-time.After(patience):
		p.Fatalf("the call did not end")
		return outcome{}
	}
}

// allowed begins a call, checks its card's title, lets the person allow it, and returns the result.
func (p *probe) allowed(tool string, a args, verb string) object {
	p.Helper()
	c, n := p.begin(tool, a)
	p.same("the card's title", n.title, fmt.Sprintf("Allow the MCP client to %s?", verb))
	p.w.click(p, "card:allow")
	o := p.result(tool, p.end(c))
	p.w.covered.carried(tool, a)
	return o
}

// denied is allowed with the other answer; it returns the sentence that the client reads.
func (p *probe) denied(tool string, a args, verb string) string {
	p.Helper()
	c, n := p.begin(tool, a)
	p.same("the card's title", n.title, fmt.Sprintf("Allow the MCP client to %s?", verb))
	p.w.click(p, "card:deny")
	return p.sentence(tool, p.end(c), "denied")
}

// setting writes a setting by the command line, as the person does in the pane.
func (p *probe) setting(key, value string) {
	p.Helper()
	if out, code := p.w.cli("settings", "set", key, value); code != 0 {
		p.Fatalf("settings set %s: %s", key, out)
	}
}

// during sets a setting for the rest of the row.
func (p *probe) during(key, value string) {
	p.Helper()
	old, code := p.w.cli("settings", "get", key)
	if code != 0 {
		p.Fatal(old)
	}
	p.setting(key, value)
	p.Cleanup(func() { p.setting(key, old) })
}
