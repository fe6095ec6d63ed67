package engine

import (
	"context"
	"time"

	"fermata/pieces"
)

// Store is where pieces live. Every method that changes something is one transaction and wakes the store's watchers after
// it committed. Unknown ids are pieces.ErrNotFound, taken ones pieces.ErrExists, a lost race pieces.ErrStale.
type Store interface {
	ProjectStore
	DraftStore
	LinkStore
	PieceStore
	SessionStore
	WorktreeStore
	SettingStore
	// Revision grows with every committed change of what is not a transcript.
	Revision() int64
	// Watch returns a wake for every committed change, and the function that ends it.
	Watch() (<-chan struct{}, func())
}

// ProjectStore keeps the registered repositories.
type ProjectStore interface {
	Projects(ctx context.Context) ([]pieces.Project, error) // by name
	Project(ctx context.Context, id string) (pieces.Project, error)
	AddProject(ctx context.Context, p pieces.Project) error // a taken path is ErrExists too
	SaveProject(ctx context.Context, p pieces.Project) error
	// MoveProject saves a project with another path, which the records of its worktrees then name too.
	MoveProject(ctx context.Context, p pieces.Project) error
	// DeleteProject removes a project with its drafts, pieces and sessions; the records of its worktrees stay.
	DeleteProject(ctx context.Context, id string) error
}

// DraftStore keeps the Backlog.
type DraftStore interface {
	Drafts(ctx context.Context, projectID string) ([]pieces.Draft, error) // all projects when empty; oldest first
	Draft(ctx context.Context, id string) (pieces.Draft, error)
	// AddDraft files a draft with what it waits on; an id taken by a draft or a piece is ErrExists.
	AddDraft(ctx context.Context, d pieces.Draft, links ...pieces.Link) error
	SaveDraft(ctx context.Context, d pieces.Draft) error // conditional on d.Version
	DeleteDraft(ctx context.Context, id string) error    // with its links; those of others to it stay
}

// LinkStore keeps what pieces and drafts wait on. The links of a piece are changed together with the piece, by Apply.
type LinkStore interface {
	Links(ctx context.Context) ([]pieces.Link, error) // oldest first
	AddLink(ctx context.Context, l pieces.Link) error
	DropLink(ctx context.Context, itemID, blockerID string) error
}

// PieceStore keeps pieces with their graphs, documents and history.
type PieceStore interface {
	// Pieces and Piece fill everything of a snapshot but Prompts and Flags. Pieces does not fill Sessions.
	Pieces(ctx context.Context, f pieces.PieceFilter) ([]pieces.Snapshot, error) // oldest first
	Piece(ctx context.Context, id string) (pieces.Snapshot, error)
	// Checkouts lists where the pieces work that have a worktree, archived ones too, without reading the pieces.
	Checkouts(ctx context.Context) ([]pieces.Checkout, error)
	// Release turns the draft of c.Piece.ID (of that version) into the piece of c, in one transaction.
	Release(ctx context.Context, draftVersion int64, c pieces.Change) (pieces.Piece, error)
	// AddPiece makes the piece of c without a draft, in one transaction.
	AddPiece(ctx context.Context, c pieces.Change) (pieces.Piece, error)
	// Apply writes a change when the piece still has c.Piece.Version, and returns the piece with its new version.
	Apply(ctx context.Context, c pieces.Change) (pieces.Piece, error)
	// Split is Apply, and makes the new pieces of parts in the same transaction.
	Split(ctx context.Context, c pieces.Change, parts []pieces.Change) (pieces.Piece, error)
	// DeletePiece removes a piece that still has the version, with all that is its alone; links to it stay.
	DeletePiece(ctx context.Context, id string, version int64) error
	// Search lists drafts and pieces of a project, archived ones too, that have all words in title, key, seed or spec.
	Search(ctx context.Context, projectID string, words pieces.Words) ([]string, error)
	Artifact(ctx context.Context, pieceID string, k pieces.ArtifactKind, taskID string) (pieces.Artifact, error)
	History(ctx context.Context, pieceID string) ([]pieces.HistoryRow, error) // oldest first
}

// SessionStore keeps sessions and their transcripts.
type SessionStore interface {
	Sessions(ctx context.Context, f pieces.SessionFilter) ([]pieces.Session, error) // newest first
	Session(ctx context.Context, id string) (pieces.Session, error)
	SaveSession(ctx context.Context, s pieces.Session) error // inserts or overwrites
	// AppendMessages adds to the end of a transcript; the store numbers them.
	AppendMessages(ctx context.Context, sessionID string, m []pieces.Message) error
	// Messages returns the last n messages in order; all when n is below zero.
	Messages(ctx context.Context, sessionID string, n int) ([]pieces.Message, error)
}

// WorktreeStore records the worktrees that Fermata made: only recorded paths are ever removed.
type WorktreeStore interface {
	RecordWorktree(ctx context.Context, w pieces.WorktreeRecord) error // a recorded path is overwritten
	Worktrees(ctx context.Context, pieceID string) ([]pieces.WorktreeRecord, error)
	ForgetWorktree(ctx context.Context, path string) error
}

// SettingStore keeps the settings that differ from their default.
type SettingStore interface {
	SettingValues(ctx context.Context) (map[string]string, error)
	SetSetting(ctx context.Context, key, value string) error
}

// Git is the one door to git.
type Git interface {
	GitRepo
	GitWork
}

