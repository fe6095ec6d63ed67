package control

import (
	"context"
	"slices"

	"fermata/pieces"
	"fermata/pieces/engine"
)

var listCues = tool{
	name: "list_cues", title: "List what needs the person", reads: true, repeatable: true, keeps: true,
	description: "List what needs the person right now, in the groups of the menu bar popover, and what runs. primaryAction is the piece_action that answers an item; null means that it can only be opened.",
	args: []arg{
		{name: "cwd", kind: kindText, maxLen: maxPath, note: "A directory in a project; scopes the result to that project."},
	},
	run: (*control).listCues,
}

// cuesSchema numbers the shape of the result; it changes when a field changes its meaning.
const cuesSchema = 1

// cuesView is what the popover shows.
type cuesView struct {
	Schema       int             `json:"schema"`
	Project      *projectRef     `json:"project"`
	Count        int             `json:"count"`
	Groups       []cueGroupView  `json:"groups"`
	MultiProject bool            `json:"multiProject"`
	SnoozedCount int             `json:"snoozedCount"`
	Running      runningCuesView `json:"running"`
}

type projectRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type cueGroupView struct {
	Key   pieces.CueGroup `json:"key"`
	Title string          `json:"title"`
	Items []cueView       `json:"items"`
}

type targetView struct {
	Kind engine.TargetKind `json:"kind"`
	ID   string            `json:"id"`
}

type cueView struct {
	Target           targetView      `json:"target"`
	Group            pieces.CueGroup `json:"group"`
	Reason           string          `json:"reason"`
	Label            string          `json:"label"`
	Title            string          `json:"title"`
	ProjectName      *string         `json:"projectName"`
	SourceRef        *string         `json:"sourceRef"`
	PRNumber         *int            `json:"prNumber"`
	PRChecksLine     *string         `json:"prChecksLine"`
	Since            *string         `json:"since"`
	Fingerprint      string          `json:"fingerprint"`
	PrimaryAction    *string         `json:"primaryAction"`
	ConfirmAvailable bool            `json:"confirmAvailable"`
	LegalActions     []pieces.Action `json:"legalActions"`
}

// runningCuesView says what the machine works on: Running counts pieces whose agents work, Advancing those of which
// another step does.
type runningCuesView struct {
	Line         *string        `json:"line"`
	Running      int            `json:"running"`
	Advancing    int            `json:"advancing"`
	ProjectNames []string       `json:"projectNames"`
	Pieces       []runningPiece `json:"pieces"`
}

type runningPiece struct {
	PieceID     string  `json:"pieceId"`
	Title       string  `json:"title"`
	ProjectName *string `json:"projectName"`
	Progress    float64 `json:"progress"`
}

func (c *control) listCues(ctx context.Context, a args) (any, error) {
	var project *pieces.Project
	if cwd := a.text("cwd"); cwd != "" {
		p, err := c.Engine.ProjectFor(ctx, "", cwd)
		if err != nil {
			return nil, err
		}
		if p == nil {
			return cuesOf(engine.Cues{}, nil), nil
		}
		project = p
	}
	id := ""
	if project != nil {
		id = project.ID
	}
	list, err := c.Engine.Cues(ctx, id)
	if err != nil {
		return nil, err
	}
	return cuesOf(list, project), nil
}

func cuesOf(list engine.Cues, project *pieces.Project) cuesView {
	v := cuesView{Schema: cuesSchema, Count: len(list.Items), SnoozedCount: list.Snoozed, Running: runningOf(list.Running)}
	if project != nil {
		v.Project = &projectRef{project.ID, project.Name}
	}
	for _, g := range pieces.CueGroups() {
		v.Groups = append(v.Groups, cueGroupView{Key: g, Title: g.Title(), Items: []cueView{}})
	}
	for _, c := range list.Items {
		i := slices.Index(pieces.CueGroups(), c.Group)
		v.Groups[i].Items = append(v.Groups[i].Items, cueViewOf(c))
		v.MultiProject = v.MultiProject || c.ProjectID != list.Items[0].ProjectID
	}
	return v
}

func cueViewOf(c engine.Cue) cueView {
	v := cueView{
		Target: targetView(c.Target), Group: c.Group, Reason: c.Reason, Label: c.Label, Title: c.Title,
		ProjectName: orNull(c.ProjectName), Since: stamp(c.Since), Fingerprint: c.Fingerprint, PrimaryAction: orNull(c.Primary),
		ConfirmAvailable: c.Confirmable, LegalActions: []pieces.Action{},
	}
	v.LegalActions = append(v.LegalActions, c.Legal...)
	if c.Source != nil {
		v.SourceRef = orNull(c.Source.Key)
	}
	if c.PR != nil {
		v.PRNumber, v.PRChecksLine = &c.PR.Number, orNull(c.PR.Checks)
	}
	return v
}

func runningOf(list []engine.Running) runningCuesView {
	v := runningCuesView{ProjectNames: []string{}, Pieces: []runningPiece{}}
	for _, r := range list {
		if r.Agents {
			v.Running++
		} else {
			v.Advancing++
		}
		if r.ProjectName != "" && !slices.Contains(v.ProjectNames, r.ProjectName) {
			v.ProjectNames = append(v.ProjectNames, r.ProjectName)
		}
		v.Pieces = append(v.Pieces, runningPiece{r.PieceID, r.Title, orNull(r.ProjectName), r.Progress})
	}
	v.Line = orNull(engine.RunningLine(list))
	return v
}
