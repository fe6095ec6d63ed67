// Package git is the only door to the git program.
//
// Every call is one child process with a clean environment, a time limit and no way to ask the person anything. Calls that
// change what worktrees share take a lock per repository that holds within this process and across processes. All methods
// may be called from several goroutines at once.
package git

import (
	"errors"
	"os"
	"sync"
	"time"

	"fermata/pieces"
)

// What callers test for with errors.Is.
var (
	// ErrNotRepository says that a path is in no git checkout.
	ErrNotRepository = errors.New("not a git repository")
	// ErrNoCommit says that the repository has no commit to start from yet.
	ErrNoCommit = errors.New("the repository has no commit yet")
	// ErrNoBranch says that a branch exists neither here nor on the remote.
	ErrNoBranch = errors.New("there is no such branch")
	// ErrBranchExists says that the branch to be made is there already.
	ErrBranchExists = errors.New("the branch exists already")
	// ErrPathTaken says that the folder for a new worktree is there already and not empty.
	ErrPathTaken = errors.New("the folder exists already")
	// ErrWorktreeMissing says that a path is no live worktree of the repository.
	ErrWorktreeMissing = pieces.ErrWorktreeMissing
	// ErrWrongBranch says that a worktree is on another branch than the one it belongs to.
	ErrWrongBranch = errors.New("the worktree is on another branch")
	// ErrRefused says that a path may not be removed, whatever it holds.
	ErrRefused = errors.New("refused")
	// ErrDirty says that removing a worktree would lose files or commits that nothing else holds.
	ErrDirty = errors.New("the worktree holds work that is not saved")
	// ErrUnsavable says that a folder inside a worktree is a repository of its own, which no commit here can hold.
	ErrUnsavable = errors.New("a repository inside the worktree holds work that cannot be saved with it")
	// ErrBadName says that a branch, ref, remote or path is not fit to be given to git.
	ErrBadName = errors.New("unfit name")
)

// Options configure a Git. The zero value works.
type Options struct {
	// LockDir is where the lock files live, one for each repository and never inside it. Empty: a folder of the user's cache.
	LockDir string
	// Environ gives the environment that git inherits. Nil: os.Environ.
	Environ func() []string
	// Patience is how long a commit or a push may take, with its hooks and the signing. Zero: 3 minutes.
	Patience time.Duration
	// Program is the git program. Empty: "git", looked up on PATH.
	Program string
}

// Git runs git. Make one with New and share it: the locks within the process are its own.
type Git struct {
	lockDir string
	environ func() []string
	program string
	limits  limits

	mu      sync.Mutex
	locks   map[string]chan struct{}
	fetches map[string]*fetched
	local   map[string]bool
}

// limits are the time limits of one git process by what it does.
type limits struct {
	read, fetch, remote, push, commit, tree time.Duration
}

// New returns a Git.
func New(o Options) *Git {
	g := &Git{
		lockDir: o.LockDir,
		environ: o.Environ,
		program: o.Program,
		limits: limits{
			read:   time.Minute,
			fetch:  20 * time.Second,
			remote: 30 * time.Second,
			push:   3 * time.Minute,
			commit: 3 * time.Minute,
			tree:   10 * time.Minute,
		},
		locks:   map[string]chan struct{}{},
		fetches: map[string]*fetched{},
	}
	if o.Patience > 0 {
		g.limits.commit, g.limits.push = o.Patience, o.Patience
	}
	if g.environ == nil {
		g.environ = os.Environ
	}
	if g.program == "" {
		g.program = "git"
	}
	return g
}
