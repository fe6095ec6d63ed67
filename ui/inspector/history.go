package inspector

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// history lists the transitions of a piece, the newest first.
type history struct {
	rows  *fyne.Container
	drawn int64
	piece string
	ages  map[*kit.Text]time.Time
	body  *container.Scroll
}

func newHistory() *history {
	h := &history{rows: kit.Column(kit.Groups)}
	h.body = scrolled(h.rows)
	return h
}

func (h *history) content() fyne.CanvasObject { return h.body }

func (h *history) show(m model, now time.Time) {
	last := int64(len(m.history))
	if last > 0 {
		last = m.history[len(m.history)-1].ID
	}
	if h.piece != m.id || h.drawn != last || h.ages == nil {
		h.piece, h.drawn = m.id, last
		h.draw(m.history)
	}
	for text, at := range h.ages {
		text.Set(kit.Age(at, now))
	}
	h.body.Refresh()
}

func (h *history) draw(rows []pieces.HistoryRow) {
	h.ages = map[*kit.Text]time.Time{}
	h.rows.Objects = nil
	for _, r := range slices.Backward(rows) {
		age := kit.Caption("")
		h.ages[age] = r.At
		head := container.NewBorder(nil, nil, nil, age, kit.Body(triggerWords(r)).CutEnd())
		line := kit.Column(kit.Step, head, kit.Caption(wayWords(r)).CutEnd())
		if note := phrase.Said(r.Note); note != "" {
			line.Add(kit.NewParagraph(note))
		}
		h.rows.Add(line)
	}
	h.rows.Refresh()
}

// triggerWords say what happened: an action by its label, what Fermata found by its own name.
func triggerWords(r pieces.HistoryRow) string {
	if r.Trigger == pieces.Trigger(pieces.InterviewMessage) {
		return phrase.Of("Message to the interview")
	}
	if rule, ok := pieces.RuleOf(pieces.Action(r.Trigger)); ok {
		return phrase.Of(rule.Label)
	}
	if r.Trigger == pieces.OnSpecAsked {
		return phrase.Of("Released")
	}
	return phrase.Of(spaced(string(r.Trigger)))
}

// wayWords say who did it, from where to where, and when exactly.
func wayWords(r pieces.HistoryRow) string {
	from, to := stateWords(r.From), stateWords(r.To)
	way := from + " → " + to
	if from == to {
		way = to
	}
	return actorWords(r.By) + " · " + way + " · " + kit.Exact(r.At)
}

func stateWords(s pieces.State) string {
	return phrase.Of(pieces.DisplayOf(s.Phase, 0, 0)) + " (" + lowered(phrase.Of(spaced(string(s.Activity)))) + ")"
}

// lowered begins a word small.
func lowered(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToLower(first)) + word[size:]
}

func actorWords(a pieces.Actor) string {
	switch a {
	case pieces.ByPerson:
		return phrase.Of("You")
	case pieces.ByClient:
		return phrase.Of("MCP client")
	default:
		return phrase.Of("Fermata")
	}
}

// spaced writes a camelCase key as words: "workReviewing" becomes "Work reviewing".
func spaced(key string) string {
	var b strings.Builder
	before := ' '
	for i, r := range key {
		upper := r >= 'A' && r <= 'Z'
		afterLower := before >= 'a' && before <= 'z'
		before = r
		switch {
		case i == 0:
			b.WriteString(strings.ToUpper(string(r)))
			continue
		case upper && afterLower:
			b.WriteByte(' ')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), " pR", " PR"), "gPR", "g PR")
}
