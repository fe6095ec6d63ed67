package control

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"fermata/pieces"
	"fermata/pieces/engine"
)

// fakeEngine keeps everything in memory and decides legality by the real rail. Hooks replace what a test is about.
type fakeEngine struct {
	mu        sync.Mutex
	projects  []pieces.Project
	drafts    []pieces.Draft
	pieces    []pieces.Snapshot
	artifacts map[pieces.ArtifactKind]string
	sessions  []pieces.Session
	messages  []pieces.Message
	settings  map[string]string
	on        map[string][]pieces.Dependency // what items wait on
	skipped   []engine.SkippedLink
	acts      []engine.Request
	filed     []engine.NewDraft
	released  []string

	// everythingLegal lets Check pass whatever the rail says.
	everythingLegal bool
	cues            engine.Cues
	created         []engine.NewPiece
	opened          []string
	snoozed         []engine.Target
	effect          func(r engine.Request) pieces.Effect
	look            func() (pieces.Effect, error) // as effect, but it may take its time
	outline         []pieces.Sentence             // what is known of an effect before it is looked at; nil: all
	act             func(r engine.Request) (engine.Result, error)
	err             error
	releaseErr      error
	panics          bool

	revision int64
	still    bool // the revision grows only when a test says so
}

func (f *fakeEngine) Revision() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.still {
		f.revision++
	}
	return f.revision
}

const (
	projectID = "11111111-1111-4111-8111-111111111111"
	pieceID   = "22222222-2222-4222-8222-222222222222"
	draftID   = "33333333-3333-4333-8333-333333333333"
	taskID    = "44444444-4444-4444-8444-444444444444"
	sessionID = "55555555-5555-4555-8555-555555555555"
	reviewID  = "66666666-6666-4666-8666-666666666666"
)

func day(d int) time.Time {
	return time.Date(2026, 3, d, 12, 0, 0, 0, time.FixedZone("CET", 3600))
}

// newFake returns an engine with one project, one piece whose agents run, one draft and one session.
func newFake() *fakeEngine {
	start := day(4)
	return &fakeEngine{
		projects: []pieces.Project{{ID: projectID, Name: "muse", Path: "/home/ada/muse", Branch: "main"}},
		drafts: []pieces.Draft{{
			ID: draftID, ProjectID: projectID, Title: "Balanced controls", Spec: "# Balanced controls\n", Lane: pieces.LaneAuto,
			Refine: pieces.RefineIfGaps, Model: "claude-opus-4-5", CreatedAt: day(3),
		}},
		pieces: []pieces.Snapshot{{
			Piece: pieces.Piece{
				ID: pieceID, ProjectID: projectID, Name: "upload-retry", Phase: pieces.PhaseAgents, Activity: pieces.Running,
				Branch: "fermata/upload-retry", Worktree: "/data/worktrees/muse/upload-retry", CreatedAt: day(1), UpdatedAt: day(2),
				Config: pieces.Config{
					Lane: pieces.LaneManual, Depth: "balanced", Refine: pieces.RefineIfGaps, PermissionProfile: pieces.ProfileStandard,
					AgentsAtOnce: 3, ResumeAfterLimit: true,
				},
				CostUSD: 0.25,
			},
			Tasks: []pieces.Task{
				{ID: taskID, PieceID: pieceID, Ordinal: 1, Kind: pieces.TaskAgent, Name: "retry", Brief: "Do it <now>", State: pieces.TaskRunning, Attempts: 1, SessionID: sessionID, StartedAt: &start},
				{ID: reviewID, PieceID: pieceID, Ordinal: 2, Kind: pieces.TaskReview, Name: "Work review", State: pieces.TaskPending},
			},
			Edges:    []pieces.Edge{{From: taskID, To: reviewID}},
			Sessions: []pieces.Session{fakeSession()},
			Has:      []pieces.ArtifactKind{pieces.ArtifactSpec},
		}},
		artifacts: map[pieces.ArtifactKind]string{pieces.ArtifactSpec: "# Upload retry"},
		sessions:  []pieces.Session{fakeSession()},
		messages: []pieces.Message{
			{Seq: 1, Role: pieces.RolePerson, Text: "Do it", At: day(4)},
			{Seq: 2, Role: pieces.RoleToolUse, Tool: "Bash", ToolID: "t1", Input: []byte(`{"command":"ls"}`), At: day(5)},
		},
		settings: map[string]string{},
	}
}

