package engine_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fermata/pieces"
	"fermata/pieces/agent"
	"fermata/pieces/engine"
	"fermata/pieces/forge"
	"fermata/pieces/git"
	"fermata/pieces/piecestest"
)

func TestWithoutClaudeCodeTheStepFailsAndNamesTheCommandThatMendsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.close()
	w.reopenWith(func() string { return filepath.Join(w.dir, "no-claude-here") }, piecestest.ClaudeEnv(w.dir, w.model.URL()))
	s := w.release()
	w.act(s.Piece.ID, pieces.ApproveSpec)
	s = w.untilGate(s.Piece.ID, pieces.GateStrategyFailed)
	if !strings.Contains(s.Piece.Failure, "npm install -g @anthropic-ai/claude-code") {
		t.Errorf("failure %q", s.Piece.Failure)
	}
	if _, kind, sentence := w.engine.Health(t.Context()); kind != pieces.FailureNotInstalled || !strings.Contains(sentence, "npm install") {
		t.Errorf("health %s %q", kind, sentence)
	}
}

func TestARejectedLoginFailsTheStepAtOnceAndNamesTheCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, piecestest.Script{{Name: "out", Repeat: true, Replies: []piecestest.Reply{{Failure: &piecestest.Failure{
		Status: 401, Type: "authentication_error", Message: "invalid x-api-key",
	}}}}})
	s := w.release()
	w.act(s.Piece.ID, pieces.ApproveSpec)
	s = w.untilGate(s.Piece.ID, pieces.GateStrategyFailed)
	if !strings.Contains(s.Piece.Failure, "/login") {
		t.Errorf("failure %q", s.Piece.Failure)
	}
}

// reopenWith starts an engine on the world's folder with another Claude Code.
func (w *world) reopenWith(claude func() string, env []string) {
	w.t.Helper()
	w.open()
	w.engine.Close()
	log := slog.New(slog.NewTextHandler(w.t.Output(), nil))
	w.engine = engine.New(engine.Options{
		Store: w.store, Git: git.New(git.Options{LockDir: filepath.Join(w.dir, "locks"), Environ: piecestest.GitEnv}),
		Agents:       driver{live: &w.live, Driver: agent.New(agent.Options{Claude: claude, Host: []string{"false"}, Log: log, Environ: func() []string { return env }})},
		Forge:        forge.New(forge.Options{APIURL: w.github.URL, Token: func(context.Context, string) (string, error) { return "gh-test", nil }}),
		WorktreeRoot: filepath.Join(w.dir, "worktrees"), Now: time.Now, NewID: uuid.NewString, Log: log,
	})
	if err := w.engine.Start(context.WithoutCancel(w.t.Context())); err != nil {
		w.t.Fatal(err)
	}
	eng := w.engine
	w.t.Cleanup(eng.Close)
}
