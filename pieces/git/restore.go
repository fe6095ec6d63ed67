package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"fermata/pieces"
)

// ErrNotSaved says that there is no such ref, or that it holds nothing that Save wrote.
var ErrNotSaved = errors.New("nothing is saved there")

// ErrOccupied says that a worktree is not as it was when the work was saved, so that restoring could write over something.
var ErrOccupied = pieces.ErrOccupied

// Saved reads what a hidden ref holds.
func (g *Git) Saved(ctx context.Context, repo, ref string) (pieces.Saved, error) {
	err := errors.Join(checkPath(repo), checkHidden(ref))
	var s pieces.Saved
	if err == nil {
		s, err = g.saved(ctx, repo, ref)
	}
	if err != nil {
		return s, fmt.Errorf("read saved work %s: %w", ref, err)
	}
	return s, nil
}

func (g *Git) saved(ctx context.Context, repo, ref string) (pieces.Saved, error) {
	s := pieces.Saved{Ref: ref}
	var err error
	if s.Commit, err = g.resolve(ctx, repo, ref); exitCode(err) == 1 {
		return s, ErrNotSaved
	} else if err != nil {
		return s, err
	}
	// Our own commits come first, at most two; the one below was checked out.
	out, err := g.read(ctx, repo, "log", "-z", "--no-show-signature", "--no-color", "--first-parent", "--max-count=3", "--format=%H %T %ce %s", s.Commit, "--")
	if err != nil {
		return s, err
	}
	for _, line := range fields(out) {
		part := strings.SplitN(line, " ", 4)
		if len(part) < 4 {
			return s, ErrNotSaved
		}
		commit, tree, ours := part[0], part[1], part[2] == fallbackEmail
		switch {
		case ours && part[3] == savedFiles && s.Files == "":
			s.Files = tree
		case ours && part[3] == savedStaged && s.Staged == "":
			s.Staged = tree
		default:
			s.Base = commit
			// What was not staged or changed was as in that commit.
			if s.Staged == "" {
				s.Staged = tree
			}
			if s.Files == "" {
				s.Files = s.Staged
			}
			return s, nil
		}
	}
	return s, ErrNotSaved
}

// BranchHead is the commit of a local branch; empty when there is no such branch.
func (g *Git) BranchHead(ctx context.Context, repo, branch string) (string, error) {
	if err := errors.Join(checkPath(repo), checkBranch(branch)); err != nil {
		return "", fmt.Errorf("read branch: %w", err)
	}
	id, err := g.resolve(ctx, repo, "refs/heads/"+branch)
	if exitCode(err) == 1 {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read branch %s: %w", branch, err)
	}
	return id, nil
}

// SavedRefs lists the hidden refs below a prefix, such as those of one piece, oldest first.
func (g *Git) SavedRefs(ctx context.Context, repo, prefix string) ([]string, error) {
	err := errors.Join(checkPath(repo), checkHidden(strings.TrimSuffix(prefix, "/")))
	var out string
	if err == nil {
		out, err = g.read(ctx, repo, "for-each-ref", "--format=%(refname)", prefix)
	}
	if err != nil {
		return nil, fmt.Errorf("list saved work: %w", err)
	}
	return strings.Fields(out), nil
}

// Restore brings what a hidden ref holds back into a worktree: the files, what was staged, and the untracked files.
//
// The worktree must have the commit checked out that it had when the work was saved, and nothing changed, else the error is
// ErrOccupied and nothing was touched; the same where an ignored file lies in the way. A worktree that holds exactly what
// was saved is left as it is.
func (g *Git) Restore(ctx context.Context, worktree, ref string) error {
	err := checkHidden(ref)
	if err == nil {
		err = g.ownTop(ctx, worktree)
	}
	if err == nil {
		err = g.restore(ctx, worktree, ref)
	}
	if err != nil {
		return fmt.Errorf("restore %s into %s: %w", ref, worktree, err)
	}
	return nil
}

func (g *Git) restore(ctx context.Context, worktree, ref string) error {
	s, err := g.saved(ctx, worktree, ref)
	if err != nil {
		return err
	}
	now, err := g.content(ctx, worktree)
	if err != nil {
		return err
	}
	if now.head != s.Base {
		return fmt.Errorf("%w: it is at %s, and the work was saved on top of %s", ErrOccupied, now.head, s.Base)
	}
	if now.files == s.Files && now.staged == s.Staged {
		return nil
	}
	if !now.clean() {
		return fmt.Errorf("%w: it has changes that are not committed", ErrOccupied)
	}
	return g.bringBack(ctx, worktree, s)
}

// bringBack checks the saved files out over a clean worktree, then puts the index to what was staged.
func (g *Git) bringBack(ctx context.Context, worktree string, s pieces.Saved) error {
	write := func(args ...string) error {
		_, err := g.run(ctx, call{dir: worktree, set: noHooks, write: true, limit: g.limits.tree, args: args})
		return err
	}
	// The index's memory of the files' times may be stale, which the merge would take for changes; the exit code says so too.
	if err := write("update-index", "-q", "--refresh"); err != nil && exitCode(err) != 1 {
		return err
	}
	if err := g.wayIsFree(ctx, worktree, s); err != nil {
		return err
	}
	if err := write("read-tree", "-m", "-u", s.Base, s.Files); err != nil {
		if exitCode(err) < 0 {
			return err
		}
		return fmt.Errorf("%w: %w", ErrOccupied, err)
	}
	if s.Staged == s.Files {
		return nil
	}
	// Without -m the index is replaced and no file is touched.
	if err := write("read-tree", s.Staged); err != nil {
		return err
	}
	if err := write("update-index", "-q", "--refresh"); err != nil && exitCode(err) != 1 {
		return err
	}
	return nil
}

// wayIsFree makes sure that no ignored file and no repository lies where a saved file comes: git itself refuses to write
// over untracked files, but counts ignored ones as nothing.
func (g *Git) wayIsFree(ctx context.Context, worktree string, s pieces.Saved) error {
	out, err := g.read(ctx, worktree, "diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=A", s.Base, s.Files)
	if err != nil {
		return err
	}
	ignored, err := g.read(ctx, worktree, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	if err != nil {
		return err
	}
	untracked, err := g.untracked(ctx, worktree)
	if err != nil {
		return err
	}
	there, above := map[string]bool{}, map[string]bool{}
	for _, name := range append(fields(ignored), untracked...) {
		folder, isFolder := strings.CutSuffix(name, "/")
		there[folder] = isFolder
		for dir := path.Dir(folder); dir != "."; dir = path.Dir(dir) {
			above[dir] = true
		}
	}
	for _, name := range fields(out) {
		if _, taken := there[name]; taken || above[name] {
			return fmt.Errorf("%w: %s is there", ErrOccupied, name)
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if isFolder, found := there[dir]; found && (!isFolder || exists(filepath.Join(worktree, name))) {
				return fmt.Errorf("%w: %s is there", ErrOccupied, name)
			}
		}
	}
	return nil
}

// exists says whether anything is at a path, a link to nowhere included; what cannot be looked at counts as there.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}
