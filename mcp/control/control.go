// Package control is the MCP tools through which a client reads and drives pieces.
package control

import (
	"context"
	"log/slog"

	"github.com/mark3labs/mcp-go/server"

	"fermata/pieces"
	"fermata/pieces/consent"
	"fermata/pieces/engine"
)

// Engine is what the tools read and drive.
type Engine interface {
	Projects
	Backlog
	Pieces
	Sessions
	Actions
	Cues
	// Revision grows with every change of what projects, drafts, pieces, cues and settings are read as.
	Revision() int64
	// Setting returns one setting's value or default.
	Setting(ctx context.Context, key string) (string, error)
}

// Projects finds and registers projects.
type Projects interface {
	Projects(ctx context.Context) ([]pieces.Project, error)
	Project(ctx context.Context, id string) (pieces.Project, error)
	// ProjectFor finds a project by id, else the one that contains cwd; nil when there is none.
	ProjectFor(ctx context.Context, projectID, cwd string) (*pieces.Project, error)
	RegisterProject(ctx context.Context, path string) (p pieces.Project, already bool, err error)
}

// Backlog keeps drafts until they are released.
type Backlog interface {
	Drafts(ctx context.Context, projectID string) ([]pieces.Draft, error)
	Draft(ctx context.Context, id string) (pieces.Draft, error)
	FileDraft(ctx context.Context, n engine.NewDraft) (engine.Filed, error)
	UpdateDraft(ctx context.Context, id string, edit engine.DraftEdit) (pieces.Draft, error)
	CancelDraft(ctx context.Context, id string) error
	// ReleaseDraft ends with an engine.HeldError while the draft's dependencies hold it.
	ReleaseDraft(ctx context.Context, id, model string, by pieces.Actor) (pieces.Snapshot, error)
	// Dependencies returns what drafts and pieces wait on, by their id.
	Dependencies(ctx context.Context) (map[string][]pieces.Dependency, error)
	CheckBlockers(ctx context.Context, projectID string, names []string) error
}

// Pieces makes and reads pieces and their documents.
type Pieces interface {
	Pieces(ctx context.Context, f pieces.PieceFilter) ([]pieces.Snapshot, error)
	Piece(ctx context.Context, id string) (pieces.Snapshot, error)
	Artifact(ctx context.Context, pieceID string, k pieces.ArtifactKind, taskID string) (pieces.Artifact, bool, error)
	CreatePiece(ctx context.Context, n engine.NewPiece) (pieces.Snapshot, error)
	OpenWorkspace(ctx context.Context, pieceID string, by pieces.Actor) (engine.Workspace, error)
}

// Sessions reads sessions and their transcripts.
type Sessions interface {
	Sessions(ctx context.Context, f pieces.SessionFilter) ([]pieces.Session, error)
	Session(ctx context.Context, id string) (pieces.Session, error)
	Messages(ctx context.Context, sessionID string, n int) ([]pieces.Message, error)
}

// Actions checks and carries out the actions on pieces.
type Actions interface {
	Check(ctx context.Context, r engine.Request) (pieces.Snapshot, pieces.Rule, error)
	Effect(ctx context.Context, r engine.Request) (pieces.Effect, error)
	// Outline is as much of Effect as the store knows; whole says that this is all.
	Outline(ctx context.Context, r engine.Request) (effect pieces.Effect, whole bool, err error)
	Act(ctx context.Context, r engine.Request) (engine.Result, error)
}

// Cues lists what needs the person, and hides what the person has seen.
type Cues interface {
	Cues(ctx context.Context, projectID string) (engine.Cues, error)
	Snooze(ctx context.Context, t engine.Target, fingerprint string) (int, error)
}

// Desk puts questions to the person.
type Desk interface {
	Ask(ctx context.Context, q consent.Question) consent.Reply
}

// Caller is who makes a call, as far as the tools care.
type Caller struct {
	Name    string
	Version string
	// Kind finds out who the caller is: for every write, and for every call where a book is kept. Nil: it cannot be found out.
	Kind func() CallerKind
	// Waiting tells the client that its call waits, and for what; nil when it cannot be told.
	Waiting func(message string)
}

// Options is what the tools need. Engine and Desk are required.
type Options struct {
	Engine Engine
	Desk   Desk
	// Caller returns who makes the call of a context; nil when nothing is known of callers.
	Caller func(ctx context.Context) Caller
	// Reveal shows a piece or a session in the app, whichever id is not empty; nil where there is no window.
	Reveal func(ctx context.Context, pieceID, sessionID string) error
	// Audit gets every tool call once it ended, before the client has its answer; nil keeps no book.
	Audit func(ctx context.Context, r CallRecord)
	// Log gets the faults that a client is only told of in general words; nil is silent.
	Log *slog.Logger
	// Version is what initialize tells clients.
	Version string
}

// control is the tools' shared state.
type control struct {
	Options
	rows    encodedRows
	results keptResults
}

// New returns the MCP server with every tool, resource and prompt on it. Mount it behind Checked, which answers malformed arguments.
func New(o Options) *server.MCPServer {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Caller == nil {
		o.Caller = func(context.Context) Caller { return Caller{} }
	}
	c := &control{Options: o}
	hooks := &server.Hooks{}
	hooks.AddAfterListResources(c.listPieceResources)
	s := server.NewMCPServer("fermata", o.Version,
		server.WithTitle("Fermata"),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(true, true), server.WithHooks(hooks),
		server.WithPromptCapabilities(false),
		server.WithCompletions(), server.WithPromptCompletionProvider(completer{c}), server.WithResourceCompletionProvider(completer{c}),
		server.WithInstructions(instructions))
	for _, t := range tools {
		s.AddTool(t.definition(), c.handler(t))
	}
	c.addResources(s)
	c.addPrompts(s)
	return s
}

// instructions teach a model the rail in few words; clients put them into every conversation.
const instructions = `Fermata runs pieces of coding work with Claude Code agents, each piece on its own git branch and worktree.
A draft waits in the Backlog until it is released; the piece it becomes has the same id.
The rail: Spec -> Strategy -> Agents (plan, run, work review) -> Review -> Done.
Each stop is a gate, the decision that waits for a person; gate null means the machine is working.
Lanes: manual stops at every gate; auto goes on by itself up to Review; loop belongs to the project's Loop.
Start: create_piece from an idea, or create_draft with a spec (markdown with a "# Title") and your cwd, then release_draft, or release: true at once.
If the directory is in no project yet, call register_project first.
Follow: poll get_piece with the id every 10 seconds or so; read phase, gate, tasks and legalActions. list_cues says what needs the person.
Drive: piece_action with one of legalActions. In order: approveSpec, approveStrategy, startExecution, and in Review approveTask for each agent, then createPR. dryRun says what an action would do.
Failures: failure and tasks say what happened; retryFailedAgents, sendBackToAgents or resumeAgents goes on.
Read documents with get_artifact and transcripts with get_session before you approve anything for the person.
stopAgents and markDone always wait for the person to answer a card in Fermata, other actions may; such a call stays open for as long as that takes, so do not repeat it.
A denied call changed nothing: do not try another way round, ask the person.
Only the person approves tools and merges pull requests, in the app.`
