package project_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"fermata/pieces"
	"fermata/pieces/engine"
	"fermata/pieces/signal"
	"fermata/ui/board"
	"fermata/ui/inspector"
	"fermata/ui/kit"
	"fermata/ui/project"
	"fermata/ui/stage"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// fakeEngine answers from memory and keeps what it was asked.
type fakeEngine struct {
	signal.Hub

	reads     atomic.Int64 // of a piece
	mu        sync.Mutex
	project   pieces.Project
	drafts    []pieces.Draft
	list      []pieces.Snapshot
	artifacts map[pieces.ArtifactKind]string
	history   []pieces.HistoryRow
	sessions  []pieces.Session
	messages  []pieces.Message
	diff      pieces.Diff
	effect    pieces.Effect
	refuse    error
	editing   chan struct{}        // nil: an edit of a draft is done at once; else it waits for this
	after     func(engine.Request) // what an action does to the fake's world

	on         map[string][]pieces.Dependency
	candidates []engine.Candidate

	found map[string][]string // by what is searched for
	saved string
	disk  []engine.DiskUse
	made  []engine.NewPiece

	acts         []engine.Request
	splits       []engine.SplitReview
	proposed     []pieces.ProposedSplit
	anyway       []string
	answers      map[string]pieces.PromptAnswer
	asked        []pieces.Prompt // by the person's own sessions
	edits        []engine.DraftEdit
	filed        []engine.NewDraft
	projectEdits []engine.ProjectEdit
	log          []string
}

// change changes the world under its lock and wakes the watchers.
func (f *fakeEngine) change(c func()) {
	f.mu.Lock()
	c()
	f.mu.Unlock()
	f.Wake()
}

func (f *fakeEngine) Project(context.Context, string) (pieces.Project, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.project, f.known(f.project.ID != "", "projectId")
}

func (f *fakeEngine) known(ok bool, what string) error {
	if ok {
		return nil
	}
	return &engine.Refusal{Sentence: pieces.Say("Unknown %s", what), Cause: pieces.ErrNotFound}
}

func (f *fakeEngine) Drafts(context.Context, string) ([]pieces.Draft, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.drafts), nil
}

func (f *fakeEngine) Pieces(_ context.Context, filter pieces.PieceFilter) ([]pieces.Snapshot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(f.list), func(s pieces.Snapshot) bool { return s.Piece.Archived && !filter.IncludeArchived }), nil
}

func (f *fakeEngine) Piece(_ context.Context, id string) (pieces.Snapshot, error) {
	f.reads.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.list {
		if s.Piece.ID == id {
			return s, nil
		}
	}
	return pieces.Snapshot{}, f.known(false, "pieceId")
}

func (f *fakeEngine) Draft(_ context.Context, id string) (pieces.Draft, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.drafts {
		if d.ID == id {
			return d, nil
		}
	}
	return pieces.Draft{}, f.known(false, "draftId")
}

func (f *fakeEngine) Sessions(context.Context, pieces.SessionFilter) ([]pieces.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sessions), nil
}

func (f *fakeEngine) Messages(_ context.Context, _ string, n int) ([]pieces.Message, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.messages[max(0, len(f.messages)-n):]), nil
}

func (f *fakeEngine) Artifact(_ context.Context, id string, k pieces.ArtifactKind, _ string) (pieces.Artifact, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, ok := f.artifacts[k]
	return pieces.Artifact{PieceID: id, Kind: k, Content: text, UpdatedAt: noon.Add(-20 * time.Minute)}, ok, nil
}

func (f *fakeEngine) History(context.Context, string) ([]pieces.HistoryRow, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.history), nil
}

func (f *fakeEngine) Diff(context.Context, string) (pieces.Diff, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.diff, nil
}

func (f *fakeEngine) Effect(_ context.Context, r engine.Request) (pieces.Effect, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, "effect "+string(r.Action))
	return f.effect, nil
}

func (f *fakeEngine) Act(_ context.Context, r engine.Request) (engine.Result, error) {
	f.mu.Lock()
	f.acts = append(f.acts, r)
	err := f.refuse
	if r.Bound != "" && r.Bound != f.effect.Fingerprint {
		err = fmt.Errorf("act: %w", pieces.ErrStale)
	}
	if err == nil && f.after != nil {
		f.after(r)
	}
	f.mu.Unlock()
	f.Wake()
	return engine.Result{}, err
}

