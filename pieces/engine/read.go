package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fermata/pieces"
)

func unknown(what string, err error) error {
	if errors.Is(err, pieces.ErrNotFound) {
		return refuse(err, "Unknown %s", what)
	}
	return err
}

// Revision counts the changes of all that Projects, Drafts, Pieces, Cues, Settings and their singular forms return: whoever
// read it before them may show what they returned for as long as it stays the same. State that they come to depend on
// outside the store has to be counted here.
func (e *Engine) Revision() int64 {
	return e.Store.Revision() + e.live.revision.Load() + e.snoozed.revision.Load() + e.seats.revision.Load()
}

// Projects lists the registered projects by name.
func (e *Engine) Projects(ctx context.Context) ([]pieces.Project, error) {
	return e.Store.Projects(ctx)
}

// Project returns one project; an unknown id is a Refusal.
func (e *Engine) Project(ctx context.Context, id string) (pieces.Project, error) {
	p, err := e.Store.Project(ctx, id)
	return p, unknown("projectId", err)
}

// Drafts lists the Backlog of a project, or of all when projectID is empty.
func (e *Engine) Drafts(ctx context.Context, projectID string) ([]pieces.Draft, error) {
	list, err := e.Store.Drafts(ctx, projectID)
	if err != nil || !slices.ContainsFunc(list, func(d pieces.Draft) bool { return d.Lane == pieces.LaneLoop }) {
		return list, err
	}
	projects, err := e.Projects(ctx)
	for i := range list {
		list[i].Offered = list[i].Lane == pieces.LaneLoop && slices.ContainsFunc(projects, func(p pieces.Project) bool { return p.ID == list[i].ProjectID && p.LoopPlaying })
	}
	return list, err
}

// Draft returns one draft; an unknown id is a Refusal.
func (e *Engine) Draft(ctx context.Context, id string) (pieces.Draft, error) {
	d, err := e.Store.Draft(ctx, id)
	if err != nil || d.Lane != pieces.LaneLoop {
		return d, unknown("draftId", err)
	}
	p, err := e.Project(ctx, d.ProjectID)
	d.Offered = p.LoopPlaying
	return d, err
}

// Pieces lists pieces, oldest first.
func (e *Engine) Pieces(ctx context.Context, f pieces.PieceFilter) ([]pieces.Snapshot, error) {
	list, err := e.Store.Pieces(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("list pieces: %w", err)
	}
	flags, err := e.flags(ctx)
	if err != nil {
		return nil, err
	}
	dependencies, err := e.dependencies(ctx, "", list)
	if err != nil {
		return nil, err
	}
	waiting := map[string][]pieces.Prompt{}
	for _, p := range e.live.prompts("") {
		waiting[p.PieceID] = append(waiting[p.PieceID], p)
	}
	queued := e.seats.waiting()
	for i := range list {
		list[i].Flags = flags
		list[i].Queued = queued[list[i].Piece.ID]
		list[i].Prompts = waiting[list[i].Piece.ID]
		list[i].Dependencies = dependencies[list[i].Piece.ID]
	}
	return list, nil
}

// Search lists the ids of a project's drafts and pieces, archived ones included, in whose title, tracker key, seed or spec
// all words of a text are found; none for a text without a word.
func (e *Engine) Search(ctx context.Context, projectID, text string) ([]string, error) {
	words := pieces.ParseWords(text)
	if len(words) == 0 {
		return nil, nil
	}
	return e.Store.Search(ctx, projectID, words)
}

// Piece returns one piece with everything that is read with it; an unknown id is a Refusal.
func (e *Engine) Piece(ctx context.Context, id string) (pieces.Snapshot, error) {
	s, err := e.Store.Piece(ctx, id)
	if err != nil {
		return s, unknown("pieceId", err)
	}
	if s.Flags, err = e.flags(ctx); err != nil {
		return s, err
	}
	s.Prompts, s.Queued = e.live.prompts(id), e.seats.waiting()[id]
	dependencies, err := e.dependencies(ctx, id, nil)
	s.Dependencies = dependencies[id]
	return s, err
}

func (e *Engine) flags(ctx context.Context) (pieces.Flags, error) {
	set, err := e.settingValues(ctx)
	if err != nil {
		return pieces.Flags{}, err
	}
	on := func(key string) bool { return valueOf(set, key) == "true" }
	return pieces.Flags{
		CodeReview: on(pieces.KeyEdgeEnabled) && on(pieces.KeyEdgeCodeReview), Dependencies: on(pieces.KeyDependencies),
		AutoSplit: on(pieces.KeyAutoSplit),
	}, nil
}

// Artifact returns a document of a piece; false when it does not exist yet.
func (e *Engine) Artifact(ctx context.Context, pieceID string, k pieces.ArtifactKind, taskID string) (pieces.Artifact, bool, error) {
	a, err := e.Store.Artifact(ctx, pieceID, k, taskID)
	if errors.Is(err, pieces.ErrNotFound) {
		return pieces.Artifact{}, false, nil
	}
	return a, err == nil, err
}

