package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
	"fermata/ui/home"
	"fermata/ui/inspector"
	"fermata/ui/kit"
	"fermata/ui/phrase"
	"fermata/ui/popover"
	"fermata/ui/tray"
)

// overview is one reading of everything that the home window, the tray and the popover show.
type overview struct {
	projects []pieces.Project
	pieces   []pieces.Snapshot
	cues     engine.Cues
	asked    map[string][]pieces.Prompt // of the sessions that are cues of their own, by session
	settings map[string]string
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
	if o.cues, err = s.Engine.Cues(ctx, ""); err != nil {
		return o, err
	}
	o.asked = map[string][]pieces.Prompt{}
	for _, p := range s.Engine.Prompts("") {
		o.asked[p.SessionID] = append(o.asked[p.SessionID], p)
	}
	o.findings = map[string][]pieces.Finding{}
	for _, p := range o.projects {
		if found, known := s.Engine.Findings(p.ID); known {
			o.findings[p.ID] = found
		}
	}
	o.settings, err = s.Engine.Settings(ctx)
	o.look = LookOf(o.settings)
	return o, err
}

func (o overview) name(projectID string) string {
	for _, p := range o.projects {
		if p.ID == projectID {
			return p.Name
		}
	}
	return ""
}

// piece is the snapshot of a target: for a session one that has its prompts alone. It is empty when there is none any more.
func (o overview) piece(t engine.Target) pieces.Snapshot {
	if t.Kind == engine.TargetSession {
		return pieces.Snapshot{Prompts: o.asked[t.ID]}
	}
	for _, p := range o.pieces {
		if p.Piece.ID == t.ID {
			return p
		}
	}
	return pieces.Snapshot{}
}

func failed(c engine.Cue) bool {
	return pieces.NoticeKey(c.Group, c.Reason) == pieces.KeyNotifyFailures
}

func (o overview) home(now time.Time) home.Model {
	var m home.Model
	cues, running := map[string]int{}, map[string]int{}
	for _, c := range o.cues.Items {
		cues[c.ProjectID]++
		shown := home.Cue{
			PieceID: c.Target.ID, ProjectID: c.ProjectID, Group: c.Group, Label: c.Label, Title: c.Title, Project: c.ProjectName,
			Failed: failed(c), Age: kit.Age(c.Since, now),
		}
		if c.Target.Kind == engine.TargetSession {
			shown.PieceID, shown.SessionID = "", c.Target.ID
		}
		m.Cues = append(m.Cues, shown)
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

// runningLine is engine.RunningLine in the person's language.
func runningLine(list []engine.Running) string {
	agents, advancing, names := engine.Sum(list)
	var parts []string
	if agents > 0 {
		parts = append(parts, phrase.N(agents, "%d running", "%d running"))
	}
	if advancing > 0 {
		parts = append(parts, phrase.F("%d advancing", advancing))
	}
	line := strings.Join(parts, ", ")
	switch n := len(names); n {
	case 0:
		return line
	case 1:
		return phrase.F("%s in %s", line, names[0])
	case 2:
		return phrase.F("%s in %s and %s", line, names[0], names[1])
	default:
		return phrase.F("%s in %d projects", line, n)
	}
}

func count(waiting, running int) string {
	var words []string
	if waiting > 0 {
		words = append(words, phrase.N(waiting, "%d waiting", "%d waiting"))
	}
	if running > 0 {
		words = append(words, phrase.N(running, "%d running", "%d running"))
	}
	return strings.Join(words, ", ")
}

// tray counts the questions of clients with the cues: both wait for the person.
func (o overview) tray(questions int, dark bool) tray.Model {
	m := tray.Model{
		Waiting: questions + len(o.cues.Items), Running: len(o.cues.Running), Line: runningLine(o.cues.Running), Dark: dark,
	}
	cues := map[string]int{}
	for _, c := range o.cues.Items {
		cues[c.ProjectID]++
		if len(m.Cues) < tray.CuesShown {
			m.Cues = append(m.Cues, tray.Cue{Target: c.Target, ProjectID: c.ProjectID, Title: c.Title, Label: c.Label})
		}
	}
	for _, p := range o.projects {
		m.Projects = append(m.Projects, tray.Project{ID: p.ID, Name: p.Name, Cues: cues[p.ID], LoopPlays: p.LoopPlaying})
	}
	return m
}

func (o overview) popover(questions []consent.Question, now time.Time) popover.Model {
	m := popover.Model{Snoozed: o.cues.Snoozed, Line: runningLine(o.cues.Running)}
	for _, q := range questions {
		m.Questions = append(m.Questions, popover.Question{Question: q, Project: o.name(q.ProjectID), Age: kit.Age(q.At, now)})
	}
	byID := make(map[string]pieces.Snapshot, len(o.pieces))
	for _, s := range o.pieces {
		byID[s.Piece.ID] = s
	}
	for _, c := range o.cues.Items {
		s := pieces.Snapshot{Prompts: o.asked[c.Target.ID]}
		if c.Target.Kind == engine.TargetPiece {
			s = byID[c.Target.ID]
		}
		m.Cues = append(m.Cues, popoverCue(c, s, now))
	}
	for _, r := range o.cues.Running {
		m.Work = append(m.Work, popover.Work{
			PieceID: r.PieceID, ProjectID: r.ProjectID, Title: r.Title, Part: r.Progress, Words: progressWords(byID[r.PieceID], r.Progress),
		})
	}
	return m
}

func popoverCue(c engine.Cue, s pieces.Snapshot, now time.Time) popover.Cue {
	shown := popover.Cue{
		Target: c.Target, ProjectID: c.ProjectID, Fingerprint: c.Fingerprint, Group: c.Group, Failed: failed(c),
		Title: c.Title, Label: c.Label, Project: c.ProjectName, Age: kit.Age(c.Since, now), Asks: inspector.Asking(s),
	}
	if c.Source != nil {
		shown.Source = c.Source.Key
	}
	if c.PR != nil {
		shown.PR, shown.Checks = fmt.Sprintf("#%d", c.PR.Number), c.PR.Checks
	}
	if p, ok := inspector.PrimaryOf(s); ok {
		shown.Primary, shown.Request, shown.Confirm = p.Label, p.Request, p.Confirm
	}
	return shown
}

func progressWords(s pieces.Snapshot, part float64) string {
	if done, total := s.AgentCount(); total > 0 {
		return phrase.F("%d of %d agents", done, total)
	}
	return fmt.Sprintf("%.0f %%", part*100)
}
