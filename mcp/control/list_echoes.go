package control

import "context"

var listEchoes = tool{
	name: "list_echoes", title: "List Echoes", reads: true, repeatable: true,
	description: "List the Echoes, the remote machines that work can run on (runAt). Empty while the Edge feature is off.",
	run: func(*control, context.Context, args) (any, error) {
		return map[string]any{"echoes": []any{}}, nil
	},
}
