package control

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"fermata/pieces"
	"fermata/pieces/engine"
)

var pieceAction = tool{
	name: "piece_action", title: "Act on a piece", destroys: true, reachesOut: true, asks: true,
	description: "Move a piece through its lifecycle, one action per call. An action that is illegal now fails and names the legal ones (get_piece legalActions). stopAgents and markDone always wait until the person answers a card in Fermata; runs and pull requests do when the person set it so.",
	args: []arg{
		{name: "pieceId", kind: kindText, required: true, format: notBlank, maxLen: maxID, note: "addDependency and removeDependency also take a draft id."},
		{name: "action", kind: kindText, required: true, enum: actionNames()},
		{name: "prompt", kind: kindText, maxLen: pieces.MaxSpec, note: "interviewMessage: your answers, or what the spec should say. editTaskBrief: the new brief. generateStrategy: what to change, if you say so."},
		{name: "lane", kind: kindText, enum: names(pieces.Lanes()), note: "approveSpec: manual (default) or auto. setLane: any."},
		{name: "taskId", kind: kindText, maxLen: maxID, note: "approveTask, resumeTask, editTaskBrief, messageTask, answerTaskQuestion: the agent."},
		{name: "text", kind: kindText, maxLen: pieces.MaxSpec, note: "requestChanges: the change. messageTask, answerTaskQuestion: the message or answer, up to 2,000 characters. approveTask: a note. confirmDone: feedback."},
		{name: "taskIds", kind: kindTexts, maxLen: maxID, minItems: 1, maxItems: pieces.MaxAgents, note: "sendBackToAgents, retryFailedAgents: which failed agents; default all."},
		{name: "guidance", kind: kindText, maxLen: pieces.MaxText, note: "sendBackToAgents, resumeTask, retryFailedAgents: your note for the rerun."},
		{name: "level", kind: kindText, enum: []string{"high", "max"}, note: "runCodeReview; default max."},
		{name: "title", kind: kindText, maxLen: pieces.MaxTitle, note: "createPR. Leave out title and body and Fermata writes them from the diff."},
		{name: "body", kind: kindText, maxLen: 65_536, note: "createPR."},
		{name: "isDraft", kind: kindFlag, note: "createPR; default false."},
		{name: "dryRun", kind: kindFlag, def: false, note: "Only say whether it is legal now, whether a card would show, and what it would do."},
		{name: "blocker", kind: kindText, maxLen: pieces.MaxTitle, note: "addDependency, removeDependency: piece or draft id, or tracker key."},
	},
	check: checkAction,
	run:   (*control).pieceAction,
}

func actionNames() []string {
	var list []string
	for _, r := range pieces.Rules() {
		list = append(list, string(r.Action))
	}
	return list
}

// actionArgs says which arguments each action needs, and which it takes besides.
var actionArgs = map[pieces.Action]struct{ needs, takes []string }{
	pieces.InterviewMessage:   {needs: []string{"prompt"}},
	pieces.ApproveSpec:        {takes: []string{"lane"}},
	pieces.GenerateStrategy:   {takes: []string{"prompt"}},
	pieces.RetryFailedAgents:  {takes: []string{"taskIds", "guidance"}},
	pieces.EditTaskBrief:      {needs: []string{"taskId", "prompt"}},
	pieces.MessageTask:        {needs: []string{"taskId", "text"}},
	pieces.AnswerTaskQuestion: {needs: []string{"taskId", "text"}},
	pieces.ApproveTask:        {needs: []string{"taskId"}, takes: []string{"text"}},
	pieces.RunCodeReview:      {takes: []string{"level"}},
	pieces.CreatePR:           {takes: []string{"title", "body", "isDraft"}},
	pieces.ConfirmDone:        {takes: []string{"text"}},
	pieces.SetLane:            {needs: []string{"lane"}},
	pieces.RequestChanges:     {needs: []string{"text"}},
	pieces.SendBackToAgents:   {takes: []string{"taskIds", "guidance"}},
	pieces.ResumeTask:         {needs: []string{"taskId"}, takes: []string{"guidance"}},
	pieces.AddDependency:      {needs: []string{"blocker"}},
	pieces.RemoveDependency:   {needs: []string{"blocker"}},
}

// checkAction refuses what an action needs and lacks, and what it would silently ignore.
func checkAction(a args) *ArgumentError {
	action := pieces.Action(a.text("action"))
	rule := actionArgs[action]
	broken := func(name, rule string) *ArgumentError { return &ArgumentError{"piece_action", name, rule} }
	for _, name := range rule.needs {
		if a.blank(name) {
			return broken(name, "is required for the action "+string(action))
		}
	}
	for _, d := range actionOptions() {
		if !a.blank(d) && !slices.Contains(rule.needs, d) && !slices.Contains(rule.takes, d) {
			return broken(d, "is not taken by the action "+string(action))
		}
	}
	if action == pieces.ApproveSpec && a.text("lane") == string(pieces.LaneLoop) {
		return broken("lane", "must be manual or auto for the action approveSpec")
	}
	if short := action != pieces.RequestChanges && action != pieces.ConfirmDone; short && utf8.RuneCountInString(a.text("text")) > pieces.MaxText {
		return broken("text", "must be at most "+thousands(pieces.MaxText)+" characters for the action "+string(action))
	}
	return nil
}

