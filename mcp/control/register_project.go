package control

import "context"

var registerProject = tool{
	name: "register_project", title: "Register a project", repeatable: true,
	description: "Register a git repository (with at least one commit) as a project. A directory inside a registered project returns that project unchanged.",
	args: []arg{
		{name: "path", kind: kindText, required: true, format: absolutePath, maxLen: maxPath, note: "Absolute path, usually the repository root."},
	},
	run: func(c *control, ctx context.Context, a args) (any, error) {
		p, already, err := c.Engine.RegisterProject(ctx, a.text("path"))
		if err != nil {
			return nil, err
		}
		return struct {
			OK      bool   `json:"ok"`
			ID      string `json:"projectId"`
			Name    string `json:"name"`
			Path    string `json:"path"`
			Already bool   `json:"alreadyRegistered"`
		}{true, p.ID, p.Name, p.Path, already}, nil
	},
}
