package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fermata/pieces"
)

// TargetKind tells a cue about a piece from one about a session.
type TargetKind string

// The kinds of target.
const (
	TargetPiece   TargetKind = "piece"
	TargetSession TargetKind = "session"
)

// Target is what a cue is about.
type Target struct {
	Kind TargetKind
	ID   string
}

// Cue is one thing that needs the person, with all that the popover and list_cues show of it.
type Cue struct {
	Target      Target
	Group       pieces.CueGroup
	Reason      string // the gate's key; for a session, its state
	Label       string
	Title       string
	ProjectID   string // empty for a session outside every project
	ProjectName string
	Source      *pieces.Source
	PR          *pieces.PullRequest
	Since       time.Time
	// Fingerprint changes with every change of what the person would decide about.
	Fingerprint string
	Primary     pieces.Action // the one action that answers it; empty when it can only be opened
	// Confirmable is set on work that is ready for review and in which the work review left nothing open.
	Confirmable bool
	Legal       []pieces.Action // of the piece; empty for a session, never nil
}

// Running is a piece on which the machine works.
type Running struct {
	PieceID     string
	Title       string
	ProjectID   string
	ProjectName string
	Progress    float64 // 0 to 1
	Agents      bool    // its agents work; false while another step of it does
}

// Cues is what needs the person, and what runs meanwhile.
type Cues struct {
	Items   []Cue // by group in the popover's order; within one, what has waited longest first
	Snoozed int   // how many are hidden until they change
	Running []Running
}

// RunningLine is the popover's line for what runs, such as "2 running, 1 advancing in muse and lyre"; empty when nothing does.
func RunningLine(list []Running) string {
	agents, advancing, names := Sum(list)
	var parts []string
	if agents > 0 {
		parts = append(parts, fmt.Sprintf("%d running", agents))
	}
	if advancing > 0 {
		parts = append(parts, fmt.Sprintf("%d advancing", advancing))
	}
	line := strings.Join(parts, ", ")
	switch n := len(names); {
	case n > 2:
		line += fmt.Sprintf(" in %d projects", n)
	case n > 0:
		line += " in " + strings.Join(names, " and ")
	}
	return line
}

// Sum counts the pieces at which agents run and those that advance by themselves otherwise, and names the projects of both,
// each once.
func Sum(list []Running) (agents, advancing int, names []string) {
	for _, r := range list {
		if r.Agents {
			agents++
		}
		if r.ProjectName != "" && !slices.Contains(names, r.ProjectName) {
			names = append(names, r.ProjectName)
		}
	}
	return agents, len(list) - agents, names
}

// snoozes are the cues that the person hid, by target, with the fingerprint they had. The zero value is ready.
type snoozes struct {
	mu       sync.Mutex
	m        map[Target]string
	revision atomic.Int64 // grows with every snooze
}

func (s *snoozes) hides(c Cue) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.m[c.Target]
	return ok && f == c.Fingerprint
}

func (s *snoozes) add(t Target, fingerprint string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[Target]string{}
	}
	s.m[t] = fingerprint
	s.revision.Add(1)
}

// Cues lists what needs the person now, in one project or in all when projectID is empty.
func (e *Engine) Cues(ctx context.Context, projectID string) (Cues, error) {
	all, running, err := e.allCues(ctx, projectID)
	if err != nil {
		return Cues{}, err
	}
	shown := slices.DeleteFunc(all, e.snoozed.hides)
	return Cues{Items: shown, Snoozed: len(all) - len(shown), Running: running}, nil
}

// Snooze hides a cue until its state changes or Fermata quits, and returns how many are hidden in all projects. One that is
// no longer as the caller read it is a Refusal, so that nobody hides a decision that they have not seen.
func (e *Engine) Snooze(ctx context.Context, t Target, fingerprint string) (int, error) {
	all, _, err := e.allCues(ctx, "")
	if err != nil {
		return 0, err
	}
	i := slices.IndexFunc(all, func(c Cue) bool { return c.Target == t && c.Fingerprint == fingerprint })
	if i < 0 {
		if err := e.targetExists(ctx, t); err != nil {
			return 0, err
		}
		return 0, refuse(pieces.ErrStale, "This cue changed; refresh")
	}
	e.snoozed.add(t, fingerprint)
	e.hub.Wake()
	n := 0
	for _, c := range all {
		if e.snoozed.hides(c) {
			n++
		}
	}
	return n, nil
}

func (e *Engine) targetExists(ctx context.Context, t Target) error {
	if t.Kind == TargetSession {
		_, err := e.Session(ctx, t.ID)
		return err
	}
	_, err := e.Piece(ctx, t.ID)
	return err
}