// text returns a document's content, or "" when there is none.
func (e *Engine) text(ctx context.Context, pieceID string, k pieces.ArtifactKind) (string, error) {
	a, _, err := e.Artifact(ctx, pieceID, k, "")
	return a.Content, err
}

// History lists a piece's transitions, oldest first.
func (e *Engine) History(ctx context.Context, pieceID string) ([]pieces.HistoryRow, error) {
	return e.Store.History(ctx, pieceID)
}

// Sessions lists sessions, newest first.
func (e *Engine) Sessions(ctx context.Context, f pieces.SessionFilter) ([]pieces.Session, error) {
	return e.Store.Sessions(ctx, f)
}

// Session returns one session; an unknown id is a Refusal.
func (e *Engine) Session(ctx context.Context, id string) (pieces.Session, error) {
	s, err := e.Store.Session(ctx, id)
	return s, unknown("sessionId", err)
}

// Messages returns the last n messages of a transcript in order; all when n is below zero.
func (e *Engine) Messages(ctx context.Context, sessionID string, n int) ([]pieces.Message, error) {
	return e.Store.Messages(ctx, sessionID, n)
}

// Prompts lists what sessions wait for: of one piece, or of all when pieceID is empty.
func (e *Engine) Prompts(pieceID string) []pieces.Prompt { return e.live.prompts(pieceID) }

// diffLimit is how many bytes of a patch are read at most: a larger one is cut, so that no window and no model drowns.
const diffLimit = 400_000

// Diff returns what a piece's branch and worktree add to its base.
func (e *Engine) Diff(ctx context.Context, pieceID string) (pieces.Diff, error) {
	s, err := e.Piece(ctx, pieceID)
	if err != nil {
		return pieces.Diff{}, err
	}
	if s.Piece.Worktree == "" {
		return pieces.Diff{}, refuse(nil, "This piece has no worktree any more; its branch is %s.", s.Piece.Branch)
	}
	return e.Git.Diff(ctx, s.Piece.Worktree, s.Piece.Base.Commit, diffLimit)
}

// Health says in one sentence what keeps Claude Code from running; the sentence is empty when nothing does.
func (e *Engine) Health(ctx context.Context) (version string, kind pieces.FailureKind, sentence string) {
	return e.Agents.Health(ctx)
}

// Settings returns every settings key with its value, or its default where none is set.
func (e *Engine) Settings(ctx context.Context) (map[string]string, error) {
	set, err := e.settingValues(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[string]string, len(pieces.Settings()))
	for _, s := range pieces.Settings() {
		all[s.Key] = s.Default
		if v, ok := set[s.Key]; ok {
			all[s.Key] = v
		}
	}
	return all, nil
}

func (e *Engine) settingValues(ctx context.Context) (map[string]string, error) {
	set, err := e.Store.SettingValues(ctx)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return set, nil
}

// valueOf returns a setting's value, or its default where none is set.
func valueOf(set map[string]string, key string) string {
	if v, ok := set[key]; ok {
		return v
	}
	s, _ := pieces.SettingOf(key)
	return s.Default
}

// Setting returns one setting's value or default.
func (e *Engine) Setting(ctx context.Context, key string) (string, error) {
	if _, ok := pieces.SettingOf(key); !ok {
		return "", refuse(pieces.ErrNotFound, "Unknown setting %s", key)
	}
	set, err := e.settingValues(ctx)
	if err != nil {
		return "", err
	}
	return valueOf(set, key), nil
}

// readSeats makes the number of Claude Code's places what the setting says.
func (e *Engine) readSeats(ctx context.Context) error {
	n, err := e.Setting(ctx, pieces.KeyClaudeAtOnce)
	if err == nil {
		e.seats.resize(atoi(n, 0))
	}
	return err
}

// SetSetting checks and writes one setting. Switching the MCP server on switches the Edge features it hangs on with it.
func (e *Engine) SetSetting(ctx context.Context, key, value string) error {
	s, ok := pieces.SettingOf(key)
	if !ok {
		return refuse(pieces.ErrNotFound, "Unknown setting %s", key)
	}
	value, err := s.Check(value)
	if err != nil {
		return refuse(err, "%v", err)
	}
	if key == pieces.KeyMCPEnabled && value == "true" {
		for _, k := range []string{pieces.KeyEdgeEnabled, pieces.KeyEdgeControlPlane} {
			if err := e.Store.SetSetting(ctx, k, "true"); err != nil {
				return fmt.Errorf("write setting %s: %w", k, err)
			}
		}
	}
	if key == pieces.KeyStartAtLogin && e.Login != nil {
		if err := e.Login.StartAtLogin(value == "true"); err != nil {
			return refuse(err, "The desktop could not be told: %v", err)
		}
	}
	if err := e.Store.SetSetting(ctx, key, value); err != nil {
		return fmt.Errorf("write setting %s: %w", key, err)
	}
	if key == pieces.KeyAutoSplit && value == "true" {
		return e.followAutoSplit(ctx)
	}
	if key == pieces.KeyClaudeAtOnce {
		return e.readSeats(ctx)
	}
	return nil
}