// GitRepo reads repositories and makes worktrees and branches in them.
type GitRepo interface {
	Inspect(ctx context.Context, path string) (pieces.Repository, error)
	// Examine finds what is known to hurt work in the repository; branch is its base branch.
	Examine(ctx context.Context, path, branch string, now time.Time) ([]pieces.Finding, error)
	Remotes(ctx context.Context, repo string) ([]pieces.Remote, error)
	DefaultBranch(ctx context.Context, repo string) (string, error)
	Base(ctx context.Context, repo, branch string) (pieces.Base, error)
	FreeBranch(ctx context.Context, repo, title, key string) (string, error)
	AddWorktree(ctx context.Context, repo, path, branch, commit string) error
	OpenWorktree(ctx context.Context, repo, path, branch string) error
	CheckWorktree(ctx context.Context, repo, path, branch string) error
	// WorktreeHead is CheckWorktree, and gives the commit that is checked out.
	WorktreeHead(ctx context.Context, repo, path, branch string) (string, error)
	// MissingWorktrees tells which of a repository's worktrees, each with its branch, are gone. It is for many of them at once.
	MissingWorktrees(ctx context.Context, repo string, branches map[string]string) (map[string]bool, error)
	RemoveWorktree(ctx context.Context, repo, path, root, saved string) error
	// DiskUse is how many bytes a folder holds; fs.ErrNotExist when it is not there.
	DiskUse(ctx context.Context, folder string) (int64, error)
	// Adopt checks that a repository has the commits, and lets it find its worktrees after it was moved.
	Adopt(ctx context.Context, repo string, commits []string) error
	// FillSubmodules checks out the submodules that a new worktree lacks, and lists their folders.
	FillSubmodules(ctx context.Context, worktree string) ([]string, error)
	// CopyIncluded copies the ignored files that main's .worktreeinclude names.
	CopyIncluded(ctx context.Context, main, worktree string) (pieces.Included, error)
}

// GitWork works in one worktree.
type GitWork interface {
	Status(ctx context.Context, worktree string) (pieces.WorkStatus, error)
	Commit(ctx context.Context, worktree, branch, message string) (string, error)
	Commits(ctx context.Context, worktree, base string) ([]pieces.Commit, error)
	Diff(ctx context.Context, worktree, base string, limit int) (pieces.Diff, error)
	Merge(ctx context.Context, worktree, branch, from, message string) error
	AbortMerge(ctx context.Context, worktree string) error
	// FastForward moves a branch without commits of its own, and its worktree, on to a later commit.
	FastForward(ctx context.Context, worktree, branch, commit string) error
	Push(ctx context.Context, worktree, remote, branch string) error
	GitSaved
	// Survey is Status with a fingerprint that changes with every change of a file that no commit holds.
	Survey(ctx context.Context, worktree string) (s pieces.WorkStatus, fingerprint string, err error)
}

// GitSaved keeps what a worktree holds under a hidden ref, and brings it back.
type GitSaved interface {
	// Save keeps everything that removing the worktree would lose under a ref; "" when nothing would be lost.
	Save(ctx context.Context, worktree, ref string) (string, error)
	// Restore brings it back into a worktree that is as it was then; pieces.ErrOccupied, and nothing touched, otherwise.
	Restore(ctx context.Context, worktree, ref string) error
	Saved(ctx context.Context, repo, ref string) (pieces.Saved, error)
	SavedRefs(ctx context.Context, repo, prefix string) ([]string, error)
	// BranchHead is a local branch's commit; empty when there is none.
	BranchHead(ctx context.Context, repo, branch string) (string, error)
}

// Agents starts Claude Code sessions.
type Agents interface {
	// Start launches or resumes a session. emit gets its events in order, from one goroutine; Ended is always the last.
	Start(ctx context.Context, l pieces.Launch, emit func(pieces.SessionEvent)) (Conversation, error)
	// Script runs a project's script in dir under a time limit, and returns the end of what it printed.
	Script(ctx context.Context, dir, script string) (output string, err error)
	// Gone says whether the recorded host of a session of an earlier start no longer runs, ending it if it does.
	Gone(ctx context.Context, h pieces.HostProcess) error
	// Health says in one sentence what keeps Claude Code from running, and names the command that mends it.
	Health(ctx context.Context) (version string, kind pieces.FailureKind, sentence string)
}

// Conversation is one running session.
type Conversation interface {
	Send(ctx context.Context, text string) error
	Answer(ctx context.Context, promptID string, a pieces.PromptAnswer) error
	// Finish ends the session after its turn; Stop interrupts it first. Both verify that every descendant is gone.
	Finish(ctx context.Context) (pieces.SessionEnd, error)
	Stop(ctx context.Context) (pieces.SessionEnd, error)
}

// Forge opens and reads pull requests.
type Forge interface {
	Open(ctx context.Context, s pieces.PullRequestSpec) (pieces.PullRequest, error)
	Find(ctx context.Context, remoteURL, head string) (*pieces.PullRequest, error)
	Read(ctx context.Context, remoteURL string, prs []pieces.PullRequest) []pieces.PullRequest
}

// Login is the part of the desktop that starts programs when the person logs in.
type Login interface {
	// StartAtLogin makes the desktop start Fermata at login, or no longer. It is safe to repeat.
	StartAtLogin(on bool) error
}