func fakeSession() pieces.Session {
	return pieces.Session{
		ID: sessionID, ProjectID: projectID, PieceID: pieceID, TaskID: taskID, Kind: pieces.SessionTask, Name: "retry",
		State: pieces.SessionAwaitingApproval, Model: "claude-opus-4-5", Branch: "fermata/upload-retry", CostUSD: 0.25,
		CreatedAt: day(4), UpdatedAt: day(5),
	}
}

func notFound(what string) error {
	return &engine.Refusal{Sentence: pieces.Say("Unknown %s", what), Cause: pieces.ErrNotFound}
}

// open takes the lock and makes the faults a test asked for.
func (f *fakeEngine) open() error {
	if f.panics {
		panic("the fake was told to")
	}
	return f.err
}

func (f *fakeEngine) Projects(context.Context) ([]pieces.Project, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.projects), f.open()
}

func (f *fakeEngine) Project(_ context.Context, id string) (pieces.Project, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.projects {
		if p.ID == id {
			return p, f.open()
		}
	}
	return pieces.Project{}, notFound("projectId")
}

func (f *fakeEngine) ProjectFor(ctx context.Context, id, cwd string) (*pieces.Project, error) {
	if id != "" {
		p, err := f.Project(ctx, id)
		return &p, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.projects {
		if strings.HasPrefix(cwd+"/", p.Path+"/") {
			return &p, f.open()
		}
	}
	return nil, f.open()
}

func (f *fakeEngine) RegisterProject(_ context.Context, path string) (pieces.Project, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.projects {
		if p.Path == path {
			return p, true, nil
		}
	}
	if path == "/no/repository" {
		return pieces.Project{}, false, &engine.Refusal{Sentence: pieces.Say("%s is not a git repository: run git init there.", path)}
	}
	p := pieces.Project{ID: reviewID, Name: filepath.Base(path), Path: path}
	f.projects = append(f.projects, p)
	return p, false, nil
}

func (f *fakeEngine) Drafts(_ context.Context, project string) ([]pieces.Draft, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []pieces.Draft
	for _, d := range f.drafts {
		if project == "" || d.ProjectID == project {
			list = append(list, d)
		}
	}
	return list, f.open()
}

func (f *fakeEngine) Draft(_ context.Context, id string) (pieces.Draft, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.open(); err != nil {
		return pieces.Draft{}, err
	}
	for _, d := range f.drafts {
		if d.ID == id {
			return d, nil
		}
	}
	return pieces.Draft{}, notFound("draftId")
}

func (f *fakeEngine) FileDraft(_ context.Context, n engine.NewDraft) (engine.Filed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.filed = append(f.filed, n)
	d := pieces.Draft{
		ID: cmp.Or(n.ID, reviewID), ProjectID: n.ProjectID, Title: pieces.TitleOf(n.Spec, n.Title, n.Seed), Seed: n.Seed, Spec: n.Spec,
		Lane: n.Lane, Refine: n.Refine, Model: n.Model, RunAt: n.RunAt, CreatedAt: day(6),
	}
	f.drafts = append(f.drafts, d)
	return engine.Filed{Draft: d, Skipped: f.skipped}, f.open()
}

func (f *fakeEngine) UpdateDraft(_ context.Context, id string, e engine.DraftEdit) (pieces.Draft, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.drafts {
		d := &f.drafts[i]
		if d.ID != id {
			continue
		}
		set(&d.Title, e.Title)
		set(&d.Seed, e.Seed)
		set(&d.Spec, e.Spec)
		set(&d.Model, e.Model)
		set(&d.RunAt, e.RunAt)
		set(&d.Lane, e.Lane)
		set(&d.Refine, e.Refine)
		return *d, nil
	}
	return pieces.Draft{}, notFound("draftId")
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func (f *fakeEngine) CancelDraft(_ context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := len(f.drafts)
	f.drafts = slices.DeleteFunc(f.drafts, func(d pieces.Draft) bool { return d.ID == id })
	if len(f.drafts) == before {
		return notFound("draftId")
	}
	return nil
}

func (f *fakeEngine) ReleaseDraft(_ context.Context, id, model string, by pieces.Actor) (pieces.Snapshot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := cmp.Or(f.releaseErr, f.open()); err != nil {
		return pieces.Snapshot{}, err
	}
	for i, d := range f.drafts {
		if d.ID != id {
			continue
		}
		if on := f.on[id]; len(pieces.BlockingKeys(on)) > 0 && d.Lane != pieces.LaneManual {
			f.drafts[i].ReleasedBy = by
			return pieces.Snapshot{}, &engine.HeldError{Draft: f.drafts[i], Dependencies: on}
		}
		s := pieces.Snapshot{Piece: pieces.Piece{
			ID: id, ProjectID: d.ProjectID, Name: d.Title, Phase: pieces.PhaseSpec, Activity: pieces.Idle, CreatedAt: day(7), UpdatedAt: day(7),
			Config: pieces.Config{Lane: d.Lane, Model: cmp.Or(model, d.Model)},
		}}
		f.drafts = slices.Delete(f.drafts, i, i+1)
		f.pieces = append(f.pieces, s)
		f.released = append(f.released, string(by)+" "+id)
		return s, nil
	}
	return pieces.Snapshot{}, notFound("draftId")
}

func (f *fakeEngine) Pieces(_ context.Context, filter pieces.PieceFilter) ([]pieces.Snapshot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []pieces.Snapshot
	for _, s := range f.pieces {
		if (filter.ProjectID == "" || s.Piece.ProjectID == filter.ProjectID) && (filter.IncludeArchived || !s.Piece.Archived) {
			list = append(list, s)
		}
	}
	return list, f.open()
}

func (f *fakeEngine) Piece(_ context.Context, id string) (pieces.Snapshot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.open(); err != nil {
		return pieces.Snapshot{}, err
	}
	for _, s := range f.pieces {
		if s.Piece.ID == id {
			return s, nil
		}
	}
	return pieces.Snapshot{}, notFound("pieceId")
}

func (f *fakeEngine) Artifact(_ context.Context, _ string, k pieces.ArtifactKind, _ string) (pieces.Artifact, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	content, ok := f.artifacts[k]
	return pieces.Artifact{Kind: k, Content: content}, ok, f.open()
}

func (f *fakeEngine) CreatePiece(_ context.Context, n engine.NewPiece) (pieces.Snapshot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.created = append(f.created, n)
	s := pieces.Snapshot{Piece: pieces.Piece{
		ID: cmp.Or(n.ID, reviewID), ProjectID: n.ProjectID, Name: pieces.TitleOf("", n.Name, n.Prompt), Phase: pieces.PhaseSpec, Activity: pieces.Interviewing,
	}}
	f.pieces = append(f.pieces, s)
	return s, f.open()
}

func (f *fakeEngine) OpenWorkspace(ctx context.Context, id string, by pieces.Actor) (engine.Workspace, error) {
	s, err := f.Piece(ctx, id)
	if err != nil {
		return engine.Workspace{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = append(f.opened, string(by)+" "+id)
	return engine.Workspace{Piece: s, Spec: f.artifacts[pieces.ArtifactSpec], Strategy: f.artifacts[pieces.ArtifactStrategy], Made: true}, nil
}

func (f *fakeEngine) Cues(_ context.Context, project string) (engine.Cues, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list engine.Cues
	for _, c := range f.cues.Items {
		if project == "" || c.ProjectID == project {
			list.Items = append(list.Items, c)
		}
	}
	list.Running, list.Snoozed = f.cues.Running, f.cues.Snoozed
	return list, f.open()
}

func (f *fakeEngine) Snooze(_ context.Context, t engine.Target, fingerprint string) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.open(); err != nil {
		return 0, err
	}
	for _, c := range f.cues.Items {
		if c.Target == t && c.Fingerprint == fingerprint {
			f.snoozed = append(f.snoozed, t)
			return len(f.snoozed), nil
		}
	}
	return 0, &engine.Refusal{Sentence: pieces.Say("This cue changed; refresh"), Cause: pieces.ErrStale}
}

func (f *fakeEngine) Sessions(_ context.Context, filter pieces.SessionFilter) ([]pieces.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []pieces.Session
	for _, s := range f.sessions {
		if (filter.ProjectID == "" || s.ProjectID == filter.ProjectID) && (filter.IncludeHidden || !s.OutOfSight()) {
			list = append(list, s)
		}
	}
	return list, f.open()
}

func (f *fakeEngine) Session(_ context.Context, id string) (pieces.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.sessions {
		if s.ID == id {
			return s, f.open()
		}
	}
	return pieces.Session{}, notFound("sessionId")
}

func (f *fakeEngine) Messages(_ context.Context, _ string, n int) ([]pieces.Message, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.messages[max(0, len(f.messages)-n):], f.open()
}

func (f *fakeEngine) Setting(_ context.Context, key string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := pieces.SettingOf(key)
	if !ok {
		return "", notFound("setting " + key)
	}
	return cmp.Or(f.settings[key], s.Default), f.open()
}

func (f *fakeEngine) Dependencies(context.Context) (map[string][]pieces.Dependency, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.on, f.open()
}

func (f *fakeEngine) CheckBlockers(_ context.Context, _ string, names []string) error {
	if slices.Contains(names, "nothing") {
		return &engine.Refusal{Sentence: pieces.Say("Unknown blocker nothing.")}
	}
	return nil
}

// subject is the piece of a request, or its draft where the action takes one.
func (f *fakeEngine) subject(ctx context.Context, r engine.Request) (pieces.Snapshot, error) {
	s, err := f.Piece(ctx, r.PieceID)
	if d, draftErr := f.Draft(ctx, r.PieceID); draftErr == nil && (r.Action == pieces.AddDependency || r.Action == pieces.RemoveDependency) {
		return pieces.Snapshot{
			Piece: pieces.Piece{ID: d.ID, ProjectID: d.ProjectID, Name: d.Title, Phase: pieces.PhaseBacklog, Activity: pieces.Idle},
			Flags: pieces.Flags{Dependencies: true}, Dependencies: f.on[d.ID],
		}, nil
	}
	return s, err
}

func (f *fakeEngine) Check(ctx context.Context, r engine.Request) (pieces.Snapshot, pieces.Rule, error) {
	rule, _ := pieces.RuleOf(r.Action)
	s, err := f.subject(ctx, r)
	if err != nil {
		return s, rule, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.everythingLegal && !s.Legal(r.Action) {
		return s, rule, &engine.Refusal{Sentence: pieces.Say("%s is not legal now.", r.Action), Legal: s.LegalActions(), Cause: pieces.ErrStale}
	}
	return s, rule, nil
}

func (f *fakeEngine) Effect(_ context.Context, r engine.Request) (pieces.Effect, error) {
	f.mu.Lock()
	look := f.look
	f.mu.Unlock()
	if look != nil {
		return look()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.effect != nil {
		return f.effect(r), nil
	}
	return pieces.Effect{Lines: []pieces.Sentence{pieces.Say("Ends 1 running agent.")}, Fingerprint: "run-1"}, nil
}

func (f *fakeEngine) Outline(ctx context.Context, r engine.Request) (pieces.Effect, bool, error) {
	f.mu.Lock()
	known := f.outline
	f.mu.Unlock()
	if known != nil {
		return pieces.Effect{Lines: known}, false, nil
	}
	e, err := f.Effect(ctx, r)
	return e, true, err
}

func (f *fakeEngine) Act(ctx context.Context, r engine.Request) (engine.Result, error) {
	s, _, err := f.Check(ctx, r)
	if err != nil {
		return engine.Result{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acts = append(f.acts, r)
	if f.act != nil {
		return f.act(r)
	}
	return engine.Result{Piece: s}, nil
}

// change alters the fake under its lock.
func (f *fakeEngine) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

// state is all that a call can change.
func (f *fakeEngine) state() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Sprint(f.projects, f.drafts, len(f.pieces), f.acts, f.filed, f.released, f.created, f.opened, f.snoozed)
}

func (f *fakeEngine) acted() []engine.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.acts)
}
