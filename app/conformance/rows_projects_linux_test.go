package conformance

import (
	"os"
	"path/filepath"

	"fermata/pieces/piecestest"
)

// projectRows register the world's repository: before them there is no project.
func projectRows() []row {
	return join(part("000", "list_projects",
		is("takes no arguments", func(p *probe) { p.malformed("list_projects", args{"projectId": "x"}, "takes no arguments") }),
		is("returns {projects}, empty while none is registered", func(p *probe) {
			o := p.call("list_projects", nil)
			p.only("the result", o, "projects")
			p.same("projects", o["projects"], []any{})
		}),
	), part("000", "register_project",
		is("needs an absolute path", func(p *probe) {
			p.malformed("register_project", args{}, "'path'", "is required")
			p.malformed("register_project", args{"path": "code/app"}, "'path'", "absolute")
		}),
		is("refuses what is no repository, names the fix and initializes nothing", func(p *probe) {
			dir := p.TempDir()
			p.refused("register_project", args{"path": dir}, "git init", "first commit", "register_project again")
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				p.Errorf("it left %v %v", left, err)
			}
			p.same("projects", p.call("list_projects", nil)["projects"], []any{})
		}),
		is("refuses a repository without a commit", func(p *probe) {
			p.refused("register_project", args{"path": piecestest.NewEmptyRepo(p).Path}, "at least one commit", "git init")
			p.same("projects", p.call("list_projects", nil)["projects"], []any{})
		}),
		is("refuses a directory that does not exist", func(p *probe) {
			p.refused("register_project", args{"path": filepath.Join(p.TempDir(), "nowhere")}, "not a git repository")
		}),
		is("returns {ok, projectId, name, path, alreadyRegistered}, on the call", func(p *probe) {
			o := p.call("register_project", args{"path": p.w.repo.Path})
			p.only("the result", o, "ok", "projectId", "name", "path", "alreadyRegistered")
			p.shape("the result", o, "ok bool, projectId uuid, name string")
			p.same("ok", o["ok"], true)
			p.same("path", o["path"], p.w.repo.Path)
			p.same("alreadyRegistered", o["alreadyRegistered"], false)
			p.w.project = str(o, "projectId")
		}),
		is("returns the project unchanged for it and for folders below it", func(p *probe) {
			below := filepath.Join(p.w.repo.Path, "deep", "er")
			if err := os.MkdirAll(below, 0o755); err != nil { //nolint:gosec // as git makes folders
				p.Fatal(err)
			}
			for _, path := range []string{p.w.repo.Path, below, p.w.repo.Path + "/"} {
				o := p.call("register_project", args{"path": path})
				p.same("projectId", o["projectId"], p.w.project)
				p.same("path", o["path"], p.w.repo.Path)
				p.same("alreadyRegistered", o["alreadyRegistered"], true)
			}
			if n := len(list(p.call("list_projects", nil), "projects")); n != 1 {
				p.Errorf("there are %d projects", n)
			}
		}),
	), part("000", "list_projects",
		is("one row per project: id, name, path, branch", func(p *probe) {
			rows := list(p.call("list_projects", nil), "projects")
			if len(rows) != 1 {
				p.Fatalf("rows %v", rows)
			}
			p.same("the row", rows[0], args{"id": p.w.project, "name": filepath.Base(p.w.repo.Path), "path": p.w.repo.Path, "branch": "main"})
		}),
	), part("000", "list_echoes",
		is("takes no arguments", func(p *probe) { p.malformed("list_echoes", args{"name": "x"}, "takes no arguments") }),
		is("returns an empty list while Echoes is off", func(p *probe) { p.same("the result", p.call("list_echoes", nil), args{"echoes": []any{}}) }),
		later("one row per Echo: id, name, kind, state", "there are no Echoes"),
	))
}
