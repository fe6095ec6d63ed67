package pieces

import "time"

// Repository is what git says of a directory.
type Repository struct {
	Top       string // the checkout's top folder
	CommonDir string // the shared git folder, absolute and without symlinks
	Main      string // the main checkout's top folder, of which Top may be a linked worktree
	Branch    string // checked-out branch; empty when HEAD is detached
	Head      string // commit id; empty when there is no commit
}

// Remote is one configured remote with its URL as configured, before insteadOf.
type Remote struct {
	Name string
	URL  string
}

// WorktreeRecord is a worktree that Fermata made; only recorded paths are ever removed.
type WorktreeRecord struct {
	Path      string
	ProjectID string
	PieceID   string
	TaskID    string
	Repo      string // the main checkout
	Branch    string
	CreatedAt time.Time
	// Prepared is set once the files to copy were copied and the setup script ran; a session begins only then.
	Prepared bool
}

// WorkStatus is the state of a worktree's files and commits.
type WorkStatus struct {
	Branch    string
	Head      string
	Staged    []string
	Changed   []string
	Untracked []string
	// Unpushed counts commits on HEAD that are on no remote-tracking branch.
	Unpushed int
	// UnpushedIDs are their ids, newest first.
	UnpushedIDs []string
	// Included are the ignored files that .worktreeinclude names and that differ from the main checkout's. Only a survey looks.
	Included []string
	// Ignored are the other ignored files and folders, which nothing saves; without unchanged copies. Only a survey looks.
	Ignored []string
}

// Dirty says whether files differ from the last commit.
func (s WorkStatus) Dirty() bool { return len(s.Staged)+len(s.Changed)+len(s.Untracked) > 0 }

// ChangedFile is one file of a diff.
type ChangedFile struct {
	Path    string
	OldPath string // where it was, when renamed
	Status  string // "added", "modified", "deleted", "renamed", "copied", "typeChanged"
	Added   int    // lines; -1 for a binary file
	Deleted int
}

// Diff is the difference of a branch or worktree to its base.
type Diff struct {
	Base  string
	Head  string
	Files []ChangedFile
	Patch string // unified; cut at a limit
	Cut   bool   // the patch was cut
}

// Commit is one commit on a piece's branch.
type Commit struct {
	ID      string
	Subject string
	Author  string
	At      time.Time
}

// PullRequest is a piece's pull request as the forge shows it.
type PullRequest struct {
	Number int
	URL    string
	State  PullRequestState
	Title  string
	Head   string // branch
	Base   string
	// Checks says in one line how the checks stand, such as "3 of 4 checks passed"; empty without checks.
	Checks   string
	Draft    bool
	Repo     string // "owner/name"
	Host     string // "github.com"
	ReadAt   time.Time
	ETag     string // of the last answer, for conditional requests
	PollNote string // why the last poll could not read it; empty when it did
	// PushNote says why commits that a feedback session made are not in it yet; empty when they are.
	PushNote string
}

// PullRequestState is open, merged or closed.
type PullRequestState string

// The states of a pull request.
const (
	PullRequestOpen   PullRequestState = "open"
	PullRequestMerged PullRequestState = "merged"
	PullRequestClosed PullRequestState = "closed"
)

// PullRequestSpec is what it takes to open a pull request.
type PullRequestSpec struct {
	RemoteURL string // as configured
	Head      string // branch, already pushed
	Base      string
	Title     string
	Body      string
	Draft     bool
}