// actionOptions lists the arguments that belong to single actions.
func actionOptions() []string {
	return []string{"prompt", "lane", "taskId", "text", "taskIds", "guidance", "level", "title", "body", "isDraft", "blocker"}
}

func (c *control) pieceAction(ctx context.Context, a args) (any, error) {
	req := requestOf(a)
	askBefore, err := c.askBefore(ctx)
	if err != nil {
		return nil, err
	}
	if a.flag("dryRun") {
		return c.dryRun(ctx, req, askBefore)
	}
	check := func(ctx context.Context) (*card, error) {
		s, rule, err := c.Engine.Check(ctx, req)
		if err != nil {
			return nil, c.aboutDraft(ctx, req.PieceID, err)
		}
		needed := pieces.TierOf(rule, req.Lane).NeedsCard(askBefore)
		if !needed && strangersTool(ctx) == nil {
			return nil, nil
		}
		effect, whole, err := c.Engine.Outline(ctx, req)
		if err != nil {
			return nil, err
		}
		if !needed && rule.AutoOnly {
			// The rule's words are about Auto.
			rule.Verb, effect.Lines, effect.Writing = "", nil, nil
		}
		k := &card{
			verb: verbOf(rule), item: s.Piece.Name, pieceID: s.Piece.ID, projectID: s.Piece.ProjectID,
			danger: rule.Tier == pieces.TierCard, effect: effect,
		}
		if !whole {
			k.look = func(ctx context.Context) (pieces.Effect, error) { return c.Engine.Effect(ctx, req) }
		}
		return k, nil
	}
	return c.gated(ctx, "piece_action", a, check, func(ctx context.Context, bound string) (any, error) {
		r := req
		r.Bound = bound
		res, err := c.Engine.Act(ctx, r)
		if err != nil {
			return nil, err
		}
		if r.Action == pieces.AddDependency || r.Action == pieces.RemoveDependency {
			return linkResult(res), nil
		}
		return actionResult(r, res), nil
	})
}

// verbOf never leaves a card without words: an action without a verb of its own is named.
func verbOf(r pieces.Rule) pieces.Sentence {
	if r.Verb == "" {
		return pieces.Say("run %s", r.Action)
	}
	return pieces.Term(r.Verb)
}

// aboutDraft tells a client that acts on a draft as if it were a piece what it can do with it.
func (c *control) aboutDraft(ctx context.Context, id string, err error) error {
	if !unknown(err) {
		return err
	}
	if _, draftErr := c.Engine.Draft(ctx, id); draftErr == nil {
		return refuse("%s is a draft in the Backlog, not a piece yet: it takes update_draft, cancel_draft and release_draft.", id)
	}
	return err
}

func requestOf(a args) engine.Request {
	r := engine.Request{
		PieceID: a.text("pieceId"), Action: pieces.Action(a.text("action")), By: pieces.ByClient,
		Prompt: a.text("prompt"), Lane: pieces.Lane(a.text("lane")), TaskID: a.text("taskId"), TaskIDs: a.texts("taskIds"),
		Text: a.text("text"), Guidance: a.text("guidance"), Level: a.text("level"),
		Title: strings.TrimSpace(a.text("title")), Body: a.text("body"), IsDraft: a.flag("isDraft"), Blocker: a.text("blocker"),
	}
	r.HasTitle = r.Title != ""
	r.HasBody = strings.TrimSpace(r.Body) != ""
	if r.Action == pieces.RunCodeReview && r.Level == "" {
		r.Level = "max"
	}
	return r
}

// actionResult is what the contract says that each action returns.
func actionResult(r engine.Request, res engine.Result) map[string]any {
	s := res.Piece
	out := map[string]any{"ok": true, "pieceId": s.Piece.ID, "phase": phaseOf(s), "gate": orNull(s.Gate())}
	switch r.Action {
	case pieces.CreatePR:
		out["prURL"] = prURL(s.Piece)
		if res.Message != "" {
			out["message"] = res.Message
		}
	case pieces.RunCodeReview:
		out["started"] = res.Started
	case pieces.RequestChanges:
		out["sessionId"] = orNull(res.SessionID)
	case pieces.ResumeTask:
		out["started"], out["message"] = res.Started, orNull(res.Message)
	case pieces.SendBackToAgents, pieces.EditTaskBrief, pieces.MessageTask, pieces.AnswerTaskQuestion:
		out["next"], out["message"] = orNull(res.Next), orNull(res.Message)
	case pieces.Archive, pieces.Unarchive:
		out["isArchived"] = s.Piece.Archived
	default:
	}
	return out
}
