package control

import "context"

var listProjects = tool{
	name: "list_projects", title: "List projects", reads: true, repeatable: true,
	description: "List the git repositories registered in Fermata: id, name, path, base branch.",
	run: func(c *control, ctx context.Context, _ args) (any, error) {
		list, err := c.Engine.Projects(ctx)
		if err != nil {
			return nil, err
		}
		type row struct {
			ID     string `json:"id"`
			Name   string `json:"name"`
			Path   string `json:"path"`
			Branch string `json:"branch"`
		}
		rows := make([]row, len(list))
		for i, p := range list {
			rows[i] = row{p.ID, p.Name, p.Path, p.Branch}
		}
		return map[string]any{"projects": rows}, nil
	},
}