// allCues lists the cues of a project or of all, the snoozed ones with them, and what runs.
func (e *Engine) allCues(ctx context.Context, projectID string) ([]Cue, []Running, error) {
	list, err := e.Pieces(ctx, pieces.PieceFilter{ProjectID: projectID})
	if err != nil {
		return nil, nil, err
	}
	projects, err := e.Projects(ctx)
	if err != nil {
		return nil, nil, err
	}
	names := make(map[string]string, len(projects))
	for _, p := range projects {
		names[p.ID] = p.Name
	}
	cues, running := make([]Cue, 0, len(list)), []Running{}
	for _, s := range list {
		name := names[s.Piece.ProjectID]
		if c, ok := cueOf(s, name); ok {
			cues = append(cues, c)
		}
		if pieces.LiveState(s.State()) && !s.WaitsForTurn() {
			agents := s.Piece.Phase == pieces.PhaseAgents && s.Piece.Activity != pieces.Decomposing && s.Piece.Activity != pieces.CreatingPR
			running = append(running, Running{PieceID: s.Piece.ID, Title: s.Piece.Name, ProjectID: s.Piece.ProjectID, ProjectName: name, Progress: s.Progress(), Agents: agents})
		}
	}
	waiting, err := e.sessionCues(ctx, projectID, names)
	if err != nil {
		return nil, nil, err
	}
	cues = append(cues, waiting...)
	groups := pieces.CueGroups()
	slices.SortStableFunc(cues, func(a, b Cue) int {
		if a.Group != b.Group {
			return slices.Index(groups, a.Group) - slices.Index(groups, b.Group)
		}
		return a.Since.Compare(b.Since)
	})
	return cues, running, nil
}

func cueOf(s pieces.Snapshot, projectName string) (Cue, bool) {
	c, ok := s.Cue()
	if !ok {
		return Cue{}, false
	}
	p := s.Piece
	since := cmp.Or(s.HistoryAt, p.UpdatedAt)
	if asks := c.Gate == pieces.GateAgentWaiting || c.Gate == pieces.GateAnswerInterview; asks && len(s.Prompts) > 0 {
		since = s.Prompts[0].At
	}
	return Cue{
		Target: Target{TargetPiece, p.ID}, Group: c.Group, Reason: string(c.Gate), Label: c.Label, Title: p.Name,
		ProjectID: p.ProjectID, ProjectName: projectName, Source: p.Source, PR: p.PR, Since: since,
		Fingerprint: c.Fingerprint, Primary: c.Primary, Legal: s.LegalActions(),
		Confirmable: c.Group == pieces.ReadyForReview && p.WorkReview != pieces.WorkReviewFailed,
	}, true
}

// sessionCues lists the sessions that wait for the person and that no piece's gate speaks for: those that the person opened,
// and feedback sessions, during which a piece has no gate.
func (e *Engine) sessionCues(ctx context.Context, projectID string, names map[string]string) ([]Cue, error) {
	bySession := map[string][]pieces.Prompt{}
	for _, p := range e.live.prompts("") {
		bySession[p.SessionID] = append(bySession[p.SessionID], p)
	}
	if len(bySession) == 0 {
		return nil, nil
	}
	live, err := e.Sessions(ctx, pieces.SessionFilter{ProjectID: projectID, IncludeHidden: true, LiveOnly: true})
	if err != nil {
		return nil, fmt.Errorf("list waiting sessions: %w", err)
	}
	var cues []Cue
	for _, s := range live {
		prompts := bySession[s.ID]
		if len(prompts) == 0 || s.Kind != pieces.SessionCanvas && s.Kind != pieces.SessionFeedback {
			continue
		}
		cues = append(cues, sessionCue(s, prompts, names[s.ProjectID]))
	}
	return cues, nil
}

func sessionCue(s pieces.Session, prompts []pieces.Prompt, projectName string) Cue {
	reason, label := pieces.SessionAwaitingApproval, "A session asks for your approval"
	if prompts[0].Kind == pieces.PromptQuestion {
		reason, label = pieces.SessionAwaitingInput, "A session has a question"
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s", s.ID, reason)
	for _, p := range prompts {
		fmt.Fprintf(sum, "\x00%s", p.ID)
	}
	return Cue{
		Target: Target{TargetSession, s.ID}, Group: pieces.RequiresApproval, Reason: string(reason), Label: label, Title: s.Name,
		ProjectID: s.ProjectID, ProjectName: projectName, Since: prompts[0].At,
		Fingerprint: hex.EncodeToString(sum.Sum(nil)[:12]), Legal: []pieces.Action{},
	}
}
