package engine

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"fermata/pieces"
)

// NewSession is a conversation that the person opens.
type NewSession struct {
	ProjectID string
	PieceID   string // whose worktree it works in; empty for the project's own folder
	Name      string // empty takes the prompt's first line
	Model     string // empty: Claude Code's default
	Prompt    string
}

// canvases are the sessions that the person opened and behind which a process stands. The zero value is ready.
type canvases struct {
	mu sync.Mutex
	m  map[string]*canvas
}

// canvas is one of them. talk is nil until it started.
type canvas struct {
	dir  string
	talk *talk
}

func (c *canvases) put(id string, v *canvas) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil {
		c.m = map[string]*canvas{}
	}
	c.m[id] = v
}

func (c *canvases) started(id string, t *talk) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.m[id]; v != nil {
		v.talk = t
	}
}

// get returns the conversation of a session that runs; it is nil while the session starts.
func (c *canvases) get(id string) (t *talk, runs bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.m[id]
	if v == nil {
		return nil, false
	}
	return v.talk, true
}

func (c *canvases) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, id)
}

// in says whether a session works in a folder.
func (c *canvases) in(dir string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range c.m {
		if v.dir == dir {
			return true
		}
	}
	return false
}

// unused refuses to take a worktree away in which the person has a session.
func (e *Engine) unused(path string) error {
	if !e.canvases.in(path) {
		return nil
	}
	return refuse(nil, "A session that you opened works in %s: stop it first.", path)
}

// canvasGroup is what everything of a session runs under.
func canvasGroup(id string) string { return "session " + id }

// OpenSession starts a conversation that the person opens in a project's folder or in a piece's worktree. It is linked to no
// piece, and these sessions alone may work in the main checkout.
func (e *Engine) OpenSession(ctx context.Context, n NewSession) (pieces.Session, error) {
	if strings.TrimSpace(n.Prompt) == "" {
		return pieces.Session{}, refuse(nil, "Say what the session should do.")
	}
	project, err := e.Project(ctx, n.ProjectID)
	if err != nil {
		return pieces.Session{}, err
	}
	now := e.Now()
	s := pieces.Session{
		ID: e.NewID(), ProjectID: project.ID, Kind: pieces.SessionCanvas, Name: pieces.TitleOf("", n.Name, n.Prompt), State: pieces.SessionStarting,
		Model: n.Model, Worktree: project.Path, CreatedAt: now, UpdatedAt: now,
	}
	if n.PieceID != "" {
		p, err := e.Piece(ctx, n.PieceID)
		switch {
		case err != nil:
			return pieces.Session{}, err
		case p.Piece.ProjectID != project.ID || p.Piece.Worktree == "":
			return pieces.Session{}, refuse(nil, "This piece has no worktree to open a session in.")
		}
		s.Worktree = p.Piece.Worktree
	}
	return s, e.startCanvas(ctx, s, pieces.Launch{SessionID: s.ID, Prompt: n.Prompt})
}

// startCanvas checks the folder of a session and starts its process.
func (e *Engine) startCanvas(ctx context.Context, s pieces.Session, l pieces.Launch) error {
	project, err := e.Project(ctx, s.ProjectID)
	if err != nil {
		return err
	}
	set, err := e.Settings(ctx)
	if err != nil {
		return err
	}
	l.Dir, l.Model, l.Effort = s.Worktree, s.Model, s.Effort
	l.Profile, l.AllowedCommands = pieces.Profile(set[pieces.KeyPermissionProfile]), project.AllowedCommands
	if s.Worktree == project.Path {
		repo, err := e.Git.Inspect(ctx, project.Path)
		if err != nil {
			return refuse(err, "Fermata cannot work in %s: %v", project.Path, err)
		}
		s.Branch = repo.Branch
		return e.runCanvas(ctx, s, l, "")
	}
	p, err := e.pieceIn(ctx, s)
	if err != nil {
		return err
	}
	// Under the piece's lock, so that its worktree is not taken away between the check and the note that it is in use.
	unlock, err := e.locks.lock(ctx, p.ID)
	if err != nil {
		return fmt.Errorf("open session %s: %w", s.ID, err)
	}
	defer unlock()
	if err := e.Git.CheckWorktree(ctx, project.Path, s.Worktree, p.Branch); err != nil {
		return refuse(err, "The session was not started: %v", err)
	}
	if err := e.prepare(ctx, p.ID, s.Worktree); err != nil {
		return refuse(err, "The session was not started: %v", err)
	}
	s.Branch, l.Profile = p.Branch, cmp.Or(p.Config.PermissionProfile, l.Profile)
	return e.runCanvas(ctx, s, l, "")
}

