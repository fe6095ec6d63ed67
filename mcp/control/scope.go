package control

import (
	"context"

	"fermata/pieces"
)

// Arguments that several tools take alike.
var (
	argProjectID = arg{name: "projectId", kind: kindText, maxLen: maxID, note: "From list_projects."}
	argCwd       = arg{name: "cwd", kind: kindText, maxLen: maxPath, note: "Your working directory; finds the project when projectId is absent."}
	argPieceID   = arg{name: "pieceId", kind: kindText, required: true, format: notBlank, maxLen: maxID}
	argDraftID   = arg{name: "draftId", kind: kindText, required: true, format: notBlank, maxLen: maxID}
	argModel     = arg{name: "model", kind: kindText, format: modelID, maxLen: 200, note: "Exact model id for the spec step."}
	argNewID     = arg{name: "id", kind: kindText, format: oneUUID, note: "A UUID you choose, so that a retry makes nothing twice."}
	argRunAt     = arg{name: "runAt", kind: kindText, maxLen: maxID, note: "thisMac, or an Echo's id or name. Omit to follow the project."}
)

// scope finds the project that a listing is about. none is set when a cwd was given that no project contains: the listing
// is then empty. An empty id with none unset means all projects.
func (c *control) scope(ctx context.Context, a args) (projectID string, none bool, err error) {
	id, cwd := a.text("projectId"), a.text("cwd")
	if id == "" && cwd == "" {
		return "", false, nil
	}
	p, err := c.Engine.ProjectFor(ctx, id, cwd)
	if err != nil {
		return "", false, err
	}
	if p == nil {
		return "", true, nil
	}
	return p.ID, false, nil
}

// project finds the project that a call needs, or says what to do about its absence.
func (c *control) project(ctx context.Context, a args) (pieces.Project, error) {
	id, cwd := a.text("projectId"), a.text("cwd")
	if id == "" && cwd == "" {
		return pieces.Project{}, refuse("No project is named: pass projectId, or cwd with your working directory.")
	}
	p, err := c.Engine.ProjectFor(ctx, id, cwd)
	if err != nil {
		return pieces.Project{}, err
	}
	if p == nil {
		return pieces.Project{}, refuse("No project contains %s: pass projectId, or call register_project with the repository's path first.", cwd)
	}
	return *p, nil
}