func (f *fakeEngine) AnswerPrompt(_ context.Context, id string, a pieces.PromptAnswer) error {
	f.change(func() {
		f.answers[id] = a
		for i := range f.list {
			f.list[i].Prompts = slices.DeleteFunc(slices.Clone(f.list[i].Prompts), func(p pieces.Prompt) bool { return p.ID == id })
		}
	})
	return nil
}

func (f *fakeEngine) EditPlanBrief(_ context.Context, id, taskID, brief string) (pieces.Snapshot, error) {
	f.change(func() { f.log = append(f.log, "brief "+id+" "+taskID+" "+brief) })
	return pieces.Snapshot{}, nil
}

func (f *fakeEngine) EditText(_ context.Context, id string, k pieces.ArtifactKind, before, text string) (pieces.Snapshot, error) {
	var err error
	f.change(func() {
		if err = f.refuse; err == nil && f.artifacts[k] != before {
			err = &engine.Refusal{Sentence: pieces.Say("The text was written anew meanwhile."), Cause: pieces.ErrStale}
		}
		if err == nil {
			f.artifacts[k] = text
			f.log = append(f.log, "edit "+id+" "+string(k))
		}
	})
	return pieces.Snapshot{}, err
}

func (f *fakeEngine) OpenWorkspace(_ context.Context, id string, by pieces.Actor) (engine.Workspace, error) {
	f.change(func() { f.log = append(f.log, "workspace "+id+" by "+string(by)) })
	return engine.Workspace{}, f.refuse
}

func (f *fakeEngine) EditPiece(_ context.Context, id string, e engine.PieceEdit) (pieces.Snapshot, error) {
	f.change(func() {
		for i := range f.list {
			p := &f.list[i].Piece
			if p.ID == id && e.BudgetUSD != nil {
				p.Config.BudgetUSD = *e.BudgetUSD
			}
			if p.ID == id && e.ResumeAfterLimit != nil {
				p.Config.ResumeAfterLimit = *e.ResumeAfterLimit
			}
		}
	})
	return pieces.Snapshot{}, nil
}

func (f *fakeEngine) UpdateDraft(_ context.Context, id string, e engine.DraftEdit) (pieces.Draft, error) {
	if f.editing != nil {
		<-f.editing
	}
	var changed pieces.Draft
	f.change(func() {
		f.edits = append(f.edits, e)
		f.log = append(f.log, "update")
		for i := range f.drafts {
			if d := &f.drafts[i]; d.ID == id {
				if e.Title != nil {
					d.Title = *e.Title
				}
				if e.Spec != nil {
					d.Spec = *e.Spec
				}
				for _, path := range e.Attach {
					d.Attachments = append(slices.Clone(d.Attachments), pieces.Attachment{Name: filepath.Base(path), Bytes: 2_500})
				}
				d.Attachments = slices.DeleteFunc(slices.Clone(d.Attachments), func(a pieces.Attachment) bool { return slices.Contains(e.Detach, a.Name) })
				d.Version++
				changed = *d
			}
		}
	})
	return changed, nil
}

func (f *fakeEngine) EditProject(_ context.Context, _ string, e engine.ProjectEdit) (pieces.Project, error) {
	var p pieces.Project
	f.change(func() {
		f.projectEdits = append(f.projectEdits, e)
		p = f.project
	})
	return p, f.refuse
}

func (f *fakeEngine) PlayLoop(_ context.Context, id string, by pieces.Actor) (pieces.Project, error) {
	return f.turnLoop("play", id, by, true)
}

func (f *fakeEngine) PauseLoop(_ context.Context, id string, by pieces.Actor) (pieces.Project, error) {
	return f.turnLoop("pause", id, by, false)
}

func (f *fakeEngine) LoopStanding(context.Context, string) (pieces.LoopStanding, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return pieces.Loop{Project: f.project, Drafts: f.drafts, Pieces: f.list}.Standing(), nil
}

func (f *fakeEngine) turnLoop(word, id string, by pieces.Actor, plays bool) (p pieces.Project, err error) {
	f.change(func() {
		f.log = append(f.log, fmt.Sprintf("%s %s by %s", word, id, by))
		if f.refuse == nil {
			f.project.LoopPlaying = plays
		}
		p = f.project
	})
	return p, f.refuse
}

