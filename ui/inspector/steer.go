package inspector

import (
	"context"
	"strings"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// saying is what a sheet asks before it carries an action out in words.
type saying struct {
	label  string
	hint   string
	longer bool   // takes a whole document rather than a message
	needed string // what is said when nothing was typed; empty where that will do
	into   func(*engine.Request, string)
}

func intoPrompt(r *engine.Request, s string)   { r.Prompt = s }
func intoText(r *engine.Request, s string)     { r.Text = s }
func intoGuidance(r *engine.Request, s string) { r.Guidance = s }

const mayBeEmpty = "You can leave this empty."

// sayingOf says what an action asks for; needed is whether it does nothing without.
func sayingOf(a pieces.Action, needed bool) saying {
	q := saying{label: "What should the agents do differently?", into: intoGuidance}
	switch a {
	case pieces.InterviewMessage:
		q = saying{label: "What should the spec say or change?", into: intoPrompt}
	case pieces.EditTaskBrief:
		q = saying{label: "Brief", hint: "Nothing starts. The agent reads it when it starts next.", longer: true, into: intoPrompt}
	case pieces.MessageTask:
		q = saying{label: "Message", hint: "It goes to the agent's own session.", into: intoText}
	case pieces.GenerateStrategy:
		q = saying{label: "What should change?", hint: phrase.Of("The next strategy keeps to it. ") + phrase.Of(mayBeEmpty), longer: true, into: intoPrompt}
	case pieces.RequestChanges:
		q = saying{label: "What should change?", hint: "A session in the piece's worktree makes the change and commits it.", longer: true, into: intoText}
	case pieces.ResumeTask:
		q = saying{label: "What should the agent do differently?", hint: phrase.Of("It gets what the review found as well. ") + phrase.Of(mayBeEmpty), into: intoGuidance}
	default:
	}
	switch {
	case needed && q.longer && a == pieces.EditTaskBrief:
		q.needed = phrase.Of("A brief can't be empty.")
	case needed:
		q.needed = phrase.Of("Say what should change.")
	case q.hint == "":
		q.hint = mayBeEmpty
	}
	if needed && a == pieces.MessageTask {
		q.needed = phrase.Of("Say something.")
	}
	return q
}

// refuse says what is wrong with the words; empty when nothing is.
func (q saying) refuse(text string) string {
	most, words := pieces.MaxText, phrase.Of("That is longer than 2,000 characters.")
	if q.longer {
		most, words = pieces.MaxSpec, phrase.Of("That is too long.")
	}
	switch {
	case q.needed != "" && strings.TrimSpace(kit.Plain(text)) == "":
		return q.needed
	case len([]rune(text)) > most:
		return words
	}
	return ""
}

// askWords asks for what the person wants to say along with the action.
func (i *Inspector) askWords(c choice) {
	q := sayingOf(c.req.Action, c.way == told || c.way == planned)
	rows := 5
	if q.longer {
		rows = 9
	}
	words := kit.NewMultiEntry("say:text", rows)
	words.SetText(c.before)
	words.OnEscape = i.sheets.Close
	field := kit.NewField(q.label, words, q.hint)
	i.askSheet(c.label, field, kit.NewButton("say:send", c.label, kit.Primary, func() {
		if reason := q.refuse(words.Text); reason != "" {
			field.Refuse(reason)
			i.sheets.Fits()
			return
		}
		q.into(&c.req, words.Text)
		i.sheets.Close()
		if c.way == planned {
			i.editPlan(c)
			return
		}
		i.act(c)
	}), words)
}

// askLane asks for the lane to hand the piece to, and says what that does.
func (i *Inspector) askLane(c choice) {
	lanes := pieces.Lanes()
	now := i.last.piece.Piece.Config.Lane
	note := kit.NewNote("")
	var choose *kit.Select
	choose = kit.NewSelect("lane:choice", laneWords3(), func(string) {
		note.Set(laneEffect(now, lanes[choose.SelectedIndex()]))
		i.sheets.Fits()
	})
	form := kit.Column(kit.Together, kit.NewField("Lane", choose, ""), note)
	i.askSheet(c.label, form, kit.NewButton("lane:set", c.label, kit.Primary, func() {
		c.req.Lane = lanes[choose.SelectedIndex()]
		i.sheets.Close()
		if c.req.Lane != now {
			i.act(c)
		}
	}), choose)
	for at, l := range lanes {
		if l == now {
			choose.SetSelectedIndex(at)
		}
	}
}

// laneEffect says what handing a piece to a lane does.
func laneEffect(from, to pieces.Lane) string {
	words := map[pieces.Lane]string{
		pieces.LaneManual: "The piece stops at each gate.",
		pieces.LaneAuto:   "Nothing starts now: Play is pressed when the spec is approved to run on Auto.",
		pieces.LaneLoop:   "The project's Loop runs the piece while it is playing.",
	}[to]
	words = phrase.Of(words)
	if from == pieces.LaneAuto && to != from {
		words += phrase.Of(" Auto's Play is no longer pressed.")
	}
	return words
}

// steerAgent opens what an action on one agent asks for.
func (i *Inspector) steerAgent(a pieces.Action, t pieces.Task) {
	if i.last.piece == nil {
		return
	}
	c := choice{
		name: string(a) + ":" + t.ID, label: steerLabels[a], way: told,
		req: engine.Request{PieceID: i.last.id, Action: a, By: pieces.ByPerson, TaskID: t.ID},
	}
	switch a {
	case pieces.EditTaskBrief:
		c.before = t.Brief
		if i.last.piece.AtPlan() {
			c.way = planned
		}
	case pieces.ResumeTask:
		c.way = guided
	default:
	}
	i.choose(c)
}

// editPlan rewrites a brief of a plan that has not started.
func (i *Inspector) editPlan(c choice) {
	i.gate.setBusy(c.name)
	i.background(func(ctx context.Context) error {
		_, err := i.o.Engine.EditPlanBrief(ctx, c.req.PieceID, c.req.TaskID, c.req.Prompt)
		return err
	}, func(err error) {
		i.gate.setBusy("")
		i.showProblem(c.label, err)
	})
}

// steerLabels are the words of the buttons at one agent.
var steerLabels = map[pieces.Action]string{
	pieces.EditTaskBrief: "Change the brief",
	pieces.MessageTask:   "Send a message",
	pieces.ResumeTask:    "Resume with the findings",
}

// steers lists what can be done with one agent now.
func steers(s pieces.Snapshot, t pieces.Task) []pieces.Action {
	var list []pieces.Action
	if t.Kind != pieces.TaskAgent {
		return nil
	}
	if s.Legal(pieces.ResumeTask) && t.State == pieces.TaskFailed {
		list = append(list, pieces.ResumeTask)
	}
	if (s.Legal(pieces.EditTaskBrief) || s.AtPlan() && !s.Piece.Archived) && pieces.BriefRefusal(t).Empty() {
		list = append(list, pieces.EditTaskBrief)
	}
	if s.Legal(pieces.MessageTask) && pieces.MessageRefusal(s, t).Empty() {
		list = append(list, pieces.MessageTask)
	}
	return list
}