// pieceIn finds the piece in whose worktree a session works.
func (e *Engine) pieceIn(ctx context.Context, s pieces.Session) (pieces.Piece, error) {
	list, err := e.Pieces(ctx, pieces.PieceFilter{ProjectID: s.ProjectID, IncludeArchived: true})
	if err != nil {
		return pieces.Piece{}, err
	}
	for _, p := range list {
		if p.Piece.Worktree == s.Worktree {
			return p.Piece, nil
		}
	}
	return pieces.Piece{}, refuse(pieces.ErrWorktreeMissing, "The worktree %s is no longer there, so the session cannot go on in it.", s.Worktree)
}

// runCanvas writes the session's row and lets it run on its own. A notice stands in its transcript.
func (e *Engine) runCanvas(ctx context.Context, s pieces.Session, l pieces.Launch, notice string) error {
	if err := e.ctx.Err(); err != nil {
		return refuse(err, "Fermata is quitting.")
	}
	s.State, s.Hidden = pieces.SessionStarting, false
	if err := e.Store.SaveSession(context.WithoutCancel(ctx), s); err != nil {
		return fmt.Errorf("write session %s: %w", s.ID, err)
	}
	e.canvases.put(s.ID, &canvas{dir: s.Worktree})
	e.groups.start(e.ctx, canvasGroup(s.ID), func(ctx context.Context, g *group) {
		if left := e.liveCanvas(ctx, s, l, notice); len(left) > 0 {
			g.leave(left) // something of it still works in the folder
			return
		}
		e.canvases.drop(s.ID)
		e.hub.Wake()
	})
	return nil
}

// liveCanvas is the life of a session's process: a turn for everything that the person says, until it is stopped or fails.
func (e *Engine) liveCanvas(ctx context.Context, s pieces.Session, l pieces.Launch, notice string) []pieces.LeftProcess {
	t, err := e.open(ctx, s, l, false)
	if err != nil {
		state := pieces.SessionFailed
		if ctx.Err() != nil {
			state = pieces.SessionCancelled
		}
		(&talk{e: e, session: s}).close(state, err.Error())
		return nil
	}
	if notice != "" {
		t.write(pieces.Message{Role: pieces.RoleNotice, Text: notice})
	}
	e.canvases.started(s.ID, t)
	for resumes := l.Resume; ; resumes = false {
		end, err := t.wait(ctx)
		switch {
		case err != nil:
			return t.stop(ctx, pieces.SessionCancelled, "")
		case resumes && end.Failure == pieces.FailureCannotResume:
			left := t.finish(ctx, pieces.SessionFailed, end.Error)
			if len(left) == 0 && ctx.Err() == nil {
				e.replaceCanvas(ctx, t, l)
			}
			return left
		case end.Failure != pieces.FailureNone:
			return t.finish(ctx, pieces.SessionFailed, end.Error)
		}
	}
}

// replaceCanvas starts a fresh session in the place of one that could not be resumed, with what the person said to it.
func (e *Engine) replaceCanvas(ctx context.Context, t *talk, l pieces.Launch) {
	now := e.Now()
	t.mu.Lock()
	old := t.session
	t.mu.Unlock()
	fresh := pieces.Session{
		ID: e.NewID(), ProjectID: old.ProjectID, Kind: old.Kind, Name: old.Name, Model: old.Model, Effort: old.Effort,
		Branch: old.Branch, Worktree: old.Worktree, CreatedAt: now, UpdatedAt: now,
	}
	l.SessionID, l.Resume = fresh.ID, false
	if err := e.runCanvas(ctx, fresh, l, "The earlier session could not be resumed, so this is a fresh one."); err != nil {
		e.Log.Error("start a fresh session", "instead", old.ID, "err", err)
		return
	}
	t.update(func(s *pieces.Session) {
		s.Error, s.ReplacedBy = "This session could not be resumed; a fresh one took its place.", fresh.ID
	})
}

// canvasOf returns a session that the person opened; any other is a Refusal.
func (e *Engine) canvasOf(ctx context.Context, id string) (pieces.Session, error) {
	s, err := e.Session(ctx, id)
	if err == nil && s.Kind != pieces.SessionCanvas {
		err = refuse(nil, "This session belongs to a piece, and is steered there.")
	}
	return s, err
}

