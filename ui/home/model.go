package home

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"fermata/pieces"
	"fermata/ui/kit"
	"fermata/ui/phrase"
)

// Project is a registered project with what goes on in it.
type Project struct {
	ID, Name, Path string
	Words          string // "2 waiting, 1 running", or empty
	Waiting        bool
	Findings       []pieces.Finding // what can hurt work in its repository
}

// Cue is a decision that waits for the person.
type Cue struct {
	PieceID, ProjectID    string
	SessionID             string // of a cue about a session, which has no piece here
	Group                 pieces.CueGroup
	Label, Title, Project string
	Failed                bool
	Age                   string
}

// Work is a piece at which something works by itself.
type Work struct {
	PieceID, ProjectID    string
	Words, Title, Project string
	Age                   string
}

// Model is what the window shows. Cues come in the order of their groups, the longest waiting first.
type Model struct {
	Projects []Project
	Cues     []Cue
	Work     []Work
}

func (h *Home) draw(m Model) []fyne.CanvasObject {
	var rooms []fyne.CanvasObject
	if len(m.Projects) > 0 {
		rooms = append(rooms, h.cues.draw(m.Cues))
	}
	if len(m.Work) > 0 {
		rooms = append(rooms, h.work.draw(m.Work))
	}
	return append(rooms, h.drawProjects(m.Projects))
}

// where is what stands behind a name however long the name is: the project, and since when.
func where(project, age string) string {
	if project == "" {
		return age
	}
	return kit.MiddleCut(project, projectLong) + " · " + age
}

func (h *Home) drawProjects(projects []Project) fyne.CanvasObject {
	list := kit.Column(kit.Step, kit.Title(phrase.Of("Projects")))
	if len(projects) == 0 {
		list.Add(kit.NewParagraph(phrase.Of("No project yet. Add the folder of a git repository to begin, or drop it here.")).In(kit.ColorMuted))
	}
	for _, p := range projects {
		words := kit.Caption(p.Words)
		if p.Waiting {
			words = words.In(kit.ColorNeedsYou)
		}
		row := kit.NewRow(nil, p.Name, kit.MiddleCut(p.Path, pathLong), words)
		list.Add(kit.NewPress("project:"+p.ID, row, func() { h.Actions.OpenProject(p.ID) }))
		if len(p.Findings) > 0 {
			list.Add(h.drawFindings(p))
		}
	}
	form := container.NewBorder(nil, nil, nil, h.add, h.path)
	return kit.Column(kit.Groups, list, h.problem, kit.Column(kit.Step, kit.Caption(phrase.Of("Add a project")).In(kit.ColorText).Strong(), form, h.said))
}

// projectLong is how much of a project's name a piece's row shows, in characters.
const projectLong = 32

// pathLong is how much of a path a row shows, in characters.
const pathLong = 72
