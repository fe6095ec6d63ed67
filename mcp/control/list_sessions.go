package control

import (
	"context"

	"fermata/pieces"
)

var listSessions = tool{
	name: "list_sessions", title: "List sessions", reads: true, repeatable: true,
	description: "List Claude Code sessions, newest first: state, piece, task, model, branch, worktree, cost, error, and awaitingApproval while one waits for the person to approve a tool.",
	args: []arg{
		argProjectID, argCwd,
		{name: "includeHidden", kind: kindFlag, def: false, note: "Include spec-interview and code-review sessions."},
	},
	run: func(c *control, ctx context.Context, a args) (any, error) {
		rows := []sessionRow{}
		projectID, none, err := c.scope(ctx, a)
		if err != nil || none {
			return map[string]any{"sessions": rows}, err
		}
		list, err := c.Engine.Sessions(ctx, pieces.SessionFilter{ProjectID: projectID, IncludeHidden: a.flag("includeHidden")})
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			rows = append(rows, sessionRowOf(s))
		}
		return map[string]any{"sessions": rows}, nil
	},
}
