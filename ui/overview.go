package ui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fermata/pieces"
	"fermata/ui/home"
	"fermata/ui/kit"
	"fermata/ui/tray"
)

// overview is one reading of everything that the home window and the tray show.
type overview struct {
	projects []pieces.Project
	pieces   []pieces.Snapshot
	notify   bool // the person wants to be told of what needs them
	findings map[string][]pieces.Finding
	look     Look
}

func (s *Shell) readOverview(ctx context.Context) (o overview, err error) {
	if o.projects, err = s.Engine.Projects(ctx); err != nil {
		return o, err
	}
	if o.pieces, err = s.Engine.Pieces(ctx, pieces.PieceFilter{}); err != nil {
		return o, err
	}
	o.findings = map[string][]pieces.Finding{}
	for _, p := range o.projects {
		if found, known := s.Engine.Findings(p.ID); known {
			o.findings[p.ID] = found
		}
	}
	all, err := s.Engine.Settings(ctx)
	o.notify = all[pieces.KeyNotifyRequired] == "true"
	o.look = LookOf(all)
	return o, err
}

var groupOrder = []pieces.CueGroup{pieces.RequiresApproval, pieces.ReadyForReview, pieces.ReadyToMerge}

// waiting is a cue with its piece.
type waiting struct {
	cue   pieces.Cue
	piece pieces.Snapshot
}

// cues are what waits for the person, group by group, the longest waiting first.
func (o overview) cues() []waiting {
	var list []waiting
	for _, p := range o.pieces {
		if c, ok := p.Cue(); ok && !p.Piece.Archived {
			list = append(list, waiting{c, p})
		}
	}
	slices.SortStableFunc(list, func(a, b waiting) int {
		return cmp.Or(
			cmp.Compare(slices.Index(groupOrder, a.cue.Group), slices.Index(groupOrder, b.cue.Group)),
			a.piece.HistoryAt.Compare(b.piece.HistoryAt),
		)
	})
	return list
}

func (o overview) name(projectID string) string {
	for _, p := range o.projects {
		if p.ID == projectID {
			return p.Name
		}
	}
	return ""
}

func (o overview) home(now time.Time) home.Model {
	var m home.Model
	cues, running := map[string]int{}, map[string]int{}
	for _, w := range o.cues() {
		p := w.piece.Piece
		cues[p.ProjectID]++
		m.Cues = append(m.Cues, home.Cue{
			PieceID: p.ID, ProjectID: p.ProjectID, Group: w.cue.Group, Label: w.cue.Label, Title: p.Name, Project: o.name(p.ProjectID),
			Failed: p.Activity == pieces.Failed || p.Activity == pieces.StopFailed, Age: kit.Age(w.piece.HistoryAt, now),
		})
	}
	for _, s := range o.pieces {
		p := s.Piece
		words := s.Working()
		if words == "" || p.Archived {
			continue
		}
		if !s.WaitsForTurn() {
			running[p.ProjectID]++
		}
		m.Work = append(m.Work, home.Work{
			PieceID: p.ID, ProjectID: p.ProjectID, Words: words, Title: p.Name, Project: o.name(p.ProjectID), Age: kit.Age(s.HistoryAt, now),
		})
	}
	for _, p := range o.projects {
		m.Projects = append(m.Projects, home.Project{
			ID: p.ID, Name: p.Name, Path: p.Path, Words: count(cues[p.ID], running[p.ID]), Waiting: cues[p.ID] > 0,
			Findings: o.findings[p.ID],
		})
	}
	return m
}

func count(waiting, running int) string {
	var words []string
	if waiting > 0 {
		words = append(words, fmt.Sprintf("%d waiting", waiting))
	}
	if running > 0 {
		words = append(words, fmt.Sprintf("%d running", running))
	}
	return strings.Join(words, ", ")
}

// tray counts the questions of clients with the cues: both wait for the person.
func (o overview) tray(questions int, dark bool) tray.Model {
	m := tray.Model{Waiting: questions, Dark: dark}
	cues := map[string]int{}
	for _, w := range o.cues() {
		cues[w.piece.Piece.ProjectID]++
		m.Waiting++
	}
	for _, s := range o.pieces {
		if s.Piece.Activity.Working() != "" && !s.Piece.Archived && !s.WaitsForTurn() {
			m.Running++
		}
	}
	for _, p := range o.projects {
		m.Projects = append(m.Projects, tray.Project{ID: p.ID, Name: p.Name, Cues: cues[p.ID]})
	}
	return m
}