func (f *fakeEngine) Restore(_ context.Context, id, ref string, _ pieces.Actor) (engine.Restored, error) {
	f.change(func() { f.log = append(f.log, "restore "+id+" "+ref) })
	return engine.Restored{Ref: ref, Path: "/worktrees/restored", Fresh: true}, f.refuse
}

func (f *fakeEngine) Search(_ context.Context, _, text string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, "search "+text)
	return f.found[text], nil
}

func (f *fakeEngine) CreatePiece(_ context.Context, n engine.NewPiece) (pieces.Snapshot, error) {
	s := pieces.Snapshot{Piece: pieces.Piece{ID: "made", Name: n.Prompt, Phase: pieces.PhaseSpec, Activity: pieces.Interviewing}}
	f.change(func() {
		f.made = append(f.made, n)
		f.list = append(f.list, s)
	})
	return s, f.refuse
}

func (f *fakeEngine) DeleteEffect(context.Context, string) (pieces.Effect, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.effect, nil
}

func (f *fakeEngine) DeletePiece(_ context.Context, id, bound string) (engine.Deleted, error) {
	err := f.refuse
	if bound != f.effect.Fingerprint {
		err = fmt.Errorf("delete: %w", pieces.ErrStale)
	}
	f.change(func() {
		f.log = append(f.log, "delete "+id)
		if err == nil {
			f.list = slices.DeleteFunc(slices.Clone(f.list), func(s pieces.Snapshot) bool { return s.Piece.ID == id })
		}
	})
	return engine.Deleted{Saved: f.saved}, err
}

func (f *fakeEngine) MoveProject(_ context.Context, _, path string) (pieces.Project, error) {
	f.change(func() { f.log = append(f.log, "move "+path) })
	return f.project, f.refuse
}

func (f *fakeEngine) RemoveProjectEffect(context.Context, string) (pieces.Effect, error) {
	return f.effect, nil
}

func (f *fakeEngine) RemoveProject(context.Context, string, string) error {
	f.change(func() { f.log = append(f.log, "remove project") })
	return f.refuse
}

func (f *fakeEngine) DiskUse(context.Context, string) ([]engine.DiskUse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.disk), nil
}

func (f *fakeEngine) ReleaseWorktree(_ context.Context, id string, _ pieces.Actor) error {
	f.change(func() {
		f.log = append(f.log, "release "+id)
		f.disk = slices.DeleteFunc(f.disk, func(u engine.DiskUse) bool { return u.PieceID == id })
	})
	return f.refuse
}

func (f *fakeEngine) Dependencies(context.Context) (map[string][]pieces.Dependency, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.on), nil
}

func (f *fakeEngine) Candidates(context.Context, string) ([]engine.Candidate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.candidates, nil
}

func (f *fakeEngine) CancelDraft(_ context.Context, id string) error {
	f.change(func() {
		f.log = append(f.log, "cancel")
		f.drafts = slices.DeleteFunc(f.drafts, func(d pieces.Draft) bool { return d.ID == id })
	})
	return nil
}

func (f *fakeEngine) ReleaseDraft(_ context.Context, id, _ string, by pieces.Actor) (pieces.Snapshot, error) {
	s := pieces.Snapshot{Piece: pieces.Piece{ID: id, Phase: pieces.PhaseSpec, Activity: pieces.Interviewing}}
	f.change(func() {
		f.log = append(f.log, "release by "+string(by))
		for _, d := range f.drafts {
			if d.ID == id {
				s.Piece.Name, s.Piece.Config.Lane = d.Title, d.Lane
			}
		}
		f.drafts = slices.DeleteFunc(f.drafts, func(d pieces.Draft) bool { return d.ID == id })
		f.list = append(f.list, s)
	})
	return s, nil
}

func (f *fakeEngine) FileDraft(_ context.Context, n engine.NewDraft) (engine.Filed, error) {
	d := pieces.Draft{ID: "filed", ProjectID: n.ProjectID, Title: pieces.TitleOf(n.Spec, n.Title, n.Seed), Spec: n.Spec, Seed: n.Seed, Lane: n.Lane, Refine: n.Refine, Version: 1, UpdatedAt: noon}
	f.change(func() {
		f.filed = append(f.filed, n)
		f.drafts = append(f.drafts, d)
	})
	return engine.Filed{Draft: d}, nil
}

func (f *fakeEngine) ReviewSplit(_ context.Context, r engine.SplitReview) (pieces.Snapshot, error) {
	f.change(func() { f.splits = append(f.splits, r) })
	return pieces.Snapshot{}, f.refuse
}