// SayToSession gives a session that the person opened another turn. One that has ended goes on in a new process, under the
// same id, and is shown again if it was hidden.
func (e *Engine) SayToSession(ctx context.Context, id, text string) error {
	if strings.TrimSpace(text) == "" {
		return refuse(nil, "A message can't be empty.")
	}
	unlock, err := e.locks.lock(ctx, canvasGroup(id))
	if err != nil {
		return fmt.Errorf("send to session %s: %w", id, err)
	}
	defer unlock()
	s, err := e.canvasOf(ctx, id)
	if err != nil {
		return err
	}
	t, runs := e.canvases.get(id)
	switch {
	case !runs:
		return e.startCanvas(ctx, s, pieces.Launch{SessionID: id, Resume: true, Prompt: text})
	case t == nil || s.State == pieces.SessionStarting:
		return refuse(nil, "The session is still starting; try again in a moment.")
	case s.State == pieces.SessionAwaitingApproval || s.State == pieces.SessionAwaitingInput:
		return refuse(nil, "The session waits for you: answer what it asks first.")
	case !s.State.Live():
		return refuse(nil, "The session is still ending; try again in a moment.")
	case s.State != pieces.SessionIdle:
		return refuse(nil, "The session is working: send the message once its turn ended.")
	}
	return t.send(ctx, text)
}

// StopSession ends a session that the person opened and every process of it. It can be continued later.
func (e *Engine) StopSession(ctx context.Context, id string) error {
	if _, err := e.canvasOf(ctx, id); err != nil {
		return err
	}
	left := e.groups.stop(canvasGroup(id), errStopped)
	if t, runs := e.canvases.get(id); runs && t != nil {
		// What could not be ended is tried again, also when an earlier stop left it.
		conv, err := t.conversation(context.WithoutCancel(ctx))
		if err != nil {
			conv = e.live.conversation(t.live)
		}
		if conv == nil {
			return refuse(err, "The session could not be stopped; try again in a moment.")
		}
		end, err := conv.Stop(context.WithoutCancel(ctx))
		if err != nil {
			return refuse(err, "The session could not be stopped: %v", err)
		}
		if left = end.Left; len(left) == 0 {
			e.live.remove(t.live)
			e.canvases.drop(id)
			e.hub.Wake()
		}
	}
	if len(left) == 0 {
		return nil
	}
	var names []string
	for _, p := range left {
		names = append(names, fmt.Sprintf("%s (process %d)", p.Command, p.PID))
	}
	return refuse(nil, "These processes of the session could not be ended: %s.", strings.Join(names, ", "))
}

// RenameSession gives a session that the person opened another name.
func (e *Engine) RenameSession(ctx context.Context, id, name string) error {
	name = pieces.TitleOf("", name, "")
	unlock, err := e.locks.lock(ctx, canvasGroup(id))
	if err != nil {
		return fmt.Errorf("rename session %s: %w", id, err)
	}
	defer unlock()
	s, err := e.canvasOf(ctx, id)
	if err != nil {
		return err
	}
	if t, runs := e.canvases.get(id); runs {
		if t == nil {
			return refuse(nil, "The session is still starting; try again in a moment.")
		}
		t.update(func(s *pieces.Session) { s.Name = name })
		return nil
	}
	s.Name = name
	return e.Store.SaveSession(ctx, s)
}

// HideSession puts a session that the person opened out of sight, or shows it again. One behind which a process stands is not
// hidden: nobody would see what it asks.
func (e *Engine) HideSession(ctx context.Context, id string, hide bool) error {
	unlock, err := e.locks.lock(ctx, canvasGroup(id))
	if err != nil {
		return fmt.Errorf("hide session %s: %w", id, err)
	}
	defer unlock()
	s, err := e.canvasOf(ctx, id)
	if err != nil || s.Hidden == hide {
		return err
	}
	if _, runs := e.canvases.get(id); hide && (runs || s.State.Live()) {
		return refuse(nil, "The session still runs: stop it first, then hide it.")
	}
	s.Hidden = hide
	return e.Store.SaveSession(ctx, s)
}

// SessionPrompts lists what a session waits for, oldest first.
func (e *Engine) SessionPrompts(sessionID string) []pieces.Prompt {
	var list []pieces.Prompt
	for _, p := range e.live.prompts("") {
		if p.SessionID == sessionID {
			list = append(list, p)
		}
	}
	return list
}
