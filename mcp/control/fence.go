package control

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"fermata/pieces"
	"fermata/pieces/engine"
)

// CallerKind is who a caller is to Fermata.
type CallerKind int

// The kinds of callers. Nobody is trusted for want of knowledge.
const (
	CallerUnknown  CallerKind = iota // it could not be found out: every write waits for a card
	CallerOutside                    // the person's own client
	CallerOwnAgent                   // an agent that Fermata runs: it reads and does not write
)

// SentenceOwnAgent is what Fermata's own agents read when they try to drive it.
const SentenceOwnAgent = "Fermata's own agents can't drive Fermata through its MCP server. Ask the person to do this from the app or from their own MCP client."

func (o Options) callerKind(ctx context.Context) CallerKind {
	if o.Caller == nil {
		return CallerUnknown
	}
	who := o.Caller(ctx)
	if who.Kind == nil {
		return CallerUnknown
	}
	return who.Kind()
}

// fenced says whether a call of the tool is a write that one of Fermata's own agents makes.
func (o Options) fenced(ctx context.Context, name string) bool {
	t, ok := toolNamed(name)
	return ok && !t.reads && o.callerKind(ctx) == CallerOwnAgent
}

// guarded runs a tool as its caller may: own agents only read, and who cannot be placed asks before every change.
func (c *control) guarded(ctx context.Context, t tool, read func() (args, error)) (any, error) {
	kind := CallerOutside
	if !t.reads {
		kind = c.callerKind(ctx)
	}
	if kind == CallerOwnAgent {
		noteFenced(ctx)
		return nil, refuse(SentenceOwnAgent)
	}
	a, err := read()
	if err != nil {
		return nil, err
	}
	if kind == CallerOutside {
		return t.run(c, ctx, a)
	}
	strange := context.WithValue(ctx, strangerKey{}, &t)
	if t.asks {
		return t.run(c, strange, a)
	}
	return c.gated(strange, t.name, a, runsOnCall, func(allowed context.Context, _ string) (any, error) {
		return t.run(c, context.WithValue(allowed, strangerKey{}, (*tool)(nil)), a)
	})
}

type strangerKey struct{}

// strangersTool returns the tool of a call that must wait for a card whatever it does; nil when it need not.
func strangersTool(ctx context.Context) *tool {
	t, _ := ctx.Value(strangerKey{}).(*tool)
	return t
}

// strangerVerb says what a write tool does, for the cards of those that need none otherwise.
func strangerVerb(tool string) pieces.Sentence {
	switch tool {
	case "create_piece":
		return pieces.Say("create a piece")
	case "create_draft":
		return pieces.Say("file a draft")
	case "update_draft":
		return pieces.Say("change a draft")
	case "cancel_draft":
		return pieces.Say("delete a draft")
	case "release_draft":
		return pieces.Say("release a draft")
	case "register_project":
		return pieces.Say("register a project")
	case "open_piece_workspace":
		return pieces.Say("open a piece's workspace")
	case "piece_action":
		return pieces.Say("act on a piece")
	case "snooze_cue":
		return pieces.Say("snooze a cue")
	case "reveal":
		return pieces.Say("open an item on the screen")
	}
	return pieces.Say("use %s", tool)
}

// strangerCard is the card of a call that would need none if its caller were known.
func (c *control) strangerCard(ctx context.Context, t *tool, a args) (*card, error) {
	k := &card{verb: strangerVerb(t.name), plain: true, danger: t.destroys}
	if err := c.subject(ctx, a, k); err != nil {
		return nil, err
	}
	for _, d := range t.args {
		if !a.blank(d.name) {
			k.effect.Lines = append(k.effect.Lines, pieces.Quote(d.name+": "+oneLine(a[d.name])))
		}
	}
	return k, nil
}

// subject names what a call is about. A call about nothing that exists is refused before anybody is asked.
func (c *control) subject(ctx context.Context, a args, k *card) error {
	target := a.object("target")
	id, session := cmp.Or(a.text("draftId"), a.text("pieceId")), a.text("sessionId")
	switch engine.TargetKind(target.text("kind")) {
	case engine.TargetPiece:
		id = target.text("id")
	case engine.TargetSession:
		session = target.text("id")
	default:
	}
	switch {
	case a.has("draftId"):
		return c.subjectDraft(ctx, id, k)
	case id != "":
		return c.subjectPiece(ctx, id, k)
	case session != "":
		s, err := c.Engine.Session(ctx, session)
		k.item, k.pieceID, k.projectID = s.Name, s.PieceID, s.ProjectID
		return err
	}
	return c.subjectNew(ctx, a, k)
}

// subjectDraft names a draft, or the piece that it has become.
func (c *control) subjectDraft(ctx context.Context, id string, k *card) error {
	d, err := c.Engine.Draft(ctx, id)
	if unknown(err) && c.subjectPiece(ctx, id, k) == nil {
		return nil
	}
	k.item, k.projectID = d.Title, d.ProjectID
	return err
}

func (c *control) subjectPiece(ctx context.Context, id string, k *card) error {
	s, err := c.Engine.Piece(ctx, id)
	if err != nil {
		return c.aboutDraft(ctx, id, err)
	}
	k.item, k.pieceID, k.projectID = s.Piece.Name, s.Piece.ID, s.Piece.ProjectID
	return nil
}

// subjectNew names what a call would make, by what it says of it.
func (c *control) subjectNew(ctx context.Context, a args, k *card) error {
	k.item = a.text("path")
	title, words := cmp.Or(a.text("title"), a.text("name")), cmp.Or(a.text("seed"), a.text("prompt"))
	if a.text("spec")+title+words != "" {
		k.item = pieces.TitleOf(a.text("spec"), title, words)
	}
	if a.blank("projectId") && a.blank("cwd") {
		return nil
	}
	p, err := c.project(ctx, a)
	k.projectID = p.ID
	return err
}

// oneLine shows an argument on a card.
func oneLine(v any) string {
	const most = 200
	var text string
	switch v := v.(type) {
	case string:
		text = v
	case []string:
		text = strings.Join(v, ", ")
	case args:
		var members []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			members = append(members, name+" "+oneLine(v[name]))
		}
		text = strings.Join(members, ", ")
	default:
		text = fmt.Sprint(v)
	}
	text = strings.Join(strings.Fields(text), " ")
	if n := utf8.RuneCountInString(text); n > most {
		return string([]rune(text)[:most]) + fmt.Sprintf("… (%s characters)", thousands(n))
	}
	return text
}

// runsOnCall is the plan of a call that needs no card for what it does.
func runsOnCall(context.Context) (*card, error) { return nil, nil }
