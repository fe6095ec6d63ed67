package popover

import (
	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
	"fermata/ui/phrase"
)

// Cue is one thing that needs the person.
type Cue struct {
	Target      engine.Target
	ProjectID   string
	Fingerprint string
	Group       pieces.CueGroup
	Failed      bool

	Title, Label, Project string
	Age                   string
	Source                string // the key of the tracker's issue, such as "SUP-12"; empty without one
	PR                    string // "#12"; empty without one
	Checks                string // the pull request's checks in words

	// Primary is the words of the one action that answers the cue; empty when there is none.
	Primary string
	Request engine.Request
	Confirm bool // the action's effect is shown before anything is done
	Asks    bool // it is answered here, by words or an approval
}

// Question is a call of a client that waits for Allow or Deny.
type Question struct {
	consent.Question
	Project, Age string
}

// Work is a piece on which the machine works.
type Work struct {
	PieceID, ProjectID string
	Title, Words       string // the words stand behind the bar, such as "2 of 4 agents"
	Part               float64
}

// Model is what the popover shows. Cues come by group in the popover's order.
type Model struct {
	Cues      []Cue
	Questions []Question
	Snoozed   int
	Line      string // what runs, such as "2 running in muse"; empty when nothing does
	Work      []Work
}

// row is a line of the list: a heading, an empty group's sentence, a question or a cue.
type row struct {
	key      string // of a question or a cue; empty for a line that cannot be chosen
	words    string
	heading  bool
	cue      *Cue
	question *Question
}

func keyOf(t engine.Target) string { return string(t.Kind) + ":" + t.ID }

func keyOfQuestion(id string) string { return "card:" + id }

// rowsOf lays a model out: the three groups in their order, each kept when it is empty. The questions come first of what
// requires approval: a client waits for them.
func rowsOf(m Model) []row {
	var list []row
	for _, g := range pieces.CueGroups() {
		at := len(list)
		list = append(list, row{heading: true})
		if g == pieces.RequiresApproval {
			for i := range m.Questions {
				list = append(list, row{key: keyOfQuestion(m.Questions[i].ID), question: &m.Questions[i]})
			}
		}
		for i := range m.Cues {
			if m.Cues[i].Group == g {
				list = append(list, row{key: keyOf(m.Cues[i].Target), cue: &m.Cues[i]})
			}
		}
		list[at].words = counted(phrase.Of(g.Title()), len(list)-at-1)
		if len(list) == at+1 {
			list = append(list, row{words: phrase.Of(nothing[g])})
		}
	}
	return list
}

var nothing = map[pieces.CueGroup]string{
	pieces.RequiresApproval: "Nothing asks you for anything.",
	pieces.ReadyForReview:   "No work waits for your review.",
	pieces.ReadyToMerge:     "No pull request waits to be merged.",
}
