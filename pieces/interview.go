package pieces

import (
	"slices"
	"strings"
	"time"
)

// Interview is how a piece's spec comes about: what Claude Code asks, round by round, and what the person says. The zero
// value is an interview that has not begun.
type Interview struct {
	// SessionID is the conversation that asks; it is continued for every further turn. Empty until a first turn ended well.
	SessionID string `json:"sessionId,omitempty"`
	// Questions wait for the person's answer; empty when none do.
	Questions []Question `json:"questions,omitempty"`
	AskedAt   time.Time  `json:"askedAt,omitzero"`
	// Turns are what the person said so far, oldest first, each with what it answered.
	Turns []InterviewTurn `json:"turns,omitempty"`
	// Taken is how many of the turns Claude Code has taken up. The others were said while a turn failed or was cut off,
	// and are said again with the next one.
	Taken int `json:"taken,omitempty"`
}

// InterviewTurn is one message of the person.
type InterviewTurn struct {
	Questions []Question `json:"questions,omitempty"` // what was open; empty for a wish that nobody asked for
	Said      string     `json:"said"`                // empty when the person moved on without an answer
	At        time.Time  `json:"at"`
}

// Clone shares nothing with v that could be changed through it.
func (v Interview) Clone() Interview {
	v.Questions, v.Turns = cloneQuestions(v.Questions), slices.Clone(v.Turns)
	for i := range v.Turns {
		v.Turns[i].Questions = cloneQuestions(v.Turns[i].Questions)
	}
	return v
}

func cloneQuestions(list []Question) []Question {
	list = slices.Clone(list)
	for i := range list {
		list[i].Options = slices.Clone(list[i].Options)
	}
	return list
}

// MovesOn says whether the person left the turn's questions to Claude Code.
func (t InterviewTurn) MovesOn() bool { return len(t.Questions) > 0 && strings.TrimSpace(t.Said) == "" }

// Open says whether questions wait for the person.
func (v Interview) Open() bool { return len(v.Questions) > 0 }

// Ask puts questions to the person.
func (v Interview) Ask(questions []Question, at time.Time) Interview {
	v.Questions, v.AskedAt = questions, at.UTC()
	return v
}

// Say adds what the person said as the answer to the open questions, which are open no more. To say nothing where nothing
// is open adds nothing. The interview that it is called on stays as it was.
func (v Interview) Say(text string, at time.Time) Interview {
	if v.Open() || strings.TrimSpace(text) != "" {
		v.Turns = append(slices.Clone(v.Turns), InterviewTurn{Questions: v.Questions, Said: text, At: at.UTC()})
	}
	v.Questions, v.AskedAt = nil, time.Time{}
	return v
}

// Pending are the turns that Claude Code has not taken up yet.
func (v Interview) Pending() []InterviewTurn { return v.Turns[min(v.Taken, len(v.Turns)):] }

// Asked is how many rounds of questions there were, the open one included.
func (v Interview) Asked() int {
	n := 0
	for _, t := range v.Turns {
		if len(t.Questions) > 0 {
			n++
		}
	}
	if v.Open() {
		n++
	}
	return n
}

// Left is how many rounds of questions a depth still allows. None are, once the person moved on without an answer and
// that has not been taken up.
func (v Interview) Left(depth string) int {
	if slices.ContainsFunc(v.Pending(), InterviewTurn.MovesOn) {
		return 0
	}
	return max(0, InterviewRounds(depth)-v.Asked())
}

// InterviewRounds is how many rounds of questions an interview of a depth has at most; an unknown depth is balanced.
func InterviewRounds(depth string) int {
	switch depth {
	case DepthQuick:
		return 1
	case DepthThorough:
		return 6
	default:
		return 3
	}
}