func (f *fakeEngine) ProposeSplit(_ context.Context, _ string, p pieces.ProposedSplit, _ pieces.Actor) (pieces.Snapshot, error) {
	f.change(func() { f.proposed = append(f.proposed, p) })
	return pieces.Snapshot{}, f.refuse
}

func (f *fakeEngine) StartAnyway(_ context.Context, id string, _ pieces.Actor) (pieces.Snapshot, error) {
	f.change(func() { f.anyway = append(f.anyway, id) })
	return pieces.Snapshot{}, f.refuse
}

func newEngine() *fakeEngine {
	return &fakeEngine{
		project:   pieces.Project{ID: "p1", Name: "muse", Path: "/home/ada/src/muse", Branch: "main"},
		artifacts: map[pieces.ArtifactKind]string{}, answers: map[string]pieces.PromptAnswer{},
	}
}

// window is a project's window over a fake engine.
type window struct {
	*testing.T
	*stage.Stage
	fyne.Window
	engine  *fakeEngine
	project *project.Project
	led     string // where the window led last
}

// written takes all that the fake has from others than Fermata.
func (f *fakeEngine) written(take func(...any)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	take(f.project, f.drafts, f.list, f.artifacts, f.history, f.sessions, f.messages, f.diff, f.effect, f.on, f.candidates, f.disk, f.asked)
}

func openWindow(t *testing.T, s *stage.Stage, e *fakeEngine, width, height float32) *window {
	t.Helper()
	s.Own(e.written)
	ctx, cancel := context.WithCancel(t.Context())
	now := func() time.Time { return noon }
	i := inspector.New(ctx, inspector.Options{Engine: e, Pump: s.Pump, Now: now, OpenURL: func(address string) {
		e.change(func() { e.log = append(e.log, "open "+address) })
	}, OpenIn: func(_ context.Context, place inspector.Place, folder string) error {
		e.change(func() { e.log = append(e.log, string(place)+" "+folder) })
		return e.refuse
	}, BrowseFile: func(chosen func(string)) { chosen("/home/ada/sketch.png") }})
	out := &window{}
	p := project.New(ctx, project.Options{
		ProjectID: "p1", Engine: e, Board: board.New(), Inspector: i, Pump: s.Pump, Now: now, OpenSettings: func() { out.led = "settings" }, OpenSessions: func() { out.led = "sessions" },
		BrowseFile: func(chosen func(string)) { chosen("/home/ada/sketch.png") },
	})
	t.Cleanup(func() { cancel(); s.Drain() })
	ground := canvas.NewRectangle(theme.Color(kit.ColorBackground))
	w := s.Open(container.NewStack(ground, p.Content()), width, height)
	p.Keys(w.Canvas())
	out.T, out.Stage, out.Window, out.engine, out.project = t, s, w, e, p
	return out
}

// sees waits until a named widget can be seen.
func (w *window) sees(name string) {
	w.Helper()
	w.Until("there is "+name, func() bool { return stage.Has(w.Window, name) })
}

// click waits until a named widget can be clicked, which it cannot while what was clicked before is carried out, and clicks it.
func (w *window) click(name string) {
	w.Helper()
	w.Until("there is "+name+", and it is on", func() bool {
		o, found := stage.Find(w.Window, name)
		d, turns := o.(fyne.Disableable)
		return found && (!turns || !d.Disabled())
	})
	w.Tap(w.Window, name)
}

func (w *window) label(name string) string {
	w.Helper()
	o, _ := stage.Find(w.Window, name)
	b, ok := o.(*kit.Button)
	if !ok {
		w.Fatalf("%q is no button; there are %q", name, kit.Names(w.Content()))
	}
	return b.Label()
}

// acted waits for the next request to the engine and returns it.
func (w *window) acted() engine.Request {
	w.Helper()
	var r engine.Request
	w.Until("the engine is asked", func() bool {
		w.engine.mu.Lock()
		defer w.engine.mu.Unlock()
		if len(w.engine.acts) == 0 {
			return false
		}
		r, w.engine.acts = w.engine.acts[0], w.engine.acts[1:]
		return true
	})
	return r
}

// logged waits until the fake has noted something.
func (w *window) logged(what string) {
	w.Helper()
	w.Until("the engine noted "+what, func() bool {
		w.engine.mu.Lock()
		defer w.engine.mu.Unlock()
		return slices.Contains(w.engine.log, what)
	})
}
