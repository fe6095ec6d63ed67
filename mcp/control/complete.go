package control

import (
	"context"
	"slices"
	"strings"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"fermata/pieces"
)

// mostCompletions is how many values the protocol lets one answer carry.
const mostCompletions = 100

// option is one value that an argument could have, with the words a person knows it by.
type option struct{ value, name string }

// completer proposes ids to a person who types an argument.
type completer struct{ *control }

// CompletePromptArgument proposes values of a prompt's argument.
func (c completer) CompletePromptArgument(ctx context.Context, name string, a mcpgo.CompleteArgument, _ mcpgo.CompleteContext) (*mcpgo.Completion, error) {
	i := slices.IndexFunc(prompts, func(p prompt) bool { return p.name == name })
	if i < 0 {
		return nil, nil
	}
	j := slices.IndexFunc(prompts[i].args, func(p promptArg) bool { return p.name == a.Name })
	if j < 0 {
		return nil, nil
	}
	var list []option
	var err error
	switch a.Name {
	case "pieceId":
		list, err = c.pieceOptions(ctx)
	case "draftId":
		list, err = c.draftOptions(ctx)
	case "projectId":
		list, err = c.projectOptions(ctx)
	default:
		for _, v := range prompts[i].args[j].enum {
			list = append(list, option{value: v})
		}
	}
	return c.matching(ctx, list, a.Value, err), nil
}

// CompleteResourceArgument proposes values of a resource template's variable.
func (c completer) CompleteResourceArgument(ctx context.Context, uri string, a mcpgo.CompleteArgument, known mcpgo.CompleteContext) (*mcpgo.Completion, error) {
	if uri != templatePiece && uri != templateDocument && uri != templateHandoff {
		return nil, nil
	}
	var list []option
	var err error
	switch a.Name {
	case "id":
		if list, err = c.pieceOptions(ctx); err == nil && uri == templatePiece {
			var drafts []option
			drafts, err = c.draftOptions(ctx)
			list = append(list, drafts...)
		}
	case "kind":
		for _, k := range pieces.ArtifactKinds() {
			if k != pieces.ArtifactHandoff {
				list = append(list, option{value: string(k)})
			}
		}
	case "taskId":
		list, err = c.handoffOptions(ctx, known.Arguments["id"])
	}
	return c.matching(ctx, list, a.Value, err), nil
}

// matching keeps the options whose value begins with what was typed, or whose name holds it. A fault proposes nothing: the
// person can still type.
func (c completer) matching(ctx context.Context, list []option, typed string, err error) *mcpgo.Completion {
	if err != nil {
		if ctx.Err() == nil && !unknown(err) {
			c.Log.Error("mcp completion", "err", err)
		}
		return nil
	}
	typed = strings.ToLower(strings.TrimSpace(typed))
	values := []string{}
	for _, o := range list {
		if strings.HasPrefix(strings.ToLower(o.value), typed) || strings.Contains(strings.ToLower(o.name), typed) {
			values = append(values, o.value)
		}
	}
	total := len(values)
	return &mcpgo.Completion{Values: values[:min(total, mostCompletions)], Total: total, HasMore: total > mostCompletions}
}

func (c completer) pieceOptions(ctx context.Context) ([]option, error) {
	list, err := c.Engine.Pieces(ctx, pieces.PieceFilter{})
	options := make([]option, 0, len(list))
	for _, s := range slices.Backward(list) { // the newest first
		options = append(options, option{s.Piece.ID, s.Piece.Name})
	}
	return options, err
}

func (c completer) draftOptions(ctx context.Context) ([]option, error) {
	list, err := c.Engine.Drafts(ctx, "")
	options := make([]option, 0, len(list))
	for _, d := range slices.Backward(list) {
		options = append(options, option{d.ID, d.Title})
	}
	return options, err
}

func (c completer) projectOptions(ctx context.Context) ([]option, error) {
	list, err := c.Engine.Projects(ctx)
	options := make([]option, 0, len(list))
	for _, p := range list {
		options = append(options, option{p.ID, p.Name})
	}
	return options, err
}

func (c completer) handoffOptions(ctx context.Context, pieceID string) ([]option, error) {
	if pieceID == "" {
		return nil, nil
	}
	s, err := c.Engine.Piece(ctx, pieceID)
	var options []option
	for _, id := range s.Handoffs {
		t, _ := s.Task(id)
		options = append(options, option{id, t.Name})
	}
	return options, err
}
