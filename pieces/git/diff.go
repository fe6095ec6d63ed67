package git

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"fermata/pieces"
)

// defaultPatch is the patch's limit in bytes when the caller names none.
const defaultPatch = 1 << 20

// Diff is all that the worktree has over base: the commits on HEAD, what is changed and staged, and the untracked files
// that are not ignored, as added. It is taken against the merge base of base and HEAD, so that what base got meanwhile does
// not show as undone. The patch is cut after limit bytes, at the end of a line; 0 is a limit of 1 MiB. The files are
// listed in full.
func (g *Git) Diff(ctx context.Context, worktree, base string, limit int) (pieces.Diff, error) {
	err := errors.Join(checkRevision(base), g.ownTop(ctx, worktree))
	var d pieces.Diff
	if err == nil {
		d, err = g.diff(ctx, worktree, base, limit)
	}
	if err != nil {
		return d, fmt.Errorf("read changes of %s: %w", worktree, err)
	}
	return d, nil
}

func (g *Git) diff(ctx context.Context, worktree, base string, limit int) (pieces.Diff, error) {
	var d pieces.Diff
	var err error
	if d.Head, err = g.resolve(ctx, worktree, "HEAD"); exitCode(err) == 1 {
		return d, ErrNoCommit
	} else if err != nil {
		return d, err
	}
	if d.Base, err = g.mergeBase(ctx, worktree, base); err != nil {
		return d, err
	}
	s, err := g.scratch(ctx, worktree)
	if err != nil {
		return d, err
	}
	defer s.close()
	if err := s.intend(ctx); err != nil {
		return d, err
	}
	out, err := s.run(ctx, "", "diff-index", "-z", "-M", "--raw", "--numstat", d.Base, "--")
	if err != nil {
		return d, err
	}
	d.Files = readFiles(fields(out))
	if limit <= 0 {
		limit = defaultPatch
	}
	d.Patch, d.Cut, err = s.patch(ctx, d.Base, limit)
	return d, err
}

// mergeBase is where HEAD left base; base itself when they have nothing in common.
func (g *Git) mergeBase(ctx context.Context, worktree, base string) (string, error) {
	id, err := g.resolve(ctx, worktree, base)
	if exitCode(err) == 1 {
		return "", fmt.Errorf("%s: %w", base, ErrNoBranch)
	}
	if err != nil {
		return "", err
	}
	found, err := g.line(ctx, worktree, "merge-base", id, "HEAD")
	if exitCode(err) == 1 {
		return id, nil
	}
	return found, err
}

// intend makes untracked files part of the copied index by name only: the diff then shows them as added, and their content
// is not written into the repository each time somebody looks.
func (s *scratch) intend(ctx context.Context) error {
	untracked, err := s.g.untracked(ctx, s.dir)
	if err != nil {
		return err
	}
	var names []string
	for _, path := range untracked {
		if !strings.HasSuffix(path, "/") {
			names = append(names, ":(top,literal)"+path)
		}
	}
	if len(names) > 0 {
		if _, err := s.run(ctx, strings.Join(names, "\x00"), "add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
			return err
		}
	}
	// Without a refresh a touched file would be listed as changed. Exit code 1: some files are changed.
	if _, err := s.run(ctx, "", "update-index", "-q", "--refresh"); err != nil && exitCode(err) != 1 {
		return err
	}
	return nil
}

// patch reads the unified diff up to limit bytes.
func (s *scratch) patch(ctx context.Context, base string, limit int) (string, bool, error) {
	out, err := s.g.run(ctx, call{
		dir: s.dir, env: []string{"GIT_INDEX_FILE=" + s.file}, limit: s.g.limits.tree, max: limit + 1,
		args: []string{"diff-index", "-M", "-p", "--no-ext-diff", "--no-textconv", "--no-color", base, "--"},
	})
	if err != nil {
		return "", false, err
	}
	cut := len(out) > limit
	if cut {
		out = out[:strings.LastIndexByte(out[:limit], '\n')+1]
	}
	return strings.ToValidUTF8(out, "\uFFFD"), cut, nil
}

// statuses are git's letters for what happened to a file.
var statuses = map[byte]string{
	'A': "added", 'C': "copied", 'D': "deleted", 'M': "modified", 'R': "renamed", 'T': "typeChanged", 'U': "modified",
}

// readFiles takes the fields of `--raw --numstat -z`: first all the raw records, then the line counts of the same files.
func readFiles(rest []string) []pieces.ChangedFile {
	var files []pieces.ChangedFile
	index := map[string]int{}
	for len(rest) > 1 {
		head := rest[0]
		if !strings.HasPrefix(head, ":") {
			rest = count(files, index, rest)
			continue
		}
		letter := head[strings.LastIndexByte(head, ' ')+1]
		f := pieces.ChangedFile{Path: rest[1], Status: statuses[letter]}
		rest = rest[2:]
		if (letter == 'R' || letter == 'C') && len(rest) > 0 {
			f.OldPath, f.Path = f.Path, rest[0]
			rest = rest[1:]
		}
		// A conflicted file comes twice: once as unmerged, once with its change.
		if _, seen := index[f.Path]; !seen {
			index[f.Path] = len(files)
			files = append(files, f)
		}
	}
	if len(rest) == 1 {
		count(files, index, rest)
	}
	return files
}

// count takes one line-count record: "added\tdeleted\tpath", or with an empty path the old and the new one behind it.
func count(files []pieces.ChangedFile, index map[string]int, rest []string) []string {
	parts := strings.SplitN(rest[0], "\t", 3)
	rest = rest[1:]
	if len(parts) < 3 {
		return rest
	}
	path := parts[2]
	if path == "" && len(rest) > 1 {
		path = rest[1]
		rest = rest[2:]
	}
	if i, ok := index[path]; ok {
		files[i].Added, files[i].Deleted = lines(parts[0]), lines(parts[1])
	}
	return rest
}

// lines reads a count; git writes "-" for a binary file.
func lines(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}
